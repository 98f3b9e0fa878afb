"""Finds the HIP compiler of this machine and makes a repository of it, so that actions name no path of the machine."""

load(":rocm_places.bzl", "PACKAGES", "rocm_places")

# lld links code objects, llvm-objcopy is asked for by the bundler; both are looked for beside the tool itself.
_TOOLS = ["clang++", "clang-offload-bundler", "ld.lld", "lld", "llvm-objcopy", "llvm-objdump"]

# The parts of a whole system's include folder that a kernel may read; the rest would only weigh on every sandbox. HSA's headers have no
# folders below their own, but may have a link from there to itself, which Bazel refuses to follow.
_SYSTEM_PARTS = ["*.h", "asm/**", "asm-generic/**", "bits/**", "c++/**", "gnu/**", "hip/**", "hsa/*.h", "linux/**", "sys/**"]
_ROCM_PARTS = ["hip/**", "hsa/*.h"]

_BUILD = """\
load("{defs}", "hip_toolchain")

package(default_visibility = ["//visibility:public"])

toolchain(
    name = "toolchain",
    toolchain = ":hip",
    toolchain_type = "{type}",
)

hip_toolchain(
    name = "hip",
    bundler = "bin/clang-offload-bundler",
    clang = "bin/clang++",
    device_flags = {device_flags},
    device_lib_dir = "bitcode",
    digest = "{digest}",
    digest_file = "digest.txt",
    files = [":headers"] + glob(["bin/*", "bitcode/*.bc"]),
    gpu_flags = {gpu_flags},
    host_flags = {host_flags},
    host_triple = "{triple}",
    include_dirs = {include_dirs},
    link_after = {link_after},
    link_before = {link_before},
    linker = "bin/ld.lld",
    objdump = "bin/llvm-objdump",
    resource_dir = "resource",
)

filegroup(
    name = "headers",
    srcs = glob({headers}),
)

exports_files(glob(["bin/*", "lib/*"]) + ["digest.txt", "found.txt"])
"""

_DISABLED_BUILD = """\
load("{defs}", "disabled_hip_toolchain")

package(default_visibility = ["//visibility:public"])

toolchain(
    name = "toolchain",
    toolchain = ":hip",
    toolchain_type = "{type}",
)

disabled_hip_toolchain(
    name = "hip",
    reason = {reason},
)

exports_files(["found.txt"])
"""

def _debian_llvm(rctx):
    """The newest LLVM of Debian's packages that has AMD's device libraries."""
    base = rctx.path("/usr/lib")
    found = [
        entry
        for entry in base.readdir()
        if entry.basename.startswith("llvm-") and entry.basename[5:].isdigit() and entry.get_child("bin", "clang++").exists
    ] if base.exists else []
    return sorted(found, key = lambda entry: int(entry.basename[5:]), reverse = True)

def _candidates(rctx):
    """Every place worth looking at, in order: (what it is called, LLVM's bin folder, ROCm folder or None)."""
    candidates = []
    for kind, prefix in rocm_places(rctx):
        if prefix == PACKAGES:
            candidates += [(kind, llvm.get_child("bin"), None) for llvm in _debian_llvm(rctx)]
        else:
            candidates.append((kind, rctx.path(prefix).get_child("llvm", "bin"), rctx.path(prefix)))
    return candidates

def _ask(rctx, clang, arguments):
    result = rctx.execute([clang] + arguments)
    return result.stdout.strip() if result.return_code == 0 else ""

def _exists(rctx, file):
    """Whether a file exists; if that changes, or its content, detection runs again."""
    rctx.watch(file)
    return file.exists

def _device_libs(rctx, resource, rocm):
    places = [resource.get_child("amdgcn", "bitcode"), resource.get_child("lib", "amdgcn", "bitcode")]
    if rocm:
        places.append(rocm.get_child("amdgcn", "bitcode"))
    for place in places:
        if _exists(rctx, place.get_child("ocml.bc")):
            return place
    return None

def _search_dirs(rctx, clang):
    """The compiler's own system include folders, in order."""
    result = rctx.execute([clang, "-x", "hip", "--cuda-host-only", "-nogpuinc", "-nogpulib", "-E", "-v", "/dev/null"])
    text = result.stderr
    begin = text.find("#include <...> search starts here:")
    end = text.find("End of search list.")
    if begin < 0 or end < begin:
        return []
    folders = [rctx.path(line.strip()) for line in text[begin:end].split("\n")[1:] if line.strip()]
    return [rctx.path(str(folder.realpath)) for folder in folders if folder.exists]

def _why_not(rctx, bin, rocm):
    """Why a candidate cannot be used, or an empty string."""
    for tool in _TOOLS:
        if not _exists(rctx, bin.get_child(tool)):
            return "{} is missing".format(bin.get_child(tool))
    clang = bin.get_child("clang++")
    resource = rctx.path(_ask(rctx, clang, ["-print-resource-dir"]) or "/nonexistent")
    if not resource.exists:
        return "{} does not run".format(clang)
    if not _device_libs(rctx, resource, rocm):
        return "the AMD device libraries (ocml.bc) are missing"
    headers = (rocm if rocm else rctx.path("/usr")).get_child("include", "hip", "hip_runtime_api.h")
    if not _exists(rctx, headers):
        return "{} is missing".format(headers)
    return ""

def _place(folder, roots):
    """Where a folder of the machine appears in the repository, if one of the linked roots holds it."""
    for root, name in roots:
        if folder == root:
            return name
        if folder.startswith(root + "/"):
            return name + folder[len(root):]
    return None

def _link_headers(rctx, clang, resource, rocm, triple):
    """Links the include folders; returns them in search order, and the globs of what to declare."""
    roots = [(str(resource.realpath), "resource"), ("/usr/include", "include/usr")]
    globs = ["resource/include/**"] + ["include/usr/" + part for part in _SYSTEM_PARTS]
    if rctx.path("/usr/include").get_child(triple).exists:
        globs.append("include/usr/{}/**".format(triple))
    if rocm:
        roots.append((str(rocm.get_child("include").realpath), "include/rocm"))
        globs += ["include/rocm/" + part for part in _ROCM_PARTS]
    ordered = []
    for folder in _search_dirs(rctx, clang):
        place = _place(str(folder), roots)
        if not place:
            # /usr/local/include holds what someone installed by hand: it must not leak into a kernel.
            if str(folder).startswith("/usr/local/"):
                continue
            place = "include/{}".format(len(roots))
            roots.append((str(folder), place))
            globs.append(place + "/**")
        if place not in ordered:
            ordered.append(place)
    if rocm:
        ordered.append("include/rocm")
    wrappers = "resource/include/cuda_wrappers"
    ordered = [wrappers] + [folder for folder in ordered if folder != wrappers]
    for root, name in roots:
        if rctx.path(root).exists:
            rctx.symlink(root, name)
    return ordered, globs

def _link_libraries(rctx, clang):
    """Links what a kernel library is linked with; returns the files before and after its own object."""
    before = ["crti.o", "crtbeginS.o"]

    # libdl is what dlopen was in before glibc 2.34; where nothing is in it, the linker leaves it out.
    after = ["libdl.so.2", "libc.so.6", "libc_nonshared.a", "crtendS.o", "crtn.o"]
    for name in before + after:
        rctx.symlink(_ask(rctx, clang, ["-print-file-name=" + name]), "lib/" + name)
    return ["lib/" + name for name in before], ["lib/" + name for name in after]

def _digest(rctx, bin, device_libs):
    """Hashes the compiler with the shared libraries it is made of, and the device libraries."""
    tools = [str(bin.get_child(tool).realpath) for tool in _TOOLS]
    libraries = {}
    for tool in tools:
        for line in rctx.execute(["ldd", tool]).stdout.split("\n"):
            words = line.strip().split(" ")
            if len(words) >= 3 and words[1] == "=>" and words[2].startswith("/"):
                libraries[words[2]] = True
    bitcode = [str(entry) for entry in device_libs.readdir(watch = "no") if entry.basename.endswith(".bc")]
    linked = [str(entry) for entry in rctx.path("lib").readdir(watch = "no")]
    sums = rctx.execute(["sha256sum"] + sorted({name: True for name in tools + libraries.keys() + bitcode + linked}))
    if sums.return_code != 0:
        fail("The HIP compiler could not be hashed: {}".format(sums.stderr.strip()))
    lines = [line.split(" ")[0] + "  " + line.rpartition("/")[2] for line in sums.stdout.strip().split("\n")]
    rctx.file("digest.txt", "\n".join(sorted(lines)) + "\n", executable = False)
    return rctx.execute(["sha256sum", "digest.txt"]).stdout.split(" ")[0]

def _hip_repository_impl(rctx):
    labels = {"defs": str(Label("//rules:defs.bzl")), "type": str(Label("//rules:hip_toolchain_type"))}
    refused = []
    for kind, bin, rocm in _candidates(rctx):
        why = _why_not(rctx, bin, rocm)
        if why:
            refused.append("{}: {}".format(kind, why))
            continue
        _enable(rctx, kind, bin, rocm, labels)
        return
    reason = "No HIP compiler was found ({}); set ROCM_PATH to a ROCm installation, or build with ./bazelw, which brings one.".format(
        "; ".join(refused) or "no candidate",
    )
    rctx.file("found.txt", reason + "\n", executable = False)
    rctx.file("BUILD.bazel", _DISABLED_BUILD.format(reason = repr(reason), **labels), executable = False)

def _enable(rctx, kind, bin, rocm, labels):
    flags = json.decode(rctx.read(rctx.attr._flags))
    clang = bin.get_child("clang++")
    resource = rctx.path(_ask(rctx, clang, ["-print-resource-dir"]))
    device_libs = _device_libs(rctx, resource, rocm)
    triple = _ask(rctx, clang, ["-dumpmachine"])
    for tool in _TOOLS:
        rctx.symlink(bin.get_child(tool), "bin/" + tool)
    rctx.symlink(device_libs, "bitcode")
    include_dirs, headers = _link_headers(rctx, clang, resource, rocm, _multiarch(triple))
    before, after = _link_libraries(rctx, clang)
    digest = _digest(rctx, bin, device_libs)
    version = _ask(rctx, clang, ["--version"]).split("\n")[0]
    rctx.file("found.txt", "\n".join([
        "HIP compiler: {} ({})".format(version, clang),
        "found in: {}".format(kind),
        "device libraries: {}".format(device_libs),
        "host triple: {}".format(triple),
        "digest: {}".format(digest),
    ]) + "\n", executable = False)
    rctx.file("BUILD.bazel", _BUILD.format(
        device_flags = repr(flags["common"] + flags["device"]),
        digest = digest,
        gpu_flags = repr(flags["by_gpu"]),
        headers = repr(headers),
        host_flags = repr(flags["common"] + flags["host"]),
        include_dirs = repr(include_dirs),
        link_after = repr(after),
        link_before = repr(before),
        triple = triple,
        **labels
    ), executable = False)

def _multiarch(triple):
    """clang's x86_64-pc-linux-gnu names the folder that Debian calls x86_64-linux-gnu."""
    return "-".join([part for part in triple.split("-") if part not in ("pc", "unknown")])

hip_repository = repository_rule(
    implementation = _hip_repository_impl,
    attrs = {
        "_flags": attr.label(default = Label("//tools/codegen:ckgen/core/flags.json"), allow_single_file = True),
    },
    doc = "The machine's HIP compiler, from ROCM_PATH, the sealed root, /opt/rocm or the distribution's packages.",
    environ = ["ROCM_PATH"],
)
