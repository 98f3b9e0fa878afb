// SPDX-License-Identifier: MIT
//
// Host pass only: which problems a GEMM kernel library computes, from what was known when it was compiled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/host/gemm_library.hpp"
#include "ck_kernel/host/gpus.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/gemm.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel::gemm {

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

// The grid has one layer of workgroups for each part of K, and their number has 16 bits.
constexpr std::int64_t kMostParts = 65535;

inline const char* words(PartsFlaw flaw)
{
    switch(flaw)
    {
    case PartsFlaw::empty: return "would leave nothing for the last";
    case PartsFlaw::broken_tiles: return "would not all be whole tiles of K, which it does not pad";
    case PartsFlaw::too_shallow: return "would be too shallow for compv6, which reads three tiles of K";
    case PartsFlaw::different_loops: return "would need different loops, and a launch has one";
    case PartsFlaw::none: break;
    }
    return "";
}

inline ck_kernel_status check_parts(const Library& library, const ck_gemm_problem& p, const Reason& reason)
{
    const Config& c = library.config;
    const auto k = static_cast<long long>(p.k), parts = static_cast<long long>(p.k_batch);
    if(parts > kMostParts)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked to split K into %lld parts; %lld are the most.", library.name,
                      parts, static_cast<long long>(kMostParts));
    // CK rounds K up, and a persistent kernel counts through all parts of all tiles, in signed numbers of 32 bits.
    if(k + parts * c.warp_tile.k > INT32_MAX || (c.persistent && tile_count(c, p.m, p.n) * parts > INT32_MAX / 2))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split K = %lld into %lld parts, which are more than it can count in 32 bits.",
                      library.name, k, parts);
    const PartsFlaw flaw = parts_flaw(c, k, parts);
    if(flaw == PartsFlaw::none)
        return CK_KERNEL_OK;
    long long fewer = parts - 1;
    while(fewer > 1 && parts_flaw(c, k, fewer) != PartsFlaw::none)
        --fewer;
    return reason(CK_KERNEL_UNSUPPORTED,
                  "%s was asked to split K = %lld into %lld parts of %lld, which %s; k_batch = %lld would work.",
                  library.name, k, parts, static_cast<long long>(k_parts(c, k, parts).depth), words(flaw), fewer);
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
    if(p->k_batch < 1 || (p->k_batch > 1 && !library.config.split_k))
        return reason(p->k_batch < 1 ? CK_KERNEL_INVALID : CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split K into %lld parts; it computes K whole (k_batch = 1)%s.", library.name,
                      static_cast<long long>(p->k_batch), library.config.split_k ? " or in several" : "");

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
    if(is_too_shallow(c, p->k))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for K = %lld; compv6 always reads three tiles of K, and without padding those beyond "
                      "the first would be other rows: K must be at least %d.",
                      library.name, static_cast<long long>(p->k), 2 * c.tile.k);
    return p->k_batch > 1 ? check_parts(library, *p, reason) : CK_KERNEL_OK;
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

} // namespace ck_kernel::gemm
