// SPDX-License-Identifier: MIT
#include "ckdispatch/core/resources.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "arch/occupancy.hpp"
#include "ckdispatch/core/json.hpp"
#include "device_code/bundle.hpp"
#include "device_code/note.hpp"

namespace ckdispatch {
namespace {

using device_code::Bytes;

Resources read_code_object(std::string_view gpu, Bytes code) {
    const device_code::ElfFile elf(code);
    if (elf.header().e_machine != EM_AMDGPU) throw std::runtime_error("it has device code that is for no AMD GPU");
    const Json data = device_code::read_note(elf);
    if (data.is_null()) throw std::runtime_error("it has a code object without metadata");
    const auto kernels = data.is_object() ? data.find("amdhsa.kernels") : data.end();
    if (kernels == data.end() || !kernels->is_array() || kernels->empty())
        throw std::runtime_error("it has a code object whose metadata names no kernel");
    Resources most;
    most.gpu = gpu;
    for (const Json& kernel : *kernels) {
        const auto raise = [&](auto& figure, const char* name) {
            const auto found = kernel.is_object() ? kernel.find(name) : kernel.end();
            if (found == kernel.end()) return;
            if (!is_within(*found, 0, std::numeric_limits<int>::max()))
                throw std::runtime_error(std::string("it has a code object whose metadata has a '") + name +
                                         "' that is no count");
            figure = std::max(figure, found->get<std::decay_t<decltype(figure)>>());
        };
        raise(most.wave_size, ".wavefront_size");
        raise(most.workgroup_size, ".max_flat_workgroup_size");
        raise(most.vgprs, ".vgpr_count");
        raise(most.agprs, ".agpr_count");
        raise(most.sgprs, ".sgpr_count");
        raise(most.vgpr_spills, ".vgpr_spill_count");
        raise(most.sgpr_spills, ".sgpr_spill_count");
        raise(most.lds_bytes, ".group_segment_fixed_size");
        raise(most.scratch_bytes, ".private_segment_fixed_size");
    }
    if (most.wave_size < 1 || most.workgroup_size < 1)
        throw std::runtime_error(
            "it has a code object whose metadata does not say how large its waves and workgroups are");
    if (most.workgroup_size > kMostLanes)
        throw std::runtime_error("it has a code object for workgroups of " + std::to_string(most.workgroup_size) +
                                 " lanes, and no GPU has them");
    return most;
}

}  // namespace

int Resources::workgroups_per_unit(const arch::GpuSpec& spec) const {
    return arch::workgroups_per_unit(spec, {vgprs, agprs, sgprs, lds_bytes, workgroup_size});
}

std::vector<Resources> read_code_objects(const std::vector<std::uint8_t>& file, const std::string& path) {
    std::vector<Resources> found;
    // Code objects that lie apart are together no larger than the file.
    std::uint64_t left = file.size();
    try {
        for (const Bytes& place : device_code::bundle_places(device_code::ElfFile(device_code::bytes_of(file)))) {
            if (!place.begins_with(device_code::kBundleMagic)) continue;
            for (const auto& entry : device_code::bundle_entries(place)) {
                const std::string_view gpu = device_code::processor_of(entry.id);
                if (gpu.empty()) continue;
                if (entry.code.size > left) throw std::runtime_error("it has code objects that lie on each other");
                left -= entry.code.size;
                found.push_back(read_code_object(gpu, entry.code));
            }
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        throw DamagedError(path + " is no kernel library: " + error.what() + ".");
    }
    if (found.empty()) throw DamagedError(path + " is no kernel library: it holds no code for a GPU.");
    return found;
}

}  // namespace ckdispatch
