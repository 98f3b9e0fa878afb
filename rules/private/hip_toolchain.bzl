"""The hip toolchain: a compiler for AMD GPUs, or the reason why there is none."""

load(":providers.bzl", "HipToolchainInfo")

HIP_TOOLCHAIN_TYPE = Label("//rules:hip_toolchain_type")

def _hip_toolchain_impl(ctx):
    files = depset(ctx.files.files + [ctx.file.clang, ctx.file.linker, ctx.file.bundler, ctx.file.objdump, ctx.file.digest_file])
    root = ctx.file.clang.dirname.rpartition("/")[0]
    return [platform_common.ToolchainInfo(
        hip = HipToolchainInfo(
            bundler = ctx.file.bundler,
            clang = ctx.file.clang,
            device_flags = ctx.attr.device_flags,
            device_lib_dir = root + "/" + ctx.attr.device_lib_dir,
            digest = ctx.attr.digest,
            files = files,
            gpu_flags = ctx.attr.gpu_flags,
            host_flags = ctx.attr.host_flags,
            host_triple = ctx.attr.host_triple,
            include_dirs = [root + "/" + folder for folder in ctx.attr.include_dirs],
            link_files = struct(before = ctx.files.link_before, after = ctx.files.link_after),
            linker = ctx.file.linker,
            objdump = ctx.file.objdump,
            resource_dir = root + "/" + ctx.attr.resource_dir,
        ),
        missing = "",
    )]

hip_toolchain = rule(
    implementation = _hip_toolchain_impl,
    attrs = {
        "bundler": attr.label(doc = "clang-offload-bundler.", allow_single_file = True, mandatory = True),
        "clang": attr.label(doc = "clang++.", allow_single_file = True, mandatory = True),
        "device_flags": attr.string_list(doc = "Flags of the device pass.", mandatory = True),
        "device_lib_dir": attr.string(doc = "Folder of the device libraries, relative to the toolchain's repository.", mandatory = True),
        "digest": attr.string(doc = "SHA-256 over the compiler, its libraries and its device libraries.", mandatory = True),
        "digest_file": attr.label(doc = "The digest and what it was made of, as an input of every action.", allow_single_file = True, mandatory = True),
        "files": attr.label_list(doc = "Headers and libraries that a compile may read.", allow_files = True),
        "gpu_flags": attr.string_list_dict(doc = "By a fact of arch/: further flags of the device pass for GPUs of which it is true, or has the value behind \"=\".", mandatory = True),
        "host_flags": attr.string_list(doc = "Flags of the host pass.", mandatory = True),
        "host_triple": attr.string(doc = "Triple of the machine that loads the kernel libraries.", mandatory = True),
        "include_dirs": attr.string_list(doc = "System include folders, in search order.", mandatory = True),
        "link_after": attr.label_list(doc = "Files linked after the kernel's own object.", allow_files = True),
        "link_before": attr.label_list(doc = "Files linked before the kernel's own object.", allow_files = True),
        "linker": attr.label(doc = "ld.lld.", allow_single_file = True, mandatory = True),
        "objdump": attr.label(doc = "llvm-objdump.", allow_single_file = True, mandatory = True),
        "resource_dir": attr.string(doc = "clang's resource folder, relative to the toolchain's repository.", mandatory = True),
    },
    doc = "A clang with AMD GPU support, its headers and its device libraries.",
)

def _disabled_hip_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(hip = None, missing = ctx.attr.reason)]

disabled_hip_toolchain = rule(
    implementation = _disabled_hip_toolchain_impl,
    attrs = {"reason": attr.string(doc = "The sentence shown when a kernel is built.", mandatory = True)},
    doc = "Stands in where no compiler was found, so that analysis and query work; building a kernel fails with the reason.",
)
