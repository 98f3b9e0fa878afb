"""Finds the HIP compiler of this machine and makes a repository of it, so that actions name no path
of the machine.
"""

load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")
load(":rocm_places.bzl", "ROCM_ATTRS", "rocm_places")

visibility(["//rules/...", "//tests/rules/..."])

_SEARCH = RECIPE["search"]

# The parts of a whole system's include folder that a kernel may read; the rest would only weigh on
# every sandbox. HSA's headers have no folders below their own, but may have a link from there to
# itself, which Bazel refuses to follow.
_SYSTEM_PARTS = [
    "*.h",
    "asm/**",
    "asm-generic/**",
    "bits/**",
    "c++/**",
    "gnu/**",
    "hip/**",
    "hsa/*.h",
    "linux/**",
    "sys/**",
]
_ROCM_PARTS = ["hip/**", "hsa/*.h"]

_TOOLCHAIN = """\
load("{defs}", "disabled_hip_toolchain", "hip_toolchain")

package(default_visibility = ["//visibility:public"])

toolchain(
    name = "toolchain",
    exec_compatible_with = {constraints},
    target_compatible_with = {constraints},
    toolchain = ":hip",
    toolchain_type = "{type}",
)

"""

_BUILD = _TOOLCHAIN + """\
hip_toolchain(
    name = "hip",
    device_lib_dir = "bitcode",
    digest = "{digest}",
    digest_file = "digest.txt",
    files = [":headers"] + glob(["bitcode/*.bc"]),
    host_triple = "{triple}",
    include_dirs = {include_dirs},
    link_after = {link_after},
    link_before = {link_before},
    resource_dir = "resource",
    tools = glob(["bin/*"]),
)

filegroup(
    name = "headers",
    srcs = glob({headers}),
)

exports_files(glob(["bin/*", "lib/*"]) + ["digest.txt", "found.txt"])
"""

_DISABLED_BUILD = _TOOLCHAIN + """\
disabled_hip_toolchain(
    name = "hip",
    reason = {reason},
)

exports_files(["found.txt"])
"""

def _below(prefix):
    """The folders below a prefix that may hold the tools, in order."""
    folders = [prefix.get_child(folder) for folder in _SEARCH["folders"]]
    versions = prefix.get_child(_SEARCH["versions"])
    parent = versions.dirname
    found = []
    for entry in parent.readdir() if parent.exists else []:
        version = entry.basename.removeprefix(versions.basename)
        if version != entry.basename and version.isdigit():
            found.append((-int(version), entry.get_child("bin")))
    return folders + [folder for _, folder in sorted(found, key = lambda pair: pair[0])]

def _candidates(rctx):
    """Every place worth looking at, in order: what it is called, and the folder of its tools."""
    chosen = rctx.getenv(_SEARCH["variable"])
    if chosen:
        return [(_SEARCH["variable"], _behind(rctx, rctx.path(chosen)))]
    candidates = []
    places = rocm_places(rctx)
    for called, prefix in places:
        folders = _below(rctx.path(prefix))
        usable = [folder for folder in folders if _exists(rctx, folder.get_child("clang++"))]
        candidates += [(called, folder) for folder in usable or folders[:1]]
    by_variable = [place["called"] for place in _SEARCH["places"] if "variable" in place]
    program = None if rctx.attr.rocm or places[0][0] in by_variable else rctx.which(
        _SEARCH["program"],
    )
    return candidates + ([(_SEARCH["program"], _behind(rctx, program))] if program else [])

def _behind(rctx, program):
    """The folder of the tools that a compiler calls.

    hipcc hands the question on to clang, which answers with the tool in its own folder.
    """
    answer = _ask(rctx, program, ["-print-prog-name=clang-offload-bundler"])
    return rctx.path(answer).dirname if answer.startswith("/") else program.dirname

def _ask(rctx, clang, arguments):
    result = rctx.execute([clang] + arguments)
    return result.stdout.strip() if result.return_code == 0 else ""

def _exists(rctx, file):
    """Whether a file exists; if that changes, or its content, detection runs again."""
    rctx.watch(file)
    return file.exists

def _device_libs(rctx, bin, resource):
    places, above = [resource], bin.realpath
    for _ in range(3):
        above = above.dirname or above
        places.append(above)
    for place in places:
        for inside in _SEARCH["device_libs"]:
            folder = place.get_child(inside)
            if _exists(rctx, folder.get_child(_SEARCH["device_lib"])):
                return folder
    return None

def _search_dirs(rctx, clang):
    """The compiler's own system include folders, in order."""
    text = rctx.execute([clang] + _SEARCH["include_dirs"]).stderr
    begin = text.find("#include <...> search starts here:")
    end = text.find("End of search list.")
    if begin < 0 or end < begin:
        return []
    folders = [rctx.path(line.strip()) for line in text[begin:end].split("\n")[1:] if line.strip()]
    return [rctx.path(str(folder.realpath)) for folder in folders if folder.exists]

def _look(rctx, bin):
    """What there is to know about the compiler in a folder, and why it cannot be used.

    The latter is an empty string if it can.
    """
    for tool in _SEARCH["tools"]:
        if not _exists(rctx, bin.get_child(tool)):
            return None, "{} is missing".format(bin.get_child(tool))
    clang = bin.get_child("clang++")
    resource = rctx.path(_ask(rctx, clang, ["-print-resource-dir"]) or "/nonexistent")
    if not resource.exists:
        return None, "{} does not run".format(clang)
    device_libs = _device_libs(rctx, bin, resource)
    if not device_libs:
        return None, "the AMD device libraries ({}) of {} are missing".format(
            _SEARCH["device_lib"],
            clang,
        )
    search_dirs = _search_dirs(rctx, clang)
    if not [
        folder
        for folder in search_dirs
        if _exists(rctx, folder.get_child(_SEARCH["hip_header"]))
    ]:
        return None, "{} does not find the headers of HIP".format(clang)
    return struct(
        bin = bin,
        clang = clang,
        device_libs = device_libs,
        resource = resource,
        search_dirs = search_dirs,
        triple = _ask(rctx, clang, ["-dumpmachine"]),
    ), ""

def _place(folder, roots):
    """Where a folder of the machine appears in the repository, if one of the linked roots holds it.
    """
    for root, name in roots:
        if folder == root:
            return name
        if folder.startswith(root + "/"):
            return name + folder[len(root):]
    return None

def _link_headers(rctx, compiler):
    """Links the include folders; returns them in search order, and the globs of what to declare."""
    roots = [(str(compiler.resource.realpath), "resource"), ("/usr/include", "include/usr")]
    globs = ["resource/include/**"] + ["include/usr/" + part for part in _SYSTEM_PARTS]
    multiarch = _multiarch(compiler.triple)
    if rctx.path("/usr/include").get_child(multiarch).exists:
        globs.append("include/usr/{}/**".format(multiarch))
    ordered = []
    for folder in compiler.search_dirs:
        place = _place(str(folder), roots)
        if not place:
            # /usr/local/include holds what someone installed by hand: it must not leak into a
            # kernel.
            if str(folder).startswith("/usr/local/"):
                continue
            is_rocm = folder.get_child(_SEARCH["hip_header"]).exists
            place = "include/rocm" if is_rocm else "include/{}".format(len(roots))
            roots.append((str(folder), place))
            globs += ["include/rocm/" + part for part in _ROCM_PARTS] if is_rocm else [
                place + "/**",
            ]
        if place not in ordered:
            ordered.append(place)
    for root, name in roots:
        if rctx.path(root).exists:
            rctx.symlink(root, name)
    return ordered, globs

def _link_libraries(rctx, clang, names):
    """Links files that a kernel library is linked with."""
    for name in names:
        rctx.symlink(_ask(rctx, clang, ["-print-file-name=" + name]), "lib/" + name)
    return ["lib/" + name for name in names]

def _digest(rctx, compiler):
    """Hashes the compiler with the shared libraries it is made of, and the device libraries."""
    tools = [str(compiler.bin.get_child(tool).realpath) for tool in _SEARCH["tools"]]
    libraries = {}
    for tool in tools:
        for line in rctx.execute(["ldd", tool]).stdout.split("\n"):
            words = line.strip().split(" ")
            if len(words) >= 3 and words[1] == "=>" and words[2].startswith("/"):
                libraries[words[2]] = True
    bitcode = [
        str(entry)
        for entry in compiler.device_libs.readdir(watch = "no")
        if entry.basename.endswith(".bc")
    ]
    linked = [str(entry) for entry in rctx.path("lib").readdir(watch = "no")]
    sums = rctx.execute(
        ["sha256sum"] + sorted(
            {name: True for name in tools + libraries.keys() + bitcode + linked},
        ),
    )
    if sums.return_code != 0:
        fail("The HIP compiler could not be hashed: {}".format(sums.stderr.strip()))
    lines = [
        line.split(" ")[0] + "  " + line.rpartition("/")[2]
        for line in sums.stdout.strip().split("\n")
    ]
    rctx.file("digest.txt", "\n".join(sorted(lines)) + "\n", executable = False)
    return rctx.execute(["sha256sum", "digest.txt"]).stdout.split(" ")[0]

def _hip_repository_impl(rctx):
    labels = {
        "constraints": repr(_constraints(rctx)),
        "defs": str(Label("//rules:defs.bzl")),
        "type": str(Label("//rules:hip_toolchain_type")),
    }
    refused = []
    for called, bin in _candidates(rctx):
        compiler, why_not = _look(rctx, bin)
        if compiler:
            _enable(rctx, called, compiler, labels)
            return
        refused.append("{}: {}".format(called, why_not))
    reason = ("No HIP compiler was found ({}); set ROCM_PATH to a ROCm installation, or build " +
              "with ./bazelw, which brings one.").format("; ".join(refused) or "no candidate")
    rctx.file("found.txt", reason + "\n", executable = False)
    rctx.file(
        "BUILD.bazel",
        _DISABLED_BUILD.format(reason = repr(reason), **labels),
        executable = False,
    )

def _enable(rctx, called, compiler, labels):
    clang = compiler.clang
    for tool in _SEARCH["tools"]:
        rctx.symlink(compiler.bin.get_child(tool), "bin/" + tool)
    rctx.symlink(compiler.device_libs, "bitcode")
    include_dirs, headers = _link_headers(rctx, compiler)
    before = _link_libraries(rctx, clang, _SEARCH["link_before"])
    after = _link_libraries(rctx, clang, _SEARCH["link_after"])
    digest = _digest(rctx, compiler)
    rctx.file("found.txt", "\n".join([
        "HIP compiler: {} ({})".format(_ask(rctx, clang, ["--version"]).split("\n")[0], clang),
        "found in: {}".format(called),
        "device libraries: {}".format(compiler.device_libs),
        "host triple: {}".format(compiler.triple),
        "digest: {}".format(digest),
    ]) + "\n", executable = False)
    rctx.file("BUILD.bazel", _BUILD.format(
        digest = digest,
        headers = repr(headers),
        include_dirs = repr(include_dirs),
        link_after = repr(after),
        link_before = repr(before),
        triple = compiler.triple,
        **labels
    ), executable = False)

def _constraints(rctx):
    """What the compiler runs on, and what loads the kernel libraries, is this machine and its like.
    """
    cpu = {
        "aarch64": "aarch64",
        "amd64": "x86_64",
        "arm64": "aarch64",
        "x86_64": "x86_64",
    }.get(rctx.os.arch)
    return [str(Label("@platforms//os:linux"))] + (
        [str(Label("@platforms//cpu:" + cpu))] if cpu else []
    )

def _multiarch(triple):
    """clang's x86_64-pc-linux-gnu names the folder that Debian calls x86_64-linux-gnu."""
    return "-".join([part for part in triple.split("-") if part not in ("pc", "unknown")])

hip_repository = repository_rule(
    implementation = _hip_repository_impl,
    attrs = ROCM_ATTRS,
    doc = "The machine's HIP compiler, from the places where ROCm is looked for.",
    environ = ["CKDISPATCH_HIPCC", "ROCM_PATH"],
)
