// SPDX-License-Identifier: MIT
// Prints the tables of arch_specs.hpp as JSON in the shape of arch_specs.json.
#include <cstdio>
#include <string>
#include <string_view>

#include "arch/arch_specs.hpp"
#include "json_text.hpp"

namespace arch = ckdispatch::arch;

namespace {

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string name_of(arch::MatrixIsa isa) { return isa == arch::MatrixIsa::mfma ? "mfma" : "wmma"; }

std::string name_of(arch::Fp8Encoding encoding) {
    switch (encoding) {
        case arch::Fp8Encoding::none: return "none";
        case arch::Fp8Encoding::fnuz: return "fnuz";
        case arch::Fp8Encoding::ocp: return "ocp";
    }
    return "unknown";
}

std::string name_of(arch::AgprKind kind) {
    switch (kind) {
        case arch::AgprKind::none: return "none";
        case arch::AgprKind::separate: return "separate";
        case arch::AgprKind::unified: return "unified";
    }
    return "unknown";
}

template <typename T, typename Format>
std::string list(arch::View<T> table, char open, char close, Format format) {
    std::string joined(1, open);
    for (const T& entry : table) {
        if (joined.size() > 1) joined += ", ";
        joined += format(entry);
    }
    return joined + close;
}

std::string triples(arch::View<arch::Triple> table) {
    return list<arch::Triple>(table, '[', ']', [](const arch::Triple& t) {
        return "[" + number(t.m) + ", " + number(t.n) + ", " + number(t.k) + "]";
    });
}

std::string tiles(arch::View<arch::WarpTiles> table) {
    return list<arch::WarpTiles>(table, '{', '}', [](const arch::WarpTiles& entry) {
        return text(entry.dtype_key) + ": " + triples(entry.tiles);
    });
}

std::string registers(const arch::RegisterSpec& r) {
    return "{\"vgprs_per_simd\": " + number(r.vgprs_per_simd) + ", \"vgpr_granule\": " + number(r.vgpr_granule) +
           ", \"max_vgprs_per_wave\": " + number(r.max_vgprs_per_wave) + ", \"agprs\": " + text(name_of(r.agprs)) +
           ", \"sgprs_per_simd\": " + number(r.sgprs_per_simd) + ", \"sgpr_granule\": " + number(r.sgpr_granule) +
           ", \"max_sgprs_per_wave\": " + number(r.max_sgprs_per_wave) +
           ", \"max_waves_per_simd\": " + number(r.max_waves_per_simd) + "}";
}

std::string gpu(const arch::GpuSpec& g) {
    return text(g.name) + ": {\"family\": " + text(g.family) + ", \"product\": " + text(g.product) +
           ", \"matrix_isa\": " + text(name_of(g.matrix_isa)) + ", \"wave_size\": " + number(g.wave_size) +
           ", \"matrix_operand_copies\": " + number(g.matrix_operand_copies) +
           ", \"matrix_flushes_subnormals\": " + boolean(g.matrix_flushes_subnormals) +
           ", \"fp8_encoding\": " + text(name_of(g.fp8_encoding)) + ", \"fp8_emulated\": " + boolean(g.fp8_emulated) +
           ", \"half_registers\": " + boolean(g.half_registers) + ", \"compute_units\": " + number(g.compute_units) +
           ", \"xcds\": " + number(g.xcds) + ", \"simds_per_cu\": " + number(g.simds_per_cu) +
           ", \"workgroup_processor_mode\": " + boolean(g.workgroup_processor_mode) +
           ", \"max_clock_mhz\": " + number(g.max_clock_mhz) +
           ", \"matrix_flops_per_cycle\": " + number(g.matrix_flops_per_cycle) +
           ", \"memory_bandwidth_gb_s\": " + number(g.memory_bandwidth_gb_s) +
           ", \"l2_bytes\": " + number(static_cast<double>(g.l2_bytes)) +
           ", \"infinity_cache_bytes\": " + number(static_cast<double>(g.infinity_cache_bytes)) +
           ", \"lds_bytes\": " + number(static_cast<double>(g.lds_bytes)) +
           ", \"lds_pool_bytes\": " + number(static_cast<double>(g.lds_pool_bytes)) +
           ", \"lds_granule\": " + number(static_cast<double>(g.lds_granule)) +
           ", \"lds_banks\": " + number(g.lds_banks) + ", \"loads_to_lds\": " + boolean(g.loads_to_lds) +
           ", \"lds_transposing_loads\": " + boolean(g.lds_transposing_loads) +
           ", \"registers\": " + registers(g.registers) +
           ", \"pipelines\": " + list<std::string_view>(g.pipelines, '[', ']', text) +
           ", \"buffer_atomic_adds\": " + list<std::string_view>(g.buffer_atomic_adds, '[', ']', text) +
           ", \"wave_layouts\": " + triples(g.wave_layouts) + ", \"warp_tiles\": " + tiles(g.warp_tiles) +
           ", \"preshuffle_warp_tiles\": " + tiles(g.preshuffle_warp_tiles) +
           ", \"broken_warp_tiles\": " + tiles(g.broken_warp_tiles) +
           ", \"contiguous_k_warp_tiles\": " + tiles(g.contiguous_k_warp_tiles) + "}";
}

std::string dtype(const arch::DtypeSpec& d) {
    return text(d.name) + ": {\"bytes\": " + number(d.bytes) + ", \"cxx_type\": " + text(d.cxx_type) +
           ", \"pack\": " + number(d.pack) + ", \"description\": " + text(d.description) + "}";
}

std::string combination(const arch::DtypeCombination& c) {
    return "{\"a\": " + text(c.a) + ", \"b\": " + text(c.b) + ", \"accumulator\": " + text(c.accumulator) +
           ", \"output\": " + text(c.output) + ", \"note\": " + text(c.note) + "}";
}

std::string pipeline(const arch::PipelineSpec& p) {
    return text(p.name) + ": {\"lds_buffers\": " + number(p.lds_buffers) +
           ", \"preshuffle\": " + boolean(p.preshuffle) + "}";
}

std::string trait(const arch::UnsupportedTrait& t) {
    return "{\"pipeline\": " + text(t.pipeline) + ", \"epilogue\": " + text(t.epilogue) +
           ", \"scheduler\": " + text(t.scheduler) + "}";
}

}  // namespace

int main() {
    const std::string dump =
        "{\"dtypes\": " + list<arch::DtypeSpec>(arch::dtypes, '{', '}', dtype) +
        ", \"dtype_combinations\": " + list<arch::DtypeCombination>(arch::dtype_combinations, '[', ']', combination) +
        ", \"pipelines\": " + list<arch::PipelineSpec>(arch::pipelines, '{', '}', pipeline) +
        ", \"unsupported_traits\": " + list<arch::UnsupportedTrait>(arch::unsupported_traits, '[', ']', trait) +
        ", \"architectures\": " + list<arch::GpuSpec>(arch::gpus, '{', '}', gpu) + "}";
    std::puts(dump.c_str());
    return 0;
}
