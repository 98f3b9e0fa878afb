"""probe_pytest: tests that run single instructions on the simulator."""

load("//tests:pytest.bzl", "ck_pytest")

# What runs instructions: the simulator's library and the toolchain's assembler, and where probe.py
# finds them.
PROBE_DATA = [
    "//tools/gfxsim:probe",
    "@ck_hip//:bin/clang++",
]
PROBE_ENV = {
    "CK_CLANG": "$(rootpath @ck_hip//:bin/clang++)",
    "GFXSIM_PROBE": "$(rootpath //tools/gfxsim:probe)",
}

def probe_pytest(name, data = [], deps = [], **kwargs):
    """Runs pytest on <name>.py with the probe library and the toolchain's assembler.

    Args:
        name: name of the test and of its file.
        data: more files.
        deps: what the test imports; NumPy is added.
        **kwargs: as for ck_pytest.
    """
    ck_pytest(
        name = name,
        size = "medium",
        srcs = [name + ".py"],
        data = data + PROBE_DATA,
        env = PROBE_ENV,
        deps = deps + ["@ck_pip//:numpy"],
        **kwargs
    )
