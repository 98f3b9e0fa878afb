"""ck_kernel: one kernel, one target."""

load("@ck_arch//:specs.bzl", "GPU_FACTS")
load("@ck_families//:families.bzl", "FAMILIES")
load("//arch:gpus.bzl", "GpusInfo")
load(
    ":actions.bzl",
    "bundle",
    "compile_device",
    "compile_host",
    "generate",
    "inspect",
    "link",
    "refuse",
)
load(":hip_toolchain.bzl", "HIP_TOOLCHAIN_TYPE")
load(":providers.bzl", "CkDeviceHeadersInfo", "CkHostHeadersInfo", "CkKernelInfo")

visibility(["//rules/...", "//tests/rules/..."])

def _refused(ctx, sentence, illegal_on = []):
    output = ctx.actions.declare_file("lib{}.so".format(ctx.label.name))
    generator, spec = None, None
    if illegal_on:
        generator, spec = ctx.attr._generator[DefaultInfo].files_to_run, _written_spec(ctx)
    refuse(ctx, sentence, output, generator, spec, illegal_on)
    return [
        DefaultInfo(files = depset([output])),
        OutputGroupInfo(code_objects = depset([output]), source = depset([output])),
        CkKernelInfo(
            code_objects = {},
            declared_at = ctx.attr.declared_at,
            library = None,
            name = ctx.label.name,
            refused = ctx.attr.refused,
            resources = None,
            source = None,
            why_not = sentence,
        ),
    ]

def _written_spec(ctx):
    spec = ctx.actions.declare_file("_ck/{}/spec.json".format(ctx.label.name))
    ctx.actions.write(spec, ctx.attr.spec + "\n")
    return spec

def _headers(ctx, targets, provider, family):
    known = {target[provider].family: target[provider] for target in targets}
    if family not in known:
        fail(
            ("The spec of {} is of the family {}, whose headers no target names; " +
             "there is {}.").format(
                ctx.label.name,
                family,
                ", ".join(known),
            ),
        )
    return known[family]

def _ck_kernel_impl(ctx):
    name = ctx.label.name
    described = json.decode(ctx.attr.spec)
    if described.get("name") != name:
        fail(
            ("The target {} holds the spec of another kernel, {}; a kernel's target is named " +
             "after its spec.").format(
                name,
                described.get("name"),
            ),
        )
    device = _headers(ctx, ctx.attr._device_headers, CkDeviceHeadersInfo, described.get("family"))
    host = _headers(ctx, ctx.attr._host_headers, CkHostHeadersInfo, described.get("family"))
    asked = ctx.attr.gpus or ctx.attr._gpus[GpusInfo].gpus
    gpus = [gpu for gpu in asked if gpu in ctx.attr.legal_gpus]
    if not gpus:
        sentence = "{} ({}) cannot be built for {}: {}".format(
            name,
            ctx.attr.declared_at,
            ", ".join(asked),
            " ".join([
                ctx.attr.refused.get(gpu, "the declaration does not name {}.".format(gpu))
                for gpu in asked
            ]),
        )
        return _refused(ctx, sentence, [gpu for gpu in asked if gpu in GPU_FACTS])

    toolchain = ctx.toolchains[HIP_TOOLCHAIN_TYPE]
    if toolchain.missing:
        return _refused(ctx, toolchain.missing)
    hip = toolchain.hip

    spec = _written_spec(ctx)
    source = ctx.actions.declare_file("_ck/{0}/{0}.cpp".format(name))
    generate(ctx, ctx.attr._generator[DefaultInfo].files_to_run, spec, source)

    code_objects = {}
    for gpu in gpus:
        code_objects[gpu] = ctx.actions.declare_file("_ck/{0}/{0}.{1}.co".format(name, gpu))
        compile_device(
            ctx,
            hip,
            gpu,
            source,
            device.files,
            device.include_dirs,
            device.precompiled[gpu],
            code_objects[gpu],
        )

    resources = ctx.actions.declare_file("{}.json".format(name))
    resources_header = ctx.actions.declare_file("_ck/{}/resources.inc".format(name))
    inspect(
        ctx,
        hip,
        ctx.attr._inspector[DefaultInfo].files_to_run,
        spec,
        code_objects,
        resources,
        resources_header,
        ctx.attr.forbid_spills,
    )

    gpu_binary = ctx.actions.declare_file("_ck/{0}/{0}.hipfb".format(name))
    bundle(ctx, hip, code_objects, gpu_binary)
    object = ctx.actions.declare_file("_ck/{0}/{0}.o".format(name))
    wave_sizes = {gpu: GPU_FACTS[gpu]["wave_size"] for gpu in gpus}
    compile_host(ctx, hip, wave_sizes, source, host, gpu_binary, resources_header, object)
    library = ctx.actions.declare_file("lib{}.so".format(name))
    link(ctx, hip, object, ctx.file._exports, library)

    return [
        DefaultInfo(
            files = depset([library, resources]),
            runfiles = ctx.runfiles([library, resources]),
        ),
        OutputGroupInfo(
            code_objects = depset(code_objects.values()),
            source = depset([source]),
        ),
        CkKernelInfo(
            code_objects = code_objects,
            declared_at = ctx.attr.declared_at,
            library = library,
            name = name,
            refused = ctx.attr.refused,
            resources = resources,
            source = source,
            why_not = "",
        ),
    ]

ck_kernel = rule(
    implementation = _ck_kernel_impl,
    attrs = {
        "declared_at": attr.string(
            doc = "The declaration and entry that asked for the kernel, for messages.",
        ),
        "forbid_spills": attr.bool(doc = "Fail if the compiler spills registers of this kernel."),
        "gpus": attr.string_list(
            doc = "GPUs to compile for; by default those of --@ckdispatch//arch:gpus.",
        ),
        "legal_gpus": attr.string_list(
            doc = "GPUs on which every rule allows the kernel.",
            mandatory = True,
        ),
        "refused": attr.string_dict(doc = "The sentence of the refusing rule for each other GPU."),
        "spec": attr.string(doc = "The kernel's spec as JSON.", mandatory = True),
        "_device_headers": attr.label_list(
            default = ["//rules:{}_device_headers".format(family.name) for family in FAMILIES],
            providers = [CkDeviceHeadersInfo],
        ),
        "_exports": attr.label(
            default = "//kernel_library:include/ck_kernel/host/exports.map",
            allow_single_file = True,
        ),
        "_generator": attr.label(default = "//tools/codegen:cli", cfg = "exec", executable = True),
        "_gpus": attr.label(default = "//arch:gpus"),
        "_host_headers": attr.label_list(
            default = ["//rules:{}_host_headers".format(family.name) for family in FAMILIES],
            providers = [CkHostHeadersInfo],
        ),
        "_inspector": attr.label(
            default = "//tools/inspect:inspect",
            cfg = "exec",
            executable = True,
        ),
    },
    doc = """Generates, compiles, inspects and links one CK Tile kernel.

Makes `lib<name>.so` with the kernel ABI and `<name>.json` with what its code objects use. Each GPU
is compiled by an action of its own, with headers that are precompiled once for all kernels of the
family. Kernels are usually declared in a JSON file and instantiated by `ck_kernel_sets`.""",
    provides = [CkKernelInfo],
    toolchains = [HIP_TOOLCHAIN_TYPE],
)
