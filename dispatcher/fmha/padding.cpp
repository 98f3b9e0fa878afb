// SPDX-License-Identifier: MIT
// Larger heads that a kernel takes, for heads that it does not: zeros behind them change no score, and what they add to
// o is cut off.
#include <algorithm>
#include <array>

#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

// In the order of the distances that it has, without gaps.
void pack(const FmhaExtents& of, FmhaStrides& own) {
    struct Dimension {
        std::int64_t count;
        std::int64_t* stride;
    };
    std::array<Dimension, 3> all = {{{of.heads, &own.head}, {of.rows, &own.row}, {of.batches, &own.batch}}};
    std::stable_sort(all.begin(), all.end(),
                     [](const Dimension& a, const Dimension& b) { return *a.stride < *b.stride; });
    std::int64_t next = of.width;
    for (const Dimension& one : all) {
        // What is repeated stays so.
        if (one.count > 1 && *one.stride == 0) continue;
        *one.stride = next;
        next *= std::max<std::int64_t>(1, one.count);
    }
}

}  // namespace

std::optional<FmhaProblem> FmhaFamily::enlarged(const FmhaKey& key, const FmhaProblem& problem) {
    const FmhaWords& words = fmha_words();
    // A cache is not copied for each call.
    if (problem.whole() || problem.variant != key.variant || problem.paged() || problem.has(CK_FMHA_CACHE_INDEX))
        return std::nullopt;
    if (problem.variant == words.appendkv || problem.variant == words.sum || problem.variant == words.sink)
        return std::nullopt;
    const auto larger_head = [](std::int64_t size, int bucket, int pad) {
        return pad ? std::min<std::int64_t>((size + 7) / 8 * 8, std::max<std::int64_t>(bucket, size))
                   : std::int64_t(bucket);
    };
    // qr_async reads keys beyond a smaller head, so it takes whole ones, whatever its pads say.
    const int pad_q = key.pipeline == words.qr_async ? 0 : key.pads[FmhaKey::head_q];
    FmhaProblem larger = problem;
    larger.hdim_q = larger_head(problem.hdim_q, key.hdim_q, pad_q);
    larger.hdim_v = larger_head(problem.hdim_v, key.hdim_v, key.pads[FmhaKey::head_v]);
    if (problem.hdim_q > larger.hdim_q || problem.hdim_v > larger.hdim_v) return std::nullopt;
    larger.alignment = 16;
    for (const auto slot :
         {CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_O, CK_FMHA_D_O, CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV})
        if (larger.has(slot)) pack(larger.extents(slot), larger.strides[slot]);
    // Parts in memory of the plan have heads of their own size.
    if (problem.has(CK_FMHA_O_ACC) || problem.has(CK_FMHA_DQ_ACC)) return std::nullopt;
    return larger;
}

}  // namespace ckdispatch
