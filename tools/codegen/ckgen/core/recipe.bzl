"""How a kernel library is made: the flags, the steps, and where a compiler is looked for.

The Bazel rules load this file; the just-in-time builds and the exported build files read it through
`ckgen.core.recipe`, which is why all of it is one literal. Where they differ, they give other
values for the same placeholders.

An argument is a word, or a list of words that belong together. The last word may have one
placeholder, `{name}`, and stands once for each of the values of that name: none, one or many.
`@name` stands for a part that is described before. Words to be joined by commas are a dict.
"""

RECIPE = {
    "parts": {
        # Of both passes.
        "common": [
            "-x",
            "hip",
            "-std=c++17",
            "-O3",
            "-DNDEBUG",
            "-fPIC",
            "-D__HIP_PLATFORM_AMD__=1",
            "-Wno-undefined-func-template",
            "-fvisibility=hidden",
        ],
        # Without registers reserved for far jumps: in clang 21 at least, a function of more than
        # 128 KiB that is called reserves the one that holds the address to return to, and never
        # returns (llvm-project issue 224205). Without, the compiler looks for a free one at each
        # jump.
        "device": [
            "-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0",
            "-mllvm",
            "-enable-noalias-to-md-conversion=0",
            "-mllvm",
            "-amdgpu-long-branch-factor=0",
        ],
        "host": ["-Xarch_host", "-fno-exceptions"],
        # What clang would otherwise look up on the machine, for builds that know it.
        "look_up": [
            "{no_look_up}",
            "-fuse-cuid=none",
            ["-resource-dir", "{resource_dir}"],
            ["-isystem", "{system_include_dirs}"],
            ["-include", "{hip_wrapper}"],
        ],
        # clang takes a precompiled header only with the arguments that it was made with. Where the
        # headers lie depends on who builds; the code object must not.
        "device_pass": [
            "@look_up",
            "@common",
            "@device",
            "{gpu_flags}",
            "-Werror=date-time",
            "-c",
            "{source}",
            "--cuda-device-only",
            "--no-gpu-bundle-output",
            "--offload-arch={gpu}",
            "--rocm-device-lib-path={device_libs}",
            ["-I", "{include_dirs}"],
            "-ffile-prefix-map={include_dirs}=.",
            "-w",
        ],
        "gpus_define": [{"format": '-DCK_KERNEL_GPUS="%s"', "joined": ["{wave_sizes}"]}],
    },
    # Further flags of the device passes of GPUs of which a fact of arch/ is true, or has the value
    # behind "=". tests/kernels has a kernel for each of the last two, in compiler_bugs.json.
    "by_gpu": {
        # A tile can become so many branches that the compiler would call it instead of inlining it,
        # with all that it holds in registers.
        "fp8_emulated": ["-mllvm", "-amdgpu-inline-max-bb=1000000"],
        # Where 16-bit values get halves of registers, clang 21 forgets after a loop which half it
        # was.
        "half_registers": ["-Xclang", "-target-feature", "-Xclang", "-real-true16"],
        # clang 21 moves WMMA instructions, which need all lanes, into the branch that stores C
        # (llvm-project pull requests 165602 and 178314), where factors that were spilled come back
        # in the lanes that store alone.
        "matrix_isa=wmma": ["-mllvm", "-disable-machine-sink"],
    },
    # Inputs and outputs name values, all of them files; the headers are inputs too.
    "steps": {
        # The driver knows no precompiled header for a GPU, but the compiler proper does; the last
        # kind of output that it is told is the one it makes.
        "precompile": {
            "tool": "clang++",
            "inputs": ["source"],
            "outputs": ["precompiled"],
            "arguments": [
                "@device_pass",
                "-emit-llvm",
                ["-Xclang", "-emit-pch"],
                ["-Xclang", "-fno-pch-timestamp"],
                ["-Xclang", "-fpch-instantiate-templates"],
                "-o",
                "{precompiled}",
            ],
        },
        # The device pass for one GPU: a linked code object.
        "device": {
            "tool": "clang++",
            "inputs": ["source", "precompiled"],
            "outputs": ["code_object"],
            "arguments": [
                "@device_pass",
                ["-Xclang", "-include-pch", "-Xclang", "{precompiled}"],
                "-o",
                "{code_object}",
            ],
        },
        # The code objects of all GPUs in the one file that the HIP runtime picks from.
        "bundle": {
            "tool": "clang-offload-bundler",
            "inputs": ["code_objects"],
            "outputs": ["gpu_binary"],
            "arguments": [
                "-type=o",
                "-bundle-align=4096",
                {
                    "format": "-targets=%s",
                    "joined": ["host-{host_triple}", "hipv4-amdgcn-amd-amdhsa--{gpus}"],
                },
                "-input=/dev/null",
                "-input={code_objects}",
                "-output={gpu_binary}",
            ],
        },
        # The host pass: the kernel ABI around the bundled code objects.
        "host": {
            "tool": "clang++",
            "inputs": ["source", "gpu_binary", "resources"],
            "outputs": ["object"],
            "arguments": [
                "@look_up",
                "@common",
                "@host",
                "-Werror=date-time",
                "-c",
                "{source}",
                "--cuda-host-only",
                "--offload-arch={gpus}",
                ["-Xclang", "-fcuda-include-gpubinary", "-Xclang", "{gpu_binary}"],
                "@gpus_define",
                '-DCK_KERNEL_RESOURCES="{resources}"',
                ["-I", "{include_dirs}"],
                ["-isystem", "{composable_kernel}"],
                "-I.",
                "{warnings}",
                "-o",
                "{object}",
            ],
        },
        # The library, which exports nothing but the kernel ABI and needs libc alone.
        "link": {
            "tool": "ld.lld",
            "inputs": ["object", "exports", "link_before", "link_after"],
            "outputs": ["library"],
            "arguments": [
                "-shared",
                "--build-id=sha1",
                "--hash-style=gnu",
                "--eh-frame-hdr",
                "--as-needed",
                "--no-undefined",
                "-z",
                "relro",
                "-z",
                "now",
                "--soname={soname}",
                "--version-script={exports}",
                "{link_before}",
                "{object}",
                "{link_after}",
                "-o",
                "{library}",
            ],
        },
        # One kernel, for all of its GPUs at once, of a library that it shares with others.
        "kernel_of_many": {
            "tool": "hipcc",
            "inputs": ["source"],
            "outputs": ["object"],
            "arguments": [
                "-fuse-cuid=none",
                "@common",
                "--offload-arch={gpus}",
                "@device",
                "{gpu_flags}",
                "@host",
                "-DCK_KERNEL_COMBINED",
                "@gpus_define",
                "-I{include_dirs}",
                "-ffile-prefix-map={include_dirs}=.",
                "-MD",
                ["-MF", "{dependencies}"],
                "-c",
                "{source}",
                "-o",
                "{object}",
            ],
        },
        # The list of such a library's kernels, which holds no device code.
        "table_of_many": {
            "tool": "hipcc",
            "inputs": ["source"],
            "outputs": ["object"],
            "arguments": [
                "-x",
                "c++",
                "-std=c++17",
                "-O2",
                "-fPIC",
                "-fvisibility=hidden",
                "-I{include_dirs}",
                "-c",
                "{source}",
                "-o",
                "{object}",
            ],
        },
        # Without a number for each source, which would be in its code object, all objects have the
        # same symbol __hip_cuid_: nothing reads it, and the linker takes the first.
        "link_of_many": {
            "tool": "hipcc",
            "inputs": ["objects"],
            "outputs": ["library"],
            "arguments": [
                "-shared",
                "-no-hip-rt",
                "-Wl,--as-needed",
                "-Wl,-z,muldefs",
                "-o",
                "{library}",
                "{objects}",
            ],
        },
    },
    # Where a compiler is looked for; the first one that has everything is used.
    "search": {
        # A variable that is set leaves no choice. A sealed root brings its own packages; a
        # /opt/rocm seen in it belongs to the machine around it. A prefix counts once.
        "places": [
            {"called": "ROCM_PATH", "variable": "ROCM_PATH"},
            {"called": "the sealed root", "only_with": "/etc/ckdispatch-sealed", "prefix": "/usr"},
            {"called": "/opt/rocm", "prefix": "/opt/rocm"},
            {"called": "the distribution's packages", "prefix": "/usr"},
        ],
        # Folders of the tools below each prefix: those of a ROCm installation, and of Debian's
        # packages, the newest version first.
        "folders": ["llvm/bin", "lib/llvm/bin"],
        "versions": "lib/llvm-",
        # A hipcc or clang++ that is used before all places, and alone, if the variable is set; and
        # what is looked for on PATH behind them all.
        "variable": "CKDISPATCH_HIPCC",
        "program": "hipcc",
        # lld links code objects, llvm-objcopy is asked for by the bundler; both are looked for
        # beside the tool itself.
        "tools": [
            "clang++",
            "clang-offload-bundler",
            "ld.lld",
            "lld",
            "llvm-objcopy",
            "llvm-objdump",
        ],
        # Asks for the include folders, which clang writes to stderr.
        "include_dirs": [
            "-x",
            "hip",
            "--cuda-host-only",
            "-nogpulib",
            "-E",
            "-v",
            "/dev/null",
            "-o",
            "/dev/null",
        ],
        "hip_header": "hip/hip_version.h",
        # In clang's resource folder, or in one of the three folders above that of the tools.
        "device_libs": ["amdgcn/bitcode", "lib/amdgcn/bitcode"],
        "device_lib": "ocml.bc",
        # libdl is what dlopen was in before glibc 2.34; where nothing is in it, the linker leaves
        # it out.
        "link_before": ["crti.o", "crtbeginS.o"],
        "link_after": ["libdl.so.2", "libc.so.6", "libc_nonshared.a", "crtendS.o", "crtn.o"],
    },
}
