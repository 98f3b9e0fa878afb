"""dispatcher_test: a GoogleTest program over the C++ runtime. capi_test: a C program over its C
ABI.
"""

load("@rules_cc//cc:defs.bzl", "cc_test")

# What the tests select from: several tiles, layouts and pipelines, split-K, another GPU, and a
# library that is no kernel's.
_KERNELS = [
    "//tests/dispatcher:essential_for_gfx942",
    "//tests/dispatcher:libordinary.so",
    "//tests/dispatcher:one_for_gfx1100",
    "//tests/kernels:variants_for_gfx942",
]

_SIMULATOR = "//tools/gfxsim:hip_runtime"

_COPTS = [
    "-Wall",
    "-Wextra",
]

# CK_TEST_FILES names the files of the kernels, CKDISPATCH_SIMULATOR the simulator's runtime.
def _surroundings(kernels, simulator, data, env, more_kernels = []):
    data = data + more_kernels
    env = dict(env)
    if kernels:
        data.extend(_KERNELS)
        env["CK_TEST_FILES"] = " ".join(
            ["$(rootpaths {})".format(label) for label in _KERNELS + more_kernels],
        )
    if simulator:
        data.append(_SIMULATOR)
        env["CKDISPATCH_SIMULATOR"] = "$(rootpath {})".format(_SIMULATOR)
    return {"data": data, "env": env}

def dispatcher_test(
        name,
        size = "small",
        kernels = False,
        simulator = False,
        data = [],
        env = {},
        deps = [],
        **kwargs):
    """Compiles and runs <name>.cpp.

    Args:
        name: name of the test and of its file.
        size: as for cc_test.
        kernels: whether it needs built kernels.
        simulator: whether it needs the simulator.
        data: more files.
        env: more of the environment.
        deps: more libraries.
        **kwargs: as for cc_test.
    """
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cpp"],
        copts = _COPTS,
        deps = deps + [
            "//dispatcher",
            "//tests/dispatcher:support",
            "@googletest//:gtest_main",
        ],
        **(_surroundings(kernels, simulator, data, env) | kwargs)
    )

def capi_test(
        name,
        size = "small",
        srcs = None,
        kernels = True,
        more_kernels = [],
        simulator = False,
        data = [],
        env = {},
        **kwargs):
    """Compiles <name>.c as C11, without C++, and runs it.

    Args:
        name: name of the test and, unless there are srcs, of its file.
        srcs: the file, if it has another name.
        more_kernels: sets of kernels that it needs beside those of all tests.
        size: as for cc_test.
        kernels: whether it needs built kernels.
        simulator: whether it needs the simulator.
        data: more files.
        env: more of the environment.
        **kwargs: as for cc_test.
    """
    cc_test(
        name = name,
        size = size,
        srcs = srcs or [name + ".c"],
        copts = _COPTS + [
            "-Werror",
            "-pedantic",
            "-std=c11",
        ],
        linkopts = ["-pthread"],
        deps = [
            "//dispatcher:capi",
            "//tests/dispatcher:check_h",
        ],
        **(_surroundings(kernels, simulator, data, env, more_kernels) | kwargs)
    )
