"""The hip toolchain: a compiler for AMD GPUs, or the reason why there is none."""

load(":providers.bzl", "HipToolchainInfo")

visibility(["//rules/...", "//tests/rules/..."])

HIP_TOOLCHAIN_TYPE = Label("//rules:hip_toolchain_type")

def _hip_toolchain_impl(ctx):
    tools = {file.basename: file for file in ctx.files.tools}
    root = tools["clang++"].dirname.rpartition("/")[0]
    return [platform_common.ToolchainInfo(
        hip = HipToolchainInfo(
            device_lib_dir = root + "/" + ctx.attr.device_lib_dir,
            env = {"CK_TOOLCHAIN_DIGEST": ctx.attr.digest, "LC_ALL": "C"},
            files = depset(ctx.files.files + ctx.files.tools + [ctx.file.digest_file]),
            host_triple = ctx.attr.host_triple,
            include_dirs = [root + "/" + folder for folder in ctx.attr.include_dirs],
            link_files = struct(before = ctx.files.link_before, after = ctx.files.link_after),
            resource_dir = root + "/" + ctx.attr.resource_dir,
            tools = tools,
        ),
        missing = "",
    )]

hip_toolchain = rule(
    implementation = _hip_toolchain_impl,
    attrs = {
        "device_lib_dir": attr.string(
            doc = "Folder of the device libraries, relative to the toolchain's repository.",
            mandatory = True,
        ),
        "digest": attr.string(
            doc = "SHA-256 over the compiler, its libraries and its device libraries.",
            mandatory = True,
        ),
        "digest_file": attr.label(
            doc = "The digest and what it was made of, as an input of every action.",
            allow_single_file = True,
            mandatory = True,
        ),
        "files": attr.label_list(
            doc = "Headers and libraries that a compile may read.",
            allow_files = True,
        ),
        "host_triple": attr.string(
            doc = "Triple of the machine that loads the kernel libraries.",
            mandatory = True,
        ),
        "include_dirs": attr.string_list(
            doc = "System include folders, in search order.",
            mandatory = True,
        ),
        "link_after": attr.label_list(
            doc = "Files linked after the kernel's own object.",
            allow_files = True,
        ),
        "link_before": attr.label_list(
            doc = "Files linked before the kernel's own object.",
            allow_files = True,
        ),
        "resource_dir": attr.string(
            doc = "clang's resource folder, relative to the toolchain's repository.",
            mandatory = True,
        ),
        "tools": attr.label_list(
            doc = "The tools that the recipe names, in the folder bin of the repository.",
            allow_files = True,
            mandatory = True,
        ),
    },
    doc = "A clang with AMD GPU support, its headers and its device libraries.",
    provides = [platform_common.ToolchainInfo],
)

def _disabled_hip_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(hip = None, missing = ctx.attr.reason)]

disabled_hip_toolchain = rule(
    implementation = _disabled_hip_toolchain_impl,
    attrs = {
        "reason": attr.string(doc = "The sentence shown when a kernel is built.", mandatory = True),
    },
    doc = "Stands in where no compiler was found, so that analysis and query work; building a " +
          "kernel fails with the reason.",
    provides = [platform_common.ToolchainInfo],
)
