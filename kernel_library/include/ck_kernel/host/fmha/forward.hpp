// SPDX-License-Identifier: MIT
//
// Host pass only: the kernels that compute an attention, or parts of one.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/attention.hpp"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/pages.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/attention.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

struct Forward {
    using Args = AttentionArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return lacks_attention_feature(c, p) || (c.lse && p.tensors[CK_FMHA_LSE] == nullptr) ||
               (c.group && p.tensors[CK_FMHA_SEQSTART_K] == nullptr);
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (const auto status = check_attention(kernel, p, reason)) return status;
        if (const auto status = check_no_pages(kernel, p, reason)) return status;
        if (const auto status = check_unread(
                kernel, p,
                {CK_FMHA_BLOCK_TABLE, CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES, c.group ? CK_FMHA_CACHE_INDEX : -1}, reason))
            return status;
        return check_outputs(kernel, p, reason);
    }

    static AttentionArgs arguments(const Config& c, const ck_fmha_problem& p) {
        return attention_arguments(c, p, CK_FMHA_O, CK_FMHA_LSE);
    }

    // Packed sequences with lengths of their own go along y, as CK has it.
    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        const std::int64_t tiles = tiles_of(c, p.seqlen_q, p.hdim_v);
        return c.group && p.tensors[CK_FMHA_SEQLEN_K] != nullptr ? Grid{p.heads_q, p.batch, tiles}
                                                                 : Grid{p.heads_q, tiles, p.batch};
    }
};

// Rows of q are counted by where sequences begin, in kernels that take no other lengths of packed ones.
inline ck_kernel_status check_only_starts(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    return kernel.config.group ? check_unread(kernel, p, {CK_FMHA_SEQLEN_Q, CK_FMHA_CACHE_INDEX}, reason)
                               : CK_KERNEL_OK;
}

struct SplitKv {
    using Args = AttentionArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O_ACC, CK_FMHA_LSE_ACC};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return lacks_attention_feature(c, p) || (c.paged && p.tensors[CK_FMHA_BLOCK_TABLE] == nullptr) ||
               (c.group && p.tensors[CK_FMHA_SEQSTART_K] == nullptr);
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        constexpr std::int64_t most = 128;  // that combine puts together
        const Config& c = kernel.config;
        if (const auto status = check_attention(kernel, p, reason)) return status;
        if (p.parts < 1 || p.parts > most)
            return reason(CK_KERNEL_INVALID, "%s was asked for %lld parts of the keys; there are from 1 to %lld.",
                          kernel.name, static_cast<long long>(p.parts), static_cast<long long>(most));
        if (const auto status =
                c.paged ? check_table(kernel, p, tile_keys(c), reason) : check_no_pages(kernel, p, reason))
            return status;
        if (const auto status = check_only_starts(kernel, p, reason)) return status;
        if (const auto status = check_unread(
                kernel, p, {CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES, c.paged ? -1 : CK_FMHA_BLOCK_TABLE}, reason))
            return status;
        if (const auto status = check_operands(kernel, p, CK_FMHA_O_ACC, 4, c.pads.hdim_v ? 1 : 4, reason))
            return status;
        if (c.merged)
            if (const auto status = check_merged(kernel, p, reason)) return status;
        return check_row(kernel, p, CK_FMHA_LSE_ACC, p.parts, reason);
    }

    // Heads that share keys become rows: all of them lie in one view.
    static ck_kernel_status check_merged(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const std::int64_t heads = p.heads_q / p.heads_k;
        constexpr int merged[] = {CK_FMHA_Q, CK_FMHA_O_ACC};
        for (const int index : merged) {
            const ck_fmha_strides& s = p.strides[index];
            const int bytes = index == CK_FMHA_Q ? kernel.config.bytes : 4;
            const std::int64_t reach =
                (heads - 1) * s.head + (p.seqlen_q - 1) * s.row;  // with strides that were checked
            if (reach + kBeyond * kernel.config.hdim_q >= kLimit / bytes)
                return reason(CK_KERNEL_UNSUPPORTED,
                              "%s was asked for %s of %lld heads that share keys and are %lld elements apart, which is "
                              "2 GiB or more.",
                              kernel.name, name_of(index), static_cast<long long>(heads),
                              static_cast<long long>(s.head));
        }
        return CK_KERNEL_OK;
    }

    static AttentionArgs arguments(const Config& c, const ck_fmha_problem& p) {
        return attention_arguments(c, p, CK_FMHA_O_ACC, CK_FMHA_LSE_ACC);
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        const std::int64_t rows = c.merged ? p.seqlen_q * (p.heads_q / p.heads_k) : p.seqlen_q;
        return {tiles_of(c, rows, p.hdim_v) * p.parts, c.merged ? p.heads_k : p.heads_q, p.batch};
    }
};

struct PagedKv {
    using Args = AttentionArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O, CK_FMHA_BLOCK_TABLE};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) { return Forward::lacks_feature(c, p); }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (const auto status = check_attention(kernel, p, reason)) return status;
        if (const auto status = check_table(kernel, p, tile_keys(c), reason)) return status;
        if (const auto status = check_only_starts(kernel, p, reason)) return status;
        if (const auto status = check_unread(kernel, p, {CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES}, reason)) return status;
        return check_outputs(kernel, p, reason);
    }

    static AttentionArgs arguments(const Config& c, const ck_fmha_problem& p) {
        return attention_arguments(c, p, CK_FMHA_O, CK_FMHA_LSE);
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        const std::int64_t tiles = tiles_of(c, p.seqlen_q, p.hdim_v);
        return c.group && p.tensors[CK_FMHA_SEQLEN_K] != nullptr ? Grid{p.heads_q, p.batch, tiles}
                                                                 : Grid{tiles, p.heads_q, p.batch};
    }
};

struct BatchPrefill {
    using Args = AttentionArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O, CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return lacks_attention_feature(c, p) || (c.lse && p.tensors[CK_FMHA_LSE] == nullptr);
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        if (const auto status = check_attention(kernel, p, reason)) return status;
        if (p.page_rows != 1 || p.pages < 1 || p.pages >= kLimit)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for %lld pages of %lld keys; it takes lists of single keys.", kernel.name,
                          static_cast<long long>(p.pages), static_cast<long long>(p.page_rows));
        if (const auto status = check_only_starts(kernel, p, reason)) return status;
        if (const auto status = check_unread(
                kernel, p, {CK_FMHA_BLOCK_TABLE, CK_FMHA_CACHE_INDEX, CK_FMHA_SEQSTART_K, CK_FMHA_SEQLEN_K}, reason))
            return status;
        return check_outputs(kernel, p, reason);
    }

    static AttentionArgs arguments(const Config& c, const ck_fmha_problem& p) {
        return attention_arguments(c, p, CK_FMHA_O, CK_FMHA_LSE);
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        const std::int64_t tiles = tiles_of(c, p.seqlen_q, p.hdim_v);
        return c.group ? Grid{p.heads_q, p.batch, tiles} : Grid{tiles, p.heads_q, p.batch};
    }
};

}  // namespace ck_kernel::fmha
