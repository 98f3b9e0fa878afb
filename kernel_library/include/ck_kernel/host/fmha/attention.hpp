// SPDX-License-Identifier: MIT
//
// Host pass only: what the kernels that compute an attention or parts of one have in common: fwd, splitkv, pagedkv,
// batch_prefill.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/features.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/attention.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

// The parts of the tile [bm0, bn0, bk0, bn1, bk1, bk0max] that a grid and lengths are about.
constexpr int tile_rows(const Config& config) { return config.tile[0]; }
constexpr int tile_keys(const Config& config) { return config.tile[1]; }
constexpr int tile_columns(const Config& config) { return config.tile[3]; }

constexpr std::int64_t tiles_of(const Config& config, std::int64_t rows, std::int64_t hdim_v) {
    return ceil_div(rows, tile_rows(config)) * ceil_div(hdim_v, tile_columns(config));
}

template <typename T>
Strided<T> strided(const ck_fmha_problem& p, int index) {
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const ck_fmha_strides& s = p.strides[index];
    return {p.tensors[index], narrow(s.row), narrow(s.head), narrow(s.batch), narrow(s.part)};
}

template <typename T>
const T* values(const ck_fmha_problem& p, int index) {
    return static_cast<const T*>(p.tensors[index]);
}

inline AttentionArgs attention_arguments(const Config& config, const ck_fmha_problem& p, int o, int lse) {
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const Window window = window_of(p);
    const float keep = 1.0f - p.p_drop;
    const bool seed_on_device = p.tensors[CK_FMHA_DROP_SEED] != nullptr;
    AttentionArgs args{};
    args.q = strided<const void>(p, CK_FMHA_Q);
    args.k = strided<const void>(p, CK_FMHA_K);
    args.v = strided<const void>(p, CK_FMHA_V);
    args.bias = strided<const void>(p, CK_FMHA_BIAS);
    args.o = strided<void>(p, o);
    args.lse = strided<void>(p, lse);
    args.randval = strided<void>(p, CK_FMHA_RANDVAL);
    args.seqstart_q = values<std::int32_t>(p, CK_FMHA_SEQSTART_Q);
    args.seqstart_k = values<std::int32_t>(p, CK_FMHA_SEQSTART_K);
    args.seqlen_q = values<std::int32_t>(p, CK_FMHA_SEQLEN_Q);
    args.seqlen_k = values<std::int32_t>(p, CK_FMHA_SEQLEN_K);
    args.block_table = values<std::int32_t>(p, CK_FMHA_BLOCK_TABLE);
    args.cache_index = values<std::int32_t>(p, CK_FMHA_CACHE_INDEX);
    args.kv_indptr = values<std::int32_t>(p, CK_FMHA_KV_INDPTR);
    args.kv_pages = values<std::int32_t>(p, CK_FMHA_KV_PAGES);
    args.drop_seed_at = seed_on_device ? values<std::uint64_t>(p, CK_FMHA_DROP_SEED) : nullptr;
    args.drop_offset_at = seed_on_device ? values<std::uint64_t>(p, CK_FMHA_DROP_OFFSET) : nullptr;
    args.drop_seed = p.drop_seed;
    args.drop_offset = p.drop_offset;
    args.batch = narrow(p.batch);
    args.heads_q = narrow(p.heads_q);
    args.group_heads = narrow(p.heads_q / p.heads_k);
    args.seqlen_of_q = narrow(p.seqlen_q);
    args.seqlen_of_k = narrow(p.seqlen_k);
    args.hdim_q = narrow(p.hdim_q);
    args.hdim_v = narrow(p.hdim_v);
    args.window_left = window.left;
    args.window_right = window.right;
    args.top_left = window.top_left;
    args.min_seqlen_q = p.min_seqlen_q;
    args.parts = narrow(p.parts);
    args.table_row = narrow(p.strides[CK_FMHA_BLOCK_TABLE].batch);
    args.page_rows = narrow(p.page_rows);
    args.pages = narrow(p.pages);
    args.scale = static_cast<float>(p.scale * kLog2E);
    args.scale_p = p.scale_p;
    args.scale_o = p.scale_o;
    args.soft_cap = p.soft_cap;
    args.soft_cap_rcp = config.soft_cap ? 1.0f / p.soft_cap : 0.0f;
    args.rp_undrop = 1.0f / keep;
    args.undrop_byte = static_cast<std::uint8_t>(keep * 255.0f);  // towards zero
    args.stores_randval = p.tensors[CK_FMHA_RANDVAL] != nullptr;
    return args;
}

// Packed sequences lie one behind the other, so that rows have a stride even where none has two.
inline std::int64_t rows_of(const Config& config, std::int64_t rows) { return config.group && rows < 2 ? 2 : rows; }

// Where k and v lie: in sequences, or in pages of which each is like one; those of batch_prefill are single rows.
inline ck_kernel_status check_keys(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    const bool listed = c.variant == Variant::batch_prefill;
    const bool anywhere =
        p.tensors[CK_FMHA_CACHE_INDEX] != nullptr;  // the sequences of a cache may be more than the problem's
    const auto rows = listed ? p.pages : c.paged ? p.page_rows : rows_of(c, p.seqlen_k);
    const auto many = listed ? 1 : c.paged ? p.pages : c.group ? 1 : anywhere ? p.batch + 1 : p.batch;
    if (const auto status = check_operand(
            kernel, p, {CK_FMHA_K, c.bytes, c.vector_q(), rows, p.hdim_q, p.heads_k, many, 1, false}, reason))
        return status;
    return check_operand(kernel, p, {CK_FMHA_V, c.bytes, c.vector_v(), rows, p.hdim_v, p.heads_k, many, 1, false},
                         reason);
}

// Tensors of all four, with what `o` is called in them.
inline ck_kernel_status check_operands(const Subject& kernel, const ck_fmha_problem& p, int o, int o_bytes,
                                       int o_vector, const Reason& reason) {
    const Config& c = kernel.config;
    const std::int64_t many = c.group ? 1 : p.batch;  // packed sequences have no stride
    if (const auto status = check_operand(
            kernel, p, {CK_FMHA_Q, c.bytes, c.vector_q(), rows_of(c, p.seqlen_q), p.hdim_q, p.heads_q, many, 1, false},
            reason))
        return status;
    if (const auto status = check_keys(kernel, p, reason)) return status;
    const std::int64_t parts = o == CK_FMHA_O_ACC ? p.parts : 1;
    if (const auto status = check_operand(
            kernel, p, {o, o_bytes, o_vector, rows_of(c, p.seqlen_q), p.hdim_v, p.heads_q, many, parts, true}, reason))
        return status;
    if (c.bias == Bias::elementwise)
        return check_operand(kernel, p,
                             {CK_FMHA_BIAS, c.bias_bytes, c.vector_bias(), rows_of(c, p.seqlen_q), p.seqlen_k,
                              p.heads_q, many, 1, false},
                             reason);
    return CK_KERNEL_OK;
}

// Float rows without a stride of their own: lse and what is like it.
inline ck_kernel_status check_row(const Subject& kernel, const ck_fmha_problem& p, int index, std::int64_t parts,
                                  const Reason& reason) {
    const std::int64_t many = kernel.config.group ? 1 : p.batch;
    return check_operand(kernel, p, {index, 4, 1, 1, p.seqlen_q, p.heads_q, many, parts, true}, reason);
}

// Lengths, heads and features of all four.
inline ck_kernel_status check_attention(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    // Keys that go straight to LDS are not cut off where a head ends: what lies behind a smaller one meets zeros of q,
    // and makes NaNs of infinities and NaNs.
    if (c.pipeline == Pipeline::qr_async && p.hdim_q != c.hdim_q)
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for hdim_q = %lld and computes exactly %d, because it reads k beyond smaller heads.",
            kernel.name, static_cast<long long>(p.hdim_q), c.hdim_q);
    if (const auto status = check_head(kernel, "hdim_q", p.hdim_q, c.hdim_q, c.pads.hdim_q, c.vector_q(), reason))
        return status;
    if (const auto status = check_head(kernel, "hdim_v", p.hdim_v, c.hdim_v, c.pads.hdim_v, c.vector_v(), reason))
        return status;
    if (const auto status = check_features(kernel, p, reason)) return status;
    // The largest score is found before scores are scaled, and that of no key is an infinity.
    if (p.scale <= 0 && c.bias == Bias::none && !c.soft_cap)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for scale %g and looks for the largest score first: the scale must be positive.",
                      kernel.name, static_cast<double>(p.scale));
    if (c.pipeline == Pipeline::v3 && limits_left(p))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for a window of %lld to the left and has no limit there; take a kernel with "
                      "another pipeline.",
                      kernel.name, static_cast<long long>(p.window_left));
    if (const auto status = check_lengths(kernel, p, tile_rows(c), tile_keys(c), reason)) return status;
    return CK_KERNEL_OK;
}

// What both fwd and batch_prefill store, beside o.
inline ck_kernel_status check_outputs(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    if (const auto status = check_operands(kernel, p, CK_FMHA_O, c.o_bytes, c.vector_o(), reason)) return status;
    if (c.lse)
        if (const auto status = check_row(kernel, p, CK_FMHA_LSE, 1, reason)) return status;
    if (c.dropout && p.tensors[CK_FMHA_RANDVAL] != nullptr)
        return check_operand(
            kernel, p,
            {CK_FMHA_RANDVAL, 1, 1, rows_of(c, p.seqlen_q), p.seqlen_k, p.heads_q, c.group ? 1 : p.batch, 1, true},
            reason);
    return CK_KERNEL_OK;
}

inline bool lacks_attention_feature(const Config& c, const ck_fmha_problem& p) {
    const auto lacks = [&](int index) { return p.tensors[index] == nullptr; };
    return (c.bias != Bias::none && lacks(CK_FMHA_BIAS)) || (c.group && lacks(CK_FMHA_SEQSTART_Q)) ||
           (c.dropout && lacks(CK_FMHA_DROP_SEED) != lacks(CK_FMHA_DROP_OFFSET));
}

}  // namespace ck_kernel::fmha
