"""Tests of what ck_kernel provides, and of its refusals."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@ck_arch//:specs.bzl", "GPUS")
load("//rules:defs.bzl", "CkKernelInfo")
load(":fakes.bzl", "MISSING", "fake_kernel", "settings", "settings_without_compiler")

_REFUSED = {
    "gfx908": "Rule one refuses it there; take gfx942.",
    "gfx90a": "Rule two refuses it there; take gfx942.",
}

def _info_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[CkKernelInfo]
    asserts.equals(env, "provides", info.name)
    asserts.equals(env, "made_up.json, entry 7", info.declared_at)
    asserts.equals(env, _REFUSED, info.refused)
    asserts.equals(env, "", info.why_not)
    asserts.equals(env, "tests/rules/libprovides.so", info.library.short_path)
    asserts.equals(env, "tests/rules/provides.json", info.resources.short_path)
    asserts.equals(env, "provides.cpp", info.source.basename)
    asserts.equals(
        env,
        {"gfx1100": "provides.gfx1100.co", "gfx942": "provides.gfx942.co"},
        {gpu: file.basename for gpu, file in info.code_objects.items()},
    )
    asserts.equals(env, [info.library, info.resources], target[DefaultInfo].files.to_list())
    asserts.equals(
        env,
        [info.library, info.resources],
        target[DefaultInfo].default_runfiles.files.to_list(),
    )
    asserts.equals(env, info.code_objects.values(), target[OutputGroupInfo].code_objects.to_list())
    asserts.equals(env, [info.source], target[OutputGroupInfo].source.to_list())
    return analysistest.end(env)

info_test = analysistest.make(
    _info_test_impl,
    config_settings = settings("gfx942,gfx1100"),
    doc = "A kernel provides its library, its resources, its source and a code object for each " +
          "GPU.",
)

def _refusal_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[CkKernelInfo]
    asserts.equals(env, ctx.attr.sentence, info.why_not)
    asserts.equals(
        env,
        (None, None, None, {}),
        (info.library, info.resources, info.source, info.code_objects),
    )
    actions = [
        action
        for action in analysistest.target_actions(env)
        if action.mnemonic != "FileWrite"
    ]
    asserts.equals(env, ["CkRefuse"], [action.mnemonic for action in actions])
    arguments = actions[0].argv
    asserts.true(env, ctx.attr.sentence in arguments, str(arguments))
    asked_about = arguments[arguments.index("--gpus") + 1:] if "--gpus" in arguments else []
    asserts.equals(env, ctx.attr.nearest_on, asked_about)
    asserts.equals(env, actions[0].outputs.to_list(), target[DefaultInfo].files.to_list())
    return analysistest.end(env)

_REFUSAL = {
    "nearest_on": attr.string_list(doc = "GPUs for which the nearest legal kernel is named."),
    "sentence": attr.string(doc = "What building the kernel should say.", mandatory = True),
}

_SENTENCE = {
    "sentence": attr.string(doc = "What building the kernel should say.", mandatory = True),
}

illegal_gpu_test = analysistest.make(
    _refusal_test_impl,
    attrs = _REFUSAL,
    config_settings = settings("gfx90a,gfx908,gfx1201"),
    doc = "A kernel that is legal on no GPU asked for is analysed, and its one action fails with " +
          "the rules' sentences.",
)

no_compiler_test = analysistest.make(
    _refusal_test_impl,
    attrs = _REFUSAL,
    config_settings = settings_without_compiler("gfx942"),
    doc = "Without a compiler a kernel is analysed, and its one action fails with the " +
          "toolchain's sentence.",
)

def _failure_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, ctx.attr.sentence)
    return analysistest.end(env)

other_name_test = analysistest.make(
    _failure_test_impl,
    attrs = _SENTENCE,
    config_settings = settings("gfx942"),
    doc = "A target that is not named after its spec fails at analysis.",
    expect_failure = True,
)

other_family_test = analysistest.make(
    _failure_test_impl,
    attrs = _SENTENCE,
    config_settings = settings("gfx942"),
    doc = "A spec of a family that the rules do not know fails at analysis.",
    expect_failure = True,
)

unknown_gpu_test = analysistest.make(
    _failure_test_impl,
    attrs = _SENTENCE,
    config_settings = settings("gfx942,gfx000"),
    doc = "A GPU that nobody knows fails every kernel at analysis.",
    expect_failure = True,
)

def kernel_info_test_suite(name):
    """Declares the tests of this file.

    Args:
        name: the name of the suite that holds them.
    """
    fake_kernel(
        name = "provides",
        refused = _REFUSED,
    )
    info_test(
        name = name + "_info",
        target_under_test = ":provides",
    )
    illegal_gpu_test(
        name = name + "_illegal_gpu",
        nearest_on = ["gfx90a", "gfx908", "gfx1201"],
        sentence = "provides (made_up.json, entry 7) cannot be built for gfx90a, gfx908, " +
                   "gfx1201: " +
                   "Rule two refuses it there; take gfx942. " +
                   "Rule one refuses it there; take gfx942. " +
                   "the declaration does not name gfx1201.",
        target_under_test = ":provides",
    )
    no_compiler_test(
        name = name + "_no_compiler",
        sentence = MISSING,
        target_under_test = ":provides",
    )
    fake_kernel(
        name = "misnamed",
        spec_name = "rightly_named",
    )
    other_name_test(
        name = name + "_other_name",
        sentence = "The target misnamed holds the spec of another kernel, rightly_named; " +
                   "a kernel's target is named after its spec.",
        target_under_test = ":misnamed",
    )
    fake_kernel(
        name = "of_no_family",
        family = "made_up",
    )
    other_family_test(
        name = name + "_other_family",
        sentence = "The spec of of_no_family is of the family made_up, whose headers no target " +
                   "names; there is gemm, grouped_conv, fmha.",
        target_under_test = ":of_no_family",
    )
    unknown_gpu_test(
        name = name + "_unknown_gpu",
        sentence = ("--//arch:gpus: unknown GPU \"gfx000\"; use names from {} separated by " +
                    "commas, or all.").format(
            ", ".join(GPUS),
        ),
        target_under_test = ":provides",
    )
    native.test_suite(
        name = name,
        tests = [
            name + "_illegal_gpu",
            name + "_info",
            name + "_no_compiler",
            name + "_other_family",
            name + "_other_name",
            name + "_unknown_gpu",
        ],
    )
