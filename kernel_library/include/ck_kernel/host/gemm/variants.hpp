// SPDX-License-Identifier: MIT
//
// Host pass only: what the variants ask of a problem beyond its product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_gemm_problem.h"
#include "ck_kernel/host/gemm/library.hpp"
#include "ck_kernel/host/gemm/sides.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/gemm/product.hpp"

namespace ck_kernel::gemm {

// A D tensor: like C, or one row or column of it that is repeated.
inline ck_kernel_status check_d(const Library& library, const ck_gemm_problem& p, int index, const Reason& reason) {
    const Config& c = library.config;
    const bool rows = c.d.row_major;
    const std::int64_t ld = p.stride_d[index];
    const std::int64_t own = rows ? p.n : p.m;
    if (ld < 0)
        return reason(CK_KERNEL_INVALID, "%s was asked for D%d with leading dimension %lld; 0 repeats one %s.",
                      library.name, index, static_cast<long long>(ld), rows ? "row" : "column");
    // A repeated row has no next one that could be misaligned.
    const std::int64_t count = ld == 0 ? 1 : rows ? p.m : p.n;
    const char letter = rows ? 'N' : 'M';
    const int tile = rows ? c.tile.n : c.tile.m;
    const bool padded = rows ? c.pad_n : true;
    return check_side(library,
                      {'D', letter, count, own, ld == 0 ? own : ld, tile, padded, vector_d(c), c.d.bytes, p.d[index]},
                      reason);
}

// Preshuffled weights have no leading dimension: whole warp tiles follow one another.
inline ck_kernel_status check_shuffled(const Library& library, const ck_gemm_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const int n_step = c.pad_n ? c.warp_tile.n : c.tile.n;
    const int k_step = c.tile.k;
    constexpr int unit = 16;
    if (p.n % n_step != 0 || p.k % k_step != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for N x K = %lld x %lld and takes preshuffled weights of multiples of %d x %d.",
                      library.name, static_cast<long long>(p.n), static_cast<long long>(p.k), n_step, k_step);
    if (!fits_descriptor(p.n, p.k, c.b.bytes))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for B of %lld x %lld, which is 2 GiB or more.", library.name,
                      static_cast<long long>(p.n), static_cast<long long>(p.k));
    if (misaligned(p.b, unit))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for B at an address that is not a multiple of %d bytes, its vector width.",
                      library.name, unit);
    return CK_KERNEL_OK;
}

// Every product of a batch begins with a whole vector.
inline ck_kernel_status check_batch(const Library& library, const ck_gemm_problem& p, int wave_size,
                                    const Reason& reason) {
    constexpr std::int64_t most = 65535;  // the grid has a layer of workgroups for each, and their number has 16 bits
    const Config& c = library.config;
    const auto batch = static_cast<long long>(p.batch);
    if (p.batch < 1)
        return reason(CK_KERNEL_INVALID, "%s was asked for %lld products; there must be one at least.", library.name,
                      batch);
    if (p.batch > 1 && c.variant != Variant::batched)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for a batch of %lld and computes one product (batch = 1).",
                      library.name, batch);
    if (p.batch > most)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for a batch of %lld; %lld are the most.", library.name,
                      batch, static_cast<long long>(most));
    if (c.variant != Variant::batched || p.batch == 1) return CK_KERNEL_OK;
    const struct {
        char letter;
        std::int64_t stride;
        int vector;
        bool shared;
    } operands[] = {{'A', p.batch_stride_a, vector_a(c, wave_size), true},
                    {'B', p.batch_stride_b, vector_b(c, wave_size), true},
                    {'C', p.batch_stride_c, vector_c(c), false}};
    for (const auto& operand : operands) {
        if (operand.stride < 0 || (operand.stride == 0 && !operand.shared))
            return reason(CK_KERNEL_INVALID, "%s was asked for a batch whose %c are %lld elements apart.", library.name,
                          operand.letter, static_cast<long long>(operand.stride));
        if (operand.stride % operand.vector != 0)
            return reason(
                CK_KERNEL_UNSUPPORTED,
                "%s was asked for a batch whose %c are %lld elements apart and moves vectors of %d elements: the "
                "stride must be a multiple of %d.",
                library.name, operand.letter, static_cast<long long>(operand.stride), operand.vector, operand.vector);
    }
    if (p.batch_stride_c < p.n)
        return reason(CK_KERNEL_INVALID, "%s was asked for a batch whose C are %lld elements apart and overlap.",
                      library.name, static_cast<long long>(p.batch_stride_c));
    return CK_KERNEL_OK;
}

// Stream-K: k_batch workgroups share all loops; one without any would be launched for nothing.
inline ck_kernel_status check_shares(const Library& library, const ck_gemm_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const std::int64_t tiles = tile_count(c, p.m, p.n);
    const std::int64_t loops = tiles * ceil_div(p.k, c.tile.k);
    if (p.k_batch < 1)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked to share the work among %lld workgroups; there must be one at least.", library.name,
                      static_cast<long long>(p.k_batch));
    if (p.k_batch > loops || loops > INT32_MAX)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked to share %lld loops among %lld workgroups (k_batch); from 1 to %lld would work.",
                      library.name, static_cast<long long>(loops), static_cast<long long>(p.k_batch),
                      static_cast<long long>(loops > INT32_MAX ? 0 : loops));
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel::gemm
