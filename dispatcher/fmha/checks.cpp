// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/tensors.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch::fmha_checks {
namespace {

constexpr std::int64_t kLimit = std::int64_t(1) << 31;
constexpr std::int64_t kFar = std::int64_t(1) << 60;  // elements; bytes of them can still be counted
constexpr std::int64_t kLargest = 1024;               // of heads
constexpr std::int64_t kMostParts = 128;

/// What was asked for, and then what is wrong with it.
[[noreturn]] void refuse(const std::string& what, const std::string& wrong) {
    throw InvalidArgumentError("An attention " + what + " was asked for; " + wrong);
}

std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(float value) {
    std::string text = std::to_string(value);
    while (text.size() > 1 && text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
    return text;
}

bool is_fp8(const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    return p.dtype == words.fp8 || p.dtype == words.fp8bf16 || p.dtype == words.fp8fp32;
}

void check_sizes(const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    if (!is_fp8(p) && p.dtype != words.fp16 && p.dtype != words.bf16 && p.dtype != words.fp32)
        refuse("of the dtype '" + std::string(p.dtype.text().substr(0, 20)) + "'",
               "its dtype is fp16, bf16, fp32, fp8, fp8bf16 or fp8fp32.");
    if (p.batch < 1 || p.batch >= kLimit) refuse("of " + number(p.batch) + " sequences", "there are from 1 to 2^31-1.");
    if (p.heads_q < 1 || p.heads_k < 1 || p.heads_q >= kLimit || p.heads_q % p.heads_k)
        refuse("with " + number(p.heads_q) + " heads of q and " + number(p.heads_k) + " of k",
               "each head of k serves equally many of q, at least one.");
    if (p.hdim_q < 1 || p.hdim_v < 1 || p.hdim_q > kLargest || p.hdim_v > kLargest)
        refuse("with heads of the sizes " + number(p.hdim_q) + " and " + number(p.hdim_v),
               "they are from 1 to " + number(kLargest) + ".");
    if (p.seqlen_q < 0 || p.seqlen_k < 0 || p.seqlen_q >= kLimit || p.seqlen_k >= kLimit)
        refuse("of " + number(p.seqlen_q) + " rows and " + number(p.seqlen_k) + " keys",
               "there are from 0 to 2^31-1 of each.");
    if (p.group && (p.total_q < 0 || p.total_k < 0 || p.total_q >= kLimit || p.total_k >= kLimit))
        refuse("of sequences in " + number(p.total_q) + " and " + number(p.total_k) + " rows",
               "there are from 0 to 2^31-1 of q and of k.");
    if (p.decode_rows < 0 || p.decode_rows >= kLimit)
        refuse("with decodes of up to " + number(p.decode_rows) + " rows", "there are from 0 to 2^31-1.");
    if (p.decode_rows && !p.group)
        refuse("with decodes of up to " + number(p.decode_rows) + " rows in sequences of a batch",
               "packed ones have lengths by which decodes can be told from prefills.");
}

void check_scores(const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    if (!std::isfinite(p.scale))
        refuse("with a scale that is no finite number", "1 / sqrt(hdim_q) is usual, and 0 stands for it.");
    if (!(p.soft_cap >= 0) || std::isinf(p.soft_cap))
        refuse("with a soft cap of " + number(p.soft_cap), "it is a positive number, or 0 for none.");
    if (p.bias != words.none && p.bias != words.elementwise && p.bias != words.alibi)
        refuse("with a bias of the kind '" + std::string(p.bias.text().substr(0, 20)) + "'",
               "it is none, elementwise or alibi.");
    if (p.soft_cap > 0 && p.bias != words.none) refuse("with a soft cap and a bias", "kernels have one or the other.");
    if (!(p.scale_p >= 0) || !(p.scale_o >= 0) || std::isinf(p.scale_p) || std::isinf(p.scale_o) ||
        (p.scale_p > 0) != (p.scale_o > 0))
        refuse("with the scales " + number(p.scale_p) + " of p and " + number(p.scale_o) + " of o",
               "both are positive numbers, or both are 0 for none.");
    if (p.scale_p > 0 && !is_fp8(p))
        refuse("of " + std::string(p.dtype.text()) + " with scales of p and o", "only fp8 has them.");
    if (p.mask < CK_FMHA_MASK_NONE || p.mask > CK_FMHA_MASK_BOTTOM_RIGHT)
        refuse("with a mask of the kind " + number(std::int64_t(p.mask)),
               "it is 0 for none, 1 from the top left, or 2 from the bottom right.");
    if (p.masked() &&
        (p.window_left < -1 || p.window_right < -1 || p.window_left >= kLimit || p.window_right >= kLimit))
        refuse("with a window of " + number(p.window_left) + " keys before and " + number(p.window_right) +
                   " behind a row's own",
               "they are from 0 to 2^31-1, or -1 for all.");
    if (p.sink_tokens < 0 || (p.sink_tokens && (!p.masked() || p.window_left < 0)))
        refuse("that keeps the first " + number(p.sink_tokens) + " keys",
               "it has a mask with a window that ends to the left.");
    // The first keys have a window of their own, which ends for each row where the other begins: as far from the
    // diagonal as the sequence is long.
    if (p.sink_tokens && (p.group || p.has(CK_FMHA_SEQLEN_Q) || p.has(CK_FMHA_SEQLEN_K) || p.kv_page_count))
        refuse("that keeps the first " + number(p.sink_tokens) + " keys of sequences with lengths of their own",
               "where the first keys end before a window depends on the length, and kernels have one window for all "
               "sequences.");
}

void check_dropout(const FmhaProblem& p) {
    if (!(p.p_drop >= 0 && p.p_drop < 1))
        refuse("with a dropout of " + number(p.p_drop), "it is from 0 to less than 1.");
    if (p.p_drop == 0 && (p.has(CK_FMHA_RANDVAL) || p.has(CK_FMHA_DROP_SEED)))
        refuse("with random values or their seed, and no dropout", "they are those of a dropout.");
    if (p.p_drop > 0 &&
        (p.split_kv > 1 || p.sink_tokens || p.has(CK_FMHA_BLOCK_TABLE) || p.has(CK_FMHA_CACHE_INDEX) || is_fp8(p)))
        refuse("with a dropout over pages, a cache, parts of the keys, sink tokens or fp8",
               "kernels with a dropout have none of them.");
    if (p.split_kv < 0 || p.split_kv > kMostParts)
        refuse("with its keys in " + number(p.split_kv) + " parts",
               "there are from 1 to " + number(kMostParts) + ", or 0 for the dispatcher to choose.");
}

void check_backward(const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const bool backward = p.variant == words.backward;
    if (p.has(CK_FMHA_DBIAS) && (!backward || p.bias != words.elementwise))
        refuse("with the gradient of a bias", "it is one of the gradients of an attention with an elementwise bias.");
    if (!backward) return;
    if (is_fp8(p))
        refuse("for its gradients in " + std::string(p.dtype.text()), "they are computed in fp16, bf16 and fp32.");
    if (p.has(CK_FMHA_RANDVAL))
        refuse("for its gradients with random values", "they are those of the forward pass, and are not stored again.");
    if (p.soft_cap > 0) refuse("for its gradients with a soft cap", "no kernel computes them.");
    if (p.paged() || p.has(CK_FMHA_CACHE_INDEX) || p.seqlen_new || p.split_kv > 1 || p.sink_tokens || p.decode_rows)
        refuse("for its gradients over pages, a cache, new rows, parts of the keys, sink tokens or decodes",
               "gradients are those of plain keys.");
}

void check_cache(const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const std::int64_t table = p.strides[CK_FMHA_BLOCK_TABLE].batch;
    if (p.page_rows < 0 || p.page_rows >= kLimit || p.pages < 0 || p.pages >= kLimit)
        refuse("over " + number(p.pages) + " pages of " + number(p.page_rows) + " rows",
               "each number is from 0 to 2^31-1.");
    if (!p.paged() && (table || p.kv_page_count))
        refuse("with a table of pages of no rows", "a page has at least one.");
    if (p.paged()) {
        if (p.pages < 1) refuse("over pages of which there are none", "k and v have at least one.");
        if ((table != 0) == (p.kv_page_count != 0))
            refuse("over pages with " +
                       std::string(table ? "a block table and a list" : "neither a block table nor a list"),
                   "they are found by one of them.");
        if (table < 0 || table >= kLimit || (table && table * p.page_rows < p.seqlen_k))
            refuse("over " + number(p.seqlen_k) + " keys in pages of " + number(p.page_rows) +
                       ", of which block_table has " + number(table) + " for a sequence",
                   "these do not hold them.");
        if (p.kv_page_count < 0 || p.kv_page_count >= kLimit)
            refuse("over a list of " + number(p.kv_page_count) + " pages", "it has from 1 to 2^31-1.");
        if (p.kv_page_count && p.page_rows != 1)
            refuse("over a list of pages of " + number(p.page_rows) + " rows",
                   "lists have a row of k for each key: give pages of 1 row, or a block table.");
        if (p.kv_page_count && (p.has(CK_FMHA_SEQLEN_K) || p.has(CK_FMHA_CACHE_INDEX) || p.seqlen_new))
            refuse("over a list of pages with lengths of k, a cache index or new rows",
                   "kv_indptr says how many keys a sequence has.");
    }
    if (p.has(CK_FMHA_CACHE_INDEX) && p.group)
        refuse("of packed sequences with a cache index", "it is for sequences of a batch.");
    if (p.seqlen_new < 0 || p.seqlen_new > p.seqlen_k)
        refuse("that appends " + number(p.seqlen_new) + " rows", "they are among its " + number(p.seqlen_k) + " keys.");
    if (p.seqlen_new && p.group)
        refuse("of packed sequences that appends rows", "rows are appended to sequences of a batch.");
    if (p.seqlen_new && !p.has(CK_FMHA_SEQLEN_K))
        refuse("that appends rows without seqlen_k", "it says how many rows were there before.");
    if (p.rotary != words.none && p.rotary != words.interleaved && p.rotary != words.half)
        refuse("with a rotation of the kind '" + std::string(p.rotary.text().substr(0, 20)) + "'",
               "it is none, interleaved or half.");
    if (p.rotary == words.none) return;
    if (!p.seqlen_new) refuse("with a rotation and no new rows", "rows are rotated when they are appended.");
    if (is_fp8(p))
        refuse("of " + std::string(p.dtype.text()) + " with a rotation", "rows are rotated in fp16, bf16 and fp32.");
    if (p.rotary_dim < 16 || p.rotary_dim % 16 || p.rotary_dim > p.hdim_q)
        refuse("with a rotation of " + number(p.rotary_dim) + " of " + number(p.hdim_q) + " elements",
               "it is of a multiple of 16, up to all of them.");
    if (p.rotary_positions < p.seqlen_k || p.rotary_positions >= kLimit)
        refuse("over " + number(p.seqlen_k) + " keys with a rotation for " + number(p.rotary_positions) + " positions",
               "there is one for each key.");
}

}  // namespace

void check_options(const FmhaProblem& p) {
    check_sizes(p);
    check_scores(p);
    check_dropout(p);
    check_backward(p);
    check_cache(p);
    if (is_fp8(p) && p.soft_cap > 0) refuse("of " + std::string(p.dtype.text()) + " with a soft cap", "fp8 has none.");
    check_alignment(p.alignment, "An attention");
}

void check_strides(const FmhaProblem& p) {
    struct Dimension {
        std::int64_t stride, count;
    };
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot) {
        if (!p.has(slot)) continue;
        const FmhaStrides& own = p.strides[slot];
        const FmhaExtents of = p.extents(slot);
        const std::string name = fmha_tensor_name(slot);
        const std::string text = "with " + name + " of the strides " + number(own.row) + " by row, " +
                                 number(own.head) + " by head and " + number(own.batch) + " by sequence";
        if (own.row < 0 || own.head < 0 || own.batch < 0 || own.row >= kLimit || own.head >= kLimit ||
            own.batch >= kFar)
            refuse(text, "strides are from 0, and less than 2^31 within a sequence.");
        if (!p.writes(slot) || !of.width || !of.heads || !of.rows || !of.batches) continue;
        Dimension all[] = {{own.head, of.heads}, {own.row, of.rows}, {own.batch, of.batches}};
        std::sort(std::begin(all), std::end(all),
                  [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
        std::int64_t taken = of.width;
        for (const Dimension& one : all) {
            if (one.count <= 1) continue;
            if (one.stride < taken) refuse(text, "elements of what is written have places of their own.");
            taken = one.stride * (one.count - 1) + taken;
        }
    }
}

}  // namespace ckdispatch::fmha_checks
