// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstring>

#include "ckdispatch/capi/families.hpp"
#include "ckdispatch/capi/of_family.hpp"
#include "ckdispatch/gemm/family.hpp"

namespace ckdispatch::capi {
namespace {

static_assert(CKD_GEMM_MAX_DS == CK_GEMM_MAX_DS);

struct GemmBinding {
    using Family = GemmFamily;

    /// With what was appended later; in a shorter structure that is zero.
    static ckd_gemm_problem whole(const ckd_problem& base) {
        constexpr std::size_t shorter = offsetof(ckd_gemm_problem, dtype_d);
        if (base.family != CKD_GEMM || (base.struct_size != shorter && base.struct_size < sizeof(ckd_gemm_problem)))
            throw Error(ErrorCode::invalid_argument, "A GEMM was asked for with a structure that is no ckd_gemm_problem of this version.");
        ckd_gemm_problem problem{};
        std::memcpy(&problem, &base, base.struct_size == shorter ? shorter : sizeof(problem));
        return problem;
    }

    static GemmProblem read(const ckd_problem& base) {
        const ckd_gemm_problem p = whole(base);
        const auto text          = [](const char* given, const char* otherwise) { return given ? given : otherwise; };
        if (!p.dtype_a) throw Error(ErrorCode::invalid_argument, "A GEMM was asked for without the dtype of A; fp16 is one.");
        if (p.group_count < 0 || (p.group_count > 0 && !p.groups)) throw Error(ErrorCode::invalid_argument, "A GEMM of " + std::to_string(p.group_count) + " groups was asked for, and there are none.");
        GemmProblemBuilder builder;
        builder.sizes(p.m, p.n, p.k)
            .dtypes(p.dtype_a, text(p.dtype_b, p.dtype_a), text(p.dtype_c, ""))
            .layout(text(p.layout, "rcr"))
            .leading_dimensions(p.stride_a, p.stride_b, p.stride_c)
            .split_k(p.split_k == -1 ? 0 : p.split_k == 0 ? 1 : p.split_k)
            .fused(text(p.fused_op, ""), p.d_count)
            .d_tensors(text(p.dtype_d, ""), text(p.d_layout, ""))
            .alignment(p.alignment ? p.alignment : 16)
            .deterministic(p.deterministic != 0);
        if (p.workspace_limit) builder.workspace_limit(p.workspace_limit);
        if (p.weights_n || p.weights_k) builder.preshuffled(p.weights_n, p.weights_k);
        if (p.has_d_strides) builder.d_leading_dimensions(p.stride_d, CKD_GEMM_MAX_DS).d_batch_strides(p.batch_stride_d, CKD_GEMM_MAX_DS);
        for (std::int64_t i = 0; i < p.group_count; ++i) {
            const ckd_gemm_group& group = p.groups[i];
            builder.group(group.m, group.n, group.k, group.stride_a, group.stride_b, group.stride_c);
        }
        const std::int64_t batch = p.batch ? p.batch : 1;
        if (p.has_batch_strides)
            builder.batch(batch, p.batch_stride_a, p.batch_stride_b, p.batch_stride_c);
        else
            builder.batch(batch);
        return builder.build();
    }

    static GemmFilter filter(const Json& words) {
        GemmFilter filter;
        for (const auto& [field, value] : words.items()) {
            const Name word = text_member(words, field.c_str(), "The filter");
            if (field == "variant") filter.variant = word;
            else if (field == "dtype_a") filter.dtype_a = word;
            else if (field == "dtype_b") filter.dtype_b = word;
            else if (field == "dtype_c") filter.dtype_c = word;
            else if (field == "layout") filter.layout = word;
            else if (field == "pipeline") filter.pipeline = word;
            else if (field == "split_k") filter.split_k = word;
            else if (field == "fused_op") filter.fused_op = word;
            else throw Error(ErrorCode::invalid_argument, "A filter by '" + field + "' was asked for; GEMMs are filtered by variant, dtype_a, dtype_b, dtype_c, layout, pipeline, split_k, fused_op and gpu.");
        }
        return filter;
    }

    static std::int64_t parts(const GemmWay& way) { return way.parts; }

    static Validation validate(GemmDispatcher& dispatcher, const GemmProblem& problem, Tensors tensors, const RunOptions& options) {
        return ckdispatch::validate(dispatcher, problem, tensors, options);
    }
};

}  // namespace

FamilyEntry gemm_entry() { return family_entry<RegistryOf, GemmBinding>(CKD_GEMM); }

}  // namespace ckdispatch::capi
