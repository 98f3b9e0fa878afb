"""Tests of the GPU list: its grammar, its build setting, and what Starlark reads from the specs."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("@ck_arch//:specs.bzl", "GPUS", "GPU_FACTS")
load("//arch:gpus.bzl", "GpusInfo", "gpus_setting")

# A wrong list or table ends the build, where these return the sentence that a test can read.
load("//arch/private:gpu_list.bzl", "parse_gpu_list")  # buildifier: disable=bzl-visibility
load("//arch/private:specs_repository.bzl", "specs_bzl")  # buildifier: disable=bzl-visibility

_KNOWN = ["gfx1", "gfx2", "gfx9999"]
_CHOICES = "use names from gfx1, gfx2, gfx9999 separated by commas, or all."

def _grammar_accepts_test_impl(ctx):
    env = unittest.begin(ctx)
    for value, gpus in {
        " gfx2 , gfx1 ": ["gfx2", "gfx1"],
        "all": _KNOWN,
        "gfx1": ["gfx1"],
        "gfx9999,gfx1": ["gfx9999", "gfx1"],
    }.items():
        asserts.equals(env, (gpus, None), parse_gpu_list(value, _KNOWN, "--gpus"))
    return unittest.end(env)

grammar_accepts_test = unittest.make(
    _grammar_accepts_test_impl,
    doc = "Names, trimmed and in the order given, or all of them.",
)

def _grammar_refuses_test_impl(ctx):
    env = unittest.begin(ctx)
    for value, error in {
        "": "--gpus: \"\" has an empty entry; ",
        "all,gfx1": "--gpus: \"all,gfx1\" mixes all with names; ",
        "gfx1,": "--gpus: \"gfx1,\" has an empty entry; ",
        "gfx1,gfx3": "--gpus: unknown GPU \"gfx3\"; ",
        "gfx1; gfx2": "--gpus: unknown GPU \"gfx1; gfx2\"; ",
        "gfx2,gfx1,gfx2": "--gpus: \"gfx2,gfx1,gfx2\" names gfx2 twice; ",
    }.items():
        asserts.equals(env, (None, error + _CHOICES), parse_gpu_list(value, _KNOWN, "--gpus"))
    return unittest.end(env)

grammar_refuses_test = unittest.make(
    _grammar_refuses_test_impl,
    doc = "Everything else gets one sentence that says what would work.",
)

def _setting_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, ctx.attr.gpus, analysistest.target_under_test(env)[GpusInfo].gpus)
    return analysistest.end(env)

_GPUS_ATTRIBUTE = {"gpus": attr.string_list(doc = "What the setting should provide.")}

setting_test = analysistest.make(
    _setting_test_impl,
    attrs = _GPUS_ATTRIBUTE,
    doc = "The setting provides the list of its value.",
)

command_line_test = analysistest.make(
    _setting_test_impl,
    attrs = _GPUS_ATTRIBUTE,
    config_settings = {str(Label("//arch:gpus")): "gfx950, gfx90a"},
    doc = "The value on the command line replaces the default.",
)

_DefaultInfo = provider(doc = "The default of a build setting.", fields = {"value": "Its text."})

def _default_aspect_impl(_target, ctx):
    return [_DefaultInfo(value = ctx.rule.attr.build_setting_default)]

_default_aspect = aspect(implementation = _default_aspect_impl)

def _default_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, "gfx942", analysistest.target_under_test(env)[_DefaultInfo].value)
    return analysistest.end(env)

default_test = analysistest.make(
    _default_test_impl,
    doc = "Without a flag, whatever the flags of this run, kernels are built for gfx942.",
    extra_target_under_test_aspects = [_default_aspect],
)

def _unknown_gpu_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(
        env,
        ("--//tests/arch:unknown_gpu: unknown GPU \"gfx000\"; use names from {} separated by " +
         "commas, or all.").format(
            ", ".join(GPUS),
        ),
    )
    return analysistest.end(env)

unknown_gpu_test = analysistest.make(
    _unknown_gpu_test_impl,
    doc = "An unknown GPU fails the build with the known ones.",
    expect_failure = True,
)

def _facts_test_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, GPUS, GPU_FACTS.keys())
    asserts.equals(
        env,
        {
            "family": "cdna4",
            "fp8_emulated": False,
            "half_registers": False,
            "lds_bytes": 163840,
            "matrix_isa": "mfma",
            "wave_size": 64,
        },
        GPU_FACTS["gfx950"],
    )
    asserts.equals(env, 32, GPU_FACTS["gfx1201"]["wave_size"])
    return unittest.end(env)

facts_test = unittest.make(
    _facts_test_impl,
    doc = "Starlark sees the GPUs and their facts.",
)

def _made_up_gpu_test_impl(ctx):
    env = unittest.begin(ctx)
    document = {
        "architectures": {
            "gfx9999": {
                "compute_units": 13,
                "family": "cdna99",
                "fp8_emulated": True,
                "half_registers": False,
                "lds_bytes": 1,
                "matrix_isa": "mfma",
                "wave_size": 64,
            },
        },
    }
    text, error = specs_bzl(document)
    asserts.equals(env, None, error)
    asserts.equals(env, """\"\"\"Generated from arch_specs.json.\"\"\"

GPUS = ["gfx9999"]

GPU_FACTS = {
    "gfx9999": {"family": "cdna99", "fp8_emulated": True, "half_registers": False, \
"lds_bytes": 1, "matrix_isa": "mfma", "wave_size": 64},
}
""", text)
    document["architectures"]["gfx9999"].pop("wave_size")
    asserts.equals(env, (None, "architectures.gfx9999.wave_size: missing"), specs_bzl(document))
    asserts.equals(env, (None, "architectures: expected at least one GPU"), specs_bzl({}))
    asserts.equals(env, (None, "not a JSON object"), specs_bzl(None))
    return unittest.end(env)

made_up_gpu_test = unittest.make(
    _made_up_gpu_test_impl,
    doc = "A GPU that only the specs know becomes one that Starlark knows.",
)

def gpus_test_suite(name):
    """Declares the tests of this file.

    Args:
      name: the name of the suite that holds them.
    """
    gpus_setting(
        name = "two_gpus",
        build_setting_default = "gfx942,gfx1100",
        tags = ["manual"],
    )
    setting_test(
        name = name + "_list",
        gpus = ["gfx942", "gfx1100"],
        target_under_test = ":two_gpus",
    )
    gpus_setting(
        name = "all_gpus",
        build_setting_default = "all",
        tags = ["manual"],
    )
    setting_test(
        name = name + "_all",
        gpus = GPUS,
        target_under_test = ":all_gpus",
    )
    default_test(
        name = name + "_default",
        target_under_test = "//arch:gpus",
    )
    command_line_test(
        name = name + "_command_line",
        gpus = ["gfx950", "gfx90a"],
        target_under_test = "//arch:gpus",
    )
    gpus_setting(
        name = "unknown_gpu",
        build_setting_default = "gfx000",
        tags = ["manual"],
    )
    unknown_gpu_test(
        name = name + "_unknown",
        target_under_test = ":unknown_gpu",
    )
    grammar_accepts_test(name = name + "_grammar_accepts")
    grammar_refuses_test(name = name + "_grammar_refuses")
    facts_test(name = name + "_facts")
    made_up_gpu_test(name = name + "_made_up")
    native.test_suite(
        name = name,
        tests = [
            name + "_all",
            name + "_command_line",
            name + "_default",
            name + "_facts",
            name + "_grammar_accepts",
            name + "_grammar_refuses",
            name + "_list",
            name + "_made_up",
            name + "_unknown",
        ],
    )
