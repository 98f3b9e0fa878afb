"""The parts of ROCm that programs of this repository are built against: the code object manager and
HIP's headers.
"""

load(":rocm_places.bzl", "ROCM_ATTRS", "rocm_places")

visibility(["//rules/...", "//tests/rules/..."])

_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_import", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "comgr",
    hdrs = glob(["include/amd_comgr/**"]),
    includes = ["include"],
    deps = [":comgr_library"],
)

cc_import(
    name = "comgr_library",
    shared_library = "lib/{library}",
    visibility = ["//visibility:private"],
)

cc_library(
    name = "hip_headers",
    hdrs = glob(["include/hip/**", "include/hsa/*.h"]),
    defines = ["__HIP_PLATFORM_AMD__=1"],
    includes = ["include"],
)

exports_files(["lib/libamdhip64.so"])
"""

_MISSING_BUILD = """\
load("{defs}", "missing_library")

package(default_visibility = ["//visibility:public"])

[
    missing_library(
        name = name,
        reason = {reason},
    )
    for name in ["comgr", "hip_headers", "lib/libamdhip64.so"]
]
"""

# What is assumed where there is no ROCm, so that packages still load.
_DEFAULT_SONAME = "libamdhip64.so.6"

def _write_soname(rctx, soname):
    rctx.file(
        "rocm.bzl",
        '"""Facts about the ROCm of this machine."""\n\nHIP_SONAME = {}\n'.format(repr(soname)),
    )

def _prefixes(rctx):
    """Include folder and library folders of every place worth looking at, in order."""
    found = []
    for _, place in rocm_places(rctx):
        prefix = rctx.path(place)
        libraries = [prefix.get_child("lib"), prefix.get_child("lib64")]
        lib = prefix.get_child("lib")
        if lib.exists:
            libraries += [
                entry
                for entry in lib.readdir(watch = "no")
                if entry.basename.endswith("-linux-gnu")
            ]
        found.append((prefix.get_child("include"), libraries))
    return found

def _find(rctx):
    for include, libraries in _prefixes(rctx):
        if (not include.get_child("amd_comgr", "amd_comgr.h").exists or
            not include.get_child("hip", "hip_runtime_api.h").exists):
            continue
        for folder in libraries:
            comgr = folder.get_child("libamd_comgr.so")
            if comgr.exists and folder.get_child("libamdhip64.so").exists:
                return include, folder, comgr
    return None

def _rocm_repository_impl(rctx):
    found = _find(rctx)
    if not found:
        reason = "The simulator needs the code object manager (libamd_comgr) and HIP's " + \
                 "headers, which are not on this machine; run ./bazelw, or install ROCm and " + \
                 "set ROCM_PATH."
        _write_soname(rctx, _DEFAULT_SONAME)
        rctx.file(
            "BUILD.bazel",
            _MISSING_BUILD.format(defs = Label(":missing_library.bzl"), reason = repr(reason)),
        )
        return
    include, folder, comgr = found
    for name in ["amd_comgr", "hip", "hsa"]:
        if include.get_child(name).exists:
            rctx.symlink(include.get_child(name), "include/" + name)

    # The loader looks for the library under the name with its major version.
    versioned = [
        entry
        for entry in folder.readdir(watch = "no")
        if entry.basename.startswith("libamd_comgr.so.") and entry.basename.count(".") == 2
    ]
    library = versioned[0] if versioned else comgr
    rctx.symlink(library.realpath, "lib/" + library.basename)
    hip = folder.get_child("libamdhip64.so").realpath
    rctx.symlink(hip, "lib/libamdhip64.so")

    # The real file is called libamdhip64.so.6.4.43484 or the like; its soname ends behind the major
    # version.
    parts = hip.basename.split(".")
    _write_soname(rctx, ".".join(parts[:3]) if len(parts) >= 3 else _DEFAULT_SONAME)
    rctx.file("BUILD.bazel", _BUILD.format(library = library.basename))

rocm_repository = repository_rule(
    implementation = _rocm_repository_impl,
    attrs = ROCM_ATTRS,
    configure = True,
    doc = "Finds libamd_comgr and HIP's headers in the places where ROCm is looked for.",
    environ = ["ROCM_PATH"],
    local = True,
)
