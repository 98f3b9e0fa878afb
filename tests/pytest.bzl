"""ck_pytest: a py_test that runs pytest on its sources."""

load("@rules_python//python:defs.bzl", "py_test")

def ck_pytest(name, srcs, args = [], deps = [], size = "small", **kwargs):
    """Runs pytest on `srcs`.

    Args:
        name: name of the test.
        srcs: test files, test_*.py, and helper modules beside them.
        args: more arguments for pytest.
        deps: what the tests import; pytest itself is added.
        size: as for py_test.
        **kwargs: as for py_test.
    """
    py_test(
        name = name,
        size = size,
        srcs = srcs + ["//tests:run_pytest.py"],
        main = "//tests:run_pytest.py",
        args = [
            "$(rootpath {})".format(src)
            for src in srcs
            if src.rpartition("/")[2].startswith("test_")
        ] + args,
        deps = deps + ["@ck_pip//:pytest"],

        # An __init__.py made up in tests/inspect would hide Python's own module of that name.
        legacy_create_init = 0,
        **kwargs
    )
