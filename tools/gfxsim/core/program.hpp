// SPDX-License-Identifier: MIT
// A code object after decoding, and the kernels in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/core/gpu.hpp"
#include "gfxsim/core/instr.hpp"

namespace gfxsim {

/// The decoded text section of one code object, at the address where it is loaded.
struct Program {
    std::string file;  ///< where it came from, for messages
    const Gpu* gpu = nullptr;
    u64 address = 0;  ///< of the first byte of code
    u64 size = 0;     ///< bytes of code
    std::vector<Instr> instrs;
    std::vector<u32> at;                         ///< offset / 4 → index into instrs, or kNowhere
    std::vector<std::string> lines;              ///< Instr::text → disassembly, or the reason why it cannot run
    std::vector<std::unique_ptr<Instr>> halves;  ///< second halves of dual-issue instructions

    std::vector<u8> debug_file;  ///< the code object as it was read, if it tells of source lines
    u64 debug_address = 0;       ///< of the first byte of code there

    static constexpr u32 kNowhere = ~u32(0);

    /// The index of the instruction at an absolute address, or kNowhere.
    u32 index_of(u64 absolute) const {
        const u64 offset = absolute - address;
        return offset < size && offset % 4 == 0 ? at[offset / 4] : kNowhere;
    }
    const std::string& text(const Instr& instr) const { return lines[instr.text]; }
};

enum class ArgKind : u8 {
    by_value,
    global_buffer,
    dynamic_shared_pointer,
    block_count_x,
    block_count_y,
    block_count_z,
    group_size_x,
    group_size_y,
    group_size_z,
    remainder_x,
    remainder_y,
    remainder_z,
    global_offset_x,
    global_offset_y,
    global_offset_z,
    grid_dims,
    private_base,
    shared_base,
    queue_ptr,
    dynamic_lds_size,
    none,
    other_hidden,
};

struct KernelArg {
    u32 offset = 0;
    u32 size = 0;
    ArgKind kind = ArgKind::by_value;
    std::string name;
};

/// What a kernel's metadata and its descriptor say.
struct Kernel {
    std::string name;
    const Program* program = nullptr;
    u32 entry = 0;  ///< index of its first instruction
    u32 kernarg_bytes = 0;
    u32 lds_bytes = 0;      ///< static
    u32 scratch_bytes = 0;  ///< per lane
    bool dynamic_stack = false;
    u32 max_group_size = 1024;
    u32 vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
    u32 wave_size = 64;
    u32 rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    u16 properties = 0;  ///< kernel_code_properties
    u16 kernarg_preload = 0;
    std::vector<KernelArg> args;
};

}  // namespace gfxsim
