"""Small HIP programs for tests: libraries for ctypes, executables, and code objects without a host
side.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")

_HIP = "//rules:hip_toolchain_type"

# What the simulator's tests compile for: one GPU of each set of instructions.
SIMULATED_GPUS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]

# Of programs of ours, which throw nothing and have no warnings.
_OWN = RECIPE["parts"]["host"] + [
    "-Xarch_host",
    "-fvisibility=default",
    "-Wall",
    "-Werror",
    "-Werror=date-time",
]

def _toolchain(ctx):
    toolchain = ctx.toolchains[_HIP]
    if toolchain.missing:
        fail(toolchain.missing)
    return toolchain.hip

def _run(ctx, hip, executable, args, inputs, output, what):
    ctx.actions.run(
        executable = executable,
        arguments = [args],
        env = hip.env,
        inputs = depset(inputs, transitive = [hip.files]),
        mnemonic = "HipProgram",
        outputs = [output],
        progress_message = "{} {}".format(what, ctx.label),
        toolchain = None,
    )

def compile_hip(ctx, source, gpus, output, flags = _OWN, include_dirs = [], inputs = []):
    """Compiles a HIP source to a host object with device code.

    Args:
        ctx: of a rule with the HIP toolchain.
        source: the source.
        gpus: the GPUs to compile for.
        output: the object.
        flags: what is said to the compiler beside what all kernels are compiled with.
        include_dirs: folders, as strings.
        inputs: the headers in them.
    """
    hip = _toolchain(ctx)
    args = ctx.actions.args()
    args.add_all(["-no-canonical-prefixes", "-nostdinc", "-nogpuinc", "-fuse-cuid=none"])
    args.add("-resource-dir", hip.resource_dir)
    args.add_all(hip.include_dirs, before_each = "-isystem")
    args.add_all(["-include", "__clang_hip_runtime_wrapper.h"])
    args.add_all(RECIPE["parts"]["common"] + flags)
    args.add_all(include_dirs, before_each = "-I")
    args.add_all(gpus, format_each = "--offload-arch=%s")
    args.add(hip.device_lib_dir, format = "--rocm-device-lib-path=%s")
    args.add("-c", source)
    args.add("-o", output)
    _run(ctx, hip, hip.tools["clang++"], args, [source] + inputs, output, "Compiling")

def _hip_object_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".o")
    compile_hip(ctx, ctx.file.src, ctx.attr.gpus, output)
    return [DefaultInfo(files = depset([output]))]

_SRC = attr.label(doc = "The HIP source.", allow_single_file = [".hip"], mandatory = True)

_hip_object = rule(
    implementation = _hip_object_impl,
    attrs = {
        "gpus": attr.string_list(
            doc = "The GPUs to compile for.",
            allow_empty = False,
            mandatory = True,
        ),
        "src": _SRC,
    },
    doc = "A host object with device code for some GPUs.",
    toolchains = [_HIP],
)

def _hip_library_impl(ctx):
    hip = _toolchain(ctx)
    compiled = ctx.actions.declare_file("_hip/{}.o".format(ctx.label.name))
    compile_hip(ctx, ctx.file.src, ctx.attr.gpus, compiled)

    output = ctx.actions.declare_file("lib{}.so".format(ctx.label.name))
    args = ctx.actions.args()
    args.add_all([
        "-shared",
        "--build-id=sha1",
        "--hash-style=gnu",
        "--eh-frame-hdr",
        "--as-needed",
        "--no-undefined",
    ])
    args.add(output.basename, format = "--soname=%s")
    args.add_all(hip.link_files.before)
    args.add(compiled)
    args.add(ctx.file._runtime)
    args.add_all(hip.link_files.after)
    args.add("-o", output)
    inputs = [compiled, ctx.file._runtime] + hip.link_files.before + hip.link_files.after
    _run(ctx, hip, hip.tools["ld.lld"], args, inputs, output, "Linking")
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

hip_library = rule(
    implementation = _hip_library_impl,
    attrs = {
        "gpus": attr.string_list(doc = "The GPUs to compile for.", default = SIMULATED_GPUS),
        "src": _SRC,
        "_runtime": attr.label(default = "@ck_rocm//:lib/libamdhip64.so", allow_single_file = True),
    },
    doc = "A shared library, lib<name>.so, that uses the HIP runtime of the process or of its " +
          "search path.",
    toolchains = [_HIP],
)

def _hip_code_object_impl(ctx):
    hip = _toolchain(ctx)
    outputs = []
    for gpu in ctx.attr.gpus:
        output = ctx.actions.declare_file("{}.{}.co".format(ctx.label.name, gpu))
        outputs.append(output)
        args = ctx.actions.args()
        args.add_all([
            "-no-canonical-prefixes",
            "-nostdinc",
            "-nogpuinc",
            "-nogpulib",
            "-fuse-cuid=none",
        ])
        args.add_all(["-x", "hip", "-std=c++17", "-O3", "-Wall", "-Werror"])
        args.add_all(["--cuda-device-only", "--no-gpu-bundle-output"])
        args.add_all(ctx.attr.flags)
        args.add(gpu, format = "--offload-arch=%s")
        args.add("-c", ctx.file.src)
        args.add("-o", output)
        _run(ctx, hip, hip.tools["clang++"], args, [ctx.file.src], output, "Compiling")
    return [DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(outputs))]

hip_code_object = rule(
    implementation = _hip_code_object_impl,
    attrs = {
        "flags": attr.string_list(doc = "What else is said to the compiler."),
        "gpus": attr.string_list(
            doc = "The GPUs to compile for.",
            allow_empty = False,
            mandatory = True,
        ),
        "src": _SRC,
    },
    doc = "Linked code objects, <name>.<GPU>.co, one for each GPU, from a source that includes " +
          "nothing.",
    toolchains = [_HIP],
)

def _hip_bundle_impl(ctx):
    hip = _toolchain(ctx)
    output = ctx.actions.declare_file(ctx.label.name + ".hipfb")
    gpus = [file.basename.split(".")[-2] for file in ctx.files.code_objects]
    args = ctx.actions.args()
    args.add_all(["-type=o", "-bundle-align=4096"] + (["-compress"] if ctx.attr.compress else []))
    args.add_joined(
        ["host-" + hip.host_triple] + ["hipv4-amdgcn-amd-amdhsa--" + gpu for gpu in gpus],
        format_joined = "-targets=%s",
        join_with = ",",
    )
    args.add("-input=/dev/null")
    args.add_all(ctx.files.code_objects, format_each = "-input=%s")
    args.add(output, format = "-output=%s")
    _run(
        ctx,
        hip,
        hip.tools["clang-offload-bundler"],
        args,
        ctx.files.code_objects,
        output,
        "Bundling",
    )
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

hip_bundle = rule(
    implementation = _hip_bundle_impl,
    attrs = {
        "code_objects": attr.label(doc = "A hip_code_object.", mandatory = True),
        "compress": attr.bool(doc = "Whether to compress it, as --offload-compress does."),
    },
    doc = "Code objects of several GPUs in one file, <name>.hipfb.",
    toolchains = [_HIP],
)

def hip_program(name, src, gpus, **kwargs):
    """An executable that uses the HIP runtime of its search path.

    Args:
        name: name of the program.
        src: the HIP source.
        gpus: the GPUs to compile for.
        **kwargs: as for cc_binary.
    """
    _hip_object(
        name = name + "_object",
        testonly = True,
        gpus = gpus,
        src = src,
    )
    cc_binary(
        name = name,
        testonly = True,
        srcs = [
            name + "_object",
            "@ck_rocm//:lib/libamdhip64.so",
        ],
        **kwargs
    )
