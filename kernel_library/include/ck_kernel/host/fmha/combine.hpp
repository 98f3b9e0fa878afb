// SPDX-License-Identifier: MIT
//
// Host pass only: the kernel that puts parts of an attention together.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/attention.hpp"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/combine.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

struct Combine {
    using Args = CombineArgs;

    static constexpr int kNeeded[] = {CK_FMHA_O_ACC, CK_FMHA_LSE_ACC, CK_FMHA_O};

    static bool lacks_feature(const Config& c, const ck_fmha_problem& p) {
        return (c.lse && p.tensors[CK_FMHA_LSE] == nullptr) || (c.group && p.tensors[CK_FMHA_SEQSTART_Q] == nullptr);
    }

    // Rows of a workgroup.
    static constexpr int rows(int wave_size) { return wave_size / kCombineLanesOfRow; }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (p.parts < 1 || p.parts > c.max_splits)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked to combine %lld parts and takes from 1 to %d.",
                          kernel.name, static_cast<long long>(p.parts), c.max_splits);
        if (const auto status = check_head(kernel, "hdim_v", p.hdim_v, c.hdim_v, c.pads.hdim_v,
                                           c.pads.hdim_v ? 1 : 16 / c.o_bytes, reason))
            return status;
        if (const auto status = check_multiple(kernel, "rows", p.seqlen_q, rows(64), c.pads.q != 0, reason))
            return status;
        if (c.pads.q == 0 && p.tensors[CK_FMHA_SEQLEN_Q] != nullptr)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was given seqlen_q and does not pad rows, of which sequences then have any number.",
                          kernel.name);
        if (!c.lse && p.tensors[CK_FMHA_LSE] != nullptr)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for lse and stores none.", kernel.name);
        if (c.scales && p.scale_o - p.scale_o != 0.0f)
            return reason(CK_KERNEL_INVALID, "%s was asked for the scale %g of o; it must be finite.", kernel.name,
                          static_cast<double>(p.scale_o));
        if (!c.scales && p.scale_o != 0 && p.scale_o != 1)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for a scale of o and has none.", kernel.name);
        if (const auto status = check_unread(kernel, p, {c.group ? CK_FMHA_SEQLEN_Q : CK_FMHA_SEQSTART_Q}, reason))
            return status;
        const std::int64_t many = c.group ? 1 : p.batch;
        const int whole = c.pads.hdim_v ? 1 : 4;
        const int lse_vector = c.pads.q ? 1 : 4;
        const Operand operands[] = {
            {CK_FMHA_O_ACC, 4, whole, rows_of(c, p.seqlen_q), p.hdim_v, p.heads_q, many, p.parts, false},
            {CK_FMHA_LSE_ACC, 4, lse_vector, 1, p.seqlen_q, p.heads_q, many, p.parts, false},
            {CK_FMHA_O, c.o_bytes, c.pads.hdim_v ? 1 : 16 / c.o_bytes, rows_of(c, p.seqlen_q), p.hdim_v, p.heads_q,
             many, 1, true},
        };
        for (const Operand& operand : operands)
            if (const auto status = check_operand(kernel, p, operand, reason)) return status;
        return c.lse ? check_operand(kernel, p, {CK_FMHA_LSE, 4, lse_vector, 1, p.seqlen_q, p.heads_q, many, 1, true},
                                     reason)
                     : CK_KERNEL_OK;
    }

    static CombineArgs arguments(const Config&, const ck_fmha_problem& p) {
        const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
        return {strided<const void>(p, CK_FMHA_O_ACC),
                strided<const void>(p, CK_FMHA_LSE_ACC),
                strided<void>(p, CK_FMHA_O),
                strided<void>(p, CK_FMHA_LSE),
                values<std::int32_t>(p, CK_FMHA_SEQSTART_Q),
                values<std::int32_t>(p, CK_FMHA_SEQLEN_Q),
                narrow(p.batch),
                narrow(p.seqlen_q),
                narrow(p.hdim_v),
                narrow(p.parts),
                p.scale_o};
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int wave_size) {
        return {ceil_div(p.seqlen_q, rows(wave_size)) * ceil_div(p.hdim_v, c.tile[0]), p.heads_q, p.batch};
    }
};

}  // namespace ck_kernel::fmha
