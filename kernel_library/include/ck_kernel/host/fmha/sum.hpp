// SPDX-License-Identifier: MIT
//
// Host pass only: which sums of heads a library computes, and their launch.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/config.hpp"
#include "ck_kernel/plan/fmha/sum.hpp"

namespace ck_kernel::fmha {

// Rows of hdim_q elements: seqlen_q of each of `batch` sequences. Packed sequences are one of as many rows as there
// are.
struct Sum {
    using Args = SumArgs;

    static constexpr int kNeeded[] = {CK_FMHA_Q, CK_FMHA_O};

    static bool lacks_feature(const Config&, const ck_fmha_problem&) { return false; }

    static ck_kernel_status check(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
        const Config& c = kernel.config;
        if (p.hdim_q > c.hdim_q)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for hdim_q = %lld and computes up to %d.", kernel.name,
                          static_cast<long long>(p.hdim_q), c.hdim_q);
        for (const int index : {CK_FMHA_Q, CK_FMHA_O}) {
            const ck_fmha_strides& s = p.strides[index];
            const std::int64_t heads = index == CK_FMHA_Q ? p.heads_q : p.heads_k;
            if (s.row < 0 || s.head < 0 || s.batch < 0 || (p.seqlen_q > 1 && s.row < p.hdim_q) ||
                (heads > 1 && s.head == 0) || (p.batch > 1 && s.batch == 0))
                return reason(CK_KERNEL_INVALID,
                              "%s was asked for %s with strides of %lld, %lld and %lld elements (row, head, batch), "
                              "where rows of %lld elements overlap.",
                              kernel.name, name_of(index), static_cast<long long>(s.row),
                              static_cast<long long>(s.head), static_cast<long long>(s.batch),
                              static_cast<long long>(p.hdim_q));
            if (misaligned(p.tensors[index], c.bytes))
                return reason(CK_KERNEL_UNSUPPORTED,
                              "%s was asked for %s at an address that is not a multiple of %d bytes.", kernel.name,
                              name_of(index), c.bytes);
        }
        return CK_KERNEL_OK;
    }

    static SumArgs arguments(const Config& c, const ck_fmha_problem& p) {
        const ck_fmha_strides &from = p.strides[CK_FMHA_Q], &to = p.strides[CK_FMHA_O];
        const int vector = kSumBytes / c.bytes;
        bool vectors = p.hdim_q % vector == 0 && !misaligned(p.tensors[CK_FMHA_Q], kSumBytes) &&
                       !misaligned(p.tensors[CK_FMHA_O], kSumBytes);
        for (const std::int64_t stride : {from.row, from.head, from.batch, to.row, to.head, to.batch})
            vectors = vectors && stride % vector == 0;
        SumArgs args{};
        args.from = p.tensors[CK_FMHA_Q];
        args.to = p.tensors[CK_FMHA_O];
        args.from_row = from.row;
        args.from_head = from.head;
        args.from_batch = from.batch;
        args.to_row = to.row;
        args.to_head = to.head;
        args.to_batch = to.batch;
        args.rows = static_cast<std::int32_t>(p.seqlen_q);
        args.columns = static_cast<std::int32_t>(p.hdim_q);
        args.heads = static_cast<std::int32_t>(p.heads_q / p.heads_k);
        args.vectors = vectors;
        return args;
    }

    static Grid grid(const Config& c, const ck_fmha_problem& p, int) {
        return {ceil_div(p.seqlen_q, c.tile[0]), p.heads_k, p.batch};
    }
};

}  // namespace ck_kernel::fmha
