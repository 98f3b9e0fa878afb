"""ck_for_gpus: builds targets for GPUs of its own, whatever the command line asks for."""

visibility(["//rules/...", "//tests/rules/..."])

def _gpus_transition_impl(_settings, attr):
    return {"//arch:gpus": ",".join(attr.gpus)}

_gpus_transition = transition(
    implementation = _gpus_transition_impl,
    inputs = [],
    outputs = ["//arch:gpus"],
)

def _ck_for_gpus_impl(ctx):
    return [DefaultInfo(
        files = depset(transitive = [target[DefaultInfo].files for target in ctx.attr.targets]),
        runfiles = ctx.runfiles().merge_all(
            [target[DefaultInfo].default_runfiles for target in ctx.attr.targets],
        ),
    )]

ck_for_gpus = rule(
    implementation = _ck_for_gpus_impl,
    attrs = {
        "gpus": attr.string_list(
            doc = "The GPUs to build for.",
            allow_empty = False,
            mandatory = True,
        ),
        "targets": attr.label_list(
            doc = "Kernels and kernel sets.",
            cfg = _gpus_transition,
            mandatory = True,
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    doc = "The files of kernels and kernel sets, built for the given GPUs instead of those of " +
          "the build setting.",
)
