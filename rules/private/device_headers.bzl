"""ck_device_headers: what the device passes of a family include, precompiled for each GPU."""

load("@ck_arch//:specs.bzl", "GPU_FACTS")
load(":actions.bzl", "precompile")
load(":ck_headers.bzl", "without_folders")
load(":hip_toolchain.bzl", "HIP_TOOLCHAIN_TYPE")
load(":providers.bzl", "CkDeviceHeadersInfo")

visibility(["//rules/...", "//tests/rules/..."])

def _ck_device_headers_impl(ctx):
    composable_kernel = without_folders(ctx.files._composable_kernel, ctx.attr.foreign_folders)
    include_dirs = [
        composable_kernel[0].path.partition("/ck_tile/")[0],
        ctx.files.own_headers[0].path.partition("/ck_kernel/")[0],
    ]
    headers = depset(ctx.files.own_headers + composable_kernel)
    hip = ctx.toolchains[HIP_TOOLCHAIN_TYPE].hip
    precompiled = {}

    # Every GPU has its action, and Bazel runs those whose output a kernel wants.
    for gpu in GPU_FACTS if hip else []:
        precompiled[gpu] = ctx.actions.declare_file("_ck/{}/{}.pch".format(ctx.label.name, gpu))
        precompile(ctx, hip, gpu, ctx.file.source, headers, include_dirs, precompiled[gpu])
    return [
        DefaultInfo(),
        CkDeviceHeadersInfo(
            family = ctx.attr.family,
            files = depset([ctx.file.source], transitive = [headers]),
            include_dirs = include_dirs,
            precompiled = precompiled,
        ),
        OutputGroupInfo(**{gpu: depset([file]) for gpu, file in precompiled.items()}),
    ]

ck_device_headers = rule(
    implementation = _ck_device_headers_impl,
    attrs = {
        "family": attr.string(
            doc = "The family whose kernels include these headers.",
            mandatory = True,
        ),
        "foreign_folders": attr.string_list(
            doc = "Folders of Composable Kernel's headers that no kernel of the family includes.",
        ),
        "own_headers": attr.label(doc = "This repository's headers.", mandatory = True),
        "source": attr.label(
            doc = "Includes all of them.",
            allow_single_file = True,
            mandatory = True,
        ),
        "_composable_kernel": attr.label(default = "@composable_kernel//:headers"),
    },
    doc = """The headers that the device passes of a family's kernels include.

They are precompiled once for each GPU that some kernel is built for. The output group of a GPU's
name has the precompiled file.""",
    provides = [CkDeviceHeadersInfo],
    toolchains = [HIP_TOOLCHAIN_TYPE],
)
