"""The Python library of a kernel set."""

load("@rules_python//python:defs.bzl", "py_library")

visibility(["//rules/..."])

# For the targets of whoever declares sets. No rule needs it, and it needs rules.
_CKDISPATCH = Label("//python:ckdispatch")

def python_library(kernel_set, tags, visibility):
    """Makes `<kernel_set>_py`, on which a Python program depends as on any library.

    Args:
        kernel_set: name of a ck_kernel_set of this package.
        tags: more tags of the library.
        visibility: of the library.
    """
    py_library(
        name = kernel_set + "_py",
        data = [":" + kernel_set],
        # Whoever builds all targets of a package needs no simulator for its kernels, and no NumPy.
        tags = (tags or []) + ["manual"],
        visibility = visibility,
        deps = [_CKDISPATCH],
    )
