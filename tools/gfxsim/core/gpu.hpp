// SPDX-License-Identifier: MIT
// The simulated GPU. Its figures come from arch/; what its instructions mean follows from its generation.
#pragma once

#include <string_view>

#include "arch/arch_types.hpp"
#include "gfxsim/core/instr.hpp"

namespace gfxsim {

struct Gpu {
    const ckdispatch::arch::GpuSpec* spec = nullptr;
    Isa isa = Isa::gfx9;

    std::string_view name() const { return spec->name; }
    bool is_family(std::string_view family) const { return spec->family == family; }
    bool fnuz() const { return spec->fp8_encoding == ckdispatch::arch::Fp8Encoding::fnuz; }
    /// Atomics on f32 in memory take denormals for zero.
    bool flushes_in_atomics() const { return is_family("cdna1") || is_family("cdna2"); }
    /// Matrix instructions can carry scales.
    bool scales_matrices() const { return is_family("cdna4"); }
    /// Work-item ids arrive in one register, ten bits each.
    bool packed_ids() const { return isa != Isa::gfx9 || spec->registers.agprs == ckdispatch::arch::AgprKind::unified; }
};

/// The GPU called `name` (without target features such as ":xnack-"), or nullptr.
const Gpu* find_gpu(std::string_view name);
/// All names, separated by ", ".
std::string_view known_gpus();

}  // namespace gfxsim
