// SPDX-License-Identifier: MIT
// The types of the tables in the generated arch_specs.hpp. A field holds what the member of the
// same name in arch_specs.json holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ckdispatch::arch {

/// A view of a table that lives as long as the program.
template <typename T>
struct View {
    const T* data = nullptr;
    std::size_t size = 0;

    constexpr View() = default;
    template <std::size_t N>
    constexpr View(const T (&table)[N]) : data(table), size(N) {}

    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + size; }
    constexpr bool empty() const { return size == 0; }
    constexpr const T& operator[](std::size_t index) const { return data[index]; }
};

/// Extents along m, n and k.
struct Triple {
    int m;
    int n;
    int k;
};

constexpr bool operator==(const Triple& a, const Triple& b) { return a.m == b.m && a.n == b.n && a.k == b.k; }
constexpr bool operator!=(const Triple& a, const Triple& b) { return !(a == b); }

enum class MatrixIsa { mfma, wmma };
enum class Fp8Encoding { none, fnuz, ocp };
enum class AgprKind { none, separate, unified };

/// The warp tiles of one dtype key such as "fp16_fp16_fp32".
struct WarpTiles {
    std::string_view dtype_key;
    View<Triple> tiles;
};

/// The registers of one SIMD; VGPRs are counted for one lane, at the GPU's wave size.
struct RegisterSpec {
    int vgprs_per_simd;
    int vgpr_granule;
    int max_vgprs_per_wave;
    AgprKind agprs;
    int sgprs_per_simd;
    int sgpr_granule;
    int max_sgprs_per_wave;
    int max_waves_per_simd;
};

/// One GPU target, described by the product that its figures belong to.
struct GpuSpec {
    std::string_view name;
    std::string_view family;
    std::string_view product;
    MatrixIsa matrix_isa;
    int wave_size;
    int matrix_operand_copies;
    bool matrix_flushes_subnormals;
    Fp8Encoding fp8_encoding;
    bool fp8_emulated;
    bool half_registers;
    int compute_units;
    int xcds;
    int simds_per_cu;
    bool workgroup_processor_mode;
    int max_clock_mhz;
    int matrix_flops_per_cycle;
    double memory_bandwidth_gb_s;
    std::int64_t l2_bytes;
    std::int64_t infinity_cache_bytes;
    std::int64_t lds_bytes;
    std::int64_t lds_pool_bytes;
    std::int64_t lds_granule;
    int lds_banks;
    bool loads_to_lds;
    bool lds_transposing_loads;
    RegisterSpec registers;
    View<std::string_view> pipelines;
    View<std::string_view> buffer_atomic_adds;
    View<Triple> wave_layouts;
    View<WarpTiles> warp_tiles;
    View<WarpTiles> preshuffle_warp_tiles;
    View<WarpTiles> broken_warp_tiles;
    View<WarpTiles> contiguous_k_warp_tiles;

    /// How many neighbours along k of one column a lane holds of a matrix instruction's B.
    constexpr std::int64_t k_per_lane(std::int64_t columns, std::int64_t k) const {
        return columns * k * matrix_operand_copies / wave_size;
    }
};

/// An element type: bytes per element, and pack elements in one cxx_type object.
struct DtypeSpec {
    std::string_view name;
    double bytes;
    std::string_view cxx_type;
    int pack;
    std::string_view description;
};

/// What multiplying a by b accumulates in, and what it stores unless told otherwise.
struct DtypeCombination {
    std::string_view a;
    std::string_view b;
    std::string_view accumulator;
    std::string_view output;
    std::string_view note;
};

/// A pipeline; lds_buffers is how many equal parts it divides a workgroup's LDS into.
struct PipelineSpec {
    std::string_view name;
    int lds_buffers;
    bool preshuffle;
};

/// Settings that no kernel can combine.
struct UnsupportedTrait {
    std::string_view pipeline;
    std::string_view epilogue;
    std::string_view scheduler;
};

/// The entry of `table` called `name`, or nullptr.
template <typename T>
constexpr const T* find_by_name(View<T> table, std::string_view name) {
    for (const T& entry : table) {
        if (entry.name == name) return &entry;
    }
    return nullptr;
}

}  // namespace ckdispatch::arch
