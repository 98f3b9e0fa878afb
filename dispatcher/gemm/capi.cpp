// SPDX-License-Identifier: MIT
#include <cstddef>

#include "ckdispatch/capi/of_family.hpp"
#include "ckdispatch/capi/structures.hpp"
#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/product/split_k.hpp"

namespace ckdispatch::capi {
namespace {

static_assert(CKD_GEMM_MAX_DS == CK_GEMM_MAX_DS);

GemmProblem read(const ckd_problem& base) {
    // A program of an earlier version has a structure that ends before dtype_d.
    const auto p =
        whole<ckd_gemm_problem>(base, CKD_GEMM, offsetof(ckd_gemm_problem, dtype_d),
                                "A GEMM was asked for with a structure that is no ckd_gemm_problem of this version.");
    if (!p.dtype_a) throw InvalidArgumentError("A GEMM was asked for without the dtype of A; fp16 is one.");
    GemmProblemBuilder::check_groups(p.group_count);
    if (p.group_count < 0 || (p.group_count > 0 && !p.groups))
        throw InvalidArgumentError("A GEMM of " + std::to_string(p.group_count) +
                                   " groups was asked for, and there are none.");
    const std::string_view dtype_a = text(p.dtype_a, "");
    GemmProblemBuilder builder;
    builder.sizes(p.m, p.n, p.k)
        .dtypes(dtype_a, text(p.dtype_b, dtype_a), text(p.dtype_c, ""))
        .layout(text(p.layout, "rcr"))
        .leading_dimensions(p.stride_a, p.stride_b, p.stride_c)
        .split_k(SplitK::parts_of(p.split_k))
        .fused(text(p.fused_op, ""), p.d_count)
        .d_tensors(text(p.dtype_d, ""), text(p.d_layout, ""))
        .alignment(p.alignment ? p.alignment : 16)
        .deterministic(p.deterministic != 0);
    if (p.workspace_limit) builder.workspace_limit(p.workspace_limit);
    if (p.weights_n || p.weights_k) builder.preshuffled(p.weights_n, p.weights_k);
    if (p.has_d_strides)
        builder.d_leading_dimensions(p.stride_d, CKD_GEMM_MAX_DS).d_batch_strides(p.batch_stride_d, CKD_GEMM_MAX_DS);
    for (std::int64_t i = 0; i < p.group_count; ++i) {
        const ckd_gemm_group& group = p.groups[i];
        builder.group(group.m, group.n, group.k, group.stride_a, group.stride_b, group.stride_c);
    }
    const std::int64_t batch = p.batch ? p.batch : 1;
    if (p.has_batch_strides) builder.batch(batch, p.batch_stride_a, p.batch_stride_b, p.batch_stride_c);
    else builder.batch(batch);
    return builder.build();
}

}  // namespace

std::unique_ptr<FamilyDispatcher> make_gemm_dispatcher(const KernelRegistry& registry, Name gpu) {
    return std::make_unique<DispatcherOf<GemmFamily, read>>(registry, gpu);
}

}  // namespace ckdispatch::capi
