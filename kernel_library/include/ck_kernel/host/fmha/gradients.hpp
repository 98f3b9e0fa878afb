// SPDX-License-Identifier: MIT
//
// Host pass only: what the kernels of the gradients ask of a problem that those of the forward side do not.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/backward.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

constexpr int kAccBytes = 4;  // of an element of dq_acc

// Packed sequences have no stride, but lie rows apart however short they are.
constexpr std::int64_t sequences(const Config& c, const ck_fmha_problem& p) { return c.group ? 1 : p.batch; }
constexpr std::int64_t rows_at_least(const Config& c, std::int64_t rows) { return c.group && rows < 2 ? 2 : rows; }

// Parts of dq_acc: deterministic kernels keep apart what each block of keys adds.
constexpr std::int64_t parts_of(const Config& c, std::int64_t seqlen_k) {
    const std::int64_t blocks = c.deterministic ? ceil_div(seqlen_k, c.tile[1]) : 1;
    return blocks < 1 ? 1 : blocks;
}

// Of kernels whose workgroups take rows.
inline ck_kernel_status check_padded_rows(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    if (c.pads.q == 0 && (c.group || p.tensors[CK_FMHA_SEQLEN_Q] != nullptr))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for sequences of different lengths and does not pad rows, of which they then have "
                      "any number.",
                      kernel.name);
    if (!c.group && (p.tensors[CK_FMHA_SEQSTART_Q] != nullptr || p.tensors[CK_FMHA_SEQSTART_K] != nullptr))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for packed sequences and computes those that have a stride.",
                      kernel.name);
    return check_multiple(kernel, "rows", p.seqlen_q, c.tile[0], c.pads.q != 0, reason);
}

inline ck_kernel_status check_parts(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    const std::int64_t parts = parts_of(c, p.seqlen_k);
    if (p.parts != parts && !(p.parts == 0 && !c.deterministic))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for dq_acc in %lld parts, and has %lld for %lld keys.",
                      kernel.name, static_cast<long long>(p.parts), static_cast<long long>(parts),
                      static_cast<long long>(p.seqlen_k));
    // CK reads the part behind the only one of a sequence with few keys, and takes it for zeros because it is out of
    // reach.
    const ck_fmha_strides& s = p.strides[CK_FMHA_DQ_ACC];
    const std::int64_t extent = (p.seqlen_q - 1) * s.row + p.hdim_q;
    if (c.deterministic && (s.part < extent || s.part >= kLimit))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for dq_acc with parts that are %lld elements apart; they must be from %lld, which "
                      "the rows of a head take, to 2^31-1.",
                      kernel.name, static_cast<long long>(s.part), static_cast<long long>(extent));
    return CK_KERNEL_OK;
}

// Beyond what check_features() says of all kernels that compute scores.
inline ck_kernel_status check_backward(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    const ck_fmha_strides &lse = p.strides[CK_FMHA_LSE], &d = p.strides[CK_FMHA_D], &bias = p.strides[CK_FMHA_BIAS];
    if (p.seqlen_k < 1)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for no keys at all, where all gradients are zero without a kernel.", kernel.name);
    if (c.pipeline == Pipeline::qr_trload && p.seqlen_q > c.tile[0])
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %lld rows and computes up to %d.", kernel.name,
                      static_cast<long long>(p.seqlen_q), c.tile[0]);
    if (!c.group && (p.tensors[CK_FMHA_SEQSTART_Q] != nullptr || p.tensors[CK_FMHA_SEQSTART_K] != nullptr))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for packed sequences and computes those that have a stride.",
                      kernel.name);
    if (c.bias == Bias::none && p.scale <= 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for a scale of %g and masks scores before it scales them: it must be positive.",
                      kernel.name, static_cast<double>(p.scale));
    if (p.tensors[CK_FMHA_RANDVAL] != nullptr)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for random bytes and stores none; the forward kernel with the same seed does.",
                      kernel.name);
    if (p.tensors[CK_FMHA_DBIAS] != nullptr && !c.bias_grad)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for the gradient of a bias and computes none.", kernel.name);
    if (p.page_rows != 0)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for gradients of keys in pages and takes keys in one piece.",
                      kernel.name);
    if (lse.row > 1 || d.row > 1)
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for lse and d with rows %lld and %lld elements apart, and takes them next to each other.",
            kernel.name, static_cast<long long>(lse.row), static_cast<long long>(d.row));
    if ((p.heads_q > 1 && lse.head != d.head) || (!c.group && p.batch > 1 && lse.batch != d.batch))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for lse and d whose strides by head (%lld, %lld) or sequence (%lld, %lld) "
                      "differ, and has one for both.",
                      kernel.name, static_cast<long long>(lse.head), static_cast<long long>(d.head),
                      static_cast<long long>(lse.batch), static_cast<long long>(d.batch));
    if (c.bias == Bias::alibi && p.heads_q > 1 && bias.head != 1)
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for slopes that are %lld elements apart; those of one sequence must be next to each other.",
            kernel.name, static_cast<long long>(bias.head));
    // Beyond the last row there is a bias then, but no lse: its exponential may be infinite, and times the zeros of d_o
    // no number.
    if (c.bias == Bias::elementwise && !c.mask && bias.row == 0 &&
        (c.group || p.tensors[CK_FMHA_SEQLEN_Q] != nullptr || p.seqlen_q % c.tile[0] != 0))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for one bias for all of %lld rows, and has no mask that keeps it out of those "
                      "beyond the last; a "
                      "multiple of %d, or a kernel with a mask, would work.",
                      kernel.name, static_cast<long long>(p.seqlen_q), c.tile[0]);
    return CK_KERNEL_OK;
}

inline Dropout dropout_of(const ck_fmha_problem& p) {
    const auto address = [&](int index) {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p.tensors[index]));
    };
    const float keep = 1.0f - p.p_drop;
    Dropout dropout{};
    dropout.on_device = p.tensors[CK_FMHA_DROP_SEED] != nullptr;
    dropout.seed = dropout.on_device ? address(CK_FMHA_DROP_SEED) : p.drop_seed;
    dropout.offset = dropout.on_device ? address(CK_FMHA_DROP_OFFSET) : p.drop_offset;
    dropout.keep = static_cast<std::uint8_t>(keep * 255.0f);  // towards zero
    dropout.weight = 1.0f / keep;
    dropout.weight_scaled = dropout.weight * p.scale;
    return dropout;
}

}  // namespace ck_kernel::fmha
