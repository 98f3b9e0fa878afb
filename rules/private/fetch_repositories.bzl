"""Repositories whose content is downloaded, pinned by hash: Python packages, charts and Composable
Kernel's headers.
"""

load(":python.bzl", "one_sentence", "run_python")
load(":rocm_places.bzl", "ROCM_ATTRS")

visibility(["//rules/...", "//tests/rules/..."])

_FETCH = Label("//third_party:ckfetch/__init__.py")

# What moves the cache or configures pip, passed on by name so that a change fetches again.
_ENVIRONMENT = ["CKDISPATCH_CACHE", "XDG_CACHE_HOME", "HOME"]

def _fetch(rctx, job):
    rctx.report_progress("downloading and unpacking")
    lock = rctx.path(rctx.attr.lock)
    rctx.watch(lock)
    result = run_python(
        rctx,
        "ckfetch",
        [_FETCH],
        [job, "--lock", str(lock), "--output", str(rctx.path("."))],
    )
    if result.return_code != 0:
        fail(one_sentence(result))

def _fetching_rule(implementation, lock, doc, attrs = {}, environ = []):
    return repository_rule(
        implementation = implementation,
        attrs = {
            "lock": attr.label(doc = lock, allow_single_file = True, mandatory = True),
        } | attrs,
        doc = doc,
        environ = _ENVIRONMENT + environ,
    )

def _python_packages_impl(rctx):
    _fetch(rctx, "python-packages")

python_packages_repository = _fetching_rule(
    _python_packages_impl,
    doc = "One py_library for each package of a lock file, installed by pip with its hashes " +
          "checked.",
    lock = "Requirements with hashes.",
)

_WHEELS_BUILD = """\
filegroup(
    name = "wheels",
    srcs = glob(["wheels/*.whl"]),
    visibility = ["//visibility:public"],
)
"""

def _wheels_impl(rctx):
    _fetch(rctx, "wheels")
    rctx.file("BUILD.bazel", _WHEELS_BUILD, executable = False)

wheels_repository = _fetching_rule(
    _wheels_impl,
    doc = "The wheels of a lock file as they were published, for tests that install them.",
    lock = "Requirements with hashes.",
)

_CODE_OBJECTS_BUILD = """\
package(default_visibility = ["//visibility:public"])

# A folder for each GPU.
[
    filegroup(
        name = folder,
        srcs = glob([folder + "/**/*.co"]),
    )
    for folder in {file.partition("/")[0]: None for file in glob(["*/**/*.co"])}
]
"""

def _code_objects_impl(rctx):
    _fetch(rctx, "code-objects")
    rctx.file("BUILD.bazel", _CODE_OBJECTS_BUILD, executable = False)

code_objects_repository = _fetching_rule(
    _code_objects_impl,
    doc = "AMD's hand-written code objects, a filegroup for each GPU.",
    lock = "The wheel that carries them, with its hash.",
)

_CHARTS_BUILD = """\
load("@rules_python//python:defs.bzl", "py_library")

# For Python: the resource echarts.min.js of the package ckcharts.
py_library(
    name = "ckcharts",
    srcs = ["ckcharts/__init__.py"],
    data = ["ckcharts/echarts.min.js"],
    imports = ["."],
    visibility = ["//visibility:public"],
)
"""

def _charts_impl(rctx):
    _fetch(rctx, "echarts")
    rctx.file("BUILD.bazel", _CHARTS_BUILD, executable = False)

charts_repository = _fetching_rule(
    _charts_impl,
    doc = "Apache ECharts, which draws the charts of pages.",
    lock = "The wheel that carries it, with its hash.",
)

def _buildifier_impl(rctx):
    _fetch(rctx, "buildifier")
    rctx.file("BUILD.bazel", "exports_files([\"buildifier\"])\n", executable = False)

buildifier_repository = _fetching_rule(
    _buildifier_impl,
    doc = "buildifier, which formats and checks Starlark.",
    lock = "The wheel with the npm that downloads it, with its hash.",
)

_HEADERS_BUILD = """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "headers",
    srcs = glob(["include/ck_tile/**/*.hpp", "include/ck_tile/**/*.inc"]),
)

# Those of them that were edited, as they were before.
filegroup(
    name = "shipped_headers",
    srcs = glob(["shipped/include/ck_tile/**/*.hpp"], allow_empty = True),
)

# The folder to put on the include path.
exports_files(["include"])

filegroup(
    name = "tile_engine",
    srcs = glob(["tile_engine/**"], allow_empty = True),
)

# Programs of CK's, with the generators of their kernels and what they include beside ck_tile.
filegroup(
    name = "examples",
    srcs = glob(
        [
            "example/**",
            "include/rapidjson/**",
        ],
        allow_empty = True,
    ),
)
"""

def _copy(rctx, source, target):
    """Copies a folder and follows edits of its files.

    Through a link a sandbox would not see a folder below /tmp.
    """
    command = 'mkdir -p "$(dirname "$2")" && cp -RL "$1" "$2" && find -L "$1" -type f'
    result = rctx.execute(["sh", "-c", command, "sh", str(source), str(rctx.path(target))])
    if result.return_code != 0:
        fail("{} could not be copied: {}".format(source, result.stderr.strip()))

    # Not watch_tree: once the folder is gone, Bazel 7 fails whatever the flag says.
    for file in result.stdout.strip().split("\n"):
        rctx.watch(file)

def _own_headers(rctx, wanted, asked_by):
    if wanted == "rocm":
        wanted = rctx.attr.rocm or rctx.getenv("ROCM_PATH") or "/opt/rocm"
    if not wanted.startswith("/"):
        fail(
            "{} is {}, which is neither an absolute path nor `rocm`; give one of them.".format(
                asked_by,
                wanted,
            ),
        )
    root = rctx.path(wanted)
    if not root.get_child("include", "ck_tile", "core.hpp").exists:
        fail(
            ("{} asks for Composable Kernel at {}, where there is no include/ck_tile/core.hpp; " +
             "give a checkout of it, or `rocm` for an installed one.").format(
                asked_by,
                root,
            ),
        )
    _copy(rctx, root.get_child("include", "ck_tile"), "include/ck_tile")
    for folder in ["tile_engine", "example/ck_tile/01_fmha", "include/rapidjson"]:
        if root.get_child(*folder.split("/")).exists:
            _copy(rctx, root.get_child(*folder.split("/")), folder)

def _composable_kernel_impl(rctx):
    chosen = rctx.getenv("CKDISPATCH_CK")
    if chosen:
        _own_headers(rctx, chosen, "CKDISPATCH_CK")
    elif rctx.attr.path:
        _own_headers(rctx, rctx.attr.path, "ck.composable_kernel")
    else:
        _fetch(rctx, "composable-kernel")
    rctx.file("BUILD.bazel", _HEADERS_BUILD, executable = False)

composable_kernel_repository = _fetching_rule(
    _composable_kernel_impl,
    attrs = ROCM_ATTRS | {
        "path": attr.string(
            doc = "A checkout of Composable Kernel, `rocm` for the installed one, or nothing.",
        ),
    },
    doc = "Composable Kernel's headers: downloaded, or with ck.composable_kernel, or " +
          "--repo_env=CKDISPATCH_CK=<checkout>|rocm, the user's own.",
    environ = ["CKDISPATCH_CK", "ROCM_PATH"],
    lock = "The wheel that carries the headers, with its hash.",
)
