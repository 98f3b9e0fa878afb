// SPDX-License-Identifier: MIT
//
// Host pass only: the kernels that compute gradients: dot_do_o, dq_dk_dv, convert_dq.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/attention.hpp"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/features.hpp"
#include "ck_kernel/host/fmha/gradients.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/backward.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

inline Ranges rows_of(const ck_fmha_problem& p) {
    return {values<std::int32_t>(p, CK_FMHA_SEQSTART_Q), values<std::int32_t>(p, CK_FMHA_SEQLEN_Q)};
}
inline Ranges columns_of(const ck_fmha_problem& p) {
    return {values<std::int32_t>(p, CK_FMHA_SEQSTART_K), values<std::int32_t>(p, CK_FMHA_SEQLEN_K)};
}

inline Grid rows_grid(const Config& c, const ck_fmha_problem& p) {
    return {ceil_div(p.seqlen_q, c.tile[0]), p.heads_q, p.batch};
}

struct Dot {
    using Args = DotArgs;

    static constexpr int kNeeded[] = {CK_FMHA_O, CK_FMHA_D_O, CK_FMHA_D};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return c.group && p.tensors[CK_FMHA_SEQSTART_Q] == nullptr;
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (const auto status = check_head(kernel, "hdim_v", p.hdim_v, c.hdim_v, c.pads.hdim_v, c.vector_v(), reason))
            return status;
        if (const auto status = check_padded_rows(kernel, p, reason)) return status;
        if (!(p.p_drop >= 0 && p.p_drop < 1))
            return reason(CK_KERNEL_INVALID, "%s was asked to drop %g of the scores; it must be from 0 to less than 1.",
                          kernel.name, static_cast<double>(p.p_drop));
        if (p.strides[CK_FMHA_D].row > 1)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for d with rows %lld elements apart, and takes them next to each other.",
                          kernel.name, static_cast<long long>(p.strides[CK_FMHA_D].row));
        const std::int64_t many = sequences(c, p), rows = rows_at_least(c, p.seqlen_q);
        const Operand operands[] = {{CK_FMHA_O, c.bytes, c.vector_v(), rows, p.hdim_v, p.heads_q, many, 1, false},
                                    {CK_FMHA_D_O, c.bytes, c.vector_v(), rows, p.hdim_v, p.heads_q, many, 1, false}};
        for (const Operand& operand : operands)
            if (const auto status = check_operand(kernel, p, operand, reason)) return status;
        return check_row(kernel, p, CK_FMHA_D, 1, reason);
    }

    static DotArgs arguments(const Config&, const ck_fmha_problem& p) {
        DotArgs args{};
        args.o = strided<const void>(p, CK_FMHA_O);
        args.d_o = strided<const void>(p, CK_FMHA_D_O);
        args.d = strided<void>(p, CK_FMHA_D);
        args.rows = rows_of(p);
        args.seqlen_q = static_cast<std::int32_t>(p.seqlen_q);
        args.hdim_v = static_cast<std::int32_t>(p.hdim_v);
        args.keep = 1.0f - p.p_drop;
        return args;
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) { return rows_grid(c, p); }
};

struct Convert {
    using Args = ConvertArgs;

    static constexpr int kNeeded[] = {CK_FMHA_DQ_ACC, CK_FMHA_DQ};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return c.group && (p.tensors[CK_FMHA_SEQSTART_Q] == nullptr ||
                           (c.deterministic && p.tensors[CK_FMHA_SEQSTART_K] == nullptr));
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        const int vector = c.pads.hdim_q ? 1 : 16 / kAccBytes;  // of both: as many elements as it reads at a time
        if (const auto status = check_head(kernel, "hdim_q", p.hdim_q, c.hdim_q, c.pads.hdim_q, vector, reason))
            return status;
        if (const auto status = check_padded_rows(kernel, p, reason)) return status;
        const std::int64_t many = sequences(c, p), rows = rows_at_least(c, p.seqlen_q);
        const Operand operands[] = {
            {CK_FMHA_DQ_ACC, kAccBytes, vector, rows, p.hdim_q, p.heads_q, many, parts_of(c, p.seqlen_k), false},
            {CK_FMHA_DQ, c.bytes, vector, rows, p.hdim_q, p.heads_q, many, 1, true}};
        for (const Operand& operand : operands)
            if (const auto status = check_operand(kernel, p, operand, reason)) return status;
        return check_parts(kernel, p, reason);
    }

    static ConvertArgs arguments(const Config&, const ck_fmha_problem& p) {
        ConvertArgs args{};
        args.dq_acc = strided<const void>(p, CK_FMHA_DQ_ACC);
        args.dq = strided<void>(p, CK_FMHA_DQ);
        args.rows = rows_of(p);
        args.columns = columns_of(p);
        args.seqlen_q = static_cast<std::int32_t>(p.seqlen_q);
        args.seqlen_k = static_cast<std::int32_t>(p.seqlen_k);
        args.hdim_q = static_cast<std::int32_t>(p.hdim_q);
        return args;
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) { return rows_grid(c, p); }
};

struct Gradients {
    using Args = GradientArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q,   CK_FMHA_K, CK_FMHA_V,  CK_FMHA_LSE,
                                      CK_FMHA_D_O, CK_FMHA_D, CK_FMHA_DK, CK_FMHA_DV};

    // Kernels for few rows have dq whole.
    static constexpr int dq_of(const Config& c) {
        return c.pipeline == Pipeline::qr_trload ? CK_FMHA_DQ : CK_FMHA_DQ_ACC;
    }

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return lacks_attention_feature(c, p) || p.tensors[dq_of(c)] == nullptr ||
               (c.bias_grad && p.tensors[CK_FMHA_DBIAS] == nullptr) ||
               (c.group && p.tensors[CK_FMHA_SEQSTART_K] == nullptr);
    }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (const auto status = check_head(kernel, "hdim_q", p.hdim_q, c.hdim_q, c.pads.hdim_q, c.vector_q(), reason))
            return status;
        if (const auto status = check_head(kernel, "hdim_v", p.hdim_v, c.hdim_v, c.pads.hdim_v, c.vector_v(), reason))
            return status;
        if (const auto status = check_features(kernel, p, reason)) return status;
        if (const auto status = check_backward(kernel, p, reason)) return status;
        if (const auto status = check_tensors(kernel, p, reason)) return status;
        return c.pipeline == Pipeline::qr_trload ? CK_KERNEL_OK : check_parts(kernel, p, reason);
    }

    static GradientArgs arguments(const Config& c, const ck_fmha_problem& p) {
        const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
        const Window window = window_of(p);
        GradientArgs args{};
        args.q = strided<const void>(p, CK_FMHA_Q);
        args.k = strided<const void>(p, CK_FMHA_K);
        args.v = strided<const void>(p, CK_FMHA_V);
        args.bias = strided<const void>(p, CK_FMHA_BIAS);
        args.d_o = strided<const void>(p, CK_FMHA_D_O);
        args.lse = strided<const void>(p, CK_FMHA_LSE);
        args.d = p.tensors[CK_FMHA_D];
        args.dq_acc = strided<void>(p, dq_of(c));
        args.dk = strided<void>(p, CK_FMHA_DK);
        args.dv = strided<void>(p, CK_FMHA_DV);
        args.dbias = strided<void>(p, CK_FMHA_DBIAS);
        args.rows = rows_of(p);
        args.columns = columns_of(p);
        args.seqlen_q = narrow(p.seqlen_q);
        args.seqlen_k = narrow(p.seqlen_k);
        args.hdim_q = narrow(p.hdim_q);
        args.hdim_v = narrow(p.hdim_v);
        args.heads_q = narrow(p.heads_q);
        args.group_heads = narrow(p.heads_q / p.heads_k);
        args.window_left = window.left;
        args.window_right = window.right;
        args.top_left = window.top_left;
        args.scale = p.scale;
        args.scale_log2 = p.scale * kLog2E;
        args.dropout = dropout_of(p);
        return args;
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        return {c.pipeline == Pipeline::qr_trload ? 1 : ceil_div(p.seqlen_k, c.tile[1]), p.heads_q, p.batch};
    }

private:
    static ck_kernel_status check_tensors(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        const std::int64_t many = sequences(c, p), rows = rows_at_least(c, p.seqlen_q),
                           keys = rows_at_least(c, p.seqlen_k);
        const int vq = c.vector_q(), vv = c.vector_v();
        const bool whole_dq = c.pipeline == Pipeline::qr_trload;
        const Operand operands[] = {
            {CK_FMHA_Q, c.bytes, vq, rows, p.hdim_q, p.heads_q, many, 1, false},
            {CK_FMHA_K, c.bytes, vq, keys, p.hdim_q, p.heads_k, many, 1, false},
            {CK_FMHA_V, c.bytes, vv, keys, p.hdim_v, p.heads_k, many, 1, false},
            {CK_FMHA_D_O, c.bytes, vv, rows, p.hdim_v, p.heads_q, many, 1, false},
            {dq_of(c), whole_dq ? c.bytes : kAccBytes, whole_dq ? vq : 1, rows, p.hdim_q, p.heads_q, many, 1, true},
            {CK_FMHA_DK, c.bytes, vq, keys, p.hdim_q, p.heads_q, many, 1, true},
            {CK_FMHA_DV, c.bytes, vv, keys, p.hdim_v, p.heads_q, many, 1, true},
        };
        for (const Operand& operand : operands)
            if (const auto status = check_operand(kernel, p, operand, reason)) return status;
        for (const int index : {CK_FMHA_BIAS, CK_FMHA_DBIAS})
            if (index == CK_FMHA_BIAS ? c.bias == Bias::elementwise : c.bias_grad)
                if (const auto status = check_operand(
                        kernel, p, {index, c.bytes, 1, rows, p.seqlen_k, p.heads_q, many, 1, index == CK_FMHA_DBIAS},
                        reason))
                    return status;
        for (const int index : {CK_FMHA_LSE, CK_FMHA_D})
            if (const auto status = check_row(kernel, p, index, 1, reason)) return status;
        return CK_KERNEL_OK;
    }
};

}  // namespace ck_kernel::fmha
