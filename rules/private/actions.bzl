"""The actions that make a kernel library: generate, precompile and compile per GPU, inspect, bundle, host pass, link."""

load("@ck_arch//:specs.bzl", "GPU_FACTS")

def _environment(hip):
    # The digest makes the compiler's identity part of every action's key, wherever the compiler lies.
    return {"CK_TOOLCHAIN_DIGEST": hip.digest, "LC_ALL": "C"}

def _device_environment(hip):
    # A precompiled header names the files that it was made of by absolute paths, and clang makes those from PWD. The path with which every
    # process finds its own folder is the same in every sandbox and on every machine.
    return _environment(hip) | {"PWD": "/proc/self/cwd"}

def _compile_memory(_os, _inputs):
    # Compiling the largest tile of //kernels, 256x256x32, takes 0.58 GB at its peak; with this Bazel does not start more compiles than fit.
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

def _front_end(ctx, hip, source, flags, hip_headers = True):
    """Arguments that both passes share: everything that clang would otherwise look up on the machine."""
    args = ctx.actions.args()
    args.add_all(["-no-canonical-prefixes", "-nostdinc", "-nogpuinc", "-fuse-cuid=none"])
    args.add("-resource-dir", hip.resource_dir)
    args.add_all(hip.include_dirs, before_each = "-isystem")
    if hip_headers:
        args.add_all(["-include", "__clang_hip_runtime_wrapper.h"])
    args.add_all(flags)
    args.add("-Werror=date-time")
    args.add("-c", source)
    return args

def _has(gpu, fact):
    """Whether a fact of arch/ is true of a GPU, or has the value behind "="."""
    name, _, value = fact.partition("=")
    found = GPU_FACTS[gpu][name]
    return found == value if value else bool(found)

def _device_pass(ctx, hip, gpu, source, include_dirs):
    """Arguments of the device pass. clang takes a precompiled header only with the arguments that it was made with."""
    of_gpu = [flag for fact, flags in hip.gpu_flags.items() if _has(gpu, fact) for flag in flags]
    args = _front_end(ctx, hip, source, hip.device_flags + of_gpu)
    args.add_all(["--cuda-device-only", "--no-gpu-bundle-output"])
    args.add(gpu, format = "--offload-arch=%s")
    args.add(hip.device_lib_dir, format = "--rocm-device-lib-path=%s")
    args.add_all(include_dirs, before_each = "-I")

    # Where a repository lies depends on who uses it; the code object must not.
    args.add_all(include_dirs, format_each = "-ffile-prefix-map=%s=.")
    args.add("-w")
    return args

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
    args = _device_pass(ctx, hip, gpu, source, include_dirs)

    # The driver knows no precompiled header for a GPU, but the compiler proper does; the last kind of output that it is told is the one it makes.
    args.add("-emit-llvm")
    for option in ["-emit-pch", "-fno-pch-timestamp", "-fpch-instantiate-templates"]:
        args.add_all(["-Xclang", option])
    args.add("-o", output)
    ctx.actions.run(
        executable = hip.clang,
        arguments = [args],
        env = _device_environment(hip),
        inputs = depset([source], transitive = [headers, hip.files]),
        mnemonic = "CkPrecompile",
        outputs = [output],
        progress_message = "Precompiling the headers of {} for {}".format(ctx.label.name, gpu),
        resource_set = _compile_memory,
        toolchain = None,
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
        precompiled: File that `precompile` made for this GPU, or None to read the headers themselves.
        output: File to write.
    """
    args = _device_pass(ctx, hip, gpu, source, include_dirs)
    if precompiled:
        args.add_all(["-Xclang", "-include-pch", "-Xclang", precompiled])
    args.add("-o", output)
    ctx.actions.run(
        executable = hip.clang,
        arguments = [args],
        env = _device_environment(hip),
        inputs = depset([source] + ([precompiled] if precompiled else []), transitive = [headers, hip.files]),
        mnemonic = "CkCompile",
        outputs = [output],
        progress_message = "Compiling kernel {} for {}".format(ctx.label.name, gpu),
        resource_set = _compile_memory,
        toolchain = None,
    )

def inspect(ctx, hip, inspector, spec, code_objects, resources, header, forbid_spills):
    """Reads what the code objects use: into JSON for people and tools, and into a literal for the host pass.

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
    args = ctx.actions.args()
    args.add("code-object").add("--spec", spec).add("--objdump", hip.objdump)
    for gpu, code_object in code_objects.items():
        args.add("--object", code_object, format = gpu + "=%s")
    args.add("--output", resources).add("--resources-header", header)
    if forbid_spills:
        args.add("--forbid-spills")
    ctx.actions.run(
        executable = inspector,
        arguments = [args],
        env = _environment(hip),
        inputs = depset([spec] + code_objects.values(), transitive = [hip.files]),
        mnemonic = "CkInspect",
        outputs = [resources, header],
        progress_message = "Inspecting kernel {}".format(ctx.label.name),
        tools = [hip.objdump],
    )

def bundle(ctx, hip, code_objects, output):
    """Puts the code objects of all GPUs into the one file that the HIP runtime picks from.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        code_objects: dict from GPU to its code object.
        output: File to write.
    """
    targets = ["host-{}".format(hip.host_triple)] + ["hipv4-amdgcn-amd-amdhsa--{}".format(gpu) for gpu in code_objects]
    args = ctx.actions.args()
    args.add_all(["-type=o", "-bundle-align=4096"])
    args.add_joined(targets, format_joined = "-targets=%s", join_with = ",")
    args.add("-input=/dev/null")
    args.add_all(code_objects.values(), format_each = "-input=%s")
    args.add(output, format = "-output=%s")
    ctx.actions.run(
        executable = hip.bundler,
        arguments = [args],
        env = _environment(hip),
        inputs = depset(code_objects.values(), transitive = [hip.files]),
        mnemonic = "CkBundle",
        outputs = [output],
        progress_message = "Bundling kernel {}".format(ctx.label.name),
        toolchain = None,
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

    # Where nothing of CK is included, nothing of HIP is needed: reading its headers would be half of this pass.
    args = _front_end(ctx, hip, source, hip.host_flags, hip_headers = bool(headers.system_include_dirs))
    args.add("--cuda-host-only")
    args.add_all(wave_sizes.keys(), format_each = "--offload-arch=%s")
    args.add_all(["-Xclang", "-fcuda-include-gpubinary", "-Xclang", gpu_binary])
    args.add_joined(
        ["{}:{}".format(gpu, size) for gpu, size in wave_sizes.items()],
        format_joined = '-DCK_KERNEL_GPUS="%s"',
        join_with = ",",
    )
    args.add(resources_header, format = '-DCK_KERNEL_RESOURCES="%s"')
    args.add_all(headers.include_dirs, before_each = "-I")
    args.add_all(headers.system_include_dirs, before_each = "-isystem")
    args.add("-I.")
    args.add_all(["-Wall", "-Wextra", "-Werror"])
    args.add("-o", output)
    ctx.actions.run(
        executable = hip.clang,
        arguments = [args],
        env = _environment(hip),
        inputs = depset([source, gpu_binary, resources_header], transitive = [headers.files, hip.files]),
        mnemonic = "CkHost",
        outputs = [output],
        progress_message = "Compiling the host side of kernel {}".format(ctx.label.name),
        toolchain = None,
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
    args = ctx.actions.args()
    args.add_all(["-shared", "--build-id=sha1", "--hash-style=gnu", "--eh-frame-hdr", "--as-needed", "--no-undefined"])
    args.add_all(["-z", "relro", "-z", "now"])
    args.add(output.basename, format = "--soname=%s")
    args.add(exports, format = "--version-script=%s")
    args.add_all(hip.link_files.before)
    args.add(object)
    args.add_all(hip.link_files.after)
    args.add("-o", output)
    ctx.actions.run(
        executable = hip.linker,
        arguments = [args],
        env = _environment(hip),
        inputs = depset([object, exports] + hip.link_files.before + hip.link_files.after, transitive = [hip.files]),
        mnemonic = "CkLink",
        outputs = [output],
        progress_message = "Linking kernel {}".format(ctx.label.name),
        toolchain = None,
    )

def refuse(ctx, sentence, output):
    """An action that fails with a sentence: the target can be queried and analysed, but not built.

    Args:
        ctx: the rule context.
        sentence: what to say.
        output: File that is never written.
    """
    ctx.actions.run_shell(
        arguments = [sentence],
        command = 'echo "$1" >&2; exit 1',
        mnemonic = "CkRefuse",
        outputs = [output],
        progress_message = "Refusing kernel {}".format(ctx.label.name),
    )
