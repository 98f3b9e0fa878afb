"""ck_kernel_set: the kernels of a declaration with their manifest; ck_kernel_sets: the targets of whole declarations."""

load("//arch:gpus.bzl", "GpusInfo")
load(":kernel.bzl", "ck_kernel")
load(":providers.bzl", "CkKernelInfo", "CkKernelSetInfo")

def _ck_kernel_set_impl(ctx):
    if ctx.attr.errors:
        fail("\n" + "\n".join(ctx.attr.errors))
    kernels = [kernel[CkKernelInfo] for kernel in ctx.attr.kernels]
    built = [kernel for kernel in kernels if kernel.library]
    if not built:
        fail("No kernel of {} can be built for {}: {}".format(
            ctx.label.name,
            ", ".join(ctx.attr._gpus[GpusInfo].gpus),
            " ".join(["{}: {}".format(kernel.name, sentence) for kernel in kernels[:1] for sentence in kernel.refused.values()]) or
            "no HIP compiler was found; run bazel run //rules:which_rocm.",
        ))

    manifest = ctx.actions.declare_file("{}.manifest.json".format(ctx.label.name))
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
        inputs = [file for kernel in built for file in (kernel.library, kernel.resources)],
        mnemonic = "CkManifest",
        outputs = [manifest],
        progress_message = "Writing the manifest of {}".format(ctx.label.name),
    )
    files = [manifest] + [file for kernel in built for file in (kernel.library, kernel.resources)]
    return [
        DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files)),
        OutputGroupInfo(
            code_objects = depset([file for kernel in built for file in kernel.code_objects.values()]),
            manifest = depset([manifest]),
            source = depset([kernel.source for kernel in built]),
        ),
        CkKernelSetInfo(kernels = built, manifest = manifest),
    ]

ck_kernel_set = rule(
    implementation = _ck_kernel_set_impl,
    attrs = {
        "errors": attr.string_list(doc = "What is wrong with the declaration; analysis fails with these sentences."),
        "kernels": attr.label_list(doc = "The kernels; one that is not legal on the GPUs asked for is left out.", providers = [CkKernelInfo]),
        "_gpus": attr.label(default = "//arch:gpus"),
        "_inspector": attr.label(default = "//tools/inspect:inspect", cfg = "exec", executable = True),
    },
    doc = "All kernels of a declaration and <name>.manifest.json, which names each library with its hash and its resources. " +
          "Python and C++ targets take it as `data`.",
    provides = [CkKernelSetInfo],
)

def ck_kernel_sets(sets, visibility = None):
    """Instantiates every kernel of some declarations once, and a ck_kernel_set for each declaration.

    Args:
        sets: the KERNEL_SET values of repositories made by ck.kernel_set().
        visibility: of all targets.
    """
    made = {}
    for kernel_set in sets:
        for kernel in kernel_set["kernels"]:
            name = kernel["name"]
            if name in made:
                continue
            made[name] = True
            ck_kernel(
                name = name,
                declared_at = kernel["entry"],
                forbid_spills = kernel_set["forbid_spills"],
                legal_gpus = kernel["gpus"],
                refused = kernel["refused"],
                spec = json.encode(kernel["spec"] | {"name": name}),
                visibility = visibility,
            )
        ck_kernel_set(
            name = kernel_set["set"],
            errors = kernel_set["errors"],
            kernels = [":" + kernel["name"] for kernel in kernel_set["kernels"]],
            visibility = visibility,
        )
