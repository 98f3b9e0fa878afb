// SPDX-License-Identifier: MIT
#include "gfxsim/decode/modifiers.hpp"

#include <cstdlib>

namespace gfxsim {
namespace {

u64 number(std::string_view text) { return u64(std::strtoll(std::string(text).c_str(), nullptr, 0)); }

// "[0,1,1]" as a list.
std::vector<u8> list(std::string_view text) {
    std::vector<u8> values;
    if (text.size() < 2) return values;
    text = text.substr(1, text.size() - 2);
    while (true) {
        const std::size_t comma = text.find(',');
        values.push_back(u8(number(text.substr(0, comma))));
        if (comma == std::string_view::npos) return values;
        text.remove_prefix(comma + 1);
    }
}

u8 bits(std::string_view text) {
    u8 mask = 0;
    const std::vector<u8> values = list(text);
    for (std::size_t i = 0; i < values.size(); ++i) mask |= u8(values[i] << i);
    return mask;
}

bool parse_sdwa(std::string_view text, Sdwa& part) {
    constexpr std::string_view kNames[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
    for (int i = 0; i < 7; ++i) {
        if (text == kNames[i]) {
            part = Sdwa(i);
            return true;
        }
    }
    return false;
}

bool parse_dpp(std::string_view key, std::string_view value, Dpp& dpp) {
    struct Entry {
        std::string_view name;
        DppKind kind;
    };
    constexpr Entry kShifts[] = {
        {"row_shl", DppKind::row_shl},
        {"row_shr", DppKind::row_shr},
        {"row_ror", DppKind::row_ror},
        {"wave_shl", DppKind::wave_shl},
        {"wave_shr", DppKind::wave_shr},
        {"wave_rol", DppKind::wave_rol},
        {"wave_ror", DppKind::wave_ror},
        {"row_mirror", DppKind::row_mirror},
        {"row_half_mirror", DppKind::row_half_mirror},
        {"row_share", DppKind::row_share},
        {"row_xmask", DppKind::row_xmask},
        {"row_newbcast", DppKind::row_newbcast},
    };
    for (const Entry& entry : kShifts) {
        if (key == entry.name) {
            dpp.kind = entry.kind, dpp.value[0] = u8(value.empty() ? 0 : number(value));
            return true;
        }
    }
    if (key == "row_bcast") {
        dpp.kind = value == "15" ? DppKind::row_bcast15 : DppKind::row_bcast31;
    } else if (key == "quad_perm" || key == "dpp8") {
        const std::vector<u8> values = list(value);
        for (std::size_t i = 0; i < values.size() && i < 8; ++i) dpp.value[i] = values[i];
        dpp.kind = key == "dpp8" ? DppKind::dpp8 : DppKind::quad_perm;
    } else if (key == "row_mask") {
        dpp.row_mask = u8(number(value));
    } else if (key == "bank_mask") {
        dpp.bank_mask = u8(number(value));
    } else if (key == "bound_ctrl") {
        dpp.bound_ctrl = true;
    } else if (key == "fi") {
        dpp.fetch_inactive = number(value) != 0;
    } else {
        return false;
    }
    return true;
}

// Hints to caches and to the memory order of other agents: waves run one after the other here, so they change nothing.
bool is_cache_hint(std::string_view key) {
    for (std::string_view hint : {"slc", "dlc", "scope", "th", "scc"}) {
        if (key == hint) return true;
    }
    return false;
}

struct WaitName {
    std::string_view name;
    Counter counter;
};

constexpr WaitName kWaits[] = {
    {"vmcnt", Counter::vm},         {"lgkmcnt", Counter::lgkm}, {"expcnt", Counter::exp},     {"vscnt", Counter::store},
    {"loadcnt", Counter::vm},       {"dscnt", Counter::lgkm},   {"storecnt", Counter::store}, {"kmcnt", Counter::km},
    {"samplecnt", Counter::sample}, {"bvhcnt", Counter::bvh},
};

bool parse_wait(std::string_view rest, Line& line) {
    while (!rest.empty()) {
        const std::size_t open = rest.find('(');
        if (open == std::string_view::npos) {
            // Nothing to wait for is printed as a bare number with every counter at its most.
            return number(rest) != 0 || rest == "0";
        }
        std::string_view name = rest.substr(0, open);
        while (!name.empty() && (name.front() == ' ' || name.front() == '&')) name.remove_prefix(1);
        const std::size_t close = rest.find(')', open);
        bool found = false;
        for (const WaitName& wait : kWaits) {
            if (name == wait.name)
                line.mod.wait[int(wait.counter)] = u8(number(rest.substr(open + 1, close - open - 1))), found = true;
        }
        if (!found || close == std::string_view::npos) return false;
        rest.remove_prefix(close + 1);
    }
    return true;
}

struct HardwareRegister {
    std::string_view name;
    u8 number;
};

constexpr HardwareRegister kHardwareRegisters[] = {
    {"HW_REG_MODE", 1},
    {"HW_REG_STATUS", 2},
    {"HW_REG_TRAPSTS", 3},
    {"HW_REG_HW_ID", 4},
    {"HW_REG_GPR_ALLOC", 5},
    {"HW_REG_LDS_ALLOC", 6},
    {"HW_REG_IB_STS", 7},
    {"HW_REG_XCC_ID", 20},
    {"HW_REG_HW_ID1", 23},
    {"HW_REG_HW_ID2", 24},
    {"HW_REG_SHADER_CYCLES", 29},
    {"HW_REG_SHADER_CYCLES_LO", 29},
    {"HW_REG_SHADER_CYCLES_HI", 30},
};

// The ordinary operands next to an unusual one.
void parse_others(std::string_view text, Line& line) {
    Line others = parse_line("x " + std::string(text), Isa::gfx9);
    line.operands = others.operands;
    if (!others.problem.empty()) line.problem = others.problem;
}

bool parse_hwreg(std::string_view text, Modifiers& mod) {
    // hwreg(HW_REG_MODE, 0, 8) or hwreg(HW_REG_MODE); unnamed registers are numbers.
    const std::size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return false;
    text = text.substr(open + 1, close - open - 1);
    const std::size_t comma = text.find(',');
    std::string name(text.substr(0, comma));
    // LLVM calls those of gfx12 HW_REG_WAVE_MODE and the like since 22.
    if (const std::size_t wave = name.find("_WAVE_"); wave != std::string::npos) name.erase(wave, 5);
    mod.hwreg = u8(number(name));
    for (const HardwareRegister& known : kHardwareRegisters) {
        if (name == known.name) mod.hwreg = known.number;
    }
    if (comma != std::string_view::npos) {
        text.remove_prefix(comma + 1);
        mod.hwreg_offset = u8(number(text));
        mod.hwreg_width = u8(number(text.substr(text.find(',') + 1)));
    }
    return mod.hwreg != 0;
}

}  // namespace

bool parse_modifier(std::string_view piece, Line& line) {
    Modifiers& mod = line.mod;
    const std::size_t colon = piece.find(':');
    // A colon inside brackets belongs to a register range.
    if (colon != std::string_view::npos && piece.find('[') < colon) return false;
    const std::string_view key = piece.substr(0, colon);
    const std::string_view value = colon == std::string_view::npos ? "" : piece.substr(colon + 1);
    if (key == "offset" && value.substr(0, 8) == "swizzle(") return parse_special("swizzle", value, Isa::gfx9, line);
    if (key == "offset") mod.offset = i32(number(value));
    else if (key == "offset0") mod.offset0 = u8(number(value));
    else if (key == "offset1") mod.offset1 = u8(number(value));
    else if (key == "op_sel") mod.op_sel = bits(value);
    else if (key == "op_sel_hi") mod.op_sel_hi = bits(value), mod.has_op_sel_hi = true;
    else if (key == "neg_lo") mod.neg_lo = bits(value);
    else if (key == "neg_hi") mod.neg_hi = bits(value);
    else if (key == "neg") mod.neg_lo = bits(value);
    else if (key == "clamp") mod.clamp = true;
    else if (key == "mul") mod.omod = value == "2" ? Omod::mul2 : Omod::mul4;
    else if (key == "div") mod.omod = Omod::div2;
    else if (key == "offen") mod.offen = true;
    else if (key == "idxen") mod.idxen = true;
    else if (key == "lds") mod.lds = true;
    else if (key == "glc" || key == "sc0") mod.sc0 = true;
    else if (key == "th" && value.find("_RETURN") != std::string_view::npos) mod.sc0 = true;
    else if (key == "sc1") mod.sc1 = true;
    else if (key == "nt") mod.nt = true;
    else if (key == "cbsz") mod.cbsz = u8(number(value));
    else if (key == "abid" || key == "index_key") mod.abid = u8(number(value));
    else if (key == "blgp") mod.blgp = u8(number(value));
    else if (key == "bitop3") mod.imm = u32(number(value));
    else if (key == "byte_sel") mod.byte_sel = u8(number(value));
    else if (key == "dst_sel") return parse_sdwa(value, mod.sdwa_dst);
    else if (key == "dst_unused")
        mod.sdwa_unused = value == "UNUSED_PRESERVE" ? SdwaUnused::preserve
                          : value == "UNUSED_SEXT"   ? SdwaUnused::sext
                                                     : SdwaUnused::pad;
    else if (key == "src0_sel" || key == "src1_sel") {
        // Kept in the immediate until the definition tells sources from destinations.
        Sdwa part;
        if (!parse_sdwa(value, part)) return false;
        mod.imm |= u32(part) << (key == "src0_sel" ? 0 : 8);
    } else if (parse_dpp(key, value, mod.dpp) || is_cache_hint(key)) {
    } else if (colon != std::string_view::npos) {
        line.problem = "has the modifier '" + std::string(piece) + "', which is not simulated";
        return false;
    } else {
        return false;
    }
    return true;
}

bool parse_special(std::string_view mnemonic, std::string_view rest, Isa, Line& line) {
    const auto refuse = [&] {
        line.problem = "has the operand '" + std::string(rest) + "', which is not understood";
        return true;
    };
    if (mnemonic == "s_waitcnt") return parse_wait(rest, line) || refuse();
    if (mnemonic.substr(0, 10) == "s_waitcnt_" && mnemonic != "s_waitcnt_depctr") {
        for (const WaitName& wait : kWaits) {
            if (mnemonic.substr(10) == wait.name)
                line.mod.wait[int(wait.counter)] = u8(number(rest.substr(rest.find(',') + 1)));
        }
        return true;
    }
    if (mnemonic.substr(0, 7) == "s_wait_" && mnemonic != "s_wait_alu" && mnemonic != "s_wait_event" &&
        mnemonic != "s_wait_idle") {
        // gfx12: one or two counters in the name, the numbers in one immediate with the second one in the upper byte.
        std::string_view names = mnemonic.substr(7);
        const u32 counts = u32(number(rest));
        const std::size_t cut = names.find("cnt_");
        const bool two = cut != std::string_view::npos;
        const std::string_view first = two ? names.substr(0, cut + 3) : names,
                               second = two ? names.substr(cut + 4) : "";
        for (const WaitName& wait : kWaits) {
            if (first == wait.name) line.mod.wait[int(wait.counter)] = u8(two ? counts >> 8 & 0x3f : counts);
            if (two && second == wait.name) line.mod.wait[int(wait.counter)] = u8(counts & 0x3f);
        }
        return true;
    }
    if (mnemonic == "s_delay_alu" || mnemonic == "s_wait_alu" || mnemonic == "s_waitcnt_depctr" ||
        mnemonic == "s_clause" || mnemonic == "s_sendmsg" || mnemonic == "s_version")
        return true;
    if (mnemonic == "s_setreg_b32" || mnemonic == "s_setreg_imm32_b32" || mnemonic == "s_getreg_b32") {
        const std::size_t open = rest.find("hwreg(");
        if (open == std::string_view::npos || !parse_hwreg(rest.substr(open), line.mod)) return refuse();
        const std::size_t close = rest.find(')', open);
        parse_others(open == 0 ? rest.substr(close + 1) : rest.substr(0, open), line);
        return true;
    }
    if (mnemonic == "s_sendmsg_rtn_b32" || mnemonic == "s_sendmsg_rtn_b64") {
        parse_others(rest.substr(0, rest.find("sendmsg(")), line);
        return true;
    }
    if (mnemonic == "s_set_gpr_idx_on" || mnemonic == "s_set_gpr_idx_mode") {
        // gpr_idx(SRC0,DST): which operands M0 moves.
        const std::size_t open = rest.find("gpr_idx(");
        if (open == std::string_view::npos) return refuse();
        const std::string_view names = rest.substr(open);
        constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
        for (u32 i = 0; i < 4; ++i) {
            if (names.find(kNames[i]) != std::string_view::npos) line.mod.imm |= 1u << i;
        }
        parse_others(rest.substr(0, open), line);
        return true;
    }
    if (mnemonic == "swizzle") {
        // swizzle(BITMASK_PERM,"01pip") and its like, back to the 16 bits that the instruction holds.
        const std::size_t comma = rest.find(',');
        const std::string_view kind = rest.substr(8, comma - 8);
        std::string_view args = rest.substr(comma + 1, rest.size() - comma - 2);
        std::vector<u32> values;
        u32 and_mask = 0, or_mask = 0, xor_mask = 0;
        if (kind == "BITMASK_PERM") {
            for (char c : args) {
                if (c == '"') continue;
                and_mask <<= 1, or_mask <<= 1, xor_mask <<= 1;
                if (c == '1') or_mask |= 1;
                if (c == 'p' || c == 'i') and_mask |= 1;
                if (c == 'i') xor_mask |= 1;
            }
            line.mod.offset = i32(and_mask | or_mask << 5 | xor_mask << 10);
            return true;
        }
        for (const u8 value : list("[" + std::string(args) + "]")) values.push_back(value);
        if (kind == "QUAD_PERM" && values.size() == 4) {
            line.mod.offset = i32(0x8000 | values[0] | values[1] << 2 | values[2] << 4 | values[3] << 6);
        } else if (kind == "SWAP" && values.size() == 1) {
            line.mod.offset = i32(0x1f | values[0] << 10);
        } else if (kind == "REVERSE" && values.size() == 1) {
            line.mod.offset = i32(0x1f | (values[0] - 1) << 10);
        } else if (kind == "BROADCAST" && values.size() == 2) {
            line.mod.offset = i32((~(values[0] - 1) & 0x1f) | values[1] << 5);
        } else if (kind == "FFT" && values.size() == 1) {
            line.mod.offset = i32(0xe000 | values[0]);
        } else if (kind == "ROTATE" && values.size() == 2) {
            line.mod.offset = i32(0xc000 | values[0] << 10 | values[1] << 5);
        } else {
            return refuse();
        }
        return true;
    }
    return false;
}

}  // namespace gfxsim
