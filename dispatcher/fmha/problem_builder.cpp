// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/problem_builder.hpp"

#include <algorithm>
#include <cmath>

#include "ckdispatch/fmha/checks.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

// Those that every problem of the kind has, and those that follow from its options.
void add_tensors(FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    for (const int slot : {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O}) p.add(std::size_t(slot));
    if (p.variant == words.backward)
        for (const int slot : {CK_FMHA_LSE, CK_FMHA_D_O, CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV}) p.add(std::size_t(slot));
    if (p.bias != words.none) p.add(CK_FMHA_BIAS);
    if (p.group) p.add(CK_FMHA_SEQSTART_Q);
    // Of keys in pages lengths suffice.
    if (p.group && !p.kv_page_count && !(p.paged() && p.has(CK_FMHA_SEQLEN_K))) p.add(CK_FMHA_SEQSTART_K);
    if (p.strides[CK_FMHA_BLOCK_TABLE].batch) p.add(CK_FMHA_BLOCK_TABLE);
    if (p.kv_page_count) p.add(CK_FMHA_KV_INDPTR), p.add(CK_FMHA_KV_PAGES);
    if (p.seqlen_new) p.add(CK_FMHA_K_NEW), p.add(CK_FMHA_V_NEW);
    if (p.rotary != words.none) p.add(CK_FMHA_ROTARY_COS), p.add(CK_FMHA_ROTARY_SIN);
}

bool by_rows_and_heads(std::size_t slot) {
    switch (slot) {
        case CK_FMHA_Q:
        case CK_FMHA_K:
        case CK_FMHA_V:
        case CK_FMHA_O:
        case CK_FMHA_K_NEW:
        case CK_FMHA_V_NEW:
        case CK_FMHA_D_O:
        case CK_FMHA_DQ:
        case CK_FMHA_DK:
        case CK_FMHA_DV: return true;
        default: return false;
    }
}

// Without gaps, in the order of the layout; what is no matrix of heads has one order.
FmhaStrides packed(const FmhaProblem& p, std::size_t slot, FmhaProblemBuilder::Layout layout) {
    const FmhaExtents of = p.extents(slot);
    FmhaStrides own;
    if (by_rows_and_heads(slot) && layout == FmhaProblemBuilder::Layout::bshd) {
        own.head = of.width, own.row = of.width * of.heads;
    } else if (slot == CK_FMHA_LSE) {
        own.row = 1, own.head = of.width;  // its rows are its width
    } else {
        own.row = of.width, own.head = of.width * of.rows;
    }
    own.batch = p.group && !(p.paged() && (slot == CK_FMHA_K || slot == CK_FMHA_V)) ? 0 : of.width * of.heads * of.rows;
    return own;
}

void complete_strides(FmhaProblem& p, FmhaProblemBuilder::Layout layout) {
    const bool given = layout == FmhaProblemBuilder::Layout::strides;
    const bool alibi = p.bias == fmha_words().alibi;
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot) {
        FmhaStrides& own = p.strides[slot];
        const bool strided = by_rows_and_heads(slot) || slot == CK_FMHA_BIAS || slot == CK_FMHA_LSE ||
                             slot == CK_FMHA_RANDVAL || slot == CK_FMHA_DBIAS;
        if (slot == CK_FMHA_BLOCK_TABLE) continue;
        if (!p.has(slot) || !strided) {
            own = {};
            continue;
        }
        if (slot == CK_FMHA_BIAS && alibi) own = {0, 1, given ? own.batch : p.heads_q, 0};
        else if (!given) own = packed(p, slot, layout);
        if (slot == CK_FMHA_LSE) own.row = 1;
        // Packed sequences have one stride from row to row, and no other.
        if (p.group && !p.paged() && slot != CK_FMHA_BIAS) own.batch = 0;
        if (p.group && (slot == CK_FMHA_Q || slot == CK_FMHA_O || slot == CK_FMHA_LSE || slot == CK_FMHA_RANDVAL ||
                        (slot == CK_FMHA_BIAS && !alibi)))
            own.batch = 0;
        // A page of one row is a row.
        if (p.page_rows == 1 && (slot == CK_FMHA_K || slot == CK_FMHA_V)) own.row = own.batch;
    }
}

// A window that leaves nothing out is none, and a mask of two of them too: kernels without a mask may then serve.
void simplify_mask(FmhaProblem& p) {
    if (!p.masked()) {
        p.window_left = p.window_right = -1;
        return;
    }
    // Slopes are counted from where the mask puts the rows, and with rotations the mask says whether each row has a
    // position of its own.
    if (p.bias == fmha_words().alibi || (p.rotary != fmha_words().none && p.seqlen_q > 1)) return;
    const bool from_end = p.mask == CK_FMHA_MASK_BOTTOM_RIGHT;
    if (p.window_left >= (from_end ? p.seqlen_k : p.seqlen_q) - 1) p.window_left = -1;
    if (p.window_right >= (from_end ? p.seqlen_q : p.seqlen_k) - 1) p.window_right = -1;
    if (p.window_left < 0) p.sink_tokens = 0;
    if (p.window_left < 0 && p.window_right < 0) p.mask = CK_FMHA_MASK_NONE;
}

}  // namespace

FmhaProblemBuilder::FmhaProblemBuilder() {
    problem_.bias = problem_.rotary = fmha_words().none;
    problem_.dtype = fmha_words().fp16;
}

FmhaProblem FmhaProblemBuilder::build() const {
    FmhaProblem p = problem_;
    p.variant = backward_ ? fmha_words().backward : fmha_words().forward;
    if (!p.heads_k) p.heads_k = p.heads_q;
    if (!p.hdim_v) p.hdim_v = p.hdim_q;
    if (!p.group) p.total_q = p.total_k = 0;
    fmha_checks::check_options(p);
    // Where all of them are decodes, there is nothing to tell apart.
    if (p.decode_rows >= p.seqlen_q) p.decode_rows = 0;
    // What a gradient needs of sinks is in o and lse.
    if (backward_) p.drop(CK_FMHA_SINK);
    add_tensors(p);
    if (p.scale == 0) p.scale = float(1 / std::sqrt(double(p.hdim_q)));
    if (p.has(CK_FMHA_DROP_SEED) || p.p_drop == 0) p.drop_seed = p.drop_offset = 0;
    if (p.rotary == fmha_words().none) p.rotary_dim = p.rotary_positions = 0;
    complete_strides(p, layout_);
    fmha_checks::check_strides(p);
    simplify_mask(p);
    return p;
}

}  // namespace ckdispatch
