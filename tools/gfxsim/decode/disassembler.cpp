// SPDX-License-Identifier: MIT
#include "gfxsim/decode/disassembler.hpp"

#include <amd_comgr/amd_comgr.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "gfxsim/decode/scaled_mfma.hpp"

namespace gfxsim {
namespace {

struct Code {
    const u8* bytes;
    u64 size;
    std::string text;
};

std::uint64_t read_code(std::uint64_t from, char* to, std::uint64_t size, void* user) {
    const Code& code = *static_cast<Code*>(user);
    if (from >= code.size) return 0;
    const u64 count = std::min<u64>(size, code.size - from);
    std::memcpy(to, code.bytes + from, count);
    return count;
}

void keep_text(const char* text, void* user) { static_cast<Code*>(user)->text = text; }

void ignore_address(std::uint64_t, void*) {}

std::string undecoded(const u8* at) {
    u32 word;
    std::memcpy(&word, at, 4);
    char text[24];
    std::snprintf(text, sizeof(text), ".long 0x%08x", word);
    return text;
}

}  // namespace

std::vector<DisassembledLine> disassemble(const Gpu& gpu, const u8* code, u64 size) {
    const std::string isa = "amdgcn-amd-amdhsa--" + std::string(gpu.name());
    amd_comgr_disassembly_info_t info;
    if (amd_comgr_create_disassembly_info(isa.c_str(), read_code, keep_text, ignore_address, &info) != AMD_COMGR_STATUS_SUCCESS)
        throw std::runtime_error("the code object manager has no disassembler for " + std::string(gpu.name()));
    std::vector<DisassembledLine> lines;
    Code state{code, size & ~u64(3), ""};
    for (u64 offset = 0; offset < state.size;) {
        std::uint64_t length = 0;
        state.text.clear();
        const bool decoded = amd_comgr_disassemble_instruction(info, offset, &state, &length) == AMD_COMGR_STATUS_SUCCESS && length >= 4;
        const bool alone   = decoded && state.text.find("v_mfma_ld_scale_b32") != std::string::npos;
        ScaledMfma scaled;
        if (gpu.scales_matrices() && (!decoded || alone)) scaled = decode_scaled_mfma(code + offset, state.size - offset);
        if (scaled.size) length = scaled.size, state.text = scaled.text;
        else if (!decoded) length = 4, state.text = undecoded(code + offset);
        const std::size_t begin = state.text.find_first_not_of(" \t");
        lines.push_back({offset, length, begin == std::string::npos ? "" : state.text.substr(begin)});
        offset += length;
    }
    amd_comgr_destroy_disassembly_info(info);
    return lines;
}

}  // namespace gfxsim
