// SPDX-License-Identifier: MIT
// The stages of gradients: D, then dk, dv and parts of dq, then dq, and where heads share keys the sums over them.
#include <algorithm>

#include "ckdispatch/fmha/divisions.hpp"
#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr std::uint64_t kDot = fmha_slots(CK_FMHA_O, CK_FMHA_D_O, CK_FMHA_D, CK_FMHA_SEQSTART_Q, CK_FMHA_SEQLEN_Q);
constexpr std::uint64_t kLengths =
    fmha_slots(CK_FMHA_SEQSTART_Q, CK_FMHA_SEQSTART_K, CK_FMHA_SEQLEN_Q, CK_FMHA_SEQLEN_K);
constexpr std::uint64_t kGradient =
    kLengths | fmha_slots(CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_BIAS, CK_FMHA_LSE, CK_FMHA_D_O, CK_FMHA_D,
                          CK_FMHA_DK, CK_FMHA_DV, CK_FMHA_DBIAS, CK_FMHA_DROP_SEED, CK_FMHA_DROP_OFFSET);
constexpr std::uint64_t kConvert = kLengths | fmha_slots(CK_FMHA_DQ_ACC, CK_FMHA_DQ);

// More fills than that are slower than a kernel that moves what was written elsewhere.
constexpr std::uint64_t kMostFills = 64;

std::uint64_t fills_of(const Region& region) { return region.lines * region.matrices * region.sets; }

Region region_of(const FmhaProblem& p, std::size_t slot) { return FmhaFamily::region(p, FmhaFamily::tensor_of(slot)); }

Transfer clearing_of(std::size_t slot, const Region& region) {
    Transfer all = clearing(Argument::tensor(FmhaFamily::tensor_of(slot)), region.width);
    all.rows = region.lines, all.to_pitch = region.pitch;
    all.blocks = region.matrices, all.to_block = region.matrix_pitch;
    all.sets = region.sets, all.to_set = region.set_pitch;
    return all;
}

// Without a score all gradients are zero.
Division<FmhaProblem> zeros(const FmhaProblem& p) {
    Division<FmhaProblem> all;
    for (const auto slot : {CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV, CK_FMHA_DBIAS})
        if (const Region region = region_of(p, slot); region.reach) all.before.push_back(clearing_of(slot, region));
    return all;
}

class Backward {
public:
    explicit Backward(const FmhaProblem& problem) : problem_(problem), rest_(problem) {
        own_lengths_ = problem.group || problem.has(CK_FMHA_SEQLEN_Q) || problem.has(CK_FMHA_SEQLEN_K);
        dot();
    }

    // Parts of that many keys are added in their order; 0: into one, in any order.
    Division<FmhaProblem> accumulated(std::int64_t part_keys) {
        FmhaProblem p = rest_;
        p.part_keys = part_keys;
        p.parts = part_keys ? std::max<std::int64_t>(1, (p.seqlen_k + part_keys - 1) / part_keys) : 1;
        const std::int64_t rows = p.rows_q(), one = rows * p.hdim_q, batches = p.group ? 1 : p.batch;
        // The parts of a head are neighbours: who adds them up reaches all of them.
        p.strides[CK_FMHA_DQ_ACC] = {p.hdim_q, p.parts * one, p.group ? 0 : p.heads_q * p.parts * one, one};
        p.add(CK_FMHA_DQ_ACC);
        const std::uint64_t bytes =
            std::uint64_t(batches * p.heads_q) * std::uint64_t(p.parts) * std::uint64_t(one) * 4;
        const std::size_t accumulator = stages_.put(CK_FMHA_DQ_ACC, bytes);
        std::vector<Transfer> clears;
        // Parts that a mask, or a shorter sequence, leaves out are written by nobody.
        if (!part_keys || p.masked() || own_lengths_)
            clears.push_back(clearing(Argument::temporary(accumulator), bytes));
        gradient(p, kGradient | fmha_slots(CK_FMHA_DQ_ACC), std::move(clears));
        stages_.add(p, fmha_words().convert_dq, kConvert);
        return finished();
    }

    // By kernels that have all rows at once.
    Division<FmhaProblem> direct() {
        gradient(rest_, kGradient | fmha_slots(CK_FMHA_DQ), {});
        return finished();
    }

private:
    void dot() {
        rest_.add(CK_FMHA_D);
        rest_.strides[CK_FMHA_D] = rest_.strides[CK_FMHA_LSE];
        stages_.put(CK_FMHA_D, region_of(problem_, CK_FMHA_LSE).reach);
        stages_.add(rest_, fmha_words().dot_do_o, kDot);
    }

    void gradient(FmhaProblem p, std::uint64_t slots, std::vector<Transfer> clears) {
        const auto output = [&](std::size_t slot, std::int64_t width, std::optional<std::size_t>& temporary) {
            const Region region = region_of(problem_, slot);
            // A sequence without rows leaves its dk and dv as they are.
            const bool moves = p.heads_q != p.heads_k || (own_lengths_ && fills_of(region) > kMostFills);
            if (!moves && own_lengths_) clears.push_back(clearing_of(slot, region));
            if (!moves) return;
            const std::int64_t row = p.heads_q * width, rows = p.rows_k(), batches = p.group ? 1 : p.batch;
            p.strides[slot] = {row, width, p.group ? 0 : rows * row, 0};
            const std::uint64_t bytes =
                std::uint64_t(batches * rows) * std::uint64_t(row) * (p.dtype == fmha_words().fp32 ? 4 : 2);
            temporary = stages_.put(slot, bytes);
            if (own_lengths_) clears.push_back(clearing(Argument::temporary(*temporary), bytes));
        };
        output(CK_FMHA_DK, p.hdim_q, dk_);
        output(CK_FMHA_DV, p.hdim_v, dv_);
        if (p.has(CK_FMHA_DBIAS) && (p.masked() || own_lengths_))
            clears.push_back(clearing_of(CK_FMHA_DBIAS, region_of(problem_, CK_FMHA_DBIAS)));
        moved_ = p;
        stages_.add(p, fmha_words().dq_dk_dv, slots).before = std::move(clears);
        stages_.main();
    }

    // What was written for each head of q is added up for those of k.
    void sum(std::size_t slot, std::int64_t width, std::size_t temporary) {
        FmhaProblem p = problem_;
        p.bias = fmha_words().none;
        p.mask = CK_FMHA_MASK_NONE;
        p.window_left = p.window_right = -1;
        p.p_drop = 0;
        p.drop_seed = p.drop_offset = 0;
        p.deterministic = false;
        p.seqlen_q = p.seqlen_k = problem_.rows_k();
        if (p.group) p.batch = 1;
        p.group = false;
        p.total_q = p.total_k = 0;
        p.hdim_q = p.hdim_v = width;
        p.strides[CK_FMHA_Q] = moved_.strides[slot];
        p.strides[CK_FMHA_O] = problem_.strides[slot];
        stages_.put_again(CK_FMHA_Q, temporary);
        stages_.put_tensor(CK_FMHA_O, slot);
        stages_.add(p, fmha_words().sum, fmha_slots(CK_FMHA_Q, CK_FMHA_O));
    }

    Division<FmhaProblem> finished() {
        if (dk_) sum(CK_FMHA_DK, problem_.hdim_q, *dk_);
        if (dv_) sum(CK_FMHA_DV, problem_.hdim_v, *dv_);
        return stages_.take();
    }

    const FmhaProblem& problem_;
    FmhaProblem rest_, moved_;
    FmhaStages stages_;
    bool own_lengths_ = false;
    std::optional<std::size_t> dk_, dv_;
};

}  // namespace

std::vector<Division<FmhaProblem>> backward_divisions(const FmhaProblem& problem) {
    constexpr std::int64_t kFewRows = 32;
    if (!problem.has_rows() || !problem.has_keys()) return {zeros(problem)};
    std::vector<Division<FmhaProblem>> all;
    if (problem.deterministic) {
        // The keys of a kernel's tile, which are those of a part.
        for (const std::int64_t keys : {128, 64, 192, 32, 16}) all.push_back(Backward(problem).accumulated(keys));
        return all;
    }
    all.push_back(Backward(problem).accumulated(0));
    if (problem.seqlen_q <= kFewRows && !problem.masked() && !problem.group) all.push_back(Backward(problem).direct());
    return all;
}

}  // namespace ckdispatch
