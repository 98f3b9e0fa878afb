"""ck_device_code: kernels that are no kernel libraries, as a code object for each GPU."""

load("@ck_arch//:specs.bzl", "GPUS")
load(":actions.bzl", "compile_device")
load(":hip_toolchain.bzl", "HIP_TOOLCHAIN_TYPE")

visibility(["//rules/..."])

def _ck_device_code_impl(ctx):
    hip = ctx.toolchains[HIP_TOOLCHAIN_TYPE].hip
    code_objects = {}

    # Without a compiler there is none, and who looks for it says so.
    for gpu in GPUS if hip else []:
        code_objects[gpu] = ctx.actions.declare_file("{}_{}.co".format(ctx.label.name, gpu))
        compile_device(ctx, hip, gpu, ctx.file.src, depset(), [], None, code_objects[gpu])
    files = depset(code_objects.values())
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

ck_device_code = rule(
    implementation = _ck_device_code_impl,
    attrs = {
        "src": attr.label(
            doc = "The source, without a host side.",
            allow_single_file = [".hip"],
            mandatory = True,
        ),
    },
    doc = """Kernels that are no kernel libraries, compiled for every GPU.

The files are called `<name>_<gpu>.co`. Where there is no compiler, there are none.""",
    toolchains = [HIP_TOOLCHAIN_TYPE],
)
