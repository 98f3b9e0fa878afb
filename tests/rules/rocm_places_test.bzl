"""Tests of the order in which ROCm is looked for, and of what stands in for its libraries where
there is none.
"""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts", "unittest")
load("@rules_cc//cc:defs.bzl", "cc_library")

# A repository rule asks these about the machine, a test about machines that are made up.
load("//rules/private:missing_library.bzl", "missing_library")  # buildifier: disable=bzl-visibility
load("//rules/private:rocm_places.bzl", "rocm_places")  # buildifier: disable=bzl-visibility

_REASON = "The made-up library is not on this machine; look elsewhere."

def _places(sealed, rocm_path = None, rocm = ""):
    """The names and prefixes on a made-up machine, and the files that are watched there."""
    watched = []
    places = rocm_places(struct(
        attr = struct(rocm = rocm),
        getenv = {"ROCM_PATH": rocm_path}.get,
        path = lambda path: struct(exists = sealed and path == "/etc/ckdispatch-sealed"),
        watch = watched.append,
    ))
    return places, watched

def _order_test_impl(ctx):
    env = unittest.begin(ctx)
    rocm = ("/opt/rocm", "/opt/rocm")
    watched = ["/etc/ckdispatch-sealed"]
    for rocm_path in [None, ""]:
        asserts.equals(
            env,
            ([rocm, ("the distribution's packages", "/usr")], watched),
            _places(sealed = False, rocm_path = rocm_path),
        )
    asserts.equals(env, ([("the sealed root", "/usr"), rocm], watched), _places(sealed = True))
    for sealed in [False, True]:
        asserts.equals(
            env,
            ([("ROCM_PATH", "/made/up")], []),
            _places(sealed, rocm_path = "/made/up"),
        )
        asserts.equals(
            env,
            ([("ck.rocm", "/said")], []),
            _places(sealed, rocm_path = "/made/up", rocm = "/said"),
        )
    return unittest.end(env)

order_test = unittest.make(
    _order_test_impl,
    doc = "What ck.rocm says alone, or ROCM_PATH alone, or else the sealed root's packages " +
          "before /opt/rocm, and any other packages behind it.",
)

def _missing_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    actions = analysistest.target_actions(env)
    asserts.equals(env, ["CkRefuse"], [action.mnemonic for action in actions])
    asserts.true(env, _REASON in actions[0].argv, str(actions[0].argv))
    asserts.equals(env, target[DefaultInfo].files.to_list(), actions[0].outputs.to_list())
    return analysistest.end(env)

missing_test = analysistest.make(
    _missing_test_impl,
    doc = "A missing library is analysed, and building it fails with its sentence.",
)

def _needs_missing_test_impl(ctx):
    env = analysistest.begin(ctx)
    context = analysistest.target_under_test(env)[CcInfo].compilation_context
    asserts.equals(env, ["missing.missing"], [file.basename for file in context.headers.to_list()])
    return analysistest.end(env)

needs_missing_test = analysistest.make(
    _needs_missing_test_impl,
    doc = "Whatever is compiled with a missing library needs what fails with its sentence.",
)

def rocm_places_test_suite(name):
    """Declares the tests of this file.

    Args:
        name: the name of the suite that holds them.
    """
    order_test(name = name + "_order")
    missing_library(
        name = "missing",
        reason = _REASON,
        tags = ["manual"],
    )
    missing_test(
        name = name + "_missing",
        target_under_test = ":missing",
    )
    cc_library(
        name = "needs_missing",
        tags = ["manual"],
        deps = [":missing"],
    )
    needs_missing_test(
        name = name + "_needs_missing",
        target_under_test = ":needs_missing",
    )
    native.test_suite(
        name = name,
        tests = [
            name + "_missing",
            name + "_needs_missing",
            name + "_order",
        ],
    )
