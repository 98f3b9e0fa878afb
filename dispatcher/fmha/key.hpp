// SPDX-License-Identifier: MIT
// Which attention kernel: every field of the generator's spec.
#pragma once

#include <cstdint>
#include <string_view>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

struct FmhaKey {
    static constexpr std::string_view family = "fmha";

    // The signature: what it computes, and of which head sizes at most.
    Name variant, dtype, mode;
    int hdim_q = 0, hdim_v = 0;
    bool mask = false, lse = false, dropout = false, soft_cap = false, scales = false, paged = false, merged = false,
         skip_min = false, bias_grad = false, deterministic = false;
    Name bias, rotary;
    int max_splits = 0;
    // The algorithm: how.
    Name pipeline;
    IntList tile, waves, warp_tile, pads;
    int occupancy = 1;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("variant", &FmhaKey::variant);
        visit("dtype", &FmhaKey::dtype);
        visit("mode", &FmhaKey::mode);
        visit("hdim_q", &FmhaKey::hdim_q);
        visit("hdim_v", &FmhaKey::hdim_v);
        visit("mask", &FmhaKey::mask);
        visit("lse", &FmhaKey::lse);
        visit("dropout", &FmhaKey::dropout);
        visit("soft_cap", &FmhaKey::soft_cap);
        visit("scales", &FmhaKey::scales);
        visit("paged", &FmhaKey::paged);
        visit("merged", &FmhaKey::merged);
        visit("skip_min", &FmhaKey::skip_min);
        visit("bias_grad", &FmhaKey::bias_grad);
        visit("deterministic", &FmhaKey::deterministic);
        visit("bias", &FmhaKey::bias);
        visit("rotary", &FmhaKey::rotary);
        visit("max_splits", &FmhaKey::max_splits);
        visit("pipeline", &FmhaKey::pipeline);
        visit("tile", &FmhaKey::tile);
        visit("waves", &FmhaKey::waves);
        visit("warp_tile", &FmhaKey::warp_tile);
        visit("pads", &FmhaKey::pads);
        visit("occupancy", &FmhaKey::occupancy);
    }

    /// Of a workgroup: those of dq_dk_dv are three triples, one for each product, of the same waves.
    std::int64_t wave_count() const {
        std::int64_t all = 1;
        for (std::size_t i = 0; i < waves.size() && i < 3; ++i) all *= waves[i];
        return all;
    }
    /// Kernels that multiply nothing have 64 lanes for a wave on every GPU, but combine.
    std::int64_t lanes_per_workgroup(const arch::GpuSpec& gpu) const {
        return wave_count() * (waves.size() > 1 || max_splits ? gpu.wave_size : 64);
    }

    /// Which of the pads a kernel has: those of rows of q, of keys, and of the two head sizes.
    enum Pad : std::size_t { rows, keys, head_q, head_v };

    friend bool operator==(const FmhaKey& a, const FmhaKey& b) { return fields_equal(a, b); }
    friend bool operator!=(const FmhaKey& a, const FmhaKey& b) { return !fields_equal(a, b); }
    friend bool operator<(const FmhaKey& a, const FmhaKey& b) { return fields_less(a, b); }
};

}  // namespace ckdispatch
