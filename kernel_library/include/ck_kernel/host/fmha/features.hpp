// SPDX-License-Identifier: MIT
//
// Host pass only: features of a problem against those of a kernel that computes scores.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

// As kernels with a mask take it.
struct Window {
    std::int32_t left, right;  // negative is unlimited
    bool top_left;
};

// A problem without a mask has no limits, and is at the last column, where ALiBi counts from. A window that is wider
// than anything has the width of everything, for CK adds to it.
inline Window window_of(const ck_fmha_problem& p) {
    if (p.mask == CK_FMHA_MASK_NONE) return {-1, -1, false};
    const std::int64_t widest = p.seqlen_q > p.seqlen_k ? p.seqlen_q : p.seqlen_k;
    const auto clamped = [&](std::int64_t side) {
        return static_cast<std::int32_t>(side < 0 ? -1 : side < widest ? side : widest);
    };
    return {clamped(p.window_left), clamped(p.window_right), p.mask == CK_FMHA_MASK_TOP_LEFT};
}

// Whether some row loses keys to its left.
inline bool limits_left(const ck_fmha_problem& p) {
    const std::int64_t last = (p.mask == CK_FMHA_MASK_TOP_LEFT ? p.seqlen_q : p.seqlen_k) - 1;
    return p.mask != CK_FMHA_MASK_NONE && p.window_left >= 0 && p.window_left < last;
}

inline bool is_finite(float value) { return value - value == 0.0f; }

inline ck_kernel_status check_features(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const Config& c = kernel.config;
    const auto unsupported = [&](const char* asked, const char* has) {
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %s and %s.", kernel.name, asked, has);
    };
    if (p.mask < CK_FMHA_MASK_NONE || p.mask > CK_FMHA_MASK_BOTTOM_RIGHT)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for mask %d; there is 0 for none, 1 for top left, 2 for bottom right.", kernel.name,
                      p.mask);
    if (p.mask != CK_FMHA_MASK_NONE && !c.mask) return unsupported("a mask", "has none");
    if (!is_finite(p.scale) || !is_finite(p.soft_cap) || p.soft_cap < 0)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for scale %g and soft cap %g; both must be finite, and the cap not negative.",
                      kernel.name, static_cast<double>(p.scale), static_cast<double>(p.soft_cap));
    if (p.soft_cap > 0 && !c.soft_cap) return unsupported("capped scores", "does not cap them");
    if (p.soft_cap == 0 && c.soft_cap)
        return unsupported("scores without a cap", "caps them, so that all would be zero");
    if (!(p.p_drop >= 0 && p.p_drop < 1))
        return reason(CK_KERNEL_INVALID, "%s was asked to drop %g of the scores; it must be from 0 to less than 1.",
                      kernel.name, static_cast<double>(p.p_drop));
    if (p.p_drop > 0 && !c.dropout) return unsupported("dropout", "drops nothing");
    if (c.scales && (!is_finite(p.scale_p) || !is_finite(p.scale_o) || p.scale_p <= 0))
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for scales %g and %g of p and o; both must be finite, and that of p positive.",
                      kernel.name, static_cast<double>(p.scale_p), static_cast<double>(p.scale_o));
    if (!c.scales && ((p.scale_p != 0 && p.scale_p != 1) || (p.scale_o != 0 && p.scale_o != 1)))
        return unsupported("static scales of p or o", "has none");
    if (p.min_seqlen_q > 0 && !c.skip_min) return unsupported("sequences of few rows to be skipped", "skips none");
    if (c.bias == Bias::none && p.tensors[CK_FMHA_BIAS] != nullptr) return unsupported("a bias", "adds none");
    if (!c.lse && c.variant != Variant::dq_dk_dv && p.tensors[CK_FMHA_LSE] != nullptr)  // which reads it
        return unsupported("lse", "stores none");
    if (!c.dropout && p.tensors[CK_FMHA_RANDVAL] != nullptr) return unsupported("random bytes", "makes none");
    if (!c.dropout && (p.tensors[CK_FMHA_DROP_SEED] != nullptr || p.tensors[CK_FMHA_DROP_OFFSET] != nullptr))
        return unsupported("dropout", "drops nothing");
    if (c.bias == Bias::alibi && c.variant != Variant::splitkv && (p.seqlen_q > 65536 || p.seqlen_k > 65536))
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for %lld rows over %lld keys and measures ALiBi's distances in 16 bits: 65536 are the most.",
            kernel.name, static_cast<long long>(p.seqlen_q), static_cast<long long>(p.seqlen_k));
    if (c.bias == Bias::alibi && p.strides[CK_FMHA_BIAS].batch >= kLimit)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for slopes whose stride by sequence is %lld; it must be less than 2^31.",
                      kernel.name, static_cast<long long>(p.strides[CK_FMHA_BIAS].batch));
    return CK_KERNEL_OK;
}

// Rows and keys of all sequences, and lengths of their own.
inline ck_kernel_status check_lengths(const Subject& kernel, const ck_fmha_problem& p, int tile_rows, int tile_keys,
                                      const Reason& reason) {
    const Config& c = kernel.config;
    if (const auto status = check_multiple(kernel, "rows", p.seqlen_q, tile_rows, c.pads.q != 0, reason)) return status;
    if (const auto status = check_multiple(kernel, "keys", p.seqlen_k, tile_keys, c.pads.k != 0, reason)) return status;
    if (p.seqlen_k == 0 && c.pads.k == 0 && !c.mask)
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for no keys at all, and has neither a mask nor padding of them: lse would be wrong.",
            kernel.name);
    if (c.pads.q == 0 && p.tensors[CK_FMHA_SEQLEN_Q] != nullptr)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was given seqlen_q and does not pad rows, of which sequences then have any number.",
                      kernel.name);
    if (c.pads.k == 0 && p.tensors[CK_FMHA_SEQLEN_K] != nullptr)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was given seqlen_k and does not pad keys, of which sequences then have any number.",
                      kernel.name);
    if (!c.group && (p.tensors[CK_FMHA_SEQSTART_Q] != nullptr || p.tensors[CK_FMHA_SEQSTART_K] != nullptr))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for packed sequences and computes those that have a stride.",
                      kernel.name);
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel::fmha
