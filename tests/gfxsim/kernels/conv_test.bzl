"""Random grouped convolutions on kernels that Bazel built."""

load("//tests:pytest.bzl", "ck_pytest")

def conv_test(name, kernels, gpu, problems, direction = "*", timeout = "eternal", **kwargs):
    """Runs every kernel on problems that are drawn for it, on the simulator.

    Args:
        name: of the test.
        kernels: target of the kernels.
        gpu: the GPU that they were built for.
        problems: how many, for each.
        direction: as kernels call it; others are left out. All by default.
        timeout: of the test.
        **kwargs: as for ck_pytest.
    """
    ck_pytest(
        name = name,
        size = "large",
        timeout = timeout,
        srcs = [
            "conftest.py",
            "test_grouped_conv.py",
        ],
        data = [
            kernels,
            "//tools/gfxsim:hip_runtime",
        ],
        env = {
            "CK_CONV_DIRECTION": direction,
            "CK_CONV_PROBLEMS": str(problems),
            "CK_SIM_RUNTIME": "$(rootpath //tools/gfxsim:hip_runtime)",
            "GFXSIM_CHECK": "1",
            "GFXSIM_GPU": gpu,
        },
        deps = [
            ":conv_runs",
            ":kernel_runs",
            "//abi:ckabi",
            "//tools/gfxsim:gfxsim_python",
            "@ck_pip//:numpy",
        ],
        **kwargs
    )
