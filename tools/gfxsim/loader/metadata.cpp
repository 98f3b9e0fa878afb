// SPDX-License-Identifier: MIT
#include "gfxsim/loader/metadata.hpp"

#include "device_code/note.hpp"
#include "gfxsim/loader/bytes.hpp"

namespace gfxsim {
namespace {

struct NamedKind {
    std::string_view name;
    ArgKind kind;
};

constexpr NamedKind kKinds[] = {
    {"by_value", ArgKind::by_value},
    {"global_buffer", ArgKind::global_buffer},
    {"dynamic_shared_pointer", ArgKind::dynamic_shared_pointer},
    {"hidden_block_count_x", ArgKind::block_count_x},
    {"hidden_block_count_y", ArgKind::block_count_y},
    {"hidden_block_count_z", ArgKind::block_count_z},
    {"hidden_group_size_x", ArgKind::group_size_x},
    {"hidden_group_size_y", ArgKind::group_size_y},
    {"hidden_group_size_z", ArgKind::group_size_z},
    {"hidden_remainder_x", ArgKind::remainder_x},
    {"hidden_remainder_y", ArgKind::remainder_y},
    {"hidden_remainder_z", ArgKind::remainder_z},
    {"hidden_global_offset_x", ArgKind::global_offset_x},
    {"hidden_global_offset_y", ArgKind::global_offset_y},
    {"hidden_global_offset_z", ArgKind::global_offset_z},
    {"hidden_grid_dims", ArgKind::grid_dims},
    {"hidden_private_base", ArgKind::private_base},
    {"hidden_shared_base", ArgKind::shared_base},
    {"hidden_queue_ptr", ArgKind::queue_ptr},
    {"hidden_dynamic_lds_size", ArgKind::dynamic_lds_size},
    {"hidden_none", ArgKind::none},
};

ArgKind kind_of(const std::string& name) {
    for (const NamedKind& known : kKinds) {
        if (known.name == name) return known.kind;
    }
    if (name.compare(0, 7, "hidden_") == 0) return ArgKind::other_hidden;
    if (name.empty()) throw std::runtime_error("a kernel has an argument whose kind its metadata does not say");
    throw std::runtime_error("a kernel has an argument of the kind '" + shortened(name) + "', which is not simulated");
}

using nlohmann::json;

// A member of an object, or null.
const json& member(const json& node, const char* key) {
    static const json none;
    const auto found = node.is_object() ? node.find(key) : node.end();
    return found == node.end() ? none : *found;
}

u32 number(const json& node, const char* key, u32 otherwise = 0) {
    const json& value = member(node, key);
    if (value.is_null()) return otherwise;
    if (value.is_boolean()) return value.get<bool>();
    if (!value.is_number_unsigned() || value.get<u64>() > ~u32(0))
        throw std::runtime_error(std::string("its metadata has a '") + key + "' that is no count");
    return value.get<u32>();
}

std::string text(const json& node, const char* key) {
    const json& value = member(node, key);
    return value.is_string() ? value.get<std::string>() : "";
}

// Null, or a list.
const json& list(const json& node, const char* key) {
    const json& value = member(node, key);
    if (!value.is_null() && !value.is_array())
        throw std::runtime_error(std::string("its metadata has '") + key + "' that is no list");
    return value;
}

KernelArg read_arg(const json& node) {
    KernelArg arg;
    const std::string kind = text(node, ".value_kind");
    arg.offset = number(node, ".offset"), arg.size = number(node, ".size");
    arg.kind = kind_of(kind);
    arg.name = text(node, ".name");
    if (arg.name.empty()) arg.name = kind;
    return arg;
}

}  // namespace

std::vector<DescribedKernel> read_metadata(const ckdispatch::device_code::ElfFile& elf) {
    std::vector<DescribedKernel> kernels;
    const json note = ckdispatch::device_code::read_note(elf);
    for (const json& node : list(note, "amdhsa.kernels")) {
        DescribedKernel described;
        described.descriptor = text(node, ".symbol");
        Kernel& kernel = described.kernel;
        kernel.name = text(node, ".name");
        kernel.kernarg_bytes = number(node, ".kernarg_segment_size");
        kernel.max_group_size = number(node, ".max_flat_workgroup_size", 1024);
        kernel.wave_size = number(node, ".wavefront_size", 64);
        kernel.vgprs = number(node, ".vgpr_count"), kernel.agprs = number(node, ".agpr_count"),
        kernel.sgprs = number(node, ".sgpr_count");
        kernel.vgpr_spills = number(node, ".vgpr_spill_count"), kernel.sgpr_spills = number(node, ".sgpr_spill_count");
        kernel.dynamic_stack = number(node, ".uses_dynamic_stack") != 0;
        for (const json& arg : list(node, ".args")) kernel.args.push_back(read_arg(arg));
        kernels.push_back(std::move(described));
    }
    return kernels;
}

}  // namespace gfxsim
