# SPDX-License-Identifier: MIT
"""Real code objects for the tests, compiled from text with the toolchain under test.

The tools are $CK_CLANG and $CK_OBJDUMP, or else those of the search path; a missing one is an
error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HIP_PRELUDE = """
#define KERNEL extern "C" __attribute__((global))
#define WORKGROUP(n) __attribute__((amdgpu_flat_work_group_size(n, n)))
#define LDS __attribute__((shared))
"""

LDS_KERNEL = """
KERNEL WORKGROUP(256) void reverse(float* p) {
    LDS float tile[1024];
    int i = __builtin_amdgcn_workitem_id_x();
    tile[i] = p[i];
    __builtin_amdgcn_s_barrier();
    p[i] = tile[255 - i];
}
"""

SPILLING_KERNEL = """
KERNEL WORKGROUP(256) __attribute__((amdgpu_num_vgpr(24))) void crowded(float* p, int n) {
    float v[64];
    int i = __builtin_amdgcn_workitem_id_x();
    #pragma unroll
    for(int k = 0; k < 64; k++) v[k] = p[i + k * n];
    __builtin_amdgcn_s_barrier();
    #pragma unroll
    for(int k = 0; k < 64; k++) p[i * n + k] = v[63 - k] * v[k];
}
"""

MFMA_KERNEL = """
typedef float acc_t __attribute__((ext_vector_type(16)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
KERNEL WORKGROUP(256) void multiply(half4_t* a, half4_t* b, acc_t* c) {
    int i = __builtin_amdgcn_workitem_id_x();
    acc_t acc = c[i];
    acc = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], b[i], acc, 0, 0, 0);
    acc = __builtin_amdgcn_mfma_f32_32x32x8f16(b[i], a[i], acc, 0, 0, 0);
    acc = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], a[i], acc, 0, 0, 0);
    c[i] = acc;
}
"""

WMMA_KERNEL = """
typedef float acc_t __attribute__((ext_vector_type(8)));
typedef _Float16 half16_t __attribute__((ext_vector_type(16)));
KERNEL WORKGROUP(256) void multiply(half16_t* a, half16_t* b, acc_t* c) {
    int i = __builtin_amdgcn_workitem_id_x();
    c[i] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[i], b[i], c[i]);
}
"""


def register_kernel(name: str, *clobbered: str, workgroup: int = 256) -> str:
    """A kernel that needs all registers up to the clobbered ones, such as "v99"."""
    registers = ", ".join(f'"{register}"' for register in clobbered)
    return f'KERNEL WORKGROUP({workgroup}) void {name}() {{ asm volatile("" ::: {registers}); }}\n'


def clang() -> str:
    """The compiler under test."""
    return _tool("CK_CLANG", "clang-21", "clang")


def objdump() -> str:
    """The disassembler under test."""
    return _tool("CK_OBJDUMP", "llvm-objdump-21", "llvm-objdump")


def _tool(variable: str, *names: str) -> str:
    if variable in os.environ:
        return str(Path(os.environ[variable]).absolute())
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise AssertionError(
        f"these tests need {' or '.join(names)} on PATH, or its path in {variable}"
    )


def compile_hip(source: str, gpu: str, folder: Path, *flags: str, bundle: bool = False) -> Path:
    """Compiles HIP device code for one GPU into a linked code object in `folder`."""
    return _compile_hip(source, gpu, folder, *flags, bundle=bundle)[0]


def compiler_occupancy(source: str, gpu: str, folder: Path) -> tuple[Path, dict[str, int]]:
    """A code object, and the waves per SIMD that the compiler expects of each kernel in it."""
    path, remarks = _compile_hip(
        source, gpu, folder, "-Rpass-analysis=kernel-resource-usage", bundle=False
    )
    expected: dict[str, int] = {}
    kernel = ""
    for line in remarks.splitlines():
        if "Function Name: " in line:
            kernel = line.split("Function Name: ")[1].split()[0]
        if "Occupancy [waves/SIMD]: " in line:
            expected[kernel] = int(line.split("Occupancy [waves/SIMD]: ")[1].split()[0])
    return path, expected


def assemble(text: str, gpu: str, folder: Path) -> Path:
    """Assembles `text` into a relocatable object, which is not linked."""
    source, output = folder / "unlinked.s", folder / "unlinked.o"
    source.write_text(text)
    target = ("--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}")
    _clang("-x", "assembler", *target, "-c", str(source), "-o", str(output))
    return output


def literal_check(header: str, length: int) -> str:
    """C++ that compiles only if `header` is one string literal of `length` characters."""
    return f"""constexpr char text[] =
#include "{header}"
    ;
static_assert(sizeof(text) == {length + 1});
"""


def check_cxx(source: Path) -> None:
    """Fails unless the compiler accepts `source` as C++17 for the host."""
    _clang("-x", "c++", "-std=c++17", "-fsyntax-only", str(source))


def _compile_hip(
    source: str, gpu: str, folder: Path, *flags: str, bundle: bool
) -> tuple[Path, str]:
    text, output = folder / f"{gpu}.hip", folder / f"{gpu}.co"
    text.write_text(HIP_PRELUDE + source)
    layout = "--gpu-bundle-output" if bundle else "--no-gpu-bundle-output"
    device = ("-x", "hip", f"--offload-arch={gpu}", "--cuda-device-only", layout)
    bare = ("-nogpulib", "-nogpuinc", "-O2")
    return output, _clang(*device, *bare, *flags, "-c", str(text), "-o", str(output))


def _clang(*arguments: str) -> str:
    """Runs the compiler, which must succeed; returns its remarks."""
    done = subprocess.run([clang(), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr
