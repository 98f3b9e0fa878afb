// SPDX-License-Identifier: MIT
// arch_specs.hpp can be used in constant expressions and finds what it holds.
#include "arch/arch_specs.hpp"

#include <cstdio>
#include <string_view>

namespace arch = ckdispatch::arch;

static_assert(arch::find_gpu("gfx942")->wave_size == 64);
static_assert(arch::find_gpu("gfx942")->fp8_encoding == arch::Fp8Encoding::fnuz);
static_assert(arch::find_gpu("gfx950")->lds_bytes == 163840);
static_assert(arch::find_gpu("gfx1201")->matrix_isa == arch::MatrixIsa::wmma);
static_assert(arch::find_gpu("gfx942")->k_per_lane(32, 16) == 8);
static_assert(arch::find_gpu("gfx1100")->k_per_lane(16, 16) == 16);
static_assert(arch::find_gpu("gfx1201")->k_per_lane(16, 16) == 8);
static_assert(arch::find_gpu("gfx94") == nullptr);
static_assert(arch::find_gpu("") == nullptr);
static_assert(arch::find_by_name<arch::PipelineSpec>(arch::pipelines, "compv4")->lds_buffers == 2);
static_assert(arch::find_gpu("gfx942")->wave_layouts[0] == arch::Triple{1, 4, 1});
static_assert(arch::find_gpu("gfx942")->wave_layouts[0] != arch::Triple{4, 1, 1});

int main() {
    for (const arch::GpuSpec& gpu : arch::gpus) {
        if (arch::find_gpu(std::string_view(gpu.name)) != &gpu) {
            std::fprintf(stderr, "find_gpu does not find %.*s\n", static_cast<int>(gpu.name.size()), gpu.name.data());
            return 1;
        }
    }
    return 0;
}
