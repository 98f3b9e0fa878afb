// SPDX-License-Identifier: MIT
#include "gfxsim/disassembler/scaled_mfma.hpp"

#include <cstring>

namespace gfxsim {
namespace {

constexpr u32 kLoadScale = 0xd3ac, kMfma16 = 0xd3ad, kMfma32 = 0xd3ae;  // upper halves of first words

struct Words {
    u32 low, high;

    explicit Words(const u8* code) {
        std::memcpy(&low, code, 4);
        std::memcpy(&high, code + 4, 4);
    }
    u32 opcode() const { return low >> 16; }
    u32 source(int n) const { return high >> 9 * n & 0x1ff; }
};

constexpr u32 kFirstVector = 256;

std::string registers(char file, u32 first, u32 count) {
    const std::string name(1, file);
    if (count == 1) return name + std::to_string(first);
    return name + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

// Registers that hold a matrix of a format; 0 if there is no such format.
u32 registers_of(u32 format) { return format <= 1 ? 8 : format <= 3 ? 6 : format == 4 ? 4 : 0; }

// Empty if the code is neither a register nor a constant.
std::string operand(u32 code, bool accumulation, u32 count) {
    constexpr const char* kReals[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
    if (code >= kFirstVector) {
        const u32 first = code - kFirstVector;
        return first + count > 256 ? "" : registers(accumulation ? 'a' : 'v', first, count);
    }
    if (code >= 128 && code <= 192) return std::to_string(code - 128);
    if (code > 192 && code <= 208) return "-" + std::to_string(code - 192);
    if (code >= 240 && code <= 248) return kReals[code - 240];
    return "";
}

std::string bits(u32 value) {
    std::string text = "[";
    for (int n = 0; n < 3; ++n) text += std::string(n ? "," : "") + char('0' + (value >> n & 1));
    return text + "]";
}

}  // namespace

ScaledMfma decode_scaled_mfma(const u8* code, u64 size) {
    if (size < 8) return {};
    const Words first(code);
    const bool scaled = first.opcode() == kLoadScale;
    if (scaled && size < 16) return {};
    const Words mfma = scaled ? Words(code + 8) : first;
    if (mfma.opcode() != kMfma16 && mfma.opcode() != kMfma32) return {};

    // ABID says whether scales come before.
    if ((mfma.low >> 11 & 0xf) != (scaled ? 1u : 0u)) return {};

    const u32 format_a = mfma.low >> 8 & 7, format_b = mfma.high >> 29;
    const bool acc_a = mfma.high >> 27 & 1, acc_b = mfma.high >> 28 & 1, acc_cd = mfma.low >> 15 & 1;
    const u32 count = mfma.opcode() == kMfma16 ? 4 : 16;
    const u32 count_a = registers_of(format_a), count_b = registers_of(format_b);
    if (!count_a || !count_b || mfma.source(0) < kFirstVector || mfma.source(1) < kFirstVector) return {};

    std::string text = scaled ? "v_mfma_scale_f32_" : "v_mfma_f32_";
    text += mfma.opcode() == kMfma16 ? "16x16x128_f8f6f4" : "32x32x64_f8f6f4";
    std::string operands[] = {operand(kFirstVector + (mfma.low & 0xff), acc_cd, count),
                              operand(mfma.source(0), acc_a, count_a),
                              operand(mfma.source(1), acc_b, count_b),
                              operand(mfma.source(2), acc_cd, count),
                              scaled ? operand(first.source(0), false, 1) : "-",
                              scaled ? operand(first.source(1), false, 1) : "-"};
    for (int n = 0; n < (scaled ? 6 : 4); ++n) {
        if (operands[n].empty()) return {};
        text += (n ? ", " : " ") + operands[n];
    }
    if (scaled) {
        const u32 op_sel = first.low >> 11 & 7, op_sel_hi = (first.high >> 27 & 3) | (first.low >> 14 & 1) << 2;
        if (op_sel) text += " op_sel:" + bits(op_sel);
        if (op_sel_hi != 7) text += " op_sel_hi:" + bits(op_sel_hi);
    }
    if (format_a) text += " cbsz:" + std::to_string(format_a);
    if (format_b) text += " blgp:" + std::to_string(format_b);
    return {text, scaled ? u64(16) : u64(8)};
}

}  // namespace gfxsim
