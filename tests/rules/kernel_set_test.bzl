"""Tests of ck_kernel_set and ck_kernel_sets."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_python//python:defs.bzl", "PyInfo")
load("//rules:defs.bzl", "CkKernelInfo", "CkKernelSetInfo", "ck_kernel_set", "ck_kernel_sets")
load(":fakes.bzl", "MISSING", "fake_kernel", "settings", "settings_without_compiler")

_ERRORS = [
    "made_up.json, entry 2: rule one says no; the nearest legal choice is another.",
    "made_up.json, entry 5: rule two says no; the nearest legal choice is another.",
]

def _info_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[CkKernelSetInfo]
    asserts.equals(env, ["set_kernel_b", "set_kernel_a"], [kernel.name for kernel in info.kernels])
    asserts.equals(env, "tests/rules/some_kernels.manifest.json", info.manifest.short_path)
    libraries = [file for kernel in info.kernels for file in (kernel.library, kernel.resources)]
    asserts.equals(env, [info.manifest] + libraries, target[DefaultInfo].files.to_list())
    asserts.equals(
        env,
        [info.manifest] + libraries,
        target[DefaultInfo].default_runfiles.files.to_list(),
    )
    asserts.equals(env, [info.manifest], target[OutputGroupInfo].manifest.to_list())
    asserts.equals(
        env,
        ["set_kernel_b.gfx942.co", "set_kernel_a.gfx942.co"],
        [file.basename for file in target[OutputGroupInfo].code_objects.to_list()],
    )
    manifests = [
        action
        for action in analysistest.target_actions(env)
        if action.mnemonic == "CkManifest"
    ]
    asserts.equals(env, [[info.manifest]], [action.outputs.to_list() for action in manifests])
    inputs = manifests[0].inputs.to_list()
    asserts.equals(env, [], [file for file in libraries if file not in inputs])
    return analysistest.end(env)

info_test = analysistest.make(
    _info_test_impl,
    config_settings = settings("gfx942"),
    doc = "A set provides its kernels that are legal on the GPUs asked for, with their manifest, " +
          "as data.",
)

def _refusal_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    asserts.equals(env, [], target[CkKernelSetInfo].kernels)
    actions = analysistest.target_actions(env)
    asserts.equals(env, ["CkRefuse"], [action.mnemonic for action in actions])
    asserts.true(env, ctx.attr.sentence in actions[0].argv, str(actions[0].argv))
    refused = [target[CkKernelSetInfo].manifest]
    for files in [
        target[DefaultInfo].files,
        target[OutputGroupInfo].code_objects,
        target[OutputGroupInfo].manifest,
        target[OutputGroupInfo].source,
    ]:
        asserts.equals(env, refused, files.to_list())
    return analysistest.end(env)

_SENTENCE = {"sentence": attr.string(doc = "What should be said.", mandatory = True)}

no_legal_kernel_test = analysistest.make(
    _refusal_test_impl,
    attrs = _SENTENCE,
    config_settings = settings("gfx1201"),
    doc = "A set without a legal kernel is analysed, and building it says why.",
)

no_compiler_test = analysistest.make(
    _refusal_test_impl,
    attrs = _SENTENCE,
    config_settings = settings_without_compiler("gfx942"),
    doc = "Without a compiler a set is analysed, and building it says why.",
)

refusal_test = analysistest.make(
    _refusal_test_impl,
    attrs = _SENTENCE,
    config_settings = settings("gfx942"),
    doc = "A set that is wrong is analysed, and building it says what is wrong.",
)

def _shared_kernel_test_impl(ctx):
    env = analysistest.begin(ctx)
    info = analysistest.target_under_test(env)[CkKernelInfo]
    asserts.equals(env, ["gfx942", "gfx950"], info.code_objects.keys())
    asserts.equals(env, {"gfx1100": "refused by both."}, info.refused)
    asserts.equals(env, "lenient.json, entry 1", info.declared_at)
    inspections = [
        action
        for action in analysistest.target_actions(env)
        if action.mnemonic == "CkInspect"
    ]
    asserts.equals(env, 1, len(inspections))
    asserts.true(env, "--forbid-spills" in inspections[0].argv)
    return analysistest.end(env)

shared_kernel_test = analysistest.make(
    _shared_kernel_test_impl,
    config_settings = settings("all"),
    doc = "A kernel of two declarations is one target that serves both: every GPU of either, " +
          "spills forbidden by either.",
)

def _library_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    sources = [file.short_path for file in target[PyInfo].transitive_sources.to_list()]
    asserts.true(env, "python/ckdispatch/__init__.py" in sources, str(sources))
    files = [file.short_path for file in target[DefaultInfo].default_runfiles.files.to_list()]
    for file in [
        "dispatcher/libckdispatch.so",
        "tests/rules/lenient.manifest.json",
        "tests/rules/libshared_kernel.so",
    ]:
        asserts.true(env, file in files, "{} is not among {}".format(file, files))
    return analysistest.end(env)

library_test = analysistest.make(
    _library_test_impl,
    config_settings = settings("gfx942"),
    doc = "A set is a Python library, which brings the package and the set along.",
)

def _declaration(name, gpus, refused, forbid_spills):
    """A KERNEL_SET with one kernel, as an expansion gives it."""
    return {
        "errors": [],
        "forbid_spills": forbid_spills,
        "kernels": [{
            "entry": name + ".json, entry 1",
            "gpus": gpus,
            "name": "shared_kernel",
            "refused": refused,
            "spec": {"family": "gemm"},
        }],
        "set": name,
    }

def kernel_set_test_suite(name):
    """Declares the tests of this file.

    Args:
        name: the name of the suite that holds them.
    """
    fake_kernel(name = "set_kernel_a")
    fake_kernel(name = "set_kernel_b")
    fake_kernel(
        name = "set_kernel_elsewhere",
        legal_gpus = ["gfx950"],
    )
    ck_kernel_set(
        name = "some_kernels",
        kernels = [
            ":set_kernel_b",
            ":set_kernel_elsewhere",
            ":set_kernel_a",
        ],
        tags = ["manual"],
    )
    info_test(
        name = name + "_info",
        target_under_test = ":some_kernels",
    )
    no_legal_kernel_test(
        name = name + "_no_legal_kernel",
        sentence = "None of the 3 kernels of some_kernels can be built: " +
                   "set_kernel_b (made_up.json, entry 7) cannot be built for gfx1201: " +
                   "the declaration does not name gfx1201.",
        target_under_test = ":some_kernels",
    )
    no_compiler_test(
        name = name + "_no_compiler",
        sentence = "None of the 3 kernels of some_kernels can be built: " + MISSING,
        target_under_test = ":some_kernels",
    )
    ck_kernel_set(
        name = "wrong",
        errors = _ERRORS,
        kernels = [":set_kernel_a"],
        tags = ["manual"],
    )
    refusal_test(
        name = name + "_errors",
        sentence = "\n".join(_ERRORS),
        target_under_test = ":wrong",
    )
    ck_kernel_set(
        name = "empty",
        kernels = [],
        tags = ["manual"],
    )
    refusal_test(
        name = name + "_empty",
        sentence = "The kernel set empty names no kernel; give it at least one.",
        target_under_test = ":empty",
    )
    ck_kernel_sets(
        name = "both",
        sets = [
            _declaration(
                "lenient",
                ["gfx942"],
                {"gfx1100": "refused by both.", "gfx950": "refused by one."},
                False,
            ),
            _declaration(
                "strict",
                ["gfx950"],
                {"gfx1100": "refused by both.", "gfx942": "refused by one."},
                True,
            ),
        ],
        tags = ["manual"],
    )
    shared_kernel_test(
        name = name + "_shared_kernel",
        target_under_test = ":shared_kernel",
    )
    library_test(
        name = name + "_library",
        target_under_test = ":lenient_py",
    )
    native.test_suite(
        name = name,
        tests = [
            name + "_empty",
            name + "_errors",
            name + "_info",
            name + "_library",
            name + "_no_compiler",
            name + "_no_legal_kernel",
            name + "_shared_kernel",
        ],
    )
