"""A library that this machine does not have: analysis of whoever needs it fails with the reason,
queries do not.
"""

def _missing_library_impl(ctx):
    fail(ctx.attr.reason)

missing_library = rule(
    implementation = _missing_library_impl,
    attrs = {"reason": attr.string(doc = "The sentence to fail with.", mandatory = True)},
    doc = "Stands in for a library and fails analysis with a sentence.",
    provides = [CcInfo],
)
