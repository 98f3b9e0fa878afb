// SPDX-License-Identifier: MIT
#include "ckdispatch/batched_transpose/family.hpp"
#include "ckdispatch/capi/of_family.hpp"
#include "ckdispatch/capi/structures.hpp"

namespace ckdispatch::capi {
namespace {

BatchedTransposeProblem read(const ckd_problem& base) {
    using Structure = ckd_batched_transpose_problem;
    const auto p = whole<Structure>(
        base, CKD_BATCHED_TRANSPOSE, sizeof(Structure),
        "A batched transpose was asked for with a structure that is no ckd_batched_transpose_problem of this version.");
    BatchedTransposeProblem problem{p.batch, p.height, p.width, Name(text(p.dtype, "")),
                                    p.alignment ? p.alignment : 16};
    if (p.workspace_limit) problem.workspace_limit = p.workspace_limit;
    problem.check();
    return problem;
}

}  // namespace

std::unique_ptr<FamilyDispatcher> make_batched_transpose_dispatcher(const KernelRegistry& registry, Name gpu) {
    return std::make_unique<DispatcherOf<BatchedTransposeFamily, read>>(registry, gpu);
}

}  // namespace ckdispatch::capi
