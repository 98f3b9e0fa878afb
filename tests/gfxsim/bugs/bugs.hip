// SPDX-License-Identifier: MIT
// Kernels that have one bug each if their last argument says so. Needs no header.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

// The same instruction has another name on each generation.
#if defined(__GFX12__)
#define LOAD "global_load_b32 "
#define SCALAR_LOAD "s_load_b32 "
#define LDS_LOAD "ds_load_b32 "
#define LDS_STORE "ds_store_b32 "
#define ADD "v_add_nc_u32 "
#define SCALAR_ADD "s_add_co_u32 "
#define WAIT_FOR_LOAD "s_wait_loadcnt 0x0\n"
#define WAIT_FOR_SCALAR "s_wait_kmcnt 0x0\n"
#define WAIT_FOR_LDS "s_wait_dscnt 0x0\n"
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#else
#if defined(__GFX11__)
#define LOAD "global_load_b32 "
#define SCALAR_LOAD "s_load_b32 "
#define LDS_LOAD "ds_load_b32 "
#define LDS_STORE "ds_store_b32 "
#define ADD "v_add_nc_u32 "
#else
#define LOAD "global_load_dword "
#define SCALAR_LOAD "s_load_dword "
#define LDS_LOAD "ds_read_b32 "
#define LDS_STORE "ds_write_b32 "
#define ADD "v_add_u32 "
#endif
#define SCALAR_ADD "s_add_u32 "
#define WAIT_FOR_LOAD "s_waitcnt vmcnt(0)\n"
#define WAIT_FOR_SCALAR "s_waitcnt lgkmcnt(0)\n"
#define WAIT_FOR_LDS "s_waitcnt lgkmcnt(0)\n"
#define BARRIER "s_barrier\n"
#endif

namespace {

constexpr int kThreads = 256;
using Lds              = __attribute__((address_space(3))) int*;

__device__ int item() { return __builtin_amdgcn_workitem_id_x(); }
__device__ int group() { return __builtin_amdgcn_workgroup_id_x(); }

__device__ void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

}  // namespace

extern "C" {

__global__ void read_before_barrier(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    shared[item()] = in[item()];
    if (!bug) barrier();
    else __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
    out[item()] = shared[(item() + 64) % kThreads];
}

__global__ void write_before_barrier(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    shared[item()] = in[item()];
    barrier();
    const int other = shared[(item() + 64) % kThreads];
    if (!bug) barrier();
    shared[item()] = -in[item()];
    barrier();
    out[item()] = other + shared[item()];
}

__global__ void wait_for_load(const int* in, int* out, int, bool bug) {
    int value;
    if (bug) asm volatile(LOAD "%0, %1, off\n" ADD "%0, 1, %0" : "=&v"(value) : "v"(in + item()));
    else asm volatile(LOAD "%0, %1, off\n" WAIT_FOR_LOAD ADD "%0, 1, %0" : "=&v"(value) : "v"(in + item()));
    out[item()] = value;
}

// A load fills the upper half of a register; the lower may be written meanwhile, where the assembler knows halves.
__global__ void overwrite_load(const int* in, int* out, int, bool bug) {
#if defined(__GFX9__)
#define LOAD_HIGH "global_load_short_d16_hi v60, %1, off\n"
#else
#define LOAD_HIGH "global_load_d16_hi_b16 v60, %1, off\n"
#endif
#if defined(__GFX11__)
#define WRITE_HIGH "v_mov_b16 v60.h, 1\n"
#define WRITE_LOW "v_mov_b16 v60.l, 1\n"
#else
#define WRITE_HIGH "v_mov_b32 v60, 1\n"
#define WRITE_LOW "v_mov_b32 v61, 1\n"
#endif
    int value;
    if (bug) asm volatile("v_mov_b32 v60, 0\n" LOAD_HIGH WRITE_HIGH WAIT_FOR_LOAD "v_mov_b32 %0, v60" : "=v"(value) : "v"(in + item()) : "v60", "v61");
    else asm volatile("v_mov_b32 v60, 0\n" LOAD_HIGH WRITE_LOW WAIT_FOR_LOAD "v_mov_b32 %0, v60" : "=v"(value) : "v"(in + item()) : "v60", "v61");
    out[item()] = value;
}

// A counter holds 63: the 64th load waits for the first, and compilers count on it.
__global__ void outrun_the_counter(const int* in, int* out, int, bool bug) {
    int value, other;
    if (bug) asm volatile(LOAD "%0, %2, off\n.rept 62\n" LOAD "%1, %2, off\n.endr\n" ADD "%0, 1, %0\n" WAIT_FOR_LOAD : "=&v"(value), "=&v"(other) : "v"(in + item()));
    else asm volatile(LOAD "%0, %2, off\n.rept 63\n" LOAD "%1, %2, off\n.endr\n" ADD "%0, 1, %0\n" WAIT_FOR_LOAD : "=&v"(value), "=&v"(other) : "v"(in + item()));
    out[item()] = value + other;
}

__global__ void wait_for_scalar_load(const int* in, int* out, int, bool bug) {
    int value;
    if (bug) asm volatile(SCALAR_LOAD "%0, %1, 0x0\n" SCALAR_ADD "%0, %0, 1" : "=&s"(value) : "s"(in) : "scc");
    else asm volatile(SCALAR_LOAD "%0, %1, 0x0\n" WAIT_FOR_SCALAR SCALAR_ADD "%0, %0, 1" : "=&s"(value) : "s"(in) : "scc");
    out[item()] = value;
}

__global__ void wait_for_lds(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    shared[item()] = in[item()];
    barrier();
    int value;
    const Lds place = (Lds)&shared[kThreads - 1 - item()];
    if (bug) asm volatile(LDS_LOAD "%0, %1\n" ADD "%0, 1, %0" : "=&v"(value) : "v"(place));
    else asm volatile(LDS_LOAD "%0, %1\n" WAIT_FOR_LDS ADD "%0, 1, %0" : "=&v"(value) : "v"(place));
    out[item()] = value;
}

// The barrier does not wait for a store to LDS that is still on its way.
__global__ void wait_before_barrier(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    const Lds place = (Lds)&shared[item()];
    const int value = in[item()];
    if (bug) asm volatile(LDS_STORE "%0, %1\n" BARRIER : : "v"(place), "v"(value) : "memory");
    else asm volatile(LDS_STORE "%0, %1\n" WAIT_FOR_LDS BARRIER : : "v"(place), "v"(value) : "memory");
    out[item()] = shared[(item() + 64) % kThreads];
}

__global__ void store_behind_the_end(const int* in, int* out, int n, bool bug) {
    const int i = group() * kThreads + item();
    if (i < n + bug) out[i] = i + in[0];
}

__global__ void load_before_the_beginning(const int* in, int* out, int n, bool bug) {
    const int i = group() * kThreads + item();
    if (i < n) out[i] = in[bug || i > 0 ? i - 1 : 0];
}

__global__ void use_empty_register(const int* in, int* out, int, bool bug) {
    int value;
    if (bug) asm volatile("v_mov_b32 %0, v60" : "=v"(value) : "v"(in[item()]) : "v60");
    else asm volatile("v_mov_b32 v60, %1\nv_mov_b32 %0, v60" : "=v"(value) : "v"(in[item()]) : "v60");
    out[item()] = value;
}

// Two of four registers are written, and taken unless there is a bug.
__global__ void pick_empty_register(const int* in, int* out, int, bool bug) {
    int value;
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define PICK(low, high) "v_pk_mov_b32 v[60:61], v[60:61], v[62:63] op_sel:[" #low "," #high "]\n"
#else
#define PICK(low, high) "v_mov_b32 v60, v6" #low "\nv_mov_b32 v61, v62\n"
#endif
    if (bug) asm volatile("v_mov_b32 v61, %1\nv_mov_b32 v62, %1\n" PICK(0, 0) ADD "%0, v60, v61" : "=v"(value) : "v"(in[item()]) : "v60", "v61", "v62", "v63");
    else asm volatile("v_mov_b32 v61, %1\nv_mov_b32 v62, %1\n" PICK(1, 0) ADD "%0, v60, v61" : "=v"(value) : "v"(in[item()]) : "v60", "v61", "v62", "v63");
    out[item()] = value;
}

// One of two registers is written, and taken for both halves of a product unless there is a bug.
__global__ void multiply_half_empty_registers(const int* in, int* out, int, bool bug) {
    int value;
#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define TIMES(high) "v_pk_mul_f32 v[62:63], v[60:61], v[60:61] op_sel_hi:[" #high "," #high "]\n"
#else
#define TIMES(high) "v_mul_f32 v62, v60, v60\nv_mul_f32 v63, v6" #high ", v6" #high "\n"
#endif
    if (bug) asm volatile("v_mov_b32 v60, %1\n" TIMES(1) "v_mov_b32 %0, v63" : "=v"(value) : "v"(in[item()]) : "v60", "v61", "v62", "v63");
    else asm volatile("v_mov_b32 v60, %1\n" TIMES(0) "v_mov_b32 %0, v63" : "=v"(value) : "v"(in[item()]) : "v60", "v61", "v62", "v63");
    out[item()] = value;
}

// A pair of registers of which one has a value goes to scratch memory and back, which is how compilers spill; with the bug the other one is taken.
__global__ void spill_empty_register(const int* in, int* out, int, bool bug) {
#if defined(__GFX9__)
#define SPILL "scratch_store_dwordx2 %2, v[60:61], off\nscratch_load_dwordx2 v[62:63], %2, off\n" WAIT_FOR_LOAD
#else
#define SPILL "scratch_store_b64 %2, v[60:61], off\nscratch_load_b64 v[62:63], %2, off\n" WAIT_FOR_LOAD
#endif
    alignas(8) int room[2];
    const auto place = (__attribute__((address_space(5))) int*)room;
    int value;
    if (bug) asm volatile("v_mov_b32 v60, %1\n" SPILL "v_mov_b32 %0, v63" : "=v"(value) : "v"(in[item()]), "v"(place) : "v60", "v61", "v62", "v63", "memory");
    else asm volatile("v_mov_b32 v60, %1\n" SPILL "v_mov_b32 %0, v62" : "=v"(value) : "v"(in[item()]), "v"(place) : "v60", "v61", "v62", "v63", "memory");
    out[item()] = value;
}

// A product of registers that hold %1 in every lane, added to what the accumulator holds.
#if defined(__GFX12__)
#define MATRIX "v_wmma_i32_16x16x16_iu8 v[64:71], v[60:61], v[60:61], v[64:71]\n"
#elif defined(__GFX11__)
#define MATRIX "v_wmma_i32_16x16x16_iu8 v[64:71], v[60:63], v[60:63], v[64:71]\n"
#else
#define MATRIX "v_mfma_i32_16x16x32_i8 v[64:67], v[60:61], v[60:61], v[64:67]\n"
#endif
#define FACTORS "v_mov_b32 v60, %1\nv_mov_b32 v61, %1\nv_mov_b32 v62, %1\nv_mov_b32 v63, %1\n"
#define ZEROS "v_mov_b32 v64, 0\nv_mov_b32 v65, 0\nv_mov_b32 v66, 0\nv_mov_b32 v67, 0\nv_mov_b32 v68, 0\nv_mov_b32 v69, 0\nv_mov_b32 v70, 0\nv_mov_b32 v71, 0\n"
#define PRODUCT "s_nop 7\n" MATRIX "s_nop 7\ns_nop 7\n"
#if defined(__GFX9__)
#define EVEN_LANES "s_mov_b64 s[40:41], exec\ns_mov_b32 exec_lo, 0x55555555\ns_mov_b32 exec_hi, 0x55555555\n"
#define ALL_LANES "s_mov_b64 exec, s[40:41]\n"
#else
#define EVEN_LANES "s_mov_b32 s40, exec_lo\ns_mov_b32 exec_lo, 0x55555555\n"
#define ALL_LANES "s_mov_b32 exec_lo, s40\n"
#endif
// gfx11 wants factors twice.
#define MULTIPLY(lines, value) \
    asm volatile(lines "v_mov_b32 %0, v64" : "=v"(value) : "v"(in[item() % 16]) \
                 : "v60", "v61", "v62", "v63", "v64", "v65", "v66", "v67", "v68", "v69", "v70", "v71", "s40", "s41")

// An accumulator that the even lanes alone have written; every lane takes a sum over all lanes of the factors, and the odd lanes store theirs if there is
// a bug.
__global__ void store_empty_accumulator(const int* in, int* out, int, bool bug) {
    int value;
    MULTIPLY(FACTORS EVEN_LANES ZEROS ALL_LANES PRODUCT, value);
    if (bug || item() % 2 == 0) out[item()] = value;
}

// Both have the same result: the factors were written before lanes went off.
__global__ void multiply_with_lanes_off(const int* in, int* out, int, bool bug) {
    int value;
    if (bug) MULTIPLY(FACTORS ZEROS EVEN_LANES PRODUCT ALL_LANES, value);
    else MULTIPLY(FACTORS ZEROS EVEN_LANES ALL_LANES PRODUCT, value);
    out[item()] = value;
}

__global__ void use_empty_lds(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    // Every number in the tests is positive, so with the bug nobody writes.
    if (!bug || in[item()] < 0) shared[item()] = in[item()];
    barrier();
    out[item()] = shared[item()];
}

__global__ void load_misaligned(const int* in, int* out, int, bool bug) {
    const auto bytes = reinterpret_cast<const char*>(in);
    out[item()]      = *reinterpret_cast<const int*>(bytes + 4 * item() + bug);
}

__global__ void store_misaligned_in_lds(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads + 1];
    const unsigned place = static_cast<unsigned>(reinterpret_cast<unsigned long long>((Lds)&shared[item()])) + 2 * bug;
    asm volatile(LDS_STORE "%0, %1\n" WAIT_FOR_LDS : : "v"(place), "v"(in[item()]) : "memory");
    barrier();
    out[item()] = shared[0];
}

// Both read the same bytes. Whoever writes the offset knows of it, a pointer should be that of an int.
__global__ void load_misaligned_from_lds(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads + 1];
    shared[item()] = in[item()];
    if (item() == 0) shared[kThreads] = in[0];
    barrier();
    const unsigned place = static_cast<unsigned>(reinterpret_cast<unsigned long long>((Lds)&shared[item()])) + bug;
    int loaded;
    if (bug) asm volatile(LDS_LOAD "%0, %1\n" WAIT_FOR_LDS : "=v"(loaded) : "v"(place) : "memory");
    else asm volatile(LDS_LOAD "%0, %1 offset:1\n" WAIT_FOR_LDS : "=v"(loaded) : "v"(place) : "memory");
    out[item()] = loaded;
}

__global__ void store_to_one_place(const int* in, int* out, int, bool bug) {
    out[(bug ? 0 : group() * kThreads) + item()] = in[item()] + group();
}

__global__ void wait_at_two_barriers(const int* in, int* out, int, bool bug) {
    const int value = in[item()];
    // Its comment keeps the compiler from joining the two.
    if (!bug || __builtin_amdgcn_readfirstlane(item()) >= 64) asm volatile(BARRIER "; the barrier of all" : : : "memory");
    else asm volatile(BARRIER "; a barrier of the first waves" : : : "memory");
    out[item()] = value;
}

__global__ void leave_before_barrier(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    const bool works = __builtin_amdgcn_readfirstlane(item()) < 192;
    if (bug && !works) return;
    shared[item()] = in[item()];
    barrier();
    out[item()] = shared[item() ^ 1];
}

__global__ void leave_lds(const int* in, int* out, int, bool bug) {
    __shared__ int shared[kThreads];
    shared[item()] = in[item()];
    barrier();
    // in[0] is 8.
    out[item()] = shared[bug ? item() + in[0] : (item() + in[0]) % kThreads];
}
}
