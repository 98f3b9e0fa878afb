// SPDX-License-Identifier: MIT
// Which grouped convolution kernel: every field of the generator's spec.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/fields.hpp"

namespace ckdispatch {

struct GroupedConvKey {
    static constexpr std::string_view family = "grouped_conv";

    // The signature: what it computes. The variant is the direction.
    Name variant;
    int ndim_spatial = 0;
    Name dtype_x, dtype_w, dtype_y, dtype_acc, layout;
    // The algorithm: how. Tiles are those of the implicit GEMM of the direction.
    Extent3 tile, waves, warp_tile;
    Name pipeline, epilogue, scheduler;
    /// Elements of A, B and C that are moved at a time.
    int vector_a = 1, vector_b = 1, vector_c = 1;
    /// Buffers of LDS, and groups of waves, that take turns: those of the pipeline.
    int lds_buffers = 1, wave_groups = 1;
    /// Workgroups that the compiler left registers for on a compute unit.
    int blocks_per_cu = 1;
    /// Groups that are computed as one, each with a diagonal part of the tiles; 1 is none.
    int merged_groups = 1;
    /// What it takes for granted of filter, strides and pads.
    Name specialization;
    /// How parts of the sum are added up: none, atomic (in the output, in any order) or workspace (in a second launch,
    /// in one order).
    Name split_k;
    // What is applied to y, and whether it takes a bias.
    Name fused_op;
    int d_count = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("variant", &GroupedConvKey::variant);
        visit("ndim_spatial", &GroupedConvKey::ndim_spatial);
        visit("dtype_x", &GroupedConvKey::dtype_x);
        visit("dtype_w", &GroupedConvKey::dtype_w);
        visit("dtype_y", &GroupedConvKey::dtype_y);
        visit("dtype_acc", &GroupedConvKey::dtype_acc);
        visit("layout", &GroupedConvKey::layout);
        visit("tile", &GroupedConvKey::tile);
        visit("waves", &GroupedConvKey::waves);
        visit("warp_tile", &GroupedConvKey::warp_tile);
        visit("pipeline", &GroupedConvKey::pipeline);
        visit("epilogue", &GroupedConvKey::epilogue);
        visit("scheduler", &GroupedConvKey::scheduler);
        visit("vector_a", &GroupedConvKey::vector_a);
        visit("vector_b", &GroupedConvKey::vector_b);
        visit("vector_c", &GroupedConvKey::vector_c);
        visit("lds_buffers", &GroupedConvKey::lds_buffers);
        visit("wave_groups", &GroupedConvKey::wave_groups);
        visit("blocks_per_cu", &GroupedConvKey::blocks_per_cu);
        visit("merged_groups", &GroupedConvKey::merged_groups);
        visit("specialization", &GroupedConvKey::specialization);
        visit("split_k", &GroupedConvKey::split_k);
        visit("fused_op", &GroupedConvKey::fused_op);
        visit("d_count", &GroupedConvKey::d_count);
    }

    std::int64_t lanes_per_workgroup(const arch::GpuSpec& gpu) const {
        return std::int64_t(waves.m) * waves.n * waves.k * gpu.wave_size;
    }

    friend bool operator==(const GroupedConvKey& a, const GroupedConvKey& b) { return fields_equal(a, b); }
    friend bool operator!=(const GroupedConvKey& a, const GroupedConvKey& b) { return !fields_equal(a, b); }
    friend bool operator<(const GroupedConvKey& a, const GroupedConvKey& b) { return fields_less(a, b); }
};

}  // namespace ckdispatch
