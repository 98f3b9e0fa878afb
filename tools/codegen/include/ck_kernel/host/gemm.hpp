// SPDX-License-Identifier: MIT
//
// Host pass only: the kernel ABI of one GEMM kernel, on top of the plan. Needs neither CK nor libstdc++.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hip/hip_runtime_api.h>

#include "ck_kernel/host/gpus.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/host/timer.hpp"
#include "ck_kernel/plan/gemm.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel::gemm {

// A device function of the library and the loops it serves.
struct Entry {
    LoopVariant variant;
    const void* function;
};

struct Library {
    Config config;
    const char* name;
    const Entry* entries;
    std::size_t entry_count;
};

inline bool fits_descriptor(std::int64_t rows, std::int64_t stride, int bytes)
{
    // CK addresses a tensor by 32-bit byte offsets from one buffer descriptor.
    constexpr std::int64_t limit = INT64_C(1) << 31;
    return stride < limit && rows < limit && rows * stride < limit / bytes;
}

inline bool misaligned(const void* pointer, int bytes)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) != 0;
}

// One operand: rows of `width` contiguous elements, `stride` apart, moved `vector` elements at a time.
struct Side {
    char letter;
    char width_letter;
    std::int64_t rows, width, stride;
    int width_tile;
    bool padded;
    int vector, bytes;
    const void* pointer;
};

inline ck_kernel_status check_side(const Library& library, const Side& side, const Reason& reason)
{
    const long long width = side.width, stride = side.stride, rows = side.rows;
    if(side.stride < side.width)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for %c with leading dimension %lld, which is less than %c = %lld.",
                      library.name, side.letter, stride, side.width_letter, width);
    if(!side.padded && side.width % side.width_tile != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c = %lld and needs a multiple of %d, because it does not pad %c.",
                      library.name, side.width_letter, width, side.width_tile, side.width_letter);
    if(side.width % side.vector != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c = %lld and moves %c in vectors of %d elements: %c must be a multiple of %d.",
                      library.name, side.width_letter, width, side.letter, side.vector, side.width_letter, side.vector);
    if(side.stride % side.vector != 0 && rows > 1)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c with leading dimension %lld and moves it in vectors of %d elements: "
                      "the leading dimension must be a multiple of %d.",
                      library.name, side.letter, stride, side.vector, side.vector);
    if(!fits_descriptor(rows, stride, side.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c of %lld rows with leading dimension %lld, which is 2 GiB or more.",
                      library.name, side.letter, rows, stride);
    if(misaligned(side.pointer, side.vector * side.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c at an address that is not a multiple of %d bytes, its vector width.",
                      library.name, side.letter, side.vector * side.bytes);
    return CK_KERNEL_OK;
}

inline ck_kernel_status read_problem(const Library& library,
                                     const ck_problem* problem,
                                     const ck_gemm_problem** gemm,
                                     const Reason& reason)
{
    if(problem == nullptr || problem->struct_size < sizeof(ck_gemm_problem) || problem->family != CK_FAMILY_GEMM)
        return reason(CK_KERNEL_INVALID, "%s computes a GEMM and was given no ck_gemm_problem of this ABI version.",
                      library.name);
    *gemm = reinterpret_cast<const ck_gemm_problem*>(problem);
    return CK_KERNEL_OK;
}

inline ck_kernel_status supports(const Library& library,
                                 const ck_problem* problem,
                                 const char* gpu,
                                 const Reason& reason)
{
    const ck_gemm_problem* p = nullptr;
    if(const auto status = read_problem(library, problem, &p, reason))
        return status;
    const int wave_size = wave_size_of(gpu);
    if(wave_size == 0)
        return reason(CK_KERNEL_WRONG_GPU, "%s was asked to run on %s and holds code for %s only.", library.name,
                      gpu ? gpu : "no GPU", gpu_names());
    constexpr std::int64_t limit = INT64_C(1) << 31;
    if(p->m < 1 || p->n < 1 || p->k < 1 || p->m >= limit || p->n >= limit || p->k >= limit)
        return reason(CK_KERNEL_INVALID, "%s was asked for M x N x K = %lld x %lld x %lld; each must be from 1 to 2^31-1.",
                      library.name, static_cast<long long>(p->m), static_cast<long long>(p->n),
                      static_cast<long long>(p->k));
    if(p->k_batch != 1)
        return reason(p->k_batch < 1 ? CK_KERNEL_INVALID : CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split K into %lld parts; it computes K whole (k_batch = 1).", library.name,
                      static_cast<long long>(p->k_batch));

    const Config& c    = library.config;
    const int a_vector = vector_a(c, wave_size);
    const int b_vector = vector_b(c, wave_size);
    const Side sides[] = {
        c.a.row_major ? Side{'A', 'K', p->m, p->k, p->stride_a, c.tile.k, c.pad_k, a_vector, c.a.bytes, p->a}
                      : Side{'A', 'M', p->k, p->m, p->stride_a, c.tile.m, c.pad_m, a_vector, c.a.bytes, p->a},
        c.b.row_major ? Side{'B', 'N', p->k, p->n, p->stride_b, c.tile.n, c.pad_n, b_vector, c.b.bytes, p->b}
                      : Side{'B', 'K', p->n, p->k, p->stride_b, c.tile.k, c.pad_k, b_vector, c.b.bytes, p->b},
        {'C', 'N', p->m, p->n, p->stride_c, c.tile.n, c.pad_n, vector_c(c), c.c.bytes, p->c},
    };
    for(const Side& side : sides)
        if(const auto status = check_side(library, side, reason))
            return status;
    if(c.pipeline == Pipeline::compv6 && !c.pad_k && p->k <= c.tile.k)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for K = %lld; compv6 always reads three tiles of K, and without padding those beyond "
                      "the first would be other rows: K must be at least %d.",
                      library.name, static_cast<long long>(p->k), 2 * c.tile.k);
    return CK_KERNEL_OK;
}

inline ck_kernel_status workspace_size(const Library& library,
                                       const ck_problem* problem,
                                       const char* gpu,
                                       std::uint64_t* bytes,
                                       const Reason& reason)
{
    if(bytes == nullptr)
        return reason(CK_KERNEL_INVALID, "%s was asked for its workspace size without a place to write it.",
                      library.name);
    *bytes = 0;
    return supports(library, problem, gpu, reason);
}

inline const Entry* find_entry(const Library& library, int loops)
{
    const LoopVariant wanted = loop_variant(library.config, loops);
    for(std::size_t i = 0; i < library.entry_count; ++i)
        if(library.entries[i].variant == wanted)
            return &library.entries[i];
    return nullptr;
}

// How many workgroups of a persistent kernel the current device runs at once.
inline hipError_t resident_workgroups(const Entry& entry, int block, int* count)
{
    int device = 0, units = 0, per_unit = 0;
    if(const auto error = hipGetDevice(&device))
        return error;
    if(const auto error = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device))
        return error;
    if(const auto error = hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, entry.function, block, 0))
        return error;
    *count = units * per_unit;
    return hipSuccess;
}

inline hipError_t enqueue(const Library& library, const ck_gemm_problem& p, int wave_size, hipStream_t stream)
{
    const Config& config = library.config;
    KernelArgs args{p.a,
                    p.b,
                    0,
                    p.c,
                    static_cast<std::int32_t>(p.m),
                    static_cast<std::int32_t>(p.n),
                    static_cast<std::int32_t>(p.k),
                    static_cast<std::int32_t>(p.stride_a),
                    static_cast<std::int32_t>(p.stride_b),
                    0,
                    static_cast<std::int32_t>(p.stride_c),
                    static_cast<std::int32_t>(p.k_batch)};
    const Entry* entry = find_entry(library, ceil_div(p.k, config.tile.k));
    if(entry == nullptr)
        return hipErrorInvalidDeviceFunction;
    const int block = block_size(config, wave_size);
    int grid        = ceil_div(p.m, config.tile.m) * ceil_div(p.n, config.tile.n);
    if(config.persistent)
        if(const auto error = resident_workgroups(*entry, block, &grid))
            return error;
    void* arguments[] = {&args};
    return hipLaunchKernel(
        entry->function, dim3(static_cast<unsigned>(grid)), dim3(static_cast<unsigned>(block)), arguments, 0, stream);
}

inline ck_kernel_status launch(const Library& library,
                               const ck_problem* problem,
                               const ck_launch_options* options,
                               const Reason& reason)
{
    if(options == nullptr || options->struct_size < sizeof(ck_launch_options) || options->repeat < 1 ||
       options->warmup < 0 || (options->timed && options->milliseconds == nullptr))
        return reason(CK_KERNEL_INVALID,
                      "%s was launched without valid options: repeat must be at least 1, warmup at least 0, and a timed "
                      "launch needs a place for its milliseconds.",
                      library.name);
    if(const auto status = supports(library, problem, options->gpu, reason))
        return status;
    const ck_gemm_problem& p = *reinterpret_cast<const ck_gemm_problem*>(problem);
    if(p.a == nullptr || p.b == nullptr || p.c == nullptr)
        return reason(CK_KERNEL_INVALID, "%s was launched with a null tensor.", library.name);

    const int wave_size   = wave_size_of(options->gpu);
    const auto stream     = static_cast<hipStream_t>(options->stream);
    const auto device_say = [&](hipError_t error) {
        return reason(CK_KERNEL_DEVICE_FAILED, "%s failed on %s: %s.", library.name, options->gpu,
                      hipGetErrorString(error));
    };

    for(int i = 0; i < options->warmup; ++i)
        if(const auto error = enqueue(library, p, wave_size, stream))
            return device_say(error);
    Timer timer;
    if(options->timed)
        if(const auto error = timer.start(stream))
            return device_say(error);
    for(int i = 0; i < options->repeat; ++i)
        if(const auto error = enqueue(library, p, wave_size, stream))
            return device_say(error);
    if(options->timed)
    {
        float total = 0;
        if(const auto error = timer.stop(stream, &total))
            return device_say(error);
        *options->milliseconds = total / static_cast<float>(options->repeat);
    }
    return CK_KERNEL_OK;
}

} // namespace ck_kernel::gemm
