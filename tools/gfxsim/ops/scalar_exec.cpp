// SPDX-License-Identifier: MIT
// Scalar instructions that save and change EXEC, and those that choose a register by M0.
#include "gfxsim/ops/integer.hpp"
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/scalar_alu.hpp"
#include "gfxsim/ops/scalar_tables.hpp"

namespace gfxsim {
namespace {

using namespace integer;

/// EXEC becomes F(source, EXEC); the destination gets EXEC as it was, or as it is now.
template <class T, T (*F)(T, T), bool keeps_new>
void run_exec(Wave& wave, const Instr& instr) {
    const Operand exec{OperandKind::scalar, u8(sizeof(T) / 4), sreg::exec};
    const T before = read_scalar<T>(wave, exec);
    const T after = F(read_scalar<T>(wave, instr.src[0]), before);
    write_scalar<T>(wave, instr.dst[0], keeps_new ? after : before);
    write_scalar<T>(wave, exec, after);
    wave.scc = after != 0;
}

template <class T, T (*F)(T, T), bool keeps_new = false>
Definition with_exec(const char* name, u8 isas) {
    Definition d;
    d.name = name, d.run = &run_exec<T, F, keeps_new>, d.isas = isas;
    d.dsts = 1, d.dst[0] = type_of<T>, d.src[0] = type_of<T>;
    d.traits.klass = Class::salu, d.traits.writes_scc = true, d.traits.writes_exec = true;
    return d;
}

u16 shifted_register(const Operand& base, u32 by, u32 dwords) {
    const u32 index = base.index + by;
    if (base.kind != OperandKind::scalar || index < by || index + dwords > sreg::vcc)
        throw Fault(FaultKind::invalid, "chooses a scalar register that does not exist by M0 = " + std::to_string(by));
    return u16(index);
}

template <class T>
void run_movrels(Wave& wave, const Instr& instr) {
    Operand from = instr.src[0];
    from.index = shifted_register(from, wave.s[sreg::m0], sizeof(T) / 4);
    write_scalar<T>(wave, instr.dst[0], read_scalar<T>(wave, from));
}

template <class T>
void run_movreld(Wave& wave, const Instr& instr) {
    Operand to = instr.dst[0];
    to.index = shifted_register(to, wave.s[sreg::m0], sizeof(T) / 4);
    write_scalar<T>(wave, to, read_scalar<T>(wave, instr.src[0]));
}

void run_movrelsd_2(Wave& wave, const Instr& instr) {
    const u32 m0 = wave.s[sreg::m0];
    const u16 from = shifted_register(instr.src[0], m0 & 0x3ff, 1),
              to = shifted_register(instr.dst[0], m0 >> 16 & 0x3ff, 1);
    wave.s[to] = wave.s[from];
}

template <class T>
Definition relative(const char* name, RunFn run, u8 isas = kAllIsas) {
    Definition d;
    d.name = name, d.run = run, d.isas = isas, d.dsts = 1, d.dst[0] = type_of<T>, d.src[0] = type_of<T>;
    d.traits.klass = Class::salu, d.traits.reads_m0 = true;
    return d;
}

}  // namespace

Table scalar_exec_table() {
    return {
        with_exec<u32, bit_and<u32>>("s_and_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_and<u64>>("s_and_saveexec_b64", kAllIsas),
        with_exec<u32, bit_or<u32>>("s_or_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_or<u64>>("s_or_saveexec_b64", kAllIsas),
        with_exec<u32, bit_xor<u32>>("s_xor_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_xor<u64>>("s_xor_saveexec_b64", kAllIsas),
        with_exec<u32, bit_nand<u32>>("s_nand_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_nand<u64>>("s_nand_saveexec_b64", kAllIsas),
        with_exec<u32, bit_nor<u32>>("s_nor_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_nor<u64>>("s_nor_saveexec_b64", kAllIsas),
        with_exec<u32, bit_xnor<u32>>("s_xnor_saveexec_b32", kGfx11And12),
        with_exec<u64, bit_xnor<u64>>("s_xnor_saveexec_b64", kAllIsas),
        with_exec<u64, and_not<u64>>("s_andn2_saveexec_b64", kGfx9),
        with_exec<u32, and_not<u32>>("s_and_not1_saveexec_b32", kGfx11And12),
        with_exec<u64, and_not<u64>>("s_and_not1_saveexec_b64", kGfx11And12),
        with_exec<u64, not_and<u64>>("s_andn1_saveexec_b64", kGfx9),
        with_exec<u32, not_and<u32>>("s_and_not0_saveexec_b32", kGfx11And12),
        with_exec<u64, not_and<u64>>("s_and_not0_saveexec_b64", kGfx11And12),
        with_exec<u64, or_not<u64>>("s_orn2_saveexec_b64", kGfx9),
        with_exec<u32, or_not<u32>>("s_or_not1_saveexec_b32", kGfx11And12),
        with_exec<u64, or_not<u64>>("s_or_not1_saveexec_b64", kGfx11And12),
        with_exec<u64, not_or<u64>>("s_orn1_saveexec_b64", kGfx9),
        with_exec<u32, not_or<u32>>("s_or_not0_saveexec_b32", kGfx11And12),
        with_exec<u64, not_or<u64>>("s_or_not0_saveexec_b64", kGfx11And12),
        with_exec<u64, not_and<u64>, true>("s_andn1_wrexec_b64", kGfx9),
        with_exec<u32, not_and<u32>, true>("s_and_not0_wrexec_b32", kGfx11And12),
        with_exec<u64, not_and<u64>, true>("s_and_not0_wrexec_b64", kGfx11And12),
        with_exec<u64, and_not<u64>, true>("s_andn2_wrexec_b64", kGfx9),
        with_exec<u32, and_not<u32>, true>("s_and_not1_wrexec_b32", kGfx11And12),
        with_exec<u64, and_not<u64>, true>("s_and_not1_wrexec_b64", kGfx11And12),
        relative<u32>("s_movrels_b32", &run_movrels<u32>),
        relative<u64>("s_movrels_b64", &run_movrels<u64>),
        relative<u32>("s_movreld_b32", &run_movreld<u32>),
        relative<u64>("s_movreld_b64", &run_movreld<u64>),
        relative<u32>("s_movrelsd_2_b32", &run_movrelsd_2, kGfx11And12),
    };
}

}  // namespace gfxsim
