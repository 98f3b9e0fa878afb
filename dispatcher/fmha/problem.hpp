// SPDX-License-Identifier: MIT
// What a caller wants of an attention, independent of any kernel; and what a plan wants of each of its kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "ck_fmha_problem.h"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// In elements from one to the next.
struct FmhaStrides {
    std::int64_t row = 0, head = 0, batch = 0, part = 0;

    friend bool operator==(const FmhaStrides& a, const FmhaStrides& b) {
        return a.row == b.row && a.head == b.head && a.batch == b.batch && a.part == b.part;
    }
};

/// What a tensor has of everything: `batches` of `rows` of `heads` of `width` elements, which are contiguous.
struct FmhaExtents {
    std::int64_t width = 0, heads = 1, rows = 1, batches = 1;
};

/// o = softmax(cap(scale * q k') + bias) v, its gradients, or one stage of either. Made by FmhaProblemBuilder, which
/// validates; compared and hashed as a value. Its tensors are the slots of ck_fmha_tensor_index here; a caller's have
/// the order of ckd_fmha_tensor.
struct FmhaProblem {
    /// forward or backward for a caller's; else the variant of the kernel that a stage needs.
    Name variant;
    Name dtype;
    /// none, elementwise or alibi.
    Name bias;
    /// none, interleaved or half.
    Name rotary;
    bool group = false;
    bool deterministic = false;
    /// Nobody reads lse: a kernel may write it, or not.
    bool spare_lse = false;
    /// ck_fmha_mask.
    int mask = CK_FMHA_MASK_NONE;
    std::int64_t batch = 1, heads_q = 1, heads_k = 1, hdim_q = 0, hdim_v = 0;
    std::int64_t seqlen_q = 0, seqlen_k = 0, total_q = 0, total_k = 0, seqlen_new = 0;
    /// Negative is unlimited.
    std::int64_t window_left = -1, window_right = -1;
    float scale = 0, soft_cap = 0, scale_p = 0, scale_o = 0, p_drop = 0;
    std::uint64_t drop_seed = 0, drop_offset = 0;
    std::int64_t page_rows = 0, pages = 0, kv_page_count = 0;
    std::int64_t rotary_dim = 0, rotary_positions = 0;
    std::int64_t sink_tokens = 0;
    /// What a caller wants the keys to be divided into; 0 lets the dispatcher choose.
    std::int64_t split_kv = 0;
    /// Of a stage: parts of the keys, or of dq_acc.
    std::int64_t parts = 1;
    /// Of a stage of deterministic gradients: keys of a part of dq_acc, which is the kernel's tile.
    std::int64_t part_keys = 0;
    /// Packed sequences of up to so many rows, decodes among prefills, may be computed apart from the others; less than
    /// seqlen_q.
    std::int64_t decode_rows = 0;
    /// Of a stage: sequences of up to so many rows are left to another.
    std::int64_t skipped_rows = 0;
    /// A bit for each tensor that it has.
    std::uint64_t slots = 0;
    std::array<FmhaStrides, CK_FMHA_TENSORS> strides{};
    /// Bytes that all addresses of its matrices are multiples of, a power of two up to 16.
    int alignment = 16;
    std::uint64_t workspace_limit = std::numeric_limits<std::uint64_t>::max();

    bool has(std::size_t slot) const { return slots >> slot & 1; }
    void add(std::size_t slot) { slots |= std::uint64_t(1) << slot; }
    void drop(std::size_t slot) { slots &= ~(std::uint64_t(1) << slot); }

    /// A caller's, which is computed in stages.
    bool whole() const;
    bool masked() const { return mask != CK_FMHA_MASK_NONE; }
    bool paged() const { return page_rows > 0; }
    bool has_rows() const { return seqlen_q > 0 && rows_q() > 0; }
    /// Packed keys in pages are counted by no total.
    bool has_keys() const { return seqlen_k > 0 && (paged() || rows_k() > 0); }
    std::int64_t rows_q() const { return group ? total_q : seqlen_q; }
    std::int64_t rows_k() const { return group ? total_k : seqlen_k; }
    /// On average, where sequences are of different lengths.
    double mean_rows_q() const {
        return group ? std::min(double(total_q) / double(batch), double(seqlen_q)) : double(seqlen_q);
    }
    double mean_rows_k() const { return group && total_k ? double(total_k) / double(batch) : double(seqlen_k); }

    /// Sequences that are no decodes, about: as many as there are if decode_rows is not said.
    double prefills() const;

    FmhaExtents extents(std::size_t slot) const;
    /// Of one element; what is no matrix is fp32 or int32, and random values are bytes.
    Name dtype_of(std::size_t slot) const;
    bool writes(std::size_t slot) const;

    /// Scores that are computed, without those that a mask leaves out.
    double scores() const;
    double flops() const;
    /// Bytes that must be read and written at least once.
    double bytes() const;
    /// Such as "fmha forward fp16 2x8x512x512x64 causal".
    std::string text() const;

    std::size_t held_bytes() const { return 0; }
    friend bool operator==(const FmhaProblem& a, const FmhaProblem& b);
    std::size_t hash() const;
};

/// What a sentence calls a tensor of ck_fmha_tensor_index.
const char* fmha_tensor_name(std::size_t slot);

}  // namespace ckdispatch
