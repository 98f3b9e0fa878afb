"""ck_host_headers: what the host passes of a family include."""

load(":ck_headers.bzl", "without_folders")
load(":providers.bzl", "CkHostHeadersInfo")

visibility(["//rules/...", "//tests/rules/..."])

def _ck_host_headers_impl(ctx):
    composable_kernel = without_folders(ctx.files.composable_kernel, ctx.attr.foreign_folders)
    return [
        DefaultInfo(),
        CkHostHeadersInfo(
            family = ctx.attr.family,
            files = depset(ctx.files.own_headers + ctx.files._abi + composable_kernel),
            include_dirs = [
                ctx.files.own_headers[0].path.partition("/ck_kernel/")[0],
                ctx.files._abi[0].dirname,
            ],
            system_include_dirs = [
                composable_kernel[0].path.partition("/ck_tile/")[0],
            ] if composable_kernel else [],
        ),
    ]

ck_host_headers = rule(
    implementation = _ck_host_headers_impl,
    attrs = {
        "composable_kernel": attr.label(
            doc = "Composable Kernel's headers, if the family needs them on the host too.",
        ),
        "family": attr.string(
            doc = "The family whose kernels include these headers.",
            mandatory = True,
        ),
        "foreign_folders": attr.string_list(
            doc = "Folders of Composable Kernel's headers that no kernel of the family includes.",
        ),
        "own_headers": attr.label(doc = "This repository's headers.", mandatory = True),
        "_abi": attr.label(default = "//abi:headers"),
    },
    doc = "The headers that the host passes of a family's kernels include.",
    provides = [CkHostHeadersInfo],
)
