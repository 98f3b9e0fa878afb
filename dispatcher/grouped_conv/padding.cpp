// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/padding.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {
namespace {

using PlanPtr = GroupedConvDispatcher::PlanPtr;

std::int64_t round_up(std::int64_t extent, std::int64_t step) { return (extent + step - 1) / step * step; }

// With whole vectors of channels for a kernel. The vectors are those of A, B and C, which are other tensors in each direction.
GroupedConvProblem filled_up(const GroupedConvProblem& problem, const GroupedConvKey& key) {
    std::int64_t c = std::lcm(key.vector_b, key.vector_c), k = key.vector_a;
    if (key.variant == grouped_conv_words().forward) c = std::lcm(key.vector_a, key.vector_b), k = key.vector_c;
    // The first is one of w, along channels and taps; the others move positions.
    if (GroupedConvLayout::find(key.layout).channels_first) c = key.vector_a, k = 1;
    GroupedConvProblem larger = problem;
    larger.c                  = round_up(problem.c, c);
    larger.k                  = round_up(problem.k, k);
    larger.alignment          = 16;
    return larger;
}

// The plan of the kernel that should take the least time for as many channels as it wants; none if no kernel takes the problem at all.
PlanPtr fastest(const GroupedConvSelector& selector, const GroupedConvProblem& problem) {
    PlanPtr best;
    for (const auto& kernel : selector.registry().kernels()) {
        if (!GroupedConvFamily::mismatch(kernel->key(), problem, selector.facts()).why.empty()) continue;
        try {
            const PlanPtr plan = selector.select_explicit(kernel, filled_up(problem, kernel->key()));
            if (!best || plan->microseconds < best->microseconds) best = plan;
        } catch (const Error&) {
            // It has other reasons, too.
        }
    }
    return best;
}

// A tensor as blocks of rows, whose width and number are what more channels change. In bytes and from the outermost on.
struct Blocks {
    std::size_t count = 1, rows = 1, width = 1;

    // What begins with the outer of two channels is a block, what begins with the inner one is a row.
    Blocks(const GroupedConvProblem& p, std::size_t tensor) {
        const std::int64_t positions[] = {p.inputs(), p.filters(), p.outputs(), 1};
        const std::string_view letters = tensor == 3 ? "gk" : GroupedConvLayout::find(p.layout).of_tensor(tensor);
        const std::size_t inner = letters.find_last_of("ck"), outer = letters.find_first_of("ck");
        bool met = false;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            std::int64_t extent = letters[i] == 'n' ? p.n : letters[i] == 'g' ? p.g : letters[i] == 'c' ? p.c : letters[i] == 'k' ? p.k : 1;
            if (GroupedConvLayout::is_position(letters[i])) extent = met ? 1 : positions[tensor], met = true;
            (i >= inner ? width : i >= outer ? rows : count) *= std::size_t(extent);
        }
        width = std::size_t(double(width) * element_bytes(p.dtype_of(tensor)));
        // One kind of channels only: all rows are one block.
        if (inner == outer) rows = count, count = 1;
    }
};

// From one of two tensors of different channels to the other: what both have.
void copy_common(Device& device, void* to, const Blocks& to_blocks, const void* from, const Blocks& from_blocks, void* stream) {
    const std::size_t width = std::min(to_blocks.width, from_blocks.width), rows = std::min(to_blocks.rows, from_blocks.rows);
    for (std::size_t i = 0; i < to_blocks.count; ++i)
        device.copy_rows(static_cast<char*>(to) + i * to_blocks.rows * to_blocks.width, to_blocks.width, static_cast<const char*>(from) + i * from_blocks.rows * from_blocks.width,
                         from_blocks.width, width, rows, stream);
}

void run_on_copies(GroupedConvDispatcher& dispatcher, const GroupedConvPlan& plan, const GroupedConvProblem& problem, Tensors tensors, const RunOptions& options) {
    Device& device = dispatcher.device();
    std::vector<DeviceBuffer> copies;
    std::vector<void*> addresses;
    const std::size_t result = problem.result();
    for (std::size_t i = 0; i < GroupedConvFamily::tensor_count(problem); ++i) {
        copies.emplace_back(dispatcher.shared_device(), GroupedConvFamily::tensor_bytes(plan.problem, i));
        addresses.push_back(copies.back().address());
        if (i == result) continue;
        device.fill(addresses[i], 0, copies[i].size(), options.stream);
        copy_common(device, addresses[i], {plan.problem, i}, tensors[i], {problem, i}, options.stream);
    }
    dispatcher.run_plan(plan, addresses.data(), options);
    copy_common(device, tensors[result], {problem, result}, addresses[result], {plan.problem, result}, options.stream);
    device.synchronize(options.stream);
}

}  // namespace

PlanPtr run_padded(GroupedConvDispatcher& dispatcher, const GroupedConvProblem& problem, Tensors tensors, const RunOptions& options) {
    try {
        return dispatcher.run(problem, tensors, options);
    } catch (const Error& refusal) {
        if (refusal.code() != ErrorCode::no_kernel) throw;
        const PlanPtr plan = fastest(dispatcher.selector(), problem);
        if (!plan) throw;
        run_on_copies(dispatcher, *plan, problem, tensors, options);
        return plan;
    }
}

}  // namespace ckdispatch
