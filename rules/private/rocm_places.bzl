"""Where ROCm is looked for. The compiler and the libraries that go with it must come from the same
place.
"""

load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")

visibility(["//rules/...", "//tests/rules/..."])

ROCM_ATTRS = {
    "rocm": attr.string(
        doc = "The ROCm installation to use; where it is empty, the places that the recipe names.",
    ),
}

def rocm_places(rctx):
    """Every place worth looking at, in order, as the recipe has them.

    Args:
        rctx: the repository's context. If the order changes, the repository is made again. Its
            attribute `rocm`, if it is not empty, is the only place.

    Returns:
        a list of pairs: what the place is called, and its prefix.
    """
    if rctx.attr.rocm:
        return [("ck.rocm", rctx.attr.rocm)]
    called = {}
    for place in RECIPE["search"]["places"]:
        if "variable" in place:
            chosen = rctx.getenv(place["variable"])
            if chosen:
                return [(place["called"], chosen)]
            continue
        if "only_with" in place:
            rctx.watch(place["only_with"])
            if not rctx.path(place["only_with"]).exists:
                continue
        called.setdefault(place["prefix"], place["called"])
    return [(name, prefix) for prefix, name in called.items()]
