// SPDX-License-Identifier: MIT
// A decoded instruction: what the decoder makes of a line of disassembly, and what an instruction's code reads.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gfxsim/core/types.hpp"

namespace gfxsim {

class Wave;
struct Instr;

using RunFn = void (*)(Wave&, const Instr&);

/// Places in the scalar file. SGPRs come first; the rest has the same number on every GPU here.
namespace sreg {
constexpr u16 flat_scratch = 102;
constexpr u16 xnack_mask = 104;
constexpr u16 vcc = 106;
constexpr u16 ttmp = 108;
constexpr u16 m0 = 124;
constexpr u16 null = 125;
constexpr u16 exec = 126;
constexpr u16 count = 128;
}  // namespace sreg

/// AGPRs follow the VGPRs in one vector file.
constexpr u16 kFirstAgpr = 256;
constexpr u16 kVectorRows = 512;
constexpr int kLanes = 64;
/// No operand takes more registers than this.
constexpr u16 kWidestVector = 32;
constexpr u16 kWidestScalar = 16;

enum class OperandKind : u8 {
    none,
    vector,    ///< index: row of the vector file
    scalar,    ///< index: place in the scalar file
    constant,  ///< value: the bits, already in the operand's type
    scc,
    vccz,
    execz,
    off,  ///< "off": no address register
};

/// How the disassembler wrote a constant, until the operand's type says what its bits are.
enum class Written : u8 { bits, integer, real };

/// Which part of a register SDWA reads or writes.
enum class Sdwa : u8 { dword, byte0, byte1, byte2, byte3, word0, word1 };

struct Operand {
    OperandKind kind = OperandKind::none;
    u8 dwords = 0;  ///< registers that the operand names
    u16 index = 0;
    bool neg = false;
    bool abs = false;
    bool sext = false;
    bool high = false;  ///< ".h": the upper half of a register
    Written written = Written::bits;
    Sdwa sdwa = Sdwa::dword;
    u64 value = 0;
    double real = 0;

    bool is_vector() const { return kind == OperandKind::vector; }
    bool is_scalar() const { return kind == OperandKind::scalar; }
};

enum class DppKind : u8 {
    none,
    quad_perm,
    row_shl,
    row_shr,
    row_ror,
    wave_shl,
    wave_shr,
    wave_rol,
    wave_ror,
    row_mirror,
    row_half_mirror,
    row_bcast15,
    row_bcast31,
    row_newbcast,
    row_share,
    row_xmask,
    dpp8,
};

struct Dpp {
    DppKind kind = DppKind::none;
    std::array<u8, 8> value{};
    u8 row_mask = 0xf;
    u8 bank_mask = 0xf;
    bool bound_ctrl = false;
    bool fetch_inactive = false;
};

enum class SdwaUnused : u8 { pad, sext, preserve };
enum class Omod : u8 { none, mul2, mul4, div2 };

/// Counters that an instruction raises and a wait waits for.
enum class Counter : u8 { none, vm, lgkm, exp, store, sample, bvh, km };
constexpr int kCounters = 8;
constexpr u8 kNoWait = 0xff;

struct Modifiers {
    i32 offset = 0;
    u8 offset0 = 0;
    u8 offset1 = 0;
    u8 op_sel = 0;
    u8 op_sel_hi = 0;
    u8 neg_lo = 0;
    u8 neg_hi = 0;
    bool has_op_sel_hi = false;
    bool clamp = false;
    Omod omod = Omod::none;
    bool dst_high = false;  ///< the destination is the upper half of its register
    Dpp dpp;
    bool has_sdwa = false;
    Sdwa sdwa_dst = Sdwa::dword;
    SdwaUnused sdwa_unused = SdwaUnused::pad;
    u8 cbsz = 0, abid = 0, blgp = 0;
    bool offen = false, idxen = false, lds = false, gds = false;
    bool sc0 = false;  ///< also "glc"; on an atomic: return the old value
    bool sc1 = false, nt = false;
    u8 byte_sel = 0;
    u32 imm = 0;  ///< a number that the mnemonic alone explains, such as bitop3's table
    std::array<u8, kCounters> wait = {kNoWait, kNoWait, kNoWait, kNoWait, kNoWait, kNoWait, kNoWait, kNoWait};
    u8 hwreg = 0, hwreg_offset = 0, hwreg_width = 32;
};

enum class Class : u8 { salu, valu, matrix, lds, global, scratch, scalar_memory, branch, barrier, wait, control };
constexpr int kClasses = 11;
const char* class_name(Class);
/// Whether instructions of a class work on lanes: those that VSKIP skips.
constexpr bool is_vector(Class klass) {
    return klass == Class::valu || klass == Class::matrix || klass == Class::lds || klass == Class::global ||
           klass == Class::scratch;
}

/// Generations whose instructions differ although their names do not.
enum class Isa : u8 { gfx9, gfx11, gfx12 };
constexpr const char* isa_name(Isa isa) {
    if (isa == Isa::gfx9) return "gfx9";
    if (isa == Isa::gfx11) return "gfx11";
    return "gfx12";
}

/// How far an instruction's result is the hardware's.
enum class Exact : u8 {
    yes,
    rounding,  ///< the hardware's result may differ in the last bit, which is not documented
};

/// When an instruction has its destinations.
enum class DstRule : u8 { always, unless_lds, if_returning };

/// Facts about an instruction that hold for every use of it.
struct Traits {
    Class klass = Class::valu;
    Exact exact = Exact::yes;
    bool reads_dst = false;    ///< the first destination is also a source
    bool keeps_half = false;   ///< a 16-bit result leaves the rest of its register alone on gfx9 too
    bool writes_high = false;  ///< a 16-bit result goes to the upper half
    bool reads_vcc = false;    ///< without naming it
    bool reads_m0 = false;
    bool reads_scc = false;
    bool writes_scc = false;
    bool writes_exec = false;  ///< without naming it
    bool ignores_exec = false;
    bool splats_constants = false;  ///< a packed constant is in both halves, not in the lower alone
    DstRule dst_rule = DstRule::always;
    Counter counter = Counter::none;  ///< raised when issued, lowered when the result is there
    u32 flops = 0;                    ///< of a matrix instruction, for the whole wave
};

constexpr int kMaxDst = 2;
constexpr int kMaxSrc = 5;

struct Definition {
    const char* name = nullptr;  ///< the mnemonic without _e32, _e64, _dpp, _sdwa
    RunFn run = nullptr;
    u8 dsts = 0;  ///< leading operands that are written
    std::array<Type, kMaxDst> dst{};
    std::array<Type, kMaxSrc> src{};
    Traits traits;
    u8 isas = 7;  ///< bit set of Isa
};

constexpr u8 isa_bit(Isa isa) { return u8(1u << unsigned(isa)); }
constexpr u8 kAllIsas = 7;

struct Instr {
    RunFn run = nullptr;
    const Definition* def = nullptr;
    std::array<Operand, kMaxDst> dst{};
    std::array<Operand, kMaxSrc> src{};
    u8 dsts = 0;
    u8 srcs = 0;
    Isa isa = Isa::gfx9;
    Modifiers mod;
    u32 offset = 0;  ///< in bytes from the start of the code
    u32 size = 4;
    u32 target = 0;               ///< of a branch: index of the instruction to go on with
    u32 text = 0;                 ///< index of the disassembled line, or of the reason why it cannot run
    const Instr* pair = nullptr;  ///< the second half of a dual-issue instruction
};

}  // namespace gfxsim
