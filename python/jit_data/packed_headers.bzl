"""packed_headers: many headers as one file that a program can carry with it."""

def _packed_headers_impl(ctx):
    args = ctx.actions.args()
    args.add("--root", ctx.attr.root)
    args.add("--output", ctx.outputs.out)
    args.add_all(ctx.files.srcs)
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    ctx.actions.run(
        executable = ctx.executable._packer,
        arguments = [args],
        inputs = ctx.files.srcs,
        mnemonic = "CkPackHeaders",
        outputs = [ctx.outputs.out],
        progress_message = "Packing the headers below {}".format(ctx.attr.root),
    )
    return [DefaultInfo(
        files = depset([ctx.outputs.out]),
        runfiles = ctx.runfiles([ctx.outputs.out]),
    )]

packed_headers = rule(
    implementation = _packed_headers_impl,
    attrs = {
        "out": attr.output(doc = "The archive.", mandatory = True),
        "root": attr.string(
            doc = "The folder with which the name of every header begins in the archive.",
            mandatory = True,
        ),
        "srcs": attr.label_list(doc = "The headers.", allow_files = True, mandatory = True),
        "_packer": attr.label(default = ":pack", cfg = "exec", executable = True),
    },
    doc = "An uncompressed tar file with headers, the same bytes wherever it is made.",
)
