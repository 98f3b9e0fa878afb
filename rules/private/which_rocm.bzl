"""An executable that prints what the toolchain's detection found."""

visibility(["//rules/...", "//tests/rules/..."])

def _which_rocm_impl(ctx):
    path = ctx.file.found.short_path
    path = path.removeprefix("../") if path.startswith("../") else ctx.workspace_name + "/" + path
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.expand_template(
        is_executable = True,
        output = script,
        substitutions = {"{found}": path},
        template = ctx.file._template,
    )
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles([ctx.file.found]))]

which_rocm = rule(
    implementation = _which_rocm_impl,
    attrs = {
        "found": attr.label(
            doc = "What the detection wrote.",
            allow_single_file = True,
            mandatory = True,
        ),
        "_template": attr.label(default = ":which_rocm.sh.tpl", allow_single_file = True),
    },
    doc = "`bazel run` prints the HIP compiler in use, or why there is none.",
    executable = True,
)
