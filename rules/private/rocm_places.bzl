"""Where ROCm is looked for. The compiler and the libraries that go with it must come from the same place."""

_SEALED_MARKER = "/etc/ckdispatch-sealed"

# The prefix of the distribution's packages, which have another layout than a ROCm installation.
PACKAGES = "/usr"

def rocm_places(rctx):
    """Every place worth looking at, in order.

    Args:
        rctx: the repository's context. If the order changes, the repository is made again.

    Returns:
        a list of pairs: what the place is called, and its prefix.
    """
    rctx.watch(_SEALED_MARKER)
    chosen = rctx.getenv("ROCM_PATH")
    if chosen:
        return [("ROCM_PATH", chosen)]
    rocm = ("/opt/rocm", "/opt/rocm")

    # A sealed root brings its own packages; a /opt/rocm seen in it belongs to the machine around it.
    if rctx.path(_SEALED_MARKER).exists:
        return [("the sealed root", PACKAGES), rocm]
    return [rocm, ("the distribution's packages", PACKAGES)]
