// SPDX-License-Identifier: MIT
// Makes attention problems from what a caller says, and refuses those that make no sense.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "ckdispatch/fmha/problem.hpp"

namespace ckdispatch {

class FmhaProblemBuilder {
public:
    enum class Layout { bshd, bhsd, strides };
    enum class Mask {
        none = CK_FMHA_MASK_NONE,
        top_left = CK_FMHA_MASK_TOP_LEFT,
        bottom_right = CK_FMHA_MASK_BOTTOM_RIGHT
    };

    FmhaProblemBuilder();

    /// Of q, k and v: fp16, bf16, fp32 or fp8; with another dtype of o fp8bf16 or fp8fp32.
    FmhaProblemBuilder& dtype(std::string_view word) { return problem_.dtype = word, *this; }
    /// The gradients in place of o.
    FmhaProblemBuilder& backward(bool wanted = true) { return backward_ = wanted, *this; }
    /// heads_k 0: as many as heads_q.
    FmhaProblemBuilder& sizes(std::int64_t batch, std::int64_t heads_q, std::int64_t heads_k = 0) {
        return problem_.batch = batch, problem_.heads_q = heads_q, problem_.heads_k = heads_k, *this;
    }
    /// hdim_v 0: as hdim_q.
    FmhaProblemBuilder& head_sizes(std::int64_t hdim_q, std::int64_t hdim_v = 0) {
        return problem_.hdim_q = hdim_q, problem_.hdim_v = hdim_v, *this;
    }
    /// Of each sequence, or the most that one has; of k with the rows that are appended.
    FmhaProblemBuilder& lengths(std::int64_t q, std::int64_t k) {
        return problem_.seqlen_q = q, problem_.seqlen_k = k, *this;
    }
    /// Sequences lie one behind the other, in as many rows; seqstart_q and seqstart_k say where.
    FmhaProblemBuilder& group(std::int64_t total_q, std::int64_t total_k) {
        return problem_.group = true, problem_.total_q = total_q, problem_.total_k = total_k, *this;
    }
    /// 0 is 1 / sqrt(hdim_q).
    FmhaProblemBuilder& scale(float value) { return problem_.scale = value, *this; }
    FmhaProblemBuilder& soft_cap(float value) { return problem_.soft_cap = value, *this; }
    /// Of p before it is rounded to fp8, and of o; both or none.
    FmhaProblemBuilder& fp8_scales(float p, float o) { return problem_.scale_p = p, problem_.scale_o = o, *this; }
    /// Row i keeps the keys from i - left to i + right, where the rows begin at the first key or end at the last; -1 is
    /// unlimited, and causal is (-1, 0).
    FmhaProblemBuilder& mask(Mask from, std::int64_t left = -1, std::int64_t right = -1) {
        return problem_.mask = int(from), problem_.window_left = left, problem_.window_right = right, *this;
    }
    /// The first keys, which every row keeps in spite of its window.
    FmhaProblemBuilder& sink_tokens(std::int64_t keys) { return problem_.sink_tokens = keys, *this; }
    /// none, elementwise or alibi.
    FmhaProblemBuilder& bias(std::string_view word) { return problem_.bias = word, *this; }
    FmhaProblemBuilder& dropout(float p, std::uint64_t seed, std::uint64_t offset) {
        return problem_.p_drop = p, problem_.drop_seed = seed, problem_.drop_offset = offset, *this;
    }
    /// With seed and offset in tensors.
    FmhaProblemBuilder& dropout_on_device(float p) {
        return problem_.p_drop = p, add(CK_FMHA_DROP_SEED), add(CK_FMHA_DROP_OFFSET);
    }
    /// One of the tensors that a problem may have or not: lse, randval, dbias, seqlen_q, seqlen_k, cache_index or sink.
    FmhaProblemBuilder& with(ck_fmha_tensor_index tensor) { return add(tensor); }
    /// Rows of k_new and v_new that are put behind those that seqlen_k counts.
    FmhaProblemBuilder& append(std::int64_t rows) { return problem_.seqlen_new = rows, *this; }
    /// Of new rows and of q: interleaved (2i, 2i + 1) or half (i, i + dim / 2).
    FmhaProblemBuilder& rotary(std::string_view word, std::int64_t dim, std::int64_t positions) {
        return problem_.rotary = word, problem_.rotary_dim = dim, problem_.rotary_positions = positions, *this;
    }
    /// k and v are pages, of which block_table has so many for each sequence.
    FmhaProblemBuilder& pages(std::int64_t rows, std::int64_t count, std::int64_t table_stride) {
        return problem_.page_rows = rows, problem_.pages = count,
               problem_.strides[CK_FMHA_BLOCK_TABLE].batch = table_stride, *this;
    }
    /// The same with one list for all sequences, kv_pages, and where each begins in it, kv_indptr.
    FmhaProblemBuilder& page_list(std::int64_t rows, std::int64_t count, std::int64_t entries) {
        return problem_.page_rows = rows, problem_.pages = count, problem_.kv_page_count = entries, *this;
    }
    /// Sequences that a cache has, where cache_index says which are meant; as many as the batch if it is not said.
    FmhaProblemBuilder& cache(std::int64_t sequences) { return problem_.pages = sequences, *this; }
    /// Parts of the keys that are computed by themselves; 0 lets the dispatcher choose.
    FmhaProblemBuilder& split_kv(std::int64_t parts) { return problem_.split_kv = parts, *this; }
    /// Packed sequences of up to so many rows may be computed apart from the others: decodes, which few rows and many
    /// keys make, beside prefills. What is computed is the same. 0 for none.
    FmhaProblemBuilder& decode_rows(std::int64_t rows) { return problem_.decode_rows = rows, *this; }
    FmhaProblemBuilder& layout(Layout order) { return layout_ = order, *this; }
    /// Used with Layout::strides.
    FmhaProblemBuilder& strides(std::size_t slot, std::int64_t row, std::int64_t head, std::int64_t batch) {
        FmhaStrides& own = problem_.strides[slot];
        return own.row = row, own.head = head, own.batch = batch, *this;
    }
    FmhaProblemBuilder& deterministic(bool wanted) { return problem_.deterministic = wanted, *this; }
    FmhaProblemBuilder& alignment(int bytes) { return problem_.alignment = bytes, *this; }
    FmhaProblemBuilder& workspace_limit(std::uint64_t bytes) { return problem_.workspace_limit = bytes, *this; }

    /// Throws InvalidArgumentError with the sentence about the first thing that is wrong.
    FmhaProblem build() const;

private:
    FmhaProblemBuilder& add(std::size_t slot) { return problem_.add(slot), *this; }

    FmhaProblem problem_;
    bool backward_ = false;
    Layout layout_ = Layout::bshd;
};

}  // namespace ckdispatch
