// SPDX-License-Identifier: MIT
//
// Host pass only: which problems a GEMM kernel library computes, from what was known when it was compiled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_gemm_problem.h"
#include "ck_kernel/host/gemm/library.hpp"
#include "ck_kernel/host/gemm/sides.hpp"
#include "ck_kernel/host/gemm/variants.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/gemm/product.hpp"

namespace ck_kernel::gemm {

// The grid has one layer of workgroups for each part of K, and their number has 16 bits.
constexpr std::int64_t kMostParts = 65535;

inline const char* words(PartsFlaw flaw) {
    switch (flaw) {
        case PartsFlaw::empty: return "would leave nothing for the last";
        case PartsFlaw::broken_tiles: return "would not all be whole tiles of K, which it does not pad";
        case PartsFlaw::too_shallow: return "would be too shallow for compv6, which reads three tiles of K";
        case PartsFlaw::different_loops: return "would need different loops, and a launch has one";
        case PartsFlaw::none: break;
    }
    return "";
}

inline ck_kernel_status check_parts(const Library& library, const ck_gemm_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const auto k = static_cast<long long>(p.k), parts = static_cast<long long>(p.k_batch);
    if (parts < 1 || (parts > 1 && c.split_k == SplitK::none))
        return reason(parts < 1 ? CK_KERNEL_INVALID : CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split K into %lld parts; it computes K whole (k_batch = 1)%s.", library.name,
                      parts, c.split_k == SplitK::none ? "" : " or in several");
    if (parts > kMostParts)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked to split K into %lld parts; %lld are the most.",
                      library.name, parts, static_cast<long long>(kMostParts));
    // CK rounds K up, and a persistent kernel counts through all parts of all tiles, in signed numbers of 32 bits.
    if (k + parts * c.warp_tile.k > INT32_MAX || (c.persistent && tile_count(c, p.m, p.n) * parts > INT32_MAX / 2))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split K = %lld into %lld parts, which are more than it can count in 32 bits.",
                      library.name, k, parts);
    // CK counts the elements from the first part of C in the workspace to the last in 32 bits.
    if (c.split_k == SplitK::workspace && !fits_descriptor(p.m * parts, p.n, c.sum_bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked to keep %lld parts of %lld x %lld in a workspace, which are 2 GiB or more.",
                      library.name, parts, static_cast<long long>(p.m), static_cast<long long>(p.n));
    if (parts == 1) return CK_KERNEL_OK;
    const PartsFlaw flaw = parts_flaw(c, k, parts);
    if (flaw == PartsFlaw::none) return CK_KERNEL_OK;
    long long fewer = parts - 1;
    while (fewer > 1 && parts_flaw(c, k, fewer) != PartsFlaw::none) --fewer;
    return reason(CK_KERNEL_UNSUPPORTED,
                  "%s was asked to split K = %lld into %lld parts of %lld, which %s; k_batch = %lld would work.",
                  library.name, k, parts, static_cast<long long>(k_parts(c, k, parts).depth), words(flaw), fewer);
}

// One product: its sizes, strides, alignments and the parts of K.
inline ck_kernel_status check_product(const Library& library, const ck_gemm_problem& p, int wave_size,
                                      const Reason& reason) {
    constexpr std::int64_t limit = INT64_C(1) << 31;
    if (p.m < 1 || p.n < 1 || p.k < 1 || p.m >= limit || p.n >= limit || p.k >= limit)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for M x N x K = %lld x %lld x %lld; each must be from 1 to 2^31-1.", library.name,
                      static_cast<long long>(p.m), static_cast<long long>(p.n), static_cast<long long>(p.k));
    const Config& c = library.config;
    const int a_vector = vector_a(c, wave_size);
    const int b_vector = vector_b(c, wave_size);
    const Side a = c.a.row_major ? Side{'A', 'K', p.m, p.k, p.stride_a, c.tile.k, c.pad_k, a_vector, c.a.bytes, p.a}
                                 : Side{'A', 'M', p.k, p.m, p.stride_a, c.tile.m, c.pad_m, a_vector, c.a.bytes, p.a};
    const Side b = c.b.row_major ? Side{'B', 'N', p.k, p.n, p.stride_b, c.tile.n, c.pad_n, b_vector, c.b.bytes, p.b}
                                 : Side{'B', 'K', p.n, p.k, p.stride_b, c.tile.k, c.pad_k, b_vector, c.b.bytes, p.b};
    if (const auto status = check_side(library, a, reason)) return status;
    if (const auto status =
            c.variant == Variant::preshuffle ? check_shuffled(library, p, reason) : check_side(library, b, reason))
        return status;
    // What goes through a workspace has its rows one after the other there, and is stored in C one by one.
    const bool parts = c.split_k == SplitK::workspace;
    if (const auto status = check_side(library,
                                       {'C', 'N', p.m, p.n, parts ? p.n : p.stride_c, c.tile.n, c.pad_n, vector_c(c),
                                        stored_bytes(c), parts ? nullptr : p.c},
                                       reason))
        return status;
    if (const auto status = check_side(library, {'C', 'N', p.m, p.n, p.stride_c, 1, true, 1, c.c.bytes, p.c}, reason))
        return status;
    for (int i = 0; i < c.d_count; ++i)
        if (const auto status = check_d(library, p, i, reason)) return status;
    if (is_too_shallow(c, p.k))
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for K = %lld; compv6 always reads three tiles of K, and without padding those beyond "
            "the first would be other rows: K must be at least %d.",
            library.name, static_cast<long long>(p.k), 2 * c.tile.k);
    return CK_KERNEL_OK;
}

// Grouped: each product by itself, and the number of all their workgroups.
inline ck_kernel_status check_groups(const Library& library, const ck_gemm_problem& p, int wave_size,
                                     const Reason& reason) {
    if (p.group_count < 1 || p.group_count > INT32_MAX || p.groups == nullptr)
        return reason(
            CK_KERNEL_INVALID,
            "%s computes many products at once and was given %lld of them; group_count must be at least 1, with "
            "groups.",
            library.name, static_cast<long long>(p.groups ? p.group_count : 0));
    std::int64_t workgroups = 0;
    for (std::int64_t i = 0; i < p.group_count; ++i) {
        const ck_gemm_problem& group = p.groups[i];
        if (group.k_batch != 1 || group.batch != 1 || group.group_count != 0)
            return reason(
                CK_KERNEL_UNSUPPORTED,
                "%s was asked for product %lld of a group in parts, in batches or in groups; each must be one "
                "product (k_batch = 1, batch = 1, group_count = 0).",
                library.name, static_cast<long long>(i));
        if (const auto status = check_product(library, group, wave_size, reason)) return status;
        workgroups += tile_count(library.config, group.m, group.n);
        if (workgroups > INT32_MAX)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %lld products of more than 2^31-1 tiles together.",
                          library.name, static_cast<long long>(p.group_count));
    }
    return CK_KERNEL_OK;
}

// Bytes that a launch needs besides the operands.
inline std::uint64_t workspace_bytes(const Library& library, const ck_gemm_problem& p) {
    const Config& config = library.config;
    if (config.variant == Variant::grouped) return static_cast<std::uint64_t>(p.group_count) * sizeof(Group);
    if (config.split_k != SplitK::workspace) return 0;
    const auto elements = config.variant == Variant::stream_k
                              ? stream_places(tile_count(config, p.m, p.n), p.k_batch) * config.tile.m * config.tile.n
                              : p.k_batch * p.m * p.n;
    return static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(config.sum_bytes);
}

inline std::uint32_t phases(const Library& library, const ck_gemm_problem&) {
    return phases_of(library.config.split_k);
}

inline bool has_null(const Library& library, const ck_gemm_problem& p) {
    if (library.config.variant == Variant::grouped) {
        for (std::int64_t i = 0; i < p.group_count; ++i)
            if (p.groups[i].a == nullptr || p.groups[i].b == nullptr || p.groups[i].c == nullptr) return true;
        return false;
    }
    for (int i = 0; i < library.config.d_count; ++i)
        if (p.d[i] == nullptr) return true;
    return p.a == nullptr || p.b == nullptr || p.c == nullptr;
}

inline ck_kernel_status check(const Library& library, const ck_gemm_problem& p, int wave_size, const Reason& reason) {
    if (library.config.variant == Variant::grouped) return check_groups(library, p, wave_size, reason);
    if (p.group_count != 0)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %lld products at once and computes one.", library.name,
                      static_cast<long long>(p.group_count));
    if (const auto status = check_batch(library, p, wave_size, reason)) return status;
    if (const auto status = check_product(library, p, wave_size, reason)) return status;
    return library.config.variant == Variant::stream_k ? check_shares(library, p, reason)
                                                       : check_parts(library, p, reason);
}

}  // namespace ck_kernel::gemm
