"""Expands a declaration into kernel specs when Bazel loads it, so that every kernel is a target
that query sees.
"""

load(":python.bzl", "one_sentence", "run_python")

visibility(["//rules/...", "//tests/rules/..."])

_PYTHON_PATH = [
    Label("//tools/codegen:ckgen/__init__.py"),
    Label("//arch:ckarch/__init__.py"),
    Label("//families:ckfamilies/__init__.py"),
]

_BUILD = """\
load("{rules}", "ck_kernel_sets")
load(":kernel_set.bzl", "KERNEL_SETS")

package(default_visibility = ["//visibility:public"])

ck_kernel_sets(
    name = "kernel_sets",
    sets = KERNEL_SETS,
)
"""

_BZL = '''\
"""The kernels of {name}, as its declaration expands."""

KERNEL_SETS = json.decode({data})["sets"]
'''

def _kernel_set_impl(rctx):
    spec = rctx.path(rctx.attr.spec)
    rctx.watch(spec)
    rctx.watch(rctx.attr._arch_specs)
    rctx.watch(rctx.attr._families)
    rctx.report_progress("expanding {}".format(rctx.attr.set_name))
    result = run_python(rctx, "ckgen", _PYTHON_PATH, [
        "expand",
        "--errors-as-data",
        "--set",
        rctx.attr.set_name,
        "--declaration",
        str(spec),
        "--display-name",
        _display(rctx.attr.spec),
        "--output",
        str(rctx.path("expanded.json")),
    ])
    if result.return_code != 0:
        fail(one_sentence(result))
    expanded = rctx.read("expanded.json")
    bzl = _BZL.format(name = rctx.attr.set_name, data = repr(expanded))
    if len(json.decode(expanded)["sets"]) == 1:
        # Of several sets none is the one that a caller means.
        bzl += "KERNEL_SET = KERNEL_SETS[0]\n"
    rctx.file("kernel_set.bzl", bzl, executable = False)
    rctx.file(
        "BUILD.bazel",
        _BUILD.format(rules = str(Label("//rules:defs.bzl"))),
        executable = False,
    )

def _display(label):
    """The declaration as a user knows it, without the path of this machine."""
    path = label.package + "/" + label.name if label.package else label.name
    return path if not label.workspace_name else "@{}//{}".format(label.workspace_name, path)

kernel_set_repository = repository_rule(
    implementation = _kernel_set_impl,
    attrs = {
        "set_name": attr.string(doc = "Name of the set.", mandatory = True),
        "spec": attr.label(doc = "The declaration.", allow_single_file = True, mandatory = True),
        "_arch_specs": attr.label(
            default = Label("//arch:arch_specs.json"),
            allow_single_file = True,
        ),
        "_families": attr.label(
            default = Label("//families:families.json"),
            allow_single_file = True,
        ),
    },
    doc = "The kernels of one declaration: kernel_set.bzl holds them as data, BUILD.bazel as " +
          "targets.",
)
