// SPDX-License-Identifier: MIT
#include "gfxsim/decode/decoder.hpp"

#include <cstring>
#include <utility>

#include "gfxsim/core/float16.hpp"
#include "gfxsim/core/wave.hpp"
#include "gfxsim/decode/disassembler.hpp"
#include "gfxsim/decode/text.hpp"
#include "gfxsim/ops/dual.hpp"
#include "gfxsim/ops/tables.hpp"

namespace gfxsim {
namespace {

// The bits of a constant as an operand of a type sees it.
u64 constant_bits(const Operand& operand, Type type) {
    const bool wide = type == Type::u64 || type == Type::i64 || type == Type::f64 || type == Type::wide;
    const bool half =
        type == Type::u16 || type == Type::i16 || type == Type::f16 || type == Type::pk16 || type == Type::pkf16;
    switch (operand.written) {
        case Written::real:
            if (type == Type::bf16 || type == Type::pkbf16) return bit_cast<u32>(f32(operand.real)) >> 16;
            if (half) return to_f16(operand.real, Round::nearest).bits;
            return wide ? bit_cast<u64>(operand.real) : bit_cast<u32>(f32(operand.real));
        case Written::integer: return wide || type == Type::mask ? operand.value : u32(operand.value);
        case Written::bits:
            // Apertures are 64-bit values of which a 32-bit reader sees the upper half.
            if (operand.dwords == 2) return wide ? operand.value : operand.value >> 32;
            if (operand.value >> 32) return operand.value;
            if (type == Type::f64) return operand.value << 32;
            if (type == Type::i64) return u64(i64(i32(u32(operand.value))));
            return operand.value;
    }
    return operand.value;
}

bool has_destinations(const Definition& def, const Modifiers& mod) {
    switch (def.traits.dst_rule) {
        case DstRule::always: return true;
        case DstRule::unless_lds: return !mod.lds;
        case DstRule::if_returning: return mod.sc0;
    }
    return true;
}

std::string bind(const Line& line, const Definition& def, Isa isa, Instr& instr) {
    instr.def = &def;
    instr.run = def.run;
    instr.isa = isa;
    instr.mod = line.mod;
    const std::size_t dsts = has_destinations(def, line.mod) ? def.dsts : 0;
    if (line.operands.size() < dsts || line.operands.size() > dsts + kMaxSrc)
        return "has " + std::to_string(line.operands.size()) + " operands, which is not a form of " + def.name +
               " that is simulated";
    for (std::size_t n = 0; n < line.operands.size(); ++n) {
        const bool is_dst = n < dsts;
        Operand operand = line.operands[n];
        if (operand.kind == OperandKind::constant) {
            if (is_dst) return "writes to a constant";
            operand.value = constant_bits(operand, def.src[n - dsts]);
            if (def.traits.splats_constants && operand.written != Written::bits)
                operand.value = (operand.value & 0xffff) * 0x10001;
        }
        (is_dst ? instr.dst[n] : instr.src[n - dsts]) = operand;
    }
    instr.dsts = u8(dsts);
    instr.srcs = u8(line.operands.size() - dsts);
    // The bit behind those of the sources chooses the half of the destination.
    instr.mod.dst_high = instr.mod.op_sel >> instr.srcs & 1;
    if (instr.mod.has_sdwa) {
        instr.src[0].sdwa = Sdwa(instr.mod.imm & 0xff);
        instr.src[1].sdwa = Sdwa(instr.mod.imm >> 8 & 0xff);
        instr.mod.imm = 0;
    }
    const bool packed = is_packed16(def.src[0]) || def.src[0] == Type::pkf32 || def.src[0] == Type::pku32;
    if (packed && !instr.mod.has_op_sel_hi) instr.mod.op_sel_hi = 7;
    return "";
}

// A constant may be in both halves of an operand, but not a literal; LLVM before 22 shows both in the same way.
void unsplat_literal(Instr& instr, const u8* code) {
    if (!instr.def->traits.splats_constants || instr.size == 4 || instr.src[0].kind != OperandKind::constant) return;
    u32 literal;
    std::memcpy(&literal, code + instr.offset + 4, sizeof literal);
    instr.src[0].value = literal;
}

std::string decode_half(const std::string& text, Isa isa, Instr& instr, std::string& second) {
    Line line = parse_line(text, isa);
    if (!line.problem.empty()) return line.problem;
    second = line.second;
    const Definition* def = find_definition(line.mnemonic, isa);
    if (!def) return "is an instruction that is not simulated";
    return bind(line, *def, isa, instr);
}

}  // namespace

void run_unsupported(Wave& wave, const Instr& instr) { throw Fault(FaultKind::unsupported, wave.program->text(instr)); }

Decoded decode_line(const std::string& text, Isa isa) {
    Decoded decoded;
    std::string second, third;
    decoded.problem = decode_half(text, isa, decoded.instr, second);
    if (!decoded.problem.empty() || second.empty()) return decoded;
    decoded.second = std::make_unique<Instr>();
    decoded.problem = decode_half(second, isa, *decoded.second, third);
    if (decoded.problem.empty()) make_dual(decoded.instr, *decoded.second);
    return decoded;
}

std::unique_ptr<Program> decode(const Gpu& gpu, const std::string& file, const u8* code, u64 size) {
    auto program = std::make_unique<Program>();
    program->file = file, program->gpu = &gpu, program->address = reinterpret_cast<u64>(code), program->size = size;
    program->at.assign(size / 4 + 1, Program::kNowhere);

    disassemble(gpu, code, size, [&](DisassembledLine raw) {
        Decoded decoded = decode_line(raw.text, gpu.isa);
        Instr& instr = decoded.instr;
        instr.offset = u32(raw.offset), instr.size = u32(raw.size), instr.text = u32(program->lines.size());
        if (decoded.problem.empty()) unsplat_literal(instr, code);
        if (decoded.problem.empty()) {
            program->lines.push_back(std::move(raw.text));
        } else {
            program->lines.push_back("'" + raw.text + "' " + decoded.problem);
            instr.run = &run_unsupported;
            instr.def = nullptr;
        }
        if (decoded.second) {
            program->halves.push_back(std::move(decoded.second));
            instr.pair = program->halves.back().get();
        }
        program->at[raw.offset / 4] = u32(program->instrs.size());
        program->instrs.push_back(instr);
    });
    for (Instr& instr : program->instrs) {
        if (!instr.def || instr.def->traits.klass != Class::branch || instr.srcs == 0) continue;
        const Operand& distance = instr.src[0];
        if (distance.kind != OperandKind::constant) continue;
        const i64 offset = i64(instr.offset) + 4 + 4 * i64(i16(u16(distance.value)));
        const bool known = offset >= 0 && u64(offset) < size && program->at[u64(offset) / 4] != Program::kNowhere;
        instr.target = known ? program->at[u64(offset) / 4] : Program::kNowhere;
    }
    return program;
}

}  // namespace gfxsim
