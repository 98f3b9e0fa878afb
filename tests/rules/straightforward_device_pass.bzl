"""straightforward_device_pass: the device passes of a kernel as CK's users write them, from CK's
headers as they are shipped.
"""

load("//rules:defs.bzl", "CkDeviceHeadersInfo", "CkKernelInfo")

# What the rules do is compared with what their own action does otherwise.
load("//rules/private:actions.bzl", "compile_device")  # buildifier: disable=bzl-visibility

_HIP = "//rules:hip_toolchain_type"

def _straightforward_device_pass_impl(ctx):
    kernel = ctx.attr.kernel[CkKernelInfo]
    headers = ctx.attr._headers[CkDeviceHeadersInfo]

    # What was not edited is the same in both folders, so the second need hold no more than the
    # rest.
    shipped = [file.path.partition("/ck_tile/")[0] for file in ctx.files._shipped[:1]]
    builder = [
        file
        for file in ctx.files._tile_engine
        if file.path.endswith("/ops/gemm/gemm_instance_builder.py")
    ][0]
    compiled = []
    for gpu in kernel.code_objects:
        source = ctx.actions.declare_file("{}.{}.cpp".format(ctx.label.name, gpu))
        ctx.actions.run(
            executable = ctx.executable._writer,
            arguments = [ctx.actions.args().add(builder).add(kernel.name).add(gpu).add(source)],
            inputs = ctx.files._tile_engine,
            mnemonic = "CkStraightforward",
            outputs = [source],
        )
        output = ctx.actions.declare_file("{}.{}.co".format(ctx.label.name, gpu))
        compile_device(
            ctx,
            ctx.toolchains[_HIP].hip,
            gpu,
            source,
            depset(ctx.files._shipped, transitive = [headers.files]),
            shipped + headers.include_dirs[:1],
            None,
            output,
        )
        compiled.append(output)
    return [DefaultInfo(files = depset(compiled))]

straightforward_device_pass = rule(
    implementation = _straightforward_device_pass_impl,
    attrs = {
        "kernel": attr.label(doc = "The kernel.", mandatory = True, providers = [CkKernelInfo]),
        "_headers": attr.label(
            default = "//rules:gemm_device_headers",
            providers = [CkDeviceHeadersInfo],
        ),
        "_shipped": attr.label(default = "@composable_kernel//:shipped_headers"),
        "_tile_engine": attr.label(default = "@composable_kernel//:tile_engine"),
        "_writer": attr.label(default = ":write_straightforward", executable = True, cfg = "exec"),
    },
    doc = """Code objects of a kernel, <name>.<GPU>.co, that owe nothing to this repository but the
compiler's flags.

CK's tile_engine writes the source, which includes CK's headers as they were downloaded; nothing is
precompiled.""",
    toolchains = [_HIP],
)
