// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/problem.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/hash.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

std::uint32_t bits(float value) {
    std::uint32_t all;
    std::memcpy(&all, &value, sizeof(all));
    return all;
}

// Words are kept once, so that their addresses tell them apart.
auto identity(const FmhaProblem& p) {
    return std::make_tuple(p.variant.c_str(), p.dtype.c_str(), p.bias.c_str(), p.rotary.c_str(), p.group,
                           p.deterministic, p.spare_lse, p.mask, p.batch, p.heads_q, p.heads_k, p.hdim_q, p.hdim_v,
                           p.seqlen_q, p.seqlen_k, p.total_q, p.total_k, p.seqlen_new, p.window_left, p.window_right,
                           bits(p.scale), bits(p.soft_cap), bits(p.scale_p), bits(p.scale_o), bits(p.p_drop),
                           p.drop_seed, p.drop_offset, p.page_rows, p.pages, p.kv_page_count, p.rotary_dim,
                           p.rotary_positions, p.sink_tokens, p.split_kv, p.parts, p.part_keys, p.decode_rows,
                           p.skipped_rows, p.slots, p.alignment, p.workspace_limit);
}

// Keys that a row keeps, on average over the rows of the longest sequence.
double mean_keys(const FmhaProblem& p) {
    const double rows = p.mean_rows_q(), keys = p.mean_rows_k();
    if (!p.masked() || rows <= 0) return keys;
    const double offset = p.mask == CK_FMHA_MASK_BOTTOM_RIGHT ? keys - rows : 0;
    // At a few rows, evenly spaced: a mask is a band.
    constexpr int kLooks = 16;
    double all = 0;
    for (int i = 0; i < kLooks; ++i) {
        const double at = (i + 0.5) * rows / kLooks - 0.5 + offset;
        const double first = p.window_left < 0 ? 0 : std::max(0.0, at - double(p.window_left));
        const double last = p.window_right < 0 ? keys : std::min(keys, at + double(p.window_right) + 1);
        all += std::max(0.0, last - first);
    }
    return std::min(keys, all / kLooks + double(p.sink_tokens));
}

}  // namespace

bool operator==(const FmhaProblem& a, const FmhaProblem& b) {
    return identity(a) == identity(b) && a.strides == b.strides;
}

std::size_t FmhaProblem::hash() const {
    std::size_t seed = 0;
    mix(seed, identity(*this));
    // All of those that it has, in a sum of products that the processor computes side by side.
    std::uint64_t sum = 0, factor = 0x9e3779b97f4a7c15;
    for (std::uint64_t left = slots; left; left &= left - 1) {
        const FmhaStrides& one = strides[std::size_t(__builtin_ctzll(left))];
        factor = factor * 0xd1342543de82ef95 + 2;
        sum += std::uint64_t(one.row) * factor + std::uint64_t(one.head) * (factor ^ 0x55) +
               std::uint64_t(one.batch) * (factor ^ 0x3333) + std::uint64_t(one.part) * (factor ^ 0xf0f0f0);
    }
    return seed ^ (sum ^ (sum >> 29));
}

bool FmhaProblem::whole() const { return variant == fmha_words().forward || variant == fmha_words().backward; }

// All of one length, the longest, and decodes of theirs: so many are then as many rows as there are.
double FmhaProblem::prefills() const {
    const double all = double(batch), most = double(seqlen_q), few = double(decode_rows);
    if (!decode_rows || seqlen_q <= decode_rows) return all;
    return std::min(all, std::max(1.0, (double(total_q) - all * few) / (most - few)));
}

FmhaExtents FmhaProblem::extents(std::size_t slot) const {
    const std::int64_t batches = group ? 1 : batch;
    const FmhaWords& words = fmha_words();
    switch (slot) {
        case CK_FMHA_Q:
        case CK_FMHA_DQ: return {hdim_q, heads_q, rows_q(), batches};
        case CK_FMHA_O: return {hdim_v, variant == words.sum ? heads_k : heads_q, rows_q(), batches};
        case CK_FMHA_D_O: return {hdim_v, heads_q, rows_q(), batches};
        case CK_FMHA_K:
        case CK_FMHA_V: {
            const std::int64_t width = slot == CK_FMHA_K ? hdim_q : hdim_v;
            if (paged()) return {width, heads_k, page_rows, pages};
            return {width, heads_k, rows_k(), has(CK_FMHA_CACHE_INDEX) ? std::max(pages, batch) : batches};
        }
        case CK_FMHA_DK: return {hdim_q, whole() ? heads_k : heads_q, rows_k(), batches};
        case CK_FMHA_DV: return {hdim_v, whole() ? heads_k : heads_q, rows_k(), batches};
        case CK_FMHA_BIAS:
            if (bias == words.alibi) return {heads_q, 1, 1, batch};
            return {seqlen_k, heads_q, rows_q(), batches};
        case CK_FMHA_RANDVAL:
        case CK_FMHA_DBIAS: return {seqlen_k, heads_q, rows_q(), batches};
        case CK_FMHA_LSE:
        case CK_FMHA_D: return {rows_q(), heads_q, 1, batches};
        case CK_FMHA_K_NEW: return {hdim_q, heads_k, seqlen_new, batch};
        case CK_FMHA_V_NEW: return {hdim_v, heads_k, seqlen_new, batch};
        case CK_FMHA_ROTARY_COS:
        case CK_FMHA_ROTARY_SIN: return {rotary_positions * (rotary_dim / 2)};
        case CK_FMHA_SINK: return {heads_q};
        case CK_FMHA_SEQSTART_Q:
        case CK_FMHA_SEQSTART_K:
        case CK_FMHA_KV_INDPTR: return {batch + 1};
        case CK_FMHA_SEQLEN_Q:
        case CK_FMHA_SEQLEN_K:
        case CK_FMHA_CACHE_INDEX: return {batch};
        case CK_FMHA_BLOCK_TABLE: return {strides[CK_FMHA_BLOCK_TABLE].batch, 1, 1, batch};
        case CK_FMHA_KV_PAGES: return {kv_page_count};
        case CK_FMHA_DROP_SEED:
        case CK_FMHA_DROP_OFFSET: return {2};  // of 32 bits each
        default: return {};                    // a temporary, of which the plan knows the size
    }
}

Name FmhaProblem::dtype_of(std::size_t slot) const {
    const FmhaWords& words = fmha_words();
    const bool fp8 = dtype == words.fp8 || dtype == words.fp8bf16 || dtype == words.fp8fp32;
    switch (slot) {
        case CK_FMHA_O:
        case CK_FMHA_D_O: return dtype == words.fp8bf16 ? words.bf16 : dtype == words.fp8fp32 ? words.fp32 : dtype;
        case CK_FMHA_BIAS:
        case CK_FMHA_DBIAS: return fp8 || bias == words.alibi ? words.fp32 : dtype;
        case CK_FMHA_RANDVAL: return words.int8;
        case CK_FMHA_LSE:
        case CK_FMHA_D:
        case CK_FMHA_O_ACC:
        case CK_FMHA_LSE_ACC:
        case CK_FMHA_DQ_ACC:
        case CK_FMHA_SINK: return words.fp32;
        case CK_FMHA_SEQSTART_Q:
        case CK_FMHA_SEQSTART_K:
        case CK_FMHA_SEQLEN_Q:
        case CK_FMHA_SEQLEN_K:
        case CK_FMHA_BLOCK_TABLE:
        case CK_FMHA_CACHE_INDEX:
        case CK_FMHA_KV_INDPTR:
        case CK_FMHA_KV_PAGES:
        case CK_FMHA_DROP_SEED:
        case CK_FMHA_DROP_OFFSET: return words.int32;
        default: return fp8 ? words.fp8 : dtype;
    }
}

bool FmhaProblem::writes(std::size_t slot) const {
    const FmhaWords& words = fmha_words();
    const bool backward = variant == words.backward || variant == words.dot_do_o || variant == words.dq_dk_dv ||
                          variant == words.convert_dq;
    switch (slot) {
        case CK_FMHA_O:
        case CK_FMHA_LSE: return !backward && has(slot);
        case CK_FMHA_RANDVAL:
        case CK_FMHA_O_ACC:
        case CK_FMHA_LSE_ACC:
        case CK_FMHA_D:
        case CK_FMHA_DQ_ACC:
        case CK_FMHA_DQ:
        case CK_FMHA_DK:
        case CK_FMHA_DV:
        case CK_FMHA_DBIAS: return has(slot);
        // New rows go into the cache, and a rotation of q takes place where it is.
        case CK_FMHA_K:
        case CK_FMHA_V: return has(CK_FMHA_K_NEW);
        case CK_FMHA_Q: return has(CK_FMHA_ROTARY_COS);
        default: return false;
    }
}

double FmhaProblem::scores() const { return double(batch) * double(heads_q) * mean_rows_q() * mean_keys(*this); }

double FmhaProblem::flops() const {
    const bool backward = variant == fmha_words().backward || variant == fmha_words().dq_dk_dv;
    return scores() *
           (backward ? 6.0 * double(hdim_q) + 4.0 * double(hdim_v) : 2.0 * double(hdim_q) + 2.0 * double(hdim_v));
}

double FmhaProblem::bytes() const {
    double all = 0;
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot) {
        if (!has(slot)) continue;
        FmhaExtents of = extents(slot);
        // Of a cache only what this problem's sequences have in it.
        if (slot == CK_FMHA_K || slot == CK_FMHA_V)
            of.rows = 1, of.batches = std::int64_t(double(batch) * mean_rows_k());
        all +=
            double(of.width) * double(of.heads) * double(of.rows) * double(of.batches) * element_bytes(dtype_of(slot));
    }
    return all;
}

std::string FmhaProblem::text() const {
    const FmhaWords& words = fmha_words();
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    std::string shown = "fmha " + std::string(variant.text()) + " " + std::string(dtype.text()) + " " + number(batch) +
                        "x" + number(heads_q);
    if (heads_k != heads_q) shown += "/" + number(heads_k);
    shown += "x" + number(seqlen_q) + "x" + number(seqlen_k) + "x" + number(hdim_q);
    if (hdim_v != hdim_q) shown += "/" + number(hdim_v);
    if (group) shown += " in groups of " + number(total_q) + " and " + number(total_k) + " rows";
    if (decode_rows && !skipped_rows) shown += " with decodes of up to " + number(decode_rows);
    if (skipped_rows) shown += " of more than " + number(skipped_rows) + " each";
    if (masked()) {
        const char* corner = mask == CK_FMHA_MASK_TOP_LEFT ? "top left" : "bottom right";
        if (window_left < 0 && window_right == 0) shown += std::string(" causal from the ") + corner;
        else shown += " window " + number(window_left) + "," + number(window_right) + " from the " + corner;
    }
    if (sink_tokens) shown += " and the first " + number(sink_tokens) + " keys";
    if (!bias.empty() && bias != words.none) shown += bias == words.alibi ? " alibi" : " bias";
    if (soft_cap > 0) shown += " soft cap";
    if (p_drop > 0) shown += " dropout";
    if (has(CK_FMHA_LSE) && !spare_lse) shown += " lse";
    if (has(CK_FMHA_SINK)) shown += " sinks";
    if (paged()) shown += " pages of " + number(page_rows);
    if (seqlen_new) shown += " " + number(seqlen_new) + " new";
    if (parts > 1) shown += " in " + number(parts) + " parts";
    if (split_kv) shown += " split " + number(split_kv);
    if (deterministic) shown += " deterministic";
    return shown;
}

const char* fmha_tensor_name(std::size_t slot) {
    static constexpr const char* kNames[] = {
        "q",        "k",           "v",           "o",          "bias",       "lse",        "randval",    "o_acc",
        "lse_acc",  "k_new",       "v_new",       "rotary_cos", "rotary_sin", "sink",       "d_o",        "d",
        "dq_acc",   "dq",          "dk",          "dv",         "dbias",      "seqstart_q", "seqstart_k", "seqlen_q",
        "seqlen_k", "block_table", "cache_index", "kv_indptr",  "kv_pages",   "drop_seed",  "drop_offset"};
    static_assert(std::size(kNames) == CK_FMHA_TENSORS);
    return kNames[slot];
}

}  // namespace ckdispatch
