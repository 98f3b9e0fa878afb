"""Gathers the declarations of a folder, so that a new one is a new file and nothing else."""

visibility(["//rules/...", "//tests/rules/..."])

_BZL = '''\
"""The kernels of every declaration of a folder."""

{loads}
# The sets of each declaration, by the name of its file.
DECLARATIONS = {{
{rows}}}

KERNEL_SETS = [kernel_set for kernel_sets in DECLARATIONS.values() for kernel_set in kernel_sets]
'''

def _kernel_folder_impl(rctx):
    names = sorted(rctx.attr.repositories)
    loads = [
        'load("@{}//:kernel_set.bzl", _SETS_{} = "KERNEL_SETS")\n'.format(
            rctx.attr.repositories[name],
            index,
        )
        for index, name in enumerate(names)
    ]
    rows = ['    "{}": _SETS_{},\n'.format(name, index) for index, name in enumerate(names)]
    rctx.file(
        "kernel_sets.bzl",
        _BZL.format(loads = "".join(loads), rows = "".join(rows)),
        executable = False,
    )
    rctx.file("BUILD.bazel", 'exports_files(["kernel_sets.bzl"])\n', executable = False)

kernel_folder_repository = repository_rule(
    implementation = _kernel_folder_impl,
    attrs = {
        "repositories": attr.string_dict(
            doc = "From the name of a declaration, its file without .json, to the repository " +
                  "that expands it.",
        ),
    },
    doc = "kernel_sets.bzl with the sets of every declaration of a folder.",
)
