// SPDX-License-Identifier: MIT
// Reads lines "gpu vgprs agprs sgprs lds workgroup" and prints the waves per SIMD of each.
#include <iostream>
#include <string>

#include "arch/arch_specs.hpp"
#include "arch/occupancy.hpp"

namespace arch = ckdispatch::arch;

int main() {
    std::string gpu;
    arch::KernelResources kernel{};
    while (std::cin >> gpu >> kernel.vgprs >> kernel.agprs >> kernel.sgprs >> kernel.lds_bytes >>
           kernel.workgroup_size) {
        const arch::GpuSpec* spec = arch::find_gpu(gpu);
        if (!spec) return 1;
        std::cout << arch::waves_per_simd(*spec, kernel) << '\n';
    }
}
