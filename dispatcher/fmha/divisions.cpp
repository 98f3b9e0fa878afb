// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/divisions.hpp"

#include <algorithm>
#include <cmath>

#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kMostParts = 128;
constexpr std::int64_t kPartKeys = 64;  // the smallest tile of a kernel that takes parts

constexpr std::uint64_t kAttention = fmha_slots(CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_BIAS, CK_FMHA_SEQSTART_Q,
                                                CK_FMHA_SEQSTART_K, CK_FMHA_SEQLEN_Q, CK_FMHA_SEQLEN_K);
constexpr std::uint64_t kWhole =
    kAttention | fmha_slots(CK_FMHA_O, CK_FMHA_LSE, CK_FMHA_RANDVAL, CK_FMHA_DROP_SEED, CK_FMHA_DROP_OFFSET);
constexpr std::uint64_t kPaged = fmha_slots(CK_FMHA_BLOCK_TABLE, CK_FMHA_CACHE_INDEX);
constexpr std::uint64_t kParts = kAttention | kPaged | fmha_slots(CK_FMHA_O_ACC, CK_FMHA_LSE_ACC);
constexpr std::uint64_t kCombine =
    fmha_slots(CK_FMHA_O_ACC, CK_FMHA_LSE_ACC, CK_FMHA_O, CK_FMHA_LSE, CK_FMHA_SEQSTART_Q, CK_FMHA_SEQLEN_Q);
constexpr std::uint64_t kAppend =
    fmha_slots(CK_FMHA_Q, CK_FMHA_K, CK_FMHA_V, CK_FMHA_K_NEW, CK_FMHA_V_NEW, CK_FMHA_SEQLEN_K, CK_FMHA_SEQLEN_Q,
               CK_FMHA_ROTARY_COS, CK_FMHA_ROTARY_SIN) |
    kPaged;

std::uint64_t lse_bytes(const FmhaProblem& p) {
    return std::uint64_t(p.group ? 1 : p.batch) * std::uint64_t(p.heads_q) * std::uint64_t(p.rows_q()) * 4;
}

FmhaStrides packed_lse(const FmhaProblem& p) { return {1, p.rows_q(), p.group ? 0 : p.heads_q * p.rows_q(), 0}; }

// A problem on its way through the stages.
struct Forward {
    FmhaStages stages;
    FmhaProblem rest;  // as the attention itself sees it

    explicit Forward(const FmhaProblem& problem) : rest(problem) {
        if (problem.seqlen_new) append();
        // Kernels of packed sequences want to know where keys begin, and in pages make nothing of it.
        if (problem.group && problem.has(CK_FMHA_BLOCK_TABLE) && !problem.has(CK_FMHA_SEQSTART_K)) {
            rest.add(CK_FMHA_SEQSTART_K);
            stages.put_tensor(CK_FMHA_SEQSTART_K, CK_FMHA_SEQSTART_Q);
        }
        // Sinks are put in where o and lse are. A kernel that has lse may serve who does not want it.
        if (!problem.has(CK_FMHA_LSE)) {
            rest.add(CK_FMHA_LSE);
            rest.strides[CK_FMHA_LSE] = packed_lse(problem);
            rest.spare_lse = !problem.has(CK_FMHA_SINK);
            stages.put(CK_FMHA_LSE, lse_bytes(problem));
        }
    }

    // New rows go into the cache; how many there are then is known to a temporary.
    void append() {
        FmhaProblem p = rest;
        if (!rest.has_rows()) give_a_row(p);
        p.add(CK_FMHA_SEQLEN_Q);
        const bool own_rows = rest.has(CK_FMHA_SEQLEN_Q);
        const std::size_t after = stages.put(CK_FMHA_SEQLEN_Q, std::uint64_t(rest.batch) * 4);
        p.bias = fmha_words().none;
        stages.add(p, fmha_words().appendkv, kAppend);
        if (own_rows) stages.put_tensor(CK_FMHA_SEQLEN_Q, CK_FMHA_SEQLEN_Q);
        stages.put_again(CK_FMHA_SEQLEN_K, after);
        rest.seqlen_new = 0;
        for (const auto slot : {CK_FMHA_K_NEW, CK_FMHA_V_NEW, CK_FMHA_ROTARY_COS, CK_FMHA_ROTARY_SIN}) rest.drop(slot);
        rest.rotary = fmha_words().none;
        rest.rotary_dim = rest.rotary_positions = 0;
    }

    // What appends takes at least one row of q: one that nobody has.
    void give_a_row(FmhaProblem& p) {
        p.seqlen_q = 1;
        p.strides[CK_FMHA_Q] = {p.heads_q * p.hdim_q, p.hdim_q, p.heads_q * p.hdim_q, 0};
        stages.put(CK_FMHA_Q, std::uint64_t(p.batch) * std::uint64_t(p.heads_q * p.hdim_q) * 4);
    }

    void whole(Name variant, std::uint64_t slots) {
        stages.add(rest, variant, slots);
        stages.main();
    }

    // Room for parts: of each head one behind the other, so that it is not far from one to the next.
    void make_room(std::int64_t parts) {
        const std::int64_t rows = rest.rows_q(), heads = rest.heads_q, batches = rest.group ? 1 : rest.batch;
        const auto strides = [&](std::int64_t width) {
            return FmhaStrides{width, parts * rows * width, rest.group ? 0 : heads * parts * rows * width,
                               rows * width};
        };
        rest.strides[CK_FMHA_O_ACC] = strides(rest.hdim_v);
        rest.strides[CK_FMHA_LSE_ACC] = strides(1);
        const auto elements =
            std::uint64_t(batches) * std::uint64_t(heads) * std::uint64_t(parts) * std::uint64_t(rows);
        o_acc = stages.put(CK_FMHA_O_ACC, elements * std::uint64_t(rest.hdim_v) * 4);
        lse_acc = stages.put(CK_FMHA_LSE_ACC, elements * 4);
        rest.add(CK_FMHA_O_ACC), rest.add(CK_FMHA_LSE_ACC);
    }
    void compute_parts(FmhaProblem p, std::int64_t parts, std::int64_t from = 0) {
        p.parts = parts;
        stages.put_again(CK_FMHA_O_ACC, o_acc, std::uint64_t(from * rest.strides[CK_FMHA_O_ACC].part) * 4);
        stages.put_again(CK_FMHA_LSE_ACC, lse_acc, std::uint64_t(from * rest.strides[CK_FMHA_LSE_ACC].part) * 4);
        stages.add(p, fmha_words().splitkv, kParts);
    }
    void combine(std::int64_t parts) {
        FmhaProblem p = rest;
        p.parts = parts;
        stages.put_again(CK_FMHA_O_ACC, o_acc);
        stages.put_again(CK_FMHA_LSE_ACC, lse_acc);
        stages.add(p, fmha_words().combine, kCombine);
    }

    // Sequences of few rows, in parts or whole, and then all others. Kernels of the former begin with the latter too,
    // whose own write there after them.
    void apart(Name variant, std::uint64_t slots, std::int64_t parts) {
        FmhaProblem others = rest;
        others.skipped_rows = rest.decode_rows;
        if (parts > 1) make_room(parts);
        rest.seqlen_q = rest.decode_rows;
        if (parts > 1) {
            compute_parts(rest, parts);
            combine(parts);
        } else {
            stages.add(rest, variant, slots);
        }
        stages.add(others, variant, slots);
        stages.main();
    }

    // One more column of the softmax.
    Division<FmhaProblem> finished(const FmhaProblem& problem) {
        if (problem.has(CK_FMHA_SINK)) {
            FmhaProblem p = problem;
            p.add(CK_FMHA_LSE);
            p.strides[CK_FMHA_LSE] = problem.has(CK_FMHA_LSE) ? problem.strides[CK_FMHA_LSE] : packed_lse(problem);
            stages.add(p, fmha_words().sink,
                       fmha_slots(CK_FMHA_O, CK_FMHA_LSE, CK_FMHA_SINK, CK_FMHA_SEQSTART_Q, CK_FMHA_SEQLEN_Q));
        }
        return stages.take();
    }

    std::size_t o_acc = 0, lse_acc = 0;
};

// Kernels find keys by a table, by a list or as they are; parts of them have no dropout.
bool takes_parts(const FmhaProblem& p) { return p.p_drop == 0 && !p.kv_page_count; }

// The heads of a group that share keys as rows of one head, where all rows of a sequence see the same keys. Only
// strides change.
bool can_regroup(const FmhaProblem& p) {
    const FmhaStrides& lse = p.strides[CK_FMHA_LSE];
    return p.heads_q != p.heads_k && p.seqlen_q == 1 && !p.group && !p.masked() && p.bias == fmha_words().none &&
           p.p_drop == 0 && !p.has(CK_FMHA_SEQLEN_Q) && lse.head == 1;
}
FmhaProblem regrouped(FmhaProblem p) {
    const std::int64_t rows = p.heads_q / p.heads_k;
    for (const auto slot : {CK_FMHA_Q, CK_FMHA_O})
        p.strides[slot].row = p.strides[slot].head, p.strides[slot].head *= rows;
    p.strides[CK_FMHA_LSE].head = rows;
    p.heads_q = p.heads_k;
    p.seqlen_q = rows;
    return p;
}

// As the caller says, or some.
std::vector<std::int64_t> parts_to_try(const FmhaProblem& p, std::int64_t rows, double heads,
                                       const arch::GpuSpec& gpu) {
    if (p.split_kv) return {p.split_kv};
    return fmha_parts(double(p.batch) * heads * std::ceil(double(rows) / double(kPartKeys)), p.seqlen_k, gpu);
}

// The first keys, of which each row has those before its window: their last column is where the window of the last row
// begins.
FmhaProblem first_keys(const FmhaProblem& p) {
    FmhaProblem first = p;
    const bool from_end = p.mask == CK_FMHA_MASK_BOTTOM_RIGHT;
    const std::int64_t last = (from_end ? p.seqlen_k : p.seqlen_q) - 1 - p.window_left;  // where it begins
    first.seqlen_k = std::min({p.sink_tokens, last, p.seqlen_k});
    first.mask = CK_FMHA_MASK_BOTTOM_RIGHT;
    first.window_left = -1;
    first.window_right = last - first.seqlen_k;
    first.sink_tokens = 0;
    return first;
}

}  // namespace

FmhaStages::FmhaStages() {
    places_.assign(CK_FMHA_TENSORS, Argument{});
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot)
        if (const std::size_t tensor = FmhaFamily::tensor_of(slot); tensor < FmhaFamily::kCallersTensors)
            places_[slot] = Argument::tensor(tensor);
}

std::size_t FmhaStages::put(std::size_t slot, std::uint64_t bytes) {
    division_.temporaries.push_back({bytes});
    places_[slot] = Argument::temporary(division_.temporaries.size() - 1);
    return division_.temporaries.size() - 1;
}

void FmhaStages::put_again(std::size_t slot, std::size_t temporary, std::uint64_t offset) {
    places_[slot] = Argument::temporary(temporary);
    places_[slot].offset = offset;
}

void FmhaStages::put_tensor(std::size_t slot, std::size_t tensor_slot) {
    places_[slot] = Argument::tensor(FmhaFamily::tensor_of(tensor_slot));
}

FmhaStages::Piece& FmhaStages::add(FmhaProblem problem, Name variant, std::uint64_t slots) {
    problem.variant = variant;
    problem.slots &= slots;
    problem.split_kv = 0;
    // Of the whole plan, and checked there.
    problem.workspace_limit = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot)
        if (!problem.has(slot)) problem.strides[slot] = {};
    std::vector<Argument> arguments = places_;
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot)
        if (!problem.has(slot)) arguments[slot] = {};
    division_.pieces.push_back({problem, std::move(arguments), {}, {}});
    return division_.pieces.back();
}

std::vector<std::int64_t> fmha_parts(double workgroups, std::int64_t keys, const arch::GpuSpec& gpu) {
    const double slots = 2.0 * gpu.compute_units;
    std::vector<std::int64_t> all;
    if (workgroups >= 0.8 * slots) return all;
    const std::int64_t most = std::min(kMostParts, (keys + kPartKeys - 1) / kPartKeys);
    for (std::int64_t parts = 2; parts <= most; parts *= 2) all.push_back(parts);
    // The fewest that fill the last round nearly as well as any number.
    const auto efficiency = [&](std::int64_t parts) {
        const double waves = workgroups * double(parts) / slots;
        return waves / std::ceil(waves);
    };
    double best = 0;
    for (std::int64_t parts = 1; parts <= most; ++parts) best = std::max(best, efficiency(parts));
    for (std::int64_t parts = 2; parts <= most; ++parts) {
        if (efficiency(parts) < 0.85 * best) continue;
        if (std::find(all.begin(), all.end(), parts) == all.end()) all.push_back(parts);
        break;
    }
    return all;
}

std::vector<Division<FmhaProblem>> forward_divisions(const FmhaProblem& problem, const arch::GpuSpec& gpu) {
    const FmhaWords& words = fmha_words();
    std::vector<Division<FmhaProblem>> all;
    const Forward begun(problem);
    if (!problem.has_rows()) return {Forward(begun).stages.take()};
    const auto add = [&](auto&& compute) {
        Forward next = begun;
        compute(next);
        all.push_back(next.finished(problem));
    };
    if (problem.sink_tokens) {
        add([&](Forward& next) {
            next.make_room(2);
            const FmhaProblem first = first_keys(next.rest);
            next.rest.sink_tokens = 0;
            next.compute_parts(next.rest, 1);
            next.stages.main();
            next.compute_parts(first, 1, 1);
            next.combine(2);
        });
        return all;
    }
    const bool whole = problem.split_kv <= 1;
    if (whole && !problem.paged())
        add([&](Forward& next) { next.whole(words.fwd, kWhole | fmha_slots(CK_FMHA_CACHE_INDEX)); });
    if (whole && problem.has(CK_FMHA_BLOCK_TABLE))
        add([&](Forward& next) { next.whole(words.pagedkv, kWhole | kPaged); });
    const std::uint64_t listed =
        (kWhole & ~fmha_slots(CK_FMHA_SEQSTART_K, CK_FMHA_SEQLEN_K)) | fmha_slots(CK_FMHA_KV_INDPTR, CK_FMHA_KV_PAGES);
    if (whole && problem.kv_page_count) add([&](Forward& next) { next.whole(words.batch_prefill, listed); });
    const bool regroups = can_regroup(begun.rest);
    if (whole && regroups && !problem.paged())
        add([&](Forward& next) {
            next.rest = regrouped(next.rest), next.whole(words.fwd, kWhole | fmha_slots(CK_FMHA_CACHE_INDEX));
        });
    if (whole && regroups && problem.has(CK_FMHA_BLOCK_TABLE))
        add([&](Forward& next) { next.rest = regrouped(next.rest), next.whole(words.pagedkv, kWhole | kPaged); });
    if (problem.decode_rows && !problem.kv_page_count) {
        const Name variant = problem.paged() ? words.pagedkv : words.fwd;
        const std::uint64_t slots = problem.paged() ? kWhole | kPaged : kWhole;
        if (whole) add([&](Forward& next) { next.apart(variant, slots, 1); });
        if (takes_parts(problem))
            for (const std::int64_t some : parts_to_try(problem, problem.decode_rows, double(problem.heads_q), gpu))
                if (some > 1) add([&](Forward& next) { next.apart(variant, slots, some); });
    }
    if (!takes_parts(problem)) return all;
    std::vector<std::int64_t> parts =
        parts_to_try(problem, problem.seqlen_q, double(regroups ? problem.heads_k : problem.heads_q), gpu);
    if (!problem.split_kv && problem.paged()) parts.insert(parts.begin(), 1);
    for (const std::int64_t some : parts) {
        if (some == 1 && !problem.paged()) continue;
        const auto split = [&](Forward& next) {
            next.make_room(some);
            next.compute_parts(next.rest, some);
            next.stages.main();
            next.combine(some);
        };
        add(split);
        if (regroups) add([&](Forward& next) { next.rest = regrouped(next.rest), split(next); });
    }
    return all;
}

std::vector<Division<FmhaProblem>> FmhaFamily::alternatives(const FmhaProblem& problem, const arch::GpuSpec& gpu) {
    if (problem.variant == fmha_words().forward) return forward_divisions(problem, gpu);
    if (problem.variant == fmha_words().backward) return backward_divisions(problem);
    return {};
}

}  // namespace ckdispatch
