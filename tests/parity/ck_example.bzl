"""ck_example: Composable Kernel's own program for attention, with a few of its kernels."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load("//tests/gfxsim:hip_program.bzl", "compile_hip")
load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")

_HIP = "//rules:hip_toolchain_type"

# What CK's CMakeLists.txt says, but for warnings, and the rounding to bf16, which is that of all
# kernels here; CK leaves it to its header, which cuts the rest off. Only the device's code matters,
# so the host's is compiled fast.
_FLAGS = RECIPE["parts"]["device"] + [
    "-DCK_TILE_FMHA_FWD_FAST_EXP2=1",
    "-fgpu-flush-denormals-to-zero",
    "-DCK_TILE_FMHA_FWD_APPENDKV_API=0",
    "-DCK_TILE_FMHA_FWD_PAGEDKV_API=0",
    "-DCK_TILE_FMHA_FWD_SPLITKV_API=0",
    "-Xarch_host",
    "-O1",
    "-w",
]

# The one edited header that is needed: as it is shipped its assembly of the GPU reaches the host
# compiler, which refuses it.
_EDITED = "/ck_tile/ops/elementwise/unary_element_wise_operation.hpp"

def _find(files, ending):
    found = [file for file in files if file.path.endswith(ending)]
    if not found:
        fail(
            ("the Composable Kernel in use has no {}, which this needs; take the one that is " +
             "downloaded.").format(ending),
        )
    return found[0]

def _folder(file, ending):
    return file.path.removesuffix(ending)

def _ck_example_objects_impl(ctx):
    example = ctx.files._example
    generate = _find(example, "/01_fmha/generate.py")
    kernels = ctx.actions.declare_file(ctx.label.name + ".kernels.cpp")
    ctx.actions.run(
        executable = ctx.executable._writer,
        arguments = [
            ctx.actions.args().add(generate).add(ctx.attr.gpu).add(ctx.file.kernels).add(kernels),
        ],
        inputs = example + [ctx.file.kernels],
        mnemonic = "CkExampleKernels",
        outputs = [kernels],
    )

    # A folder with the headers as they were shipped, without that one: what is not in it is found
    # in the other.
    shipped = []
    for file in ctx.files._shipped:
        if not file.path.endswith(_EDITED):
            link = ctx.actions.declare_file(
                "{}.shipped/ck_tile/{}".format(ctx.label.name, file.path.partition("/ck_tile/")[2]),
            )
            ctx.actions.symlink(output = link, target_file = file)
            shipped.append(link)
    core = _find(ctx.files._headers, "/ck_tile/core.hpp")
    include_dirs = [file.path.partition("/ck_tile/")[0] for file in shipped[:1]]
    include_dirs += [_folder(core, "/ck_tile/core.hpp"), _folder(generate, "/generate.py")]
    objects = []
    for source in [kernels, _find(example, "/01_fmha/example_fmha_fwd.cpp")]:
        output = ctx.actions.declare_file("{}.{}.o".format(ctx.label.name, source.basename))
        compile_hip(
            ctx,
            source,
            [ctx.attr.gpu],
            output,
            flags = _FLAGS,
            include_dirs = include_dirs,
            inputs = example + shipped + ctx.files._headers,
        )
        objects.append(output)
    return [DefaultInfo(files = depset(objects))]

_ck_example_objects = rule(
    implementation = _ck_example_objects_impl,
    attrs = {
        "gpu": attr.string(doc = "The GPU to compile for.", mandatory = True),
        "kernels": attr.label(
            doc = "A pattern for each kernel, one on a line.",
            allow_single_file = [".txt"],
            mandatory = True,
        ),
        "_example": attr.label(default = "@composable_kernel//:examples"),
        "_headers": attr.label(default = "@composable_kernel//:headers"),
        "_shipped": attr.label(default = "@composable_kernel//:shipped_headers"),
        "_writer": attr.label(default = ":write_kernels", executable = True, cfg = "exec"),
    },
    doc = "Objects of the program and of its kernels, from CK's headers as they are shipped.",
    toolchains = [_HIP],
)

def ck_example(name, gpu, kernels, **kwargs):
    """CK's example of attention as a program that uses the HIP runtime of its search path.

    Args:
        name: name of the program.
        gpu: the GPU to compile for.
        kernels: a file with a pattern for each kernel, one on a line.
        **kwargs: as for cc_binary.
    """
    _ck_example_objects(
        name = name + "_objects",
        testonly = True,
        gpu = gpu,
        kernels = kernels,
        tags = ["manual"],
    )
    cc_binary(
        name = name,
        testonly = True,
        srcs = [
            name + "_objects",
            "@ck_rocm//:lib/libamdhip64.so",
        ],
        # Both objects have the symbol __hip_cuid_, which nothing reads.
        linkopts = [
            "-pthread",
            "-Wl,-z,muldefs",
        ],
        tags = ["manual"],
        **kwargs
    )
