"""ck_kernel_set: the kernels of a declaration with their manifest; ck_kernel_sets: the targets of
whole declarations.
"""

load(":actions.bzl", "refuse")
load(":kernel.bzl", "ck_kernel")
load(":providers.bzl", "CkKernelInfo", "CkKernelSetInfo")
load(":python_library.bzl", "python_library")

visibility(["//rules/...", "//tests/rules/..."])

def _ck_kernel_set_impl(ctx):
    kernels = [kernel[CkKernelInfo] for kernel in ctx.attr.kernels]
    built = [kernel for kernel in kernels if kernel.library]
    manifest = ctx.actions.declare_file("{}.manifest.json".format(ctx.label.name))

    # Whatever is wrong with a set or a kernel, building it fails, and not its analysis: what else
    # was asked for is built.
    why_not = ""
    if ctx.attr.errors:
        why_not = "\n".join(ctx.attr.errors)
    elif not kernels:
        why_not = "The kernel set {} names no kernel; give it at least one.".format(ctx.label.name)
    elif not built:
        why_not = "None of the {} kernels of {} can be built: {}".format(
            len(kernels),
            ctx.label.name,
            kernels[0].why_not,
        )
    if why_not:
        refuse(ctx, why_not, manifest)
        return [
            DefaultInfo(files = depset([manifest])),
            OutputGroupInfo(
                code_objects = depset([manifest]),
                manifest = depset([manifest]),
                source = depset([manifest]),
            ),
            CkKernelSetInfo(kernels = [], manifest = manifest),
        ]

    files = [file for kernel in built for file in (kernel.library, kernel.resources)]
    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add("manifest").add("--set", ctx.label.name).add("--output", manifest)
    for kernel in built:
        args.add("--entry")
        args.add_joined([kernel.resources, kernel.library], join_with = "=")
    ctx.actions.run(
        executable = ctx.attr._inspector[DefaultInfo].files_to_run,
        arguments = [args],
        inputs = files,
        mnemonic = "CkManifest",
        outputs = [manifest],
        progress_message = "Writing the manifest of {}".format(ctx.label.name),
    )
    files = [manifest] + files
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files)),
        OutputGroupInfo(
            code_objects = depset(
                [file for kernel in built for file in kernel.code_objects.values()],
            ),
            manifest = depset([manifest]),
            source = depset([kernel.source for kernel in built]),
        ),
        CkKernelSetInfo(kernels = built, manifest = manifest),
    ]

ck_kernel_set = rule(
    implementation = _ck_kernel_set_impl,
    attrs = {
        "errors": attr.string_list(
            doc = "What is wrong with the declaration; building the set fails with these " +
                  "sentences.",
        ),
        "kernels": attr.label_list(
            doc = "The kernels; one that is not legal on the GPUs asked for is left out.",
            providers = [CkKernelInfo],
        ),
        "_inspector": attr.label(
            default = "//tools/inspect:inspect",
            cfg = "exec",
            executable = True,
        ),
    },
    doc = "All kernels of a declaration and `<name>.manifest.json`, which names each library " +
          "with its hash and its resources. C++ targets take it as `data`; Python targets depend " +
          "on the library that `ck_kernel_sets` makes of it.",
    provides = [CkKernelSetInfo],
)

def _merge(made, kernel, forbid_spills):
    """What two declarations ask of the same kernel.

    It is built wherever one of them means it, and is as strict as the stricter.
    """
    if not made:
        return struct(
            declared_at = kernel["entry"],
            forbid_spills = forbid_spills,
            gpus = kernel["gpus"],
            refused = kernel["refused"],
            spec = kernel["spec"],
        )
    gpus = made.gpus + [gpu for gpu in kernel["gpus"] if gpu not in made.gpus]
    return struct(
        declared_at = made.declared_at,
        forbid_spills = made.forbid_spills or forbid_spills,
        gpus = gpus,
        refused = {gpu: sentence for gpu, sentence in made.refused.items() if gpu not in gpus},
        spec = made.spec,
    )

def ck_kernel_sets(name, sets, tags = None, visibility = None):
    """Instantiates each kernel of some declarations once, and a ck_kernel_set for each of these.

    Beside a set is `<set>_py`, its Python library: the package `ckdispatch` and the set as data.

    Args:
        name: of a filegroup with the files of all the sets.
        sets: `KERNEL_SETS` of a repository made by `ck.kernel_set` or `ck.kernel_folder`, or
            several of them added up.
        tags: of all targets.
        visibility: of all targets.
    """
    kernels = {}
    for kernel_set in sets:
        for kernel in kernel_set["kernels"]:
            made = kernels.get(kernel["name"])
            kernels[kernel["name"]] = _merge(made, kernel, kernel_set["forbid_spills"])
    for kernel_name, kernel in kernels.items():
        ck_kernel(
            name = kernel_name,
            declared_at = kernel.declared_at,
            forbid_spills = kernel.forbid_spills,
            legal_gpus = kernel.gpus,
            refused = kernel.refused,
            spec = json.encode(kernel.spec | {"name": kernel_name}),
            tags = tags,
            visibility = visibility,
        )
    for kernel_set in sets:
        ck_kernel_set(
            name = kernel_set["set"],
            errors = kernel_set["errors"],
            kernels = [":" + kernel["name"] for kernel in kernel_set["kernels"]],
            tags = tags,
            visibility = visibility,
        )
        python_library(kernel_set["set"], tags, visibility)
    native.filegroup(
        name = name,
        srcs = [":" + kernel_set["set"] for kernel_set in sets],
        tags = tags,
        visibility = visibility,
    )
