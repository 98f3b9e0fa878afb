"""Tests of the actions of ck_kernel: how many, their command lines, their inputs, their
environment.
"""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")
load(":fakes.bzl", "DIGEST", "fake_kernel", "settings")

_KINDS = ["CkBundle", "CkCompile", "CkGenerate", "CkHost", "CkInspect", "CkLink"]

def _actions(env, mnemonic):
    return [action for action in analysistest.target_actions(env) if action.mnemonic == mnemonic]

def absolute_paths(argv):
    """The words that name a path of the machine, also behind an option's letters, a `=` or a comma.

    Args:
        argv: a command line.

    Returns:
        a list of words of it.
    """
    found = []
    for word in argv:
        parts = word.replace("=", ",").replace("\"", "").split(",") + [word.lstrip("-IL")]
        if [part for part in parts if part.startswith("/") and part != "/dev/null"]:
            found.append(word)
    return found

def follows(argv, words):
    """Whether the words stand in the command line once, one right after the other.

    Args:
        argv: a command line.
        words: some words of it.

    Returns:
        a bool.
    """
    starts = [index for index in range(len(argv)) if argv[index:index + len(words)] == words]
    return len(starts) == 1

def _one_of_each_test_impl(ctx):
    env = analysistest.begin(ctx)
    mnemonics = [
        action.mnemonic
        for action in analysistest.target_actions(env)
        if action.mnemonic.startswith("Ck")
    ]
    asserts.equals(env, _KINDS, sorted(mnemonics))
    return analysistest.end(env)

one_of_each_test = analysistest.make(
    _one_of_each_test_impl,
    config_settings = settings("gfx942"),
    doc = "For one GPU a kernel has one action of each kind.",
)

def _gpus_test_impl(ctx):
    env = analysistest.begin(ctx)
    name = analysistest.target_under_test(env).label.name
    compiles = _actions(env, "CkCompile")
    for gpu, action in zip(ctx.attr.gpus, compiles):
        asserts.equals(
            env,
            ["--offload-arch=" + gpu],
            [word for word in action.argv if word.startswith("--offload-arch")],
        )
        asserts.equals(
            env,
            ["{}.{}.co".format(name, gpu)],
            [file.basename for file in action.outputs.to_list()],
        )
        for fact, ours in {
            "fp8_emulated": gpu == "gfx90a",
            "half_registers": gpu == "gfx1100",
            "matrix_isa=wmma": gpu == "gfx1100",
        }.items():
            asserts.equals(
                env,
                ours,
                follows(action.argv, RECIPE["by_gpu"][fact]),
                "{} of {}".format(fact, gpu),
            )
        asserts.equals(
            env,
            [gpu + ".pch"],
            [file.basename for file in action.inputs.to_list() if file.extension == "pch"],
        )
    asserts.equals(env, len(ctx.attr.gpus), len(compiles))
    for kind in _KINDS:
        if kind != "CkCompile":
            asserts.equals(env, 1, len(_actions(env, kind)), "actions of the kind " + kind)
    host = _actions(env, "CkHost")[0].argv
    asserts.true(env, "-DCK_KERNEL_GPUS=\"{}\"".format(ctx.attr.waves) in host, str(host))
    targets = ["host-made-up-triple"] + ["hipv4-amdgcn-amd-amdhsa--" + gpu for gpu in ctx.attr.gpus]
    asserts.true(env, "-targets=" + ",".join(targets) in _actions(env, "CkBundle")[0].argv)
    return analysistest.end(env)

_GPUS_ATTRIBUTES = {
    "gpus": attr.string_list(doc = "The GPUs that should be compiled for."),
    "waves": attr.string(doc = "What the host pass should be told of them."),
}

several_gpus_test = analysistest.make(
    _gpus_test_impl,
    attrs = _GPUS_ATTRIBUTES,
    config_settings = settings("gfx1100,gfx942"),
    doc = "Each GPU of the setting is compiled by one action that names no other GPU.",
)

own_gpus_test = analysistest.make(
    _gpus_test_impl,
    attrs = _GPUS_ATTRIBUTES,
    config_settings = settings("gfx942"),
    doc = "A kernel's own list of GPUs beats the setting.",
)

some_legal_gpus_test = analysistest.make(
    _gpus_test_impl,
    attrs = _GPUS_ATTRIBUTES,
    config_settings = settings("gfx908,gfx942,gfx90a"),
    doc = "GPUs on which a rule refuses the kernel are left out if another one remains.",
)

def _compile_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _actions(env, "CkCompile")[0]
    argv = action.argv
    root = argv[0].partition("/bin/clang++")[0]
    asserts.true(env, argv[0].endswith("/tests/rules/fake_hip/bin/clang++"), argv[0])
    precompiled = [file.path for file in action.inputs.to_list() if file.extension == "pch"]
    for words in [
        ["-Xclang", "-include-pch", "-Xclang"] + precompiled,
        ["-nostdinc"],
        ["-nogpuinc"],
        ["-no-canonical-prefixes"],
        ["-fuse-cuid=none"],
        ["-Werror=date-time"],
        ["--cuda-device-only"],
        RECIPE["parts"]["common"] + RECIPE["parts"]["device"],
        ["-resource-dir", root + "/resource"],
        ["-isystem", root + "/include/first", "-isystem", root + "/include/second"],
        ["--rocm-device-lib-path={}/bitcode".format(root)],
        ["-o", action.outputs.to_list()[0].path],
    ]:
        asserts.true(env, follows(argv, words), "{} once in {}".format(words, argv))
    asserts.false(env, follows(argv, RECIPE["parts"]["host"]))
    asserts.true(
        env,
        follows(
            _actions(env, "CkHost")[0].argv,
            RECIPE["parts"]["common"] + RECIPE["parts"]["host"],
        ),
    )
    return analysistest.end(env)

compile_test = analysistest.make(
    _compile_test_impl,
    config_settings = settings("gfx942"),
    doc = "The compiler is told everything that it would otherwise look up on the machine, and " +
          "reads the headers precompiled.",
)

def _link_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _actions(env, "CkLink")[0]
    inputs = [file.basename for file in action.inputs.to_list()]
    objects = [word.rpartition("/")[2] for word in action.argv if word.endswith(".o")]
    asserts.equals(env, ["before.o", "kernel.o", "after.o"], objects)
    asserts.equals(env, [], [name for name in objects + ["exports.map"] if name not in inputs])
    asserts.true(env, "--soname=libkernel.so" in action.argv)
    scripts = [word for word in action.argv if word.startswith("--version-script=kernel_library/")]
    asserts.equals(env, ["exports.map"], [word.rpartition("/")[2] for word in scripts])
    return analysistest.end(env)

link_test = analysistest.make(
    _link_test_impl,
    config_settings = settings("gfx942"),
    doc = "A library is linked from declared files alone and exports what the version script " +
          "names.",
)

def _environment_test_impl(ctx):
    env = analysistest.begin(ctx)
    for kind in ["CkBundle", "CkCompile", "CkHost", "CkInspect", "CkLink"]:
        action = _actions(env, kind)[0]
        asserts.equals(env, DIGEST, action.env.get("CK_TOOLCHAIN_DIGEST"), kind)
        digests = [
            file
            for file in action.inputs.to_list()
            if file.short_path == "tests/rules/fake_hip/digest.txt"
        ]
        asserts.equals(env, 1, len(digests), kind)
        asserts.equals(
            env,
            [],
            [name for name in action.env if name in ("HOME", "LD_LIBRARY_PATH", "PATH")],
            kind,
        )

        # Where a precompiled header is made and read, every process's name for its own folder
        # stands for the sandbox's.
        asserts.equals(
            env,
            "/proc/self/cwd" if kind == "CkCompile" else None,
            action.env.get("PWD"),
            kind,
        )
    return analysistest.end(env)

environment_test = analysistest.make(
    _environment_test_impl,
    config_settings = settings("gfx942"),
    doc = "Every action that runs the toolchain has its digest in its key, and nothing of the " +
          "caller's environment.",
)

def _paths_test_impl(ctx):
    env = analysistest.begin(ctx)
    for kind in _KINDS:
        for action in _actions(env, kind):
            asserts.equals(env, [], absolute_paths(action.argv), kind)
    return analysistest.end(env)

paths_test = analysistest.make(
    _paths_test_impl,
    config_settings = settings("gfx942,gfx1100", toolchain = None),
    doc = "With the machine's own compiler no command line names a path of the machine.",
)

def _inputs_test_impl(ctx):
    env = analysistest.begin(ctx)
    both = {
        "/bin/clang++": True,
        "/bitcode/ocml.bc": True,
        "/digest.txt": True,
        "/hip/hip_runtime_api.h": True,
        "/resource/include/__clang_hip_runtime_wrapper.h": True,
    }
    for kind, own in {
        "CkCompile": {
            "/abi/ck_kernel_abi.h": False,
            "/gemm_device_headers/gfx942.pch": True,
            "/include/ck_kernel/device/gemm/tile.hpp": True,
            "/include/ck_kernel/host/gemm/headers.hpp": False,
            "/include/ck_tile/core.hpp": True,
            "/precompiled/gemm.hpp": True,
        },
        "CkHost": {
            "/abi/ck_kernel_abi.h": True,
            "/gemm_device_headers/gfx942.pch": False,
            "/include/ck_kernel/device/gemm/tile.hpp": False,
            "/include/ck_kernel/host/gemm/headers.hpp": True,
            "/include/ck_tile/core.hpp": False,
            "/precompiled/gemm.hpp": False,
        },
    }.items():
        paths = ["/" + file.path for file in _actions(env, kind)[0].inputs.to_list()]
        for suffix, wanted in (both | own).items():
            found = bool([path for path in paths if path.endswith(suffix)])
            asserts.equals(env, wanted, found, "{} as an input of {}".format(suffix, kind))
    return analysistest.end(env)

inputs_test = analysistest.make(
    _inputs_test_impl,
    config_settings = settings("gfx942", toolchain = None),
    doc = "Each pass declares the compiler and the headers that it reads, and no header of the " +
          "other pass.",
)

def _hip_headers_test_impl(ctx):
    env = analysistest.begin(ctx)
    words = ["-include", "__clang_hip_runtime_wrapper.h"]
    asserts.true(env, follows(_actions(env, "CkCompile")[0].argv, words))
    asserts.equals(env, ctx.attr.on_the_host, follows(_actions(env, "CkHost")[0].argv, words))
    return analysistest.end(env)

hip_headers_test = analysistest.make(
    _hip_headers_test_impl,
    attrs = {
        "on_the_host": attr.bool(doc = "Whether the host pass should read the headers of HIP."),
    },
    config_settings = settings("gfx942"),
    doc = "Device passes read the headers of HIP, host passes only where they include those of CK.",
)

def _spills_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, ctx.attr.forbidden, "--forbid-spills" in _actions(env, "CkInspect")[0].argv)
    return analysistest.end(env)

spills_test = analysistest.make(
    _spills_test_impl,
    attrs = {"forbidden": attr.bool(doc = "Whether spills should be an error.")},
    config_settings = settings("gfx950"),
    doc = "Spilled registers are an error where the declaration says so.",
)

def kernel_actions_test_suite(name):
    """Declares the tests of this file.

    Args:
        name: the name of the suite that holds them.
    """
    fake_kernel(name = "kernel")
    one_of_each_test(
        name = name + "_one_of_each",
        target_under_test = ":kernel",
    )
    compile_test(
        name = name + "_compile",
        target_under_test = ":kernel",
    )
    link_test(
        name = name + "_link",
        target_under_test = ":kernel",
    )
    environment_test(
        name = name + "_environment",
        target_under_test = ":kernel",
    )
    paths_test(
        name = name + "_paths",
        target_under_test = ":kernel",
    )
    inputs_test(
        name = name + "_inputs",
        target_under_test = ":kernel",
    )
    hip_headers_test(
        name = name + "_hip_headers",
        target_under_test = ":kernel",
    )
    fake_kernel(
        name = "convolution",
        family = "grouped_conv",
    )
    hip_headers_test(
        name = name + "_hip_headers_of_a_convolution",
        on_the_host = True,
        target_under_test = ":convolution",
    )
    spills_test(
        name = name + "_spills_allowed",
        forbidden = False,
        target_under_test = ":kernel",
    )
    fake_kernel(
        name = "kernel_without_spills",
        forbid_spills = True,
    )
    spills_test(
        name = name + "_spills_forbidden",
        forbidden = True,
        target_under_test = ":kernel_without_spills",
    )
    fake_kernel(name = "several")
    several_gpus_test(
        name = name + "_several_gpus",
        gpus = ["gfx1100", "gfx942"],
        target_under_test = ":several",
        waves = "gfx1100:32,gfx942:64",
    )
    some_legal_gpus_test(
        name = name + "_some_legal_gpus",
        gpus = ["gfx942"],
        target_under_test = ":several",
        waves = "gfx942:64",
    )
    fake_kernel(
        name = "several_of_its_own",
        gpus = ["gfx90a", "gfx950"],
        legal_gpus = ["gfx90a", "gfx942", "gfx950"],
    )
    own_gpus_test(
        name = name + "_own_gpus",
        gpus = ["gfx90a", "gfx950"],
        target_under_test = ":several_of_its_own",
        waves = "gfx90a:64,gfx950:64",
    )
    native.test_suite(
        name = name,
        tests = [
            name + "_compile",
            name + "_environment",
            name + "_hip_headers",
            name + "_hip_headers_of_a_convolution",
            name + "_inputs",
            name + "_link",
            name + "_one_of_each",
            name + "_own_gpus",
            name + "_paths",
            name + "_several_gpus",
            name + "_some_legal_gpus",
            name + "_spills_allowed",
            name + "_spills_forbidden",
        ],
    )
