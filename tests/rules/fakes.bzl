"""What analysis tests analyse: a toolchain with known values, and kernels that nobody compiles."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("//rules:defs.bzl", "ck_kernel", "disabled_hip_toolchain", "hip_toolchain")

DIGEST = "the digest of a made-up compiler"
MISSING = "No compiler was found in the made-up place; look elsewhere."

# A setting for analysistest.make: kernels get the toolchain of this name instead of the machine's.
_FAKE = str(Label("//tests/rules:fake_toolchain"))
_DISABLED = str(Label("//tests/rules:disabled_toolchain"))

_FILES = [
    "bin/clang++",
    "bin/clang-offload-bundler",
    "bin/ld.lld",
    "bin/llvm-objdump",
    "digest.txt",
    "include/system.h",
    "lib/after.o",
    "lib/before.o",
]

def settings(gpus, toolchain = _FAKE):
    """The config_settings of an analysis test.

    Args:
        gpus: value of //arch:gpus.
        toolchain: label of the toolchain to use, or None for the machine's own.

    Returns:
        a dict for analysistest.make.
    """
    chosen = {"//command_line_option:extra_toolchains": [toolchain]} if toolchain else {}
    return {str(Label("//arch:gpus")): gpus} | chosen

def settings_without_compiler(gpus):
    """The config_settings of an analysis test on a machine that has no compiler.

    Args:
        gpus: value of //arch:gpus.

    Returns:
        a dict for analysistest.make.
    """
    return settings(gpus, _DISABLED)

def fake_toolchains(name):
    """Declares the toolchains that `settings` and `settings_without_compiler` choose.

    Args:
        name: prefix of the made-up compiler's files.
    """
    for path in _FILES:
        write_file(
            name = "{}_{}".format(name, path.replace("/", "_").replace("+", "x")),
            out = "{}/{}".format(name, path),
            content = ["made up"],
            tags = ["manual"],
        )
    hip_toolchain(
        name = name,
        device_lib_dir = "bitcode",
        digest = DIGEST,
        digest_file = name + "/digest.txt",
        files = [name + "/include/system.h"],
        host_triple = "made-up-triple",
        include_dirs = ["include/first", "include/second"],
        link_after = [name + "/lib/after.o"],
        link_before = [name + "/lib/before.o"],
        resource_dir = "resource",
        tags = ["manual"],
        tools = ["{}/{}".format(name, path) for path in _FILES if path.startswith("bin/")],
    )
    native.toolchain(
        name = "fake_toolchain",
        toolchain = ":" + name,
        toolchain_type = "//rules:hip_toolchain_type",
    )
    disabled_hip_toolchain(
        name = name + "_missing",
        reason = MISSING,
        tags = ["manual"],
    )
    native.toolchain(
        name = "disabled_toolchain",
        toolchain = ":{}_missing".format(name),
        toolchain_type = "//rules:hip_toolchain_type",
    )

def fake_kernel(
        name,
        legal_gpus = ["gfx942", "gfx950", "gfx1100"],
        spec_name = None,
        family = "gemm",
        **kwargs):
    """A kernel for analysis: ck_kernel reads nothing of a spec but its name and its family.

    Args:
        name: name of the target.
        legal_gpus: as for ck_kernel.
        spec_name: name inside the spec, if it is not the target's.
        family: family inside the spec.
        **kwargs: as for ck_kernel.
    """
    ck_kernel(
        name = name,
        declared_at = "made_up.json, entry 7",
        legal_gpus = legal_gpus,
        spec = json.encode({"family": family, "name": spec_name or name}),
        tags = ["manual"],
        **kwargs
    )
