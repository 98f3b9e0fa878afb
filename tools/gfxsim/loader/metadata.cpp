// SPDX-License-Identifier: MIT
#include "gfxsim/loader/metadata.hpp"

#include "gfxsim/loader/comgr.hpp"

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

KernelArg read_arg(const comgr::Metadata& node) {
    KernelArg arg;
    const std::string kind = node.find(".value_kind").text();
    arg.offset = u32(node.find(".offset").number()), arg.size = u32(node.find(".size").number());
    arg.kind = kind_of(kind);
    arg.name = node.find(".name").text();
    if (arg.name.empty()) arg.name = kind;
    return arg;
}

}  // namespace

std::vector<DescribedKernel> read_metadata(Bytes elf) {
    std::vector<DescribedKernel> kernels;
    const comgr::Metadata list = comgr::code_metadata(elf).find("amdhsa.kernels");
    for (u64 i = 0; i < list.size(); ++i) {
        const comgr::Metadata node = list.at(i);
        const auto number = [&](const char* key, u64 otherwise = 0) { return u32(node.find(key).number(otherwise)); };
        DescribedKernel described;
        described.descriptor = node.find(".symbol").text();
        Kernel& kernel       = described.kernel;
        kernel.name          = node.find(".name").text();
        kernel.kernarg_bytes = number(".kernarg_segment_size");
        kernel.max_group_size = number(".max_flat_workgroup_size", 1024);
        kernel.wave_size      = number(".wavefront_size", 64);
        kernel.vgprs = number(".vgpr_count"), kernel.agprs = number(".agpr_count"), kernel.sgprs = number(".sgpr_count");
        kernel.vgpr_spills = number(".vgpr_spill_count"), kernel.sgpr_spills = number(".sgpr_spill_count");
        kernel.dynamic_stack = number(".uses_dynamic_stack") != 0;
        const comgr::Metadata args = node.find(".args");
        for (u64 n = 0; n < args.size(); ++n) kernel.args.push_back(read_arg(args.at(n)));
        kernels.push_back(std::move(described));
    }
    return kernels;
}

}  // namespace gfxsim
