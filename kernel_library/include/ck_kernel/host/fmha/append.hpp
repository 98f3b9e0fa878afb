// SPDX-License-Identifier: MIT
//
// Host pass only: the kernel that puts new keys behind those of a cache, and rotates them and q.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/attention.hpp"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/pages.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/append.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

struct AppendKv {
    using Args = AppendArgs;

    static constexpr int kNeeded[] = {CK_FMHA_SEQLEN_K};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        const auto lacks = [&](int index) { return p.tensors[index] == nullptr; };
        const bool copies = p.seqlen_new > 0;
        return (copies && (lacks(CK_FMHA_K) || lacks(CK_FMHA_V) || lacks(CK_FMHA_K_NEW) || lacks(CK_FMHA_V_NEW))) ||
               (c.rotary != Rotary::none &&
                (lacks(CK_FMHA_Q) || lacks(CK_FMHA_ROTARY_COS) || lacks(CK_FMHA_ROTARY_SIN))) ||
               (c.paged && lacks(CK_FMHA_BLOCK_TABLE));
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (p.seqlen_new < 0 || p.seqlen_new > kMostRows || (p.seqlen_new == 0 && c.rotary == Rotary::none))
            return reason(CK_KERNEL_INVALID, "%s was asked to append %lld rows; there must be from %d to 2^30.",
                          kernel.name, static_cast<long long>(p.seqlen_new), c.rotary == Rotary::none ? 1 : 0);
        if (const auto status = check_head(kernel, "hdim_q", p.hdim_q, c.hdim_q, c.pads.hdim_q, c.vector_q(), reason))
            return status;
        if (const auto status = check_head(kernel, "hdim_v", p.hdim_v, c.hdim_v, c.pads.hdim_v, c.vector_v(), reason))
            return status;
        if (const auto status = check_multiple(kernel, "new rows", p.seqlen_new, c.tile[1], c.pads.k != 0, reason))
            return status;
        if (c.rotary != Rotary::none)
            if (const auto status = check_multiple(kernel, "rows", p.seqlen_q, c.tile[0], c.pads.q != 0, reason))
                return status;
        if (const auto status = check_rotary(kernel, p, reason)) return status;
        if (const auto status = c.paged ? check_table(kernel, p, c.tile[1], reason) : check_no_pages(kernel, p, reason))
            return status;
        const int unread[] = {CK_FMHA_SEQSTART_Q, CK_FMHA_SEQSTART_K, CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES,
                              c.paged ? -1 : CK_FMHA_BLOCK_TABLE};
        if (const auto status = check_unread(kernel, p, unread, reason)) return status;
        return check_operands(kernel, p, reason);
    }

    static AppendArgs arguments(const Config&, const ck_fmha_problem& p) {
        const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
        return {strided<const void>(p, CK_FMHA_K_NEW),
                strided<const void>(p, CK_FMHA_V_NEW),
                strided<void>(p, CK_FMHA_Q),
                strided<void>(p, CK_FMHA_K),
                strided<void>(p, CK_FMHA_V),
                p.tensors[CK_FMHA_ROTARY_COS],
                p.tensors[CK_FMHA_ROTARY_SIN],
                values<std::int32_t>(p, CK_FMHA_SEQLEN_K),
                values<std::int32_t>(p, CK_FMHA_BLOCK_TABLE),
                values<std::int32_t>(p, CK_FMHA_CACHE_INDEX),
                static_cast<std::int32_t*>(p.tensors[CK_FMHA_SEQLEN_Q]),
                narrow(p.heads_q),
                narrow(p.heads_q / p.heads_k),
                narrow(p.seqlen_q),
                narrow(p.seqlen_new),
                narrow(p.hdim_q),
                narrow(p.hdim_v),
                narrow(p.rotary_dim),
                p.mask != CK_FMHA_MASK_NONE,
                narrow(p.strides[CK_FMHA_BLOCK_TABLE].batch),
                narrow(p.page_rows)};
    }

    // Workgroups rotate a tile of q, if that is asked for, and append one of new keys.
    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        const std::int64_t rotated = c.rotary == Rotary::none ? 0 : ceil_div(p.seqlen_q, c.tile[0]);
        const std::int64_t copied = ceil_div(p.seqlen_new, c.tile[1]);
        return {rotated > copied ? rotated : copied, p.heads_q, p.batch};
    }

private:
    static ck_kernel_status check_rotary(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        constexpr int kStep = 16;  // both halves of what is rotated are moved in vectors
        const Config& c = kernel.config;
        if (c.rotary == Rotary::none &&
            (p.rotary_dim != 0 || p.tensors[CK_FMHA_ROTARY_COS] != nullptr || p.tensors[CK_FMHA_ROTARY_SIN] != nullptr))
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked to rotate %lld elements of each head and rotates none.",
                          kernel.name, static_cast<long long>(p.rotary_dim));
        if (c.rotary == Rotary::none) return CK_KERNEL_OK;
        if (p.rotary_dim < kStep || p.rotary_dim % kStep != 0 || p.rotary_dim > p.hdim_q)
            return reason(
                CK_KERNEL_UNSUPPORTED,
                "%s was asked to rotate %lld elements of heads of %lld; it takes multiples of %d up to the whole head.",
                kernel.name, static_cast<long long>(p.rotary_dim), static_cast<long long>(p.hdim_q), kStep);
        constexpr int tables[] = {CK_FMHA_ROTARY_COS, CK_FMHA_ROTARY_SIN};
        for (const int index : tables)
            if (misaligned(p.tensors[index], 16))
                return reason(
                    CK_KERNEL_UNSUPPORTED,
                    "%s was asked for %s at an address that is not a multiple of 16 bytes, what it moves at a time.",
                    kernel.name, name_of(index));
        return CK_KERNEL_OK;
    }

    static ck_kernel_status check_operands(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        const std::int64_t rows = c.paged ? p.page_rows : p.seqlen_k > p.seqlen_new ? p.seqlen_k : p.seqlen_new;
        const std::int64_t caches = c.paged                                     ? p.pages
                                    : p.tensors[CK_FMHA_CACHE_INDEX] != nullptr ? p.batch + 1
                                                                                : p.batch;
        const Operand operands[] = {
            {CK_FMHA_K, c.bytes, c.vector_q(), rows, p.hdim_q, p.heads_k, caches, 1, true},
            {CK_FMHA_V, c.bytes, c.vector_v(), rows, p.hdim_v, p.heads_k, caches, 1, true},
            {CK_FMHA_K_NEW, c.bytes, c.vector_q(), p.seqlen_new, p.hdim_q, p.heads_k, p.batch, 1, false},
            {CK_FMHA_V_NEW, c.bytes, c.vector_v(), p.seqlen_new, p.hdim_v, p.heads_k, p.batch, 1, false},
        };
        if (p.seqlen_new > 0)
            for (const Operand& operand : operands)
                if (const auto status = check_operand(kernel, p, operand, reason)) return status;
        if (c.rotary == Rotary::none) return CK_KERNEL_OK;
        return check_operand(
            kernel, p, {CK_FMHA_Q, c.bytes, c.vector_q(), p.seqlen_q, p.hdim_q, p.heads_q, p.batch, 1, true}, reason);
    }
};

}  // namespace ck_kernel::fmha
