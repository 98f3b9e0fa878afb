"""Tests of ck_device_headers: what precompiles the headers of a family."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@ck_arch//:specs.bzl", "GPUS")
load("//rules:defs.bzl", "CkDeviceHeadersInfo")
load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")
load(":fakes.bzl", "DIGEST", "settings", "settings_without_compiler")
load(":kernel_actions_test.bzl", "absolute_paths", "follows")

_TARGET = "//rules:gemm_device_headers"

def _actions(env):
    return [
        action
        for action in analysistest.target_actions(env)
        if action.mnemonic == "CkPrecompile"
    ]

def _one_for_each_gpu_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, GPUS, target[CkDeviceHeadersInfo].precompiled.keys())
    asserts.equals(env, len(GPUS), len(_actions(env)))
    for gpu, action in zip(GPUS, _actions(env)):
        asserts.equals(
            env,
            [target[CkDeviceHeadersInfo].precompiled[gpu]],
            action.outputs.to_list(),
        )
        asserts.equals(
            env,
            action.outputs.to_list(),
            getattr(target[OutputGroupInfo], gpu).to_list(),
        )
        named = [word for word in action.argv if word.startswith("--offload-arch")]
        asserts.equals(env, ["--offload-arch=" + gpu], named)
    asserts.equals(env, [], target[DefaultInfo].files.to_list())
    return analysistest.end(env)

one_for_each_gpu_test = analysistest.make(
    _one_for_each_gpu_test_impl,
    config_settings = settings("gfx942"),
    doc = "Whatever GPUs are built for, there is one action for each that a kernel may name; " +
          "none runs unless one does.",
)

def _precompile_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _actions(env)[0]
    root = action.argv[0].partition("/bin/clang++")[0]
    for words in [
        ["-nostdinc"],
        ["-nogpuinc"],
        ["-fuse-cuid=none"],
        RECIPE["parts"]["common"] + RECIPE["parts"]["device"],
        ["-resource-dir", root + "/resource"],
        ["-c", "kernel_library/precompiled/gemm.hpp"],
        ["-Xclang", "-emit-pch"],
        ["-Xclang", "-fno-pch-timestamp"],
        ["-o", action.outputs.to_list()[0].path],
    ]:
        asserts.true(env, follows(action.argv, words), "{} once in {}".format(words, action.argv))
    asserts.false(env, follows(action.argv, RECIPE["parts"]["host"]))
    asserts.equals(
        env,
        {"CK_TOOLCHAIN_DIGEST": DIGEST, "LC_ALL": "C", "PWD": "/proc/self/cwd"},
        action.env,
    )
    digests = [
        file
        for file in action.inputs.to_list()
        if file.short_path == "tests/rules/fake_hip/digest.txt"
    ]
    asserts.equals(env, 1, len(digests))
    return analysistest.end(env)

precompile_test = analysistest.make(
    _precompile_test_impl,
    config_settings = settings("gfx942"),
    doc = "Headers are precompiled with the flags of the device pass, the compiler's digest, and " +
          "neither time nor place.",
)

def _paths_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.true(env, len(_actions(env)) > 0)
    for action in _actions(env):
        asserts.equals(env, [], absolute_paths(action.argv))
    paths = ["/" + file.path for file in _actions(env)[0].inputs.to_list()]
    for suffix in [
        "/include/ck_tile/core.hpp",
        "/include/ck_kernel/device/gemm/headers.hpp",
        "/precompiled/gemm.hpp",
    ]:
        asserts.equals(env, 1, len([path for path in paths if path.endswith(suffix)]), suffix)
    return analysistest.end(env)

paths_test = analysistest.make(
    _paths_test_impl,
    config_settings = settings("gfx942", toolchain = None),
    doc = "With the machine's own compiler no command line names a path of the machine, and the " +
          "headers are inputs.",
)

def _no_compiler_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, {}, analysistest.target_under_test(env)[CkDeviceHeadersInfo].precompiled)
    asserts.equals(env, [], _actions(env))
    return analysistest.end(env)

no_compiler_test = analysistest.make(
    _no_compiler_test_impl,
    config_settings = settings_without_compiler("gfx942"),
    doc = "Without a compiler there is nothing to precompile, and analysis works.",
)

def device_headers_test_suite(name):
    """Declares the tests of this file.

    Args:
        name: the name of the suite that holds them.
    """
    one_for_each_gpu_test(
        name = name + "_one_for_each_gpu",
        target_under_test = _TARGET,
    )
    precompile_test(
        name = name + "_precompile",
        target_under_test = _TARGET,
    )
    paths_test(
        name = name + "_paths",
        target_under_test = _TARGET,
    )
    no_compiler_test(
        name = name + "_no_compiler",
        target_under_test = _TARGET,
    )
    native.test_suite(
        name = name,
        tests = [
            name + "_no_compiler",
            name + "_one_for_each_gpu",
            name + "_paths",
            name + "_precompile",
        ],
    )
