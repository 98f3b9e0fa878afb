// SPDX-License-Identifier: MIT
// Plans of a candidate, of pieces, and of a larger problem on copies. Of Selector, which includes it.
#pragma once

#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

template <class Family>
auto Selector<Family>::padding(const Problem& problem, const Problem& larger) -> Division<Problem> {
    Division<Problem> division;
    division.pieces.push_back({larger, {}, {}, {}});
    auto& piece = division.pieces[0];
    for (std::size_t i = 0; i < Family::tensor_count(problem); ++i) {
        const Lines own = Family::lines(problem, i), wanted = Family::lines(larger, i);
        const bool alike = own.in_bytes() == wanted.in_bytes() && problem.alignment >= larger.alignment;
        const Argument copy = alike ? Argument::tensor(i) : Argument::temporary(division.temporaries.size());
        piece.arguments.push_back(copy);
        if (alike) continue;
        if (Family::optional(problem, i)) return {};
        const std::uint64_t bytes = region_of(wanted).reach;
        division.temporaries.push_back({bytes});
        if (wanted.written) {
            if (!Family::writes_all(problem, i))
                piece.before.push_back(copying(copy, wanted, Argument::tensor(i), own));
            piece.after.push_back(copying(Argument::tensor(i), own, copy, wanted));
            continue;
        }
        const Transfer elements = copying(copy, wanted, Argument::tensor(i), own);
        if (elements.bytes() < bytes) piece.before.push_back(clearing(copy, bytes));
        piece.before.push_back(elements);
    }
    return division;
}

template <class Family>
std::shared_ptr<Plan<Family>> Selector<Family>::empty_plan(const Problem& problem) const {
    auto plan = std::make_shared<Plan<Family>>();
    plan->problem = problem;
    plan->gpu = gpu_;
    plan->regions = regions_of(problem);
    return plan;
}

template <class Family>
auto Selector<Family>::make_plan(const Candidate<Family>& candidate, const Problem& problem) const -> PlanPtr {
    const auto plan = empty_plan(problem);
    Stage<Family> stage{candidate.kernel,
                        &candidate.kernel->library().api(),
                        candidate.way,
                        candidate.workspace_bytes,
                        problem,
                        {},
                        {},
                        {}};
    for (std::size_t i = 0; i < plan->regions.size(); ++i) stage.arguments.push_back(Argument::tensor(i));
    if (candidate.workspace_bytes) {
        stage.scratch = 0;
        plan->temporaries.push_back({candidate.workspace_bytes});
    }
    plan->microseconds = candidate.microseconds;
    const std::uint32_t phases = phases_of(candidate, problem);
    for (const std::uint32_t phase : {CK_PHASE_CLEAR, CK_PHASE_COMPUTE, CK_PHASE_COMBINE}) {
        stage.phases = phase;
        if (phases & phase) plan->stages.push_back(stage);
    }
    stage.phases = 0;
    if (plan->stages.empty()) plan->stages.push_back(std::move(stage));
    plan->lay_out();
    return plan;
}

template <class Family>
std::uint32_t Selector<Family>::phases_of(const Candidate<Family>& candidate, const Problem& problem) const {
    const ck_kernel_api& api = candidate.kernel->library().api();
    if (api.struct_size < sizeof(ck_kernel_api) || !api.phases || Family::launches(problem, candidate.way) != 1)
        return 0;
    std::uint32_t bits = 0;
    char why[512] = "";
    const auto bound = Family::probe(problem, candidate.way);
    const auto status = api.phases(&bound.base, gpu_.c_str(), &bits, why, sizeof(why));
    if (status != CK_KERNEL_OK) throw_error(code_of(status), why);
    return bits == CK_PHASE_COMPUTE ? 0 : bits;
}

template <class Family>
auto Selector<Family>::within_limit(PlanPtr plan) -> PlanPtr {
    if (plan->workspace_bytes <= plan->problem.workspace_limit) return plan;
    throw NoKernelError("A plan for " + plan->problem.text() + " needs a workspace of " +
                        std::to_string(plan->workspace_bytes) + " bytes, and the limit is " +
                        std::to_string(plan->problem.workspace_limit) + ".");
}

template <class Family>
template <class SelectPiece>
std::shared_ptr<Plan<Family>> Selector<Family>::joined(const Problem& problem, const Division<Problem>& division,
                                                       SelectPiece&& select_piece) const {
    const auto plan = empty_plan(problem);
    plan->temporaries = division.temporaries;
    plan->before = division.before;
    for (const Transfer& one : division.before) plan->microseconds += costs_.transfer_microseconds(one.bytes(), 1);
    for (const auto& piece : division.pieces) {
        const std::size_t first = plan->stages.size();
        plan->append(*select_piece(piece.problem), piece.arguments);
        plan->microseconds += transfers_of(piece);
        for (std::size_t i = first; i < plan->stages.size(); ++i) {
            Stage<Family>& stage = plan->stages[i];
            for (std::size_t t = 0; t < stage.arguments.size(); ++t)
                if (stage.arguments[t].kind == Argument::Kind::temporary &&
                    !Family::needs(stage.kernel->key(), stage.problem, t))
                    stage.arguments[t] = {};
        }
        auto &before = plan->stages[first].before, &after = plan->stages.back().after;
        before.insert(before.begin(), piece.before.begin(), piece.before.end());
        after.insert(after.end(), piece.after.begin(), piece.after.end());
    }
    plan->lay_out();
    return plan;
}

template <class Family>
std::vector<Region> Selector<Family>::regions_of(const Problem& problem) {
    std::vector<Region> regions(Family::tensor_count(problem));
    for (std::size_t i = 0; i < regions.size(); ++i) {
        regions[i] = Family::region(problem, i);
        regions[i].optional = Family::optional(problem, i);
    }
    return regions;
}

}  // namespace ckdispatch
