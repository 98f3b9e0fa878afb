// SPDX-License-Identifier: MIT
// Which GEMM kernel: every field of the generator's spec.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

struct GemmKey {
    static constexpr std::string_view family = "gemm";

    // The signature: what it computes.
    Name variant, dtype_a, dtype_b, dtype_c, dtype_acc, layout;
    // The algorithm: how.
    Extent3 tile, waves, warp_tile;
    Name pipeline, epilogue, scheduler;
    bool pad_m = false, pad_n = false, pad_k = false;
    bool persistent = false;
    /// How parts of K are added up: none, atomic (in C, in any order) or workspace (in a second launch, in one order).
    Name split_k;
    // What is applied to the product, and the D tensors that it takes.
    Name fused_op;
    int d_count = 0;
    Name dtype_d, d_layout;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("variant", &GemmKey::variant);
        visit("dtype_a", &GemmKey::dtype_a);
        visit("dtype_b", &GemmKey::dtype_b);
        visit("dtype_c", &GemmKey::dtype_c);
        visit("dtype_acc", &GemmKey::dtype_acc);
        visit("layout", &GemmKey::layout);
        visit("tile", &GemmKey::tile);
        visit("waves", &GemmKey::waves);
        visit("warp_tile", &GemmKey::warp_tile);
        visit("pipeline", &GemmKey::pipeline);
        visit("epilogue", &GemmKey::epilogue);
        visit("scheduler", &GemmKey::scheduler);
        visit("pad_m", &GemmKey::pad_m);
        visit("pad_n", &GemmKey::pad_n);
        visit("pad_k", &GemmKey::pad_k);
        visit("persistent", &GemmKey::persistent);
        visit("split_k", &GemmKey::split_k);
        visit("fused_op", &GemmKey::fused_op);
        visit("d_count", &GemmKey::d_count);
        visit("dtype_d", &GemmKey::dtype_d);
        visit("d_layout", &GemmKey::d_layout);
    }

    std::int64_t lanes_per_workgroup(const arch::GpuSpec& gpu) const {
        return std::int64_t(waves.m) * waves.n * waves.k * gpu.wave_size;
    }

    friend bool operator==(const GemmKey& a, const GemmKey& b) { return fields_equal(a, b); }
    friend bool operator!=(const GemmKey& a, const GemmKey& b) { return !fields_equal(a, b); }
    friend bool operator<(const GemmKey& a, const GemmKey& b) { return fields_less(a, b); }
};

}  // namespace ckdispatch
