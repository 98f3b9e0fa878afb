// SPDX-License-Identifier: MIT
// What a kernel uses on a GPU, as its code object says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// Of a workgroup, on every GPU.
inline constexpr int kMostLanes = 1024;

/// The largest figure over the device functions of one code object.
struct Resources {
    Name gpu;
    int wave_size = 0;
    int workgroup_size = 0;
    int vgprs = 0;  ///< includes the AGPRs where the GPU keeps both in one file
    int agprs = 0;
    int sgprs = 0;
    int vgpr_spills = 0;
    int sgpr_spills = 0;
    std::int64_t lds_bytes = 0;
    std::int64_t scratch_bytes = 0;
    int resident = 0;  ///< workgroups_per_unit() on its GPU, where that was found out before

    /// Workgroups that a compute unit (or workgroup processor) holds at once.
    int workgroups_per_unit(const arch::GpuSpec& gpu) const;
};

/// The code objects of a kernel library, read from the bytes of its file. Throws Error if they are damaged.
std::vector<Resources> read_code_objects(const std::vector<std::uint8_t>& file, const std::string& path);

}  // namespace ckdispatch
