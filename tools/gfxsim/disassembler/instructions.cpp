// SPDX-License-Identifier: MIT
#include "gfxsim/disassembler/instructions.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "gfxsim/disassembler/scaled_mfma.hpp"

namespace gfxsim {
namespace {

struct Reading {
    Code code;
    std::string text;
};

// Zeros lie behind the end.
std::uint64_t read_code(std::uint64_t from, char* to, std::uint64_t size, void* user) {
    const Code& code = static_cast<Reading*>(user)->code;
    const u64 count = from < code.size ? std::min<u64>(size, code.size - from) : 0;
    std::memcpy(to, code.bytes + (count ? from : 0), count);
    std::memset(to + count, 0, size - count);
    return size;
}

void keep_text(const char* text, void* user) { static_cast<Reading*>(user)->text = text; }

void ignore_address(std::uint64_t, void*) {}

// Of SDWA. What LLVM makes of a selector that means nothing depends on the machine that it was compiled for: it dies of
// it, or writes another one.
bool selects_nothing(const Code& code, u64 offset) {
    constexpr u32 kSdwa = 0xf9, kNoPart = 7, kNoRest = 3, kVop1 = 0x3f, kVopc = 0x3e;
    if (code.size - offset < 8) return false;
    u32 words[2];
    std::memcpy(words, code.bytes + offset, 8);
    const u32 encoding = words[0] >> 25;
    if ((words[0] & 0x1ff) != kSdwa || encoding > kVop1) return false;
    const auto field = [&](int at, u32 mask) { return words[1] >> at & mask; };
    const bool no_source = field(16, 7) == kNoPart || (encoding != kVop1 && field(24, 7) == kNoPart);
    return no_source || (encoding != kVopc && (field(8, 7) == kNoPart || field(11, 3) == kNoRest));
}

}  // namespace

Instructions::Instructions(const Gpu& gpu) : gpu_(gpu) {
    const std::string isa = "amdgcn-amd-amdhsa--" + std::string(gpu.name());
    usable_ = amd_comgr_create_disassembly_info(isa.c_str(), read_code, keep_text, ignore_address, &info_) ==
              AMD_COMGR_STATUS_SUCCESS;
}

Disassembled Instructions::at(const Code& code, u64 offset) const {
    if (selects_nothing(code, offset)) return without_manager(gpu_, code, offset);
    Reading state{code, ""};
    std::uint64_t length = 0;
    const bool decoded =
        amd_comgr_disassemble_instruction(info_, offset, &state, &length) == AMD_COMGR_STATUS_SUCCESS && length >= 4 &&
        length % 4 == 0 && length <= code.size - offset;
    // The scale of a matrix instruction is an instruction to LLVM.
    const bool alone = decoded && state.text.find("v_mfma_ld_scale_b32") != std::string::npos;
    if (!decoded || (alone && decode_scaled_mfma(code.bytes + offset, code.size - offset).size))
        return without_manager(gpu_, code, offset);
    const std::size_t begin = state.text.find_first_not_of(" \t");
    return {begin == std::string::npos ? "" : state.text.substr(begin), length};
}

Disassembled without_manager(const Gpu& gpu, const Code& code, u64 offset) {
    if (gpu.scales_matrices()) {
        const ScaledMfma scaled = decode_scaled_mfma(code.bytes + offset, code.size - offset);
        if (scaled.size) return {scaled.text, scaled.size};
    }
    u32 word;
    std::memcpy(&word, code.bytes + offset, 4);
    char text[24];
    std::snprintf(text, sizeof(text), ".long 0x%08x", word);
    return {text, 4};
}

}  // namespace gfxsim
