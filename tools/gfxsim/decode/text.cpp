// SPDX-License-Identifier: MIT
#include "gfxsim/decode/text.hpp"

#include <cctype>
#include <cstdlib>

#include "gfxsim/decode/modifiers.hpp"

namespace gfxsim {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool ends_with(std::string_view text, std::string_view suffix) {
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool parse_number(std::string_view text, u64& value) {
    const std::string copy(text);
    char* end = nullptr;
    value = std::strtoull(copy.c_str(), &end, 0);
    return !copy.empty() && *end == 0 && (std::isdigit(static_cast<unsigned char>(copy[0])));
}

// "v5", "v[0:3]" and their like, after the letters: the first index and the number of registers.
bool parse_range(std::string_view text, u16& first, u8& dwords) {
    u64 from = 0, to = 0;
    if (parse_number(text, from)) {
        first = u16(from), dwords = 1;
        return true;
    }
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    const std::size_t colon = text.find(':');
    if (!parse_number(text.substr(0, colon), from)) return false;
    to = from;
    if (colon != std::string_view::npos && !parse_number(text.substr(colon + 1), to)) return false;
    first = u16(from), dwords = u8(to - from + 1);
    return true;
}

struct Named {
    std::string_view name;
    OperandKind kind;
    u16 index;
    u8 dwords;
};

constexpr Named kNamed[] = {
    {"vcc", OperandKind::scalar, sreg::vcc, 2},
    {"vcc_lo", OperandKind::scalar, sreg::vcc, 1},
    {"vcc_hi", OperandKind::scalar, sreg::vcc + 1, 1},
    {"exec", OperandKind::scalar, sreg::exec, 2},
    {"exec_lo", OperandKind::scalar, sreg::exec, 1},
    {"exec_hi", OperandKind::scalar, sreg::exec + 1, 1},
    {"m0", OperandKind::scalar, sreg::m0, 1},
    {"null", OperandKind::scalar, sreg::null, 1},
    {"flat_scratch", OperandKind::scalar, sreg::flat_scratch, 2},
    {"flat_scratch_lo", OperandKind::scalar, sreg::flat_scratch, 1},
    {"flat_scratch_hi", OperandKind::scalar, sreg::flat_scratch + 1, 1},
    {"xnack_mask", OperandKind::scalar, sreg::xnack_mask, 2},
    {"xnack_mask_lo", OperandKind::scalar, sreg::xnack_mask, 1},
    {"xnack_mask_hi", OperandKind::scalar, sreg::xnack_mask + 1, 1},
    {"scc", OperandKind::scc, 0, 1},
    {"src_scc", OperandKind::scc, 0, 1},
    {"src_vccz", OperandKind::vccz, 0, 1},
    {"src_execz", OperandKind::execz, 0, 1},
    {"off", OperandKind::off, 0, 0},
};

bool parse_register(std::string_view text, Operand& operand) {
    for (const Named& named : kNamed) {
        if (text == named.name) {
            operand.kind = named.kind, operand.index = named.index, operand.dwords = named.dwords;
            return true;
        }
    }
    if (text == "src_shared_base" || text == "src_private_base" || text == "src_shared_limit" ||
        text == "src_private_limit" || text == "src_shared_base_lo" || text == "src_private_base_lo") {
        // 64-bit values; a 32-bit reader takes the upper half, where the aperture's number is.
        operand.kind = OperandKind::constant;
        operand.dwords = 2;
        operand.written = Written::bits;
        const bool shared = text.find("shared") != std::string_view::npos;
        operand.value = shared ? u64(1) << 56 : u64(2) << 56;
        if (text.find("limit") != std::string_view::npos) operand.value |= 0xffffffff;
        return true;
    }
    if (ends_with(text, ".l")) text.remove_suffix(2);
    else if (ends_with(text, ".h")) text.remove_suffix(2), operand.high = true;
    u16 first = 0;
    u8 dwords = 0;
    if (starts_with(text, "ttmp")) {
        if (!parse_range(text.substr(4), first, dwords)) return false;
        operand.kind = OperandKind::scalar, operand.index = u16(sreg::ttmp + first), operand.dwords = dwords;
        return first + dwords <= 16;
    }
    if (text.empty() || !parse_range(text.substr(1), first, dwords)) return false;
    operand.dwords = dwords;
    switch (text.front()) {
        case 'v': operand.kind = OperandKind::vector, operand.index = first; return first + dwords <= 256;
        case 'a':
            operand.kind = OperandKind::vector, operand.index = u16(kFirstAgpr + first);
            return first + dwords <= 256;
        case 's': operand.kind = OperandKind::scalar, operand.index = first; return first + dwords <= 106;
        default: return false;
    }
}

bool parse_constant(std::string_view text, Operand& operand) {
    operand.kind = OperandKind::constant;
    operand.dwords = 0;
    const std::string copy(text);
    char* end = nullptr;
    if (copy.find('.') != std::string::npos && !starts_with(text, "0x")) {
        operand.written = Written::real;
        operand.real = std::strtod(copy.c_str(), &end);
        return *end == 0;
    }
    const bool hex = starts_with(text, "0x") || starts_with(text, "-0x");
    operand.written = hex ? Written::bits : Written::integer;
    operand.value =
        hex && text.front() != '-' ? std::strtoull(copy.c_str(), &end, 16) : u64(std::strtoll(copy.c_str(), &end, 0));
    return !copy.empty() && *end == 0;
}

bool unwrap(std::string_view& text, std::string_view open, std::string_view close) {
    if (!starts_with(text, open) || !ends_with(text, close) || text.size() < open.size() + close.size()) return false;
    text = text.substr(open.size(), text.size() - open.size() - close.size());
    return true;
}

bool parse_operand(std::string_view text, Operand& operand) {
    if (unwrap(text, "sext(", ")")) operand.sext = true;
    if (unwrap(text, "neg(", ")")) operand.neg = true;
    else if (text.size() > 1 && text.front() == '-' && !std::isdigit(static_cast<unsigned char>(text[1])))
        operand.neg = true, text.remove_prefix(1);
    if (unwrap(text, "|", "|") || unwrap(text, "abs(", ")")) operand.abs = true;
    if (unwrap(text, "lit(", ")") || unwrap(text, "lit64(", ")")) return parse_constant(text, operand);
    return parse_register(text, operand) || parse_constant(text, operand);
}

// Cuts at spaces and commas that are not inside brackets, bars or quotes.
std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> found;
    int depth = 0;
    bool quoted = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ' ';
        if (c == '"') quoted = !quoted;
        if (c == '[' || c == '(') ++depth;
        if (c == ']' || c == ')') --depth;
        const bool cut = i == text.size() || (depth == 0 && !quoted && (c == ',' || c == ' ' || c == '\t'));
        if (!cut) continue;
        if (i > at) found.push_back(text.substr(at, i - at));
        at = i + 1;
    }
    return found;
}

}  // namespace

std::string_view plain_mnemonic(std::string_view mnemonic) {
    for (std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"}) {
        if (ends_with(mnemonic, suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
    }
    return mnemonic;
}

Line parse_line(std::string_view text, Isa isa) {
    Line line;
    text = trim(text);
    const std::size_t dual = text.find(" :: ");
    if (dual != std::string_view::npos) {
        line.second = std::string(trim(text.substr(dual + 4)));
        text = trim(text.substr(0, dual));
    }
    const std::size_t space = text.find_first_of(" \t");
    const std::string_view full = text.substr(0, space);
    line.mnemonic = std::string(plain_mnemonic(full));
    line.mod.has_sdwa = ends_with(full, "_sdwa");
    const std::string_view rest = space == std::string_view::npos ? "" : trim(text.substr(space));

    if (parse_special(line.mnemonic, rest, isa, line)) return line;
    for (std::string_view piece : pieces(rest)) {
        Operand operand;
        if (parse_modifier(piece, line)) continue;
        if (!line.problem.empty()) return line;
        if (!parse_operand(piece, operand)) {
            line.problem = "has the operand or modifier '" + std::string(piece) + "', which is not understood";
            return line;
        }
        line.operands.push_back(operand);
    }
    return line;
}

}  // namespace gfxsim
