"""The actions that make a kernel library: generate, precompile and compile per GPU, inspect,
bundle, host pass, link.
"""

load("@ck_arch//:specs.bzl", "GPU_FACTS")
load(":recipe.bzl", "flags_of_gpu", "run_step")

visibility(["//rules/...", "//tests/rules/..."])

# A precompiled header names the files that it was made of by absolute paths, and clang makes those
# from PWD. The path with which every process finds its own folder is the same in every sandbox and
# on every machine.
_DEVICE_ENVIRONMENT = {"PWD": "/proc/self/cwd"}

def _compile_memory(_os, _inputs):
    # Compiling the largest tile of //kernels, 256x256x32, takes 0.58 GB at its peak; with this
    # Bazel does not start more compiles than fit.
    return {"cpu": 1, "memory": 800}

def generate(ctx, generator, spec, source):
    """Renders a spec into C++.

    Args:
        ctx: the rule context.
        generator: the ckgen executable (FilesToRunProvider).
        spec: File with the spec's JSON.
        source: File to write.
    """
    ctx.actions.run(
        executable = generator,
        arguments = [ctx.actions.args().add("render").add("--spec", spec).add("--output", source)],
        inputs = [spec],
        mnemonic = "CkGenerate",
        outputs = [source],
        progress_message = "Generating kernel {}".format(ctx.label.name),
    )

def _front_end(hip, source, hip_headers = True):
    """Values that both passes share: everything that clang would otherwise look up on the machine.
    """
    return {
        "hip_wrapper": ["__clang_hip_runtime_wrapper.h"] if hip_headers else [],
        "no_look_up": ["-no-canonical-prefixes", "-nostdinc", "-nogpuinc"],
        "resource_dir": [hip.resource_dir],
        "source": [source],
        "system_include_dirs": hip.include_dirs,
    }

def _device_pass(hip, gpu, source, include_dirs, precompiled):
    return _front_end(hip, source) | {
        "device_libs": [hip.device_lib_dir],
        "gpu": [gpu],
        "gpu_flags": flags_of_gpu(GPU_FACTS[gpu]),
        "include_dirs": include_dirs,
        "precompiled": [precompiled] if precompiled else [],
    }

def precompile(ctx, hip, gpu, source, headers, include_dirs, output):
    """Precompiles what the device passes of a family share, for one GPU.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        gpu: the GPU's name.
        source: File that includes the headers, and instantiates what most kernels need of them.
        headers: depset of the headers that the source includes.
        include_dirs: include folders for them, the first of Composable Kernel.
        output: File to write.
    """
    run_step(
        ctx,
        hip,
        "precompile",
        _device_pass(hip, gpu, source, include_dirs, output),
        env = _DEVICE_ENVIRONMENT,
        headers = [headers],
        mnemonic = "CkPrecompile",
        progress_message = "Precompiling the headers of {} for {}".format(ctx.label.name, gpu),
        resource_set = _compile_memory,
    )

def compile_device(ctx, hip, gpu, source, headers, include_dirs, precompiled, output):
    """Compiles the device pass for one GPU into a linked code object.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        gpu: the GPU's name.
        source: the generated File.
        headers: depset of the headers that the source includes, and of those that were precompiled.
        include_dirs: include folders for them, the first of Composable Kernel.
        precompiled: File that `precompile` made for this GPU, or None to read the headers
            themselves.
        output: File to write.
    """
    run_step(
        ctx,
        hip,
        "device",
        _device_pass(hip, gpu, source, include_dirs, precompiled) | {"code_object": [output]},
        env = _DEVICE_ENVIRONMENT,
        headers = [headers],
        mnemonic = "CkCompile",
        progress_message = "Compiling kernel {} for {}".format(ctx.label.name, gpu),
        resource_set = _compile_memory,
    )

def inspect(ctx, hip, inspector, spec, code_objects, resources, header, forbid_spills):
    """Reads what the code objects use.

    Into JSON for people and tools, and into a literal for the host pass.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        inspector: the ckinspect executable (FilesToRunProvider).
        spec: File with the spec's JSON.
        code_objects: dict from GPU to its code object.
        resources: File to write the JSON to.
        header: File to write the literal to.
        forbid_spills: whether a kernel that spills registers is an error.
    """
    objdump = hip.tools["llvm-objdump"]
    args = ctx.actions.args()
    args.add("code-object").add("--spec", spec).add("--objdump", objdump)
    for gpu, code_object in code_objects.items():
        args.add("--object", code_object, format = gpu + "=%s")
    args.add("--output", resources).add("--resources-header", header)
    if forbid_spills:
        args.add("--forbid-spills")
    ctx.actions.run(
        executable = inspector,
        arguments = [args],
        env = hip.env,
        inputs = depset([spec] + code_objects.values(), transitive = [hip.files]),
        mnemonic = "CkInspect",
        outputs = [resources, header],
        progress_message = "Inspecting kernel {}".format(ctx.label.name),
        tools = [objdump],
    )

def bundle(ctx, hip, code_objects, output):
    """Puts the code objects of all GPUs into the one file that the HIP runtime picks from.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        code_objects: dict from GPU to its code object.
        output: File to write.
    """
    run_step(
        ctx,
        hip,
        "bundle",
        {
            "code_objects": code_objects.values(),
            "gpu_binary": [output],
            "gpus": code_objects.keys(),
            "host_triple": [hip.host_triple],
        },
        mnemonic = "CkBundle",
        progress_message = "Bundling kernel {}".format(ctx.label.name),
    )

def compile_host(ctx, hip, wave_sizes, source, headers, gpu_binary, resources_header, output):
    """Compiles the host pass: the kernel ABI around the bundled code objects.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        wave_sizes: dict from GPU to the size of its waves.
        source: the generated File.
        headers: CkHostHeadersInfo of its family.
        gpu_binary: File with the bundled code objects.
        resources_header: File with the literal that describes them.
        output: File to write.
    """

    # Where nothing of CK is included, nothing of HIP is needed: reading its headers would be half
    # of this pass.
    front_end = _front_end(hip, source, hip_headers = bool(headers.system_include_dirs))
    run_step(
        ctx,
        hip,
        "host",
        front_end | {
            "composable_kernel": headers.system_include_dirs,
            "gpu_binary": [gpu_binary],
            "gpus": wave_sizes.keys(),
            "include_dirs": headers.include_dirs,
            "object": [output],
            "resources": [resources_header],
            "warnings": ["-Wall", "-Wextra", "-Werror"],
            "wave_sizes": ["{}:{}".format(gpu, size) for gpu, size in wave_sizes.items()],
        },
        headers = [headers.files],
        mnemonic = "CkHost",
        progress_message = "Compiling the host side of kernel {}".format(ctx.label.name),
    )

def link(ctx, hip, object, exports, output):
    """Links the kernel library, which exports nothing but the kernel ABI.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        object: the host pass's object File.
        exports: File with the linker's version script.
        output: File to write.
    """
    run_step(
        ctx,
        hip,
        "link",
        {
            "exports": [exports],
            "library": [output],
            "link_after": hip.link_files.after,
            "link_before": hip.link_files.before,
            "object": [object],
            "soname": [output.basename],
        },
        mnemonic = "CkLink",
        progress_message = "Linking kernel {}".format(ctx.label.name),
    )

def refuse(ctx, sentence, output, generator = None, spec = None, gpus = []):
    """An action that fails with a sentence: the target can be queried and analysed, but not built.

    Args:
        ctx: the rule context.
        sentence: what to say.
        output: File that is never written.
        generator: the ckgen executable (FilesToRunProvider) to ask for the kernels nearest to one,
            only now: finding them takes a tenth of a second each.
        spec: File with the spec of that kernel.
        gpus: the GPUs to ask about.
    """
    asks = [generator.executable.path, "nearest", "--spec", spec.path, "--gpus"] if gpus else []
    ctx.actions.run_shell(
        arguments = [sentence] + asks + gpus,
        command = 'echo "$1" >&2; shift; "$@" >&2; exit 1',
        inputs = [spec] if gpus else [],
        mnemonic = "CkRefuse",
        outputs = [output],
        progress_message = "Refusing {}".format(ctx.label.name),
        tools = [generator] if gpus else [],
    )
