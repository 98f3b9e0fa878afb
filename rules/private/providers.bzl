"""What kernel targets tell each other."""

visibility(["//rules/...", "//tests/rules/..."])

HipToolchainInfo = provider(
    doc = "A compiler for AMD GPUs, with everything its actions read.",
    fields = {
        "device_lib_dir": "Path of the device libraries' bitcode, relative to the execution root.",
        "env": "Environment of every action that runs the compiler; with the digest in it, the " +
               "compiler's identity is part of the action's key.",
        "files": "Depset of all files that a compile may read.",
        "host_triple": "Triple of the machine that loads the kernel libraries.",
        "include_dirs": "System include folders in search order, relative to the execution root.",
        "link_files": "Files that a kernel library is linked with, in the order before and after " +
                      "its own object.",
        "resource_dir": "Path of clang's resource folder, relative to the execution root.",
        "tools": "Dict from a name, such as clang++, to the File.",
    },
)

CkDeviceHeadersInfo = provider(
    doc = "What the device passes of a family's kernels include.",
    fields = {
        "family": "The family's name, as in a spec.",
        "files": "Depset of the headers, and of the source that precompiles them.",
        "include_dirs": "Include folders for them, the first of Composable Kernel.",
        "precompiled": "Dict from GPU to the precompiled File; empty if there is no compiler.",
    },
)

CkHostHeadersInfo = provider(
    doc = "What the host passes of a family's kernels include.",
    fields = {
        "family": "The family's name, as in a spec.",
        "files": "Depset of the headers.",
        "include_dirs": "Include folders for them.",
        "system_include_dirs": "Include folders for those of Composable Kernel, if there are any.",
    },
)

CkKernelInfo = provider(
    doc = "One kernel, compiled for some GPUs.",
    fields = {
        "code_objects": "Dict from GPU to its code object File; empty if the kernel cannot be " +
                        "built.",
        "declared_at": "The declaration and entry that asked for the kernel.",
        "library": "File: `lib<kernel>.so`, or None.",
        "name": "The kernel's name, derived from its spec.",
        "refused": "Dict from GPU to the sentence of the rule that refuses the kernel there.",
        "resources": "File: `<kernel>.json`, what the code objects use, or None.",
        "source": "File: the generated C++ source, or None.",
        "why_not": "The sentence that says why the kernel cannot be built, or an empty string.",
    },
)

CkKernelSetInfo = provider(
    doc = "The kernels of a declaration.",
    fields = {
        "kernels": "List of CkKernelInfo: the kernels that can be built, in the order of the " +
                   "declaration.",
        "manifest": "File: the JSON manifest with the hash of every library; building it fails " +
                    "where there is no kernel.",
    },
)
