"""plain_device_pass: the device passes of a kernel, compiled once more from the headers themselves.
"""

load("//rules:defs.bzl", "CkDeviceHeadersInfo", "CkKernelInfo")

# What the rules do is compared with what their own action does otherwise.
load("//rules/private:actions.bzl", "compile_device")  # buildifier: disable=bzl-visibility

_HIP = "//rules:hip_toolchain_type"

def _plain_device_pass_impl(ctx):
    kernel = ctx.attr.kernel[CkKernelInfo]
    headers = ctx.attr._headers[CkDeviceHeadersInfo]
    compiled = []
    for gpu in kernel.code_objects:
        output = ctx.actions.declare_file("{}.{}.co".format(ctx.label.name, gpu))
        compile_device(
            ctx,
            ctx.toolchains[_HIP].hip,
            gpu,
            kernel.source,
            headers.files,
            headers.include_dirs,
            None,
            output,
        )
        compiled.append(output)
    return [DefaultInfo(files = depset(compiled))]

plain_device_pass = rule(
    implementation = _plain_device_pass_impl,
    attrs = {
        "kernel": attr.label(doc = "The kernel.", mandatory = True, providers = [CkKernelInfo]),
        "_headers": attr.label(
            default = "//rules:gemm_device_headers",
            providers = [CkDeviceHeadersInfo],
        ),
    },
    doc = "Code objects of a kernel, <name>.<GPU>.co, for which nothing was precompiled.",
    toolchains = [_HIP],
)
