// SPDX-License-Identifier: MIT
//
// Host pass only: which attentions a library gives one more column, and the launch.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/config.hpp"
#include "ck_kernel/plan/fmha/sink.hpp"

namespace ck_kernel::fmha {

// Packed sequences are those with seqstart_q.
struct Sink {
    using Args = SinkArgs;

    static constexpr int kNeeded[] = {CK_FMHA_O, CK_FMHA_LSE, CK_FMHA_SINK};

    static bool lacks_feature(const Config&, const ck_fmha_problem&) { return false; }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (p.hdim_v > c.hdim_v)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for hdim_v = %lld and computes up to %d.", kernel.name,
                          static_cast<long long>(p.hdim_v), c.hdim_v);
        const ck_fmha_strides &o = p.strides[CK_FMHA_O], &lse = p.strides[CK_FMHA_LSE];
        const bool packed = p.tensors[CK_FMHA_SEQSTART_Q] != nullptr, several = p.batch > 1 && !packed;
        if (lse.row > 1)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for lse with rows %lld elements apart, and takes them next to each other.",
                          kernel.name, static_cast<long long>(lse.row));
        if (o.row < 0 || o.head < 0 || o.batch < 0 || lse.head < 0 || lse.batch < 0 ||
            (p.seqlen_q > 1 && o.row < p.hdim_v) || (p.heads_q > 1 && (o.head == 0 || lse.head == 0)) ||
            (several && (o.batch == 0 || lse.batch == 0)))
            return reason(CK_KERNEL_INVALID,
                          "%s was asked for o with strides of %lld, %lld and %lld elements (row, head, batch) and lse "
                          "with %lld and %lld (head, batch), where rows overlap.",
                          kernel.name, static_cast<long long>(o.row), static_cast<long long>(o.head),
                          static_cast<long long>(o.batch), static_cast<long long>(lse.head),
                          static_cast<long long>(lse.batch));
        if (misaligned(p.tensors[CK_FMHA_O], c.o_bytes) || misaligned(p.tensors[CK_FMHA_LSE], 4) ||
            misaligned(p.tensors[CK_FMHA_SINK], 4))
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for o, lse or sink at an address that is not a multiple of its elements' size.",
                          kernel.name);
        return CK_KERNEL_OK;
    }

    static SinkArgs arguments(const Config&, const ck_fmha_problem& p) {
        SinkArgs args{};
        args.o = p.tensors[CK_FMHA_O];
        args.lse = static_cast<float*>(p.tensors[CK_FMHA_LSE]);
        args.sink = static_cast<const float*>(p.tensors[CK_FMHA_SINK]);
        args.start = static_cast<const std::int32_t*>(p.tensors[CK_FMHA_SEQSTART_Q]);
        args.length = static_cast<const std::int32_t*>(p.tensors[CK_FMHA_SEQLEN_Q]);
        args.o_row = p.strides[CK_FMHA_O].row;
        args.o_head = p.strides[CK_FMHA_O].head;
        args.o_batch = p.strides[CK_FMHA_O].batch;
        args.lse_head = p.strides[CK_FMHA_LSE].head;
        args.lse_batch = p.strides[CK_FMHA_LSE].batch;
        args.rows = static_cast<std::int32_t>(p.seqlen_q);
        args.columns = static_cast<std::int32_t>(p.hdim_v);
        return args;
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        return {ceil_div(p.seqlen_q, c.tile[0]), p.heads_q, p.batch};
    }
};

}  // namespace ck_kernel::fmha
