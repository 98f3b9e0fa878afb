"""A library that this machine does not have: whoever needs it can be queried and analysed, and
building it fails with the reason.
"""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load(":actions.bzl", "refuse")

# The repository that takes the place of ROCm loads it.
visibility("public")

def _missing_library_impl(ctx):
    # As a header it is an input of everything that is compiled with the library.
    file = ctx.actions.declare_file(ctx.label.name + ".missing")
    refuse(ctx, ctx.attr.reason, file)
    headers = cc_common.create_compilation_context(headers = depset([file]))
    return [
        DefaultInfo(files = depset([file])),
        CcInfo(compilation_context = headers),
    ]

missing_library = rule(
    implementation = _missing_library_impl,
    attrs = {"reason": attr.string(doc = "The sentence to fail with.", mandatory = True)},
    doc = "Stands in for a library; building what needs it fails with a sentence.",
    provides = [CcInfo],
)
