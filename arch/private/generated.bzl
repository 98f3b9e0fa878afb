"""Files generated from the GPU specs by actions."""

def _generated_specs_impl(ctx):
    arguments = ctx.actions.args()
    arguments.add("--specs", ctx.file.specs)
    arguments.add("--" + ctx.attr.kind, ctx.outputs.out)
    ctx.actions.run(
        outputs = [ctx.outputs.out],
        inputs = [ctx.file.specs],
        executable = ctx.executable._generate,
        arguments = [arguments],
        mnemonic = "CkArchSpecs",
        progress_message = "Generating %{output} from the GPU specs",
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

generated_specs = rule(
    implementation = _generated_specs_impl,
    doc = "Validates GPU specs and generates one file from them.",
    attrs = {
        "kind": attr.string(
            doc = "What to generate: the module of `ckarch`, or the C++ header.",
            mandatory = True,
            values = [
                "cpp",
                "python",
            ],
        ),
        "out": attr.output(
            doc = "The file to write.",
            mandatory = True,
        ),
        "specs": attr.label(
            allow_single_file = [".json"],
            doc = "The GPU specs.",
            mandatory = True,
        ),
        "_generate": attr.label(
            cfg = "exec",
            default = "//arch:generate",
            executable = True,
        ),
    },
)
