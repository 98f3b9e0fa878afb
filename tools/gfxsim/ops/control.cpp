// SPDX-License-Identifier: MIT
// Branches, calls, barriers, waits and what else steers a wave.
#include "gfxsim/core/wave.hpp"
#include "gfxsim/ops/control_tables.hpp"
#include "gfxsim/ops/isas.hpp"

namespace gfxsim {
namespace {

using Condition = bool (*)(const Wave&);

bool always(const Wave&) { return true; }
// No debugger is attached, so the bits that it would set are never set.
bool never(const Wave&) { return false; }
bool scc_is_zero(const Wave& wave) { return !wave.scc; }
bool scc_is_one(const Wave& wave) { return wave.scc; }
bool vcc_is_zero(const Wave& wave) { return wave.mask(sreg::vcc) == 0; }
bool vcc_is_set(const Wave& wave) { return wave.mask(sreg::vcc) != 0; }
bool exec_is_zero(const Wave& wave) { return wave.exec() == 0; }
bool exec_is_set(const Wave& wave) { return wave.exec() != 0; }

void go_to_index(Wave& wave, u32 index) {
    if (index == Program::kNowhere) throw Fault(FaultKind::invalid, "jumps to a place that is no instruction");
    wave.pc = index;
}

template <Condition condition>
void run_branch(Wave& wave, const Instr& instr) {
    if (condition(wave)) go_to_index(wave, instr.target);
}

u64 address_behind(const Wave& wave, const Instr& instr) { return wave.program->address + instr.offset + instr.size; }

void go_to_address(Wave& wave, u64 address) { go_to_index(wave, wave.program->index_of(address)); }

void run_getpc(Wave& wave, const Instr& instr) { write_scalar64(wave, instr.dst[0], address_behind(wave, instr)); }

void run_setpc(Wave& wave, const Instr& instr) { go_to_address(wave, read_scalar64(wave, instr.src[0])); }

void run_swappc(Wave& wave, const Instr& instr) {
    const u64 to = read_scalar64(wave, instr.src[0]);
    write_scalar64(wave, instr.dst[0], address_behind(wave, instr));
    go_to_address(wave, to);
}

void run_call(Wave& wave, const Instr& instr) {
    write_scalar64(wave, instr.dst[0], address_behind(wave, instr));
    go_to_index(wave, instr.target);
}

void run_nothing(Wave&, const Instr&) {}
void run_end(Wave& wave, const Instr&) { wave.state = State::ended; }
void run_yield(Wave& wave, const Instr&) { wave.state = State::yielded; }
void run_barrier(Wave& wave, const Instr&) { wave.state = State::barrier; }

void run_trap(Wave& wave, const Instr& instr) {
    const u32 id = read_scalar32(wave, instr.src[0]) & 0xff;
    // Trap 3 is for a debugger; without one the trap handler returns at once.
    if (id == 3) return;
    throw Fault(FaultKind::trap, "is a trap, with which a program stops itself (an assertion or __builtin_trap)");
}

void run_code_end(Wave&, const Instr&) { throw Fault(FaultKind::invalid, "is behind the end of the code"); }

void run_sendmsg(Wave& wave, const Instr& instr) {
    // Giving back registers early changes nothing here; all else expects somebody who answers.
    if (wave.program->text(instr).find("MSG_DEALLOC_VGPRS") != std::string::npos) return;
    throw Fault(FaultKind::unsupported,
                "sends a message (as printf and assert do to reach the host), which nobody answers here");
}

constexpr i32 kNoBarrier = 0, kWorkgroupBarrier = -1;

i32 barrier_number(const Wave& wave, const Instr& instr) {
    const i32 number = instr.src[0].is_scalar() ? i32(wave.s[instr.src[0].index] & 0x1f) : i16(instr.src[0].value);
    if (number != kNoBarrier && number != kWorkgroupBarrier)
        throw Fault(FaultKind::unsupported,
                    "names barrier " + std::to_string(number) + ", only the workgroup's barrier -1 is simulated");
    return number;
}

bool has_signalled(const Wave& wave) { return wave.barrier_signalled || wave.state == State::barrier; }

template <bool tells_first>
void run_barrier_signal(Wave& wave, const Instr& instr) {
    if (barrier_number(wave, instr) == kNoBarrier) {
        if (tells_first) wave.scc = false;
        return;
    }
    if (wave.barrier_signalled)
        throw Fault(FaultKind::invalid, "signals the barrier a second time without waiting for it");
    if (tells_first) {
        bool first = true;
        for (const Wave* other : wave.group->waves) first = first && !has_signalled(*other);
        wave.scc = first;
    }
    wave.barrier_signalled = true;
}

void run_barrier_wait(Wave& wave, const Instr& instr) {
    if (barrier_number(wave, instr) == kNoBarrier) return;
    if (!wave.barrier_signalled) throw Fault(FaultKind::invalid, "waits for a barrier that the wave has not signalled");
    wave.barrier_signalled = false;
    wave.state = State::barrier;
}

Definition plain(const char* name, RunFn run, Class klass, u8 isas = kAllIsas) {
    Definition d;
    d.name = name, d.run = run, d.isas = isas, d.traits.klass = klass;
    for (Type& type : d.src) type = Type::u32;
    return d;
}

Definition no_effect(const char* name, u8 isas = kAllIsas) { return plain(name, &run_nothing, Class::control, isas); }

// Memory is read and written at once; only the checking mode cares that somebody waited.
Definition wait(const char* name, u8 isas = kAllIsas) { return plain(name, &run_nothing, Class::wait, isas); }

template <Condition condition>
Definition branch(const char* name, u8 isas = kAllIsas) {
    Definition d = plain(name, &run_branch<condition>, Class::branch, isas);
    d.traits.reads_scc = condition == scc_is_zero || condition == scc_is_one;
    d.traits.reads_vcc = condition == vcc_is_zero || condition == vcc_is_set;
    return d;
}

Definition jump(const char* name, RunFn run, bool returns, Type source) {
    Definition d = plain(name, run, Class::branch);
    d.dsts = returns ? 1 : 0, d.dst[0] = returns ? Type::u64 : Type::none, d.src[0] = source;
    return d;
}

Definition barrier_signal_isfirst() {
    Definition d = plain("s_barrier_signal_isfirst", &run_barrier_signal<true>, Class::control, kGfx12);
    d.traits.writes_scc = true;
    return d;
}

Definition getpc() {
    Definition d = plain("s_getpc_b64", &run_getpc, Class::salu);
    d.dsts = 1, d.dst[0] = Type::u64;
    return d;
}

}  // namespace

Table control_table() {
    Table all = {
        branch<always>("s_branch"),
        branch<scc_is_zero>("s_cbranch_scc0"),
        branch<scc_is_one>("s_cbranch_scc1"),
        branch<vcc_is_zero>("s_cbranch_vccz"),
        branch<vcc_is_set>("s_cbranch_vccnz"),
        branch<exec_is_zero>("s_cbranch_execz"),
        branch<exec_is_set>("s_cbranch_execnz"),
        branch<never>("s_cbranch_cdbgsys", kGfx9And11),
        branch<never>("s_cbranch_cdbguser", kGfx9And11),
        branch<never>("s_cbranch_cdbgsys_or_user", kGfx9And11),
        branch<never>("s_cbranch_cdbgsys_and_user", kGfx9And11),
        getpc(),
        jump("s_setpc_b64", &run_setpc, false, Type::u64),
        jump("s_swappc_b64", &run_swappc, true, Type::u64),
        jump("s_call_b64", &run_call, true, Type::u32),
        plain("s_endpgm", &run_end, Class::control),
        plain("s_endpgm_saved", &run_end, Class::control),
        plain("s_trap", &run_trap, Class::control),
        plain("s_code_end", &run_code_end, Class::control, kGfx11And12),
        plain("s_sleep", &run_yield, Class::control),
        plain("s_sleep_var", &run_yield, Class::control, kGfx12),
        plain("s_sendmsg", &run_sendmsg, Class::control),
        plain("s_barrier", &run_barrier, Class::barrier, kGfx9And11),
        plain("s_barrier_signal", &run_barrier_signal<false>, Class::control, kGfx12),
        barrier_signal_isfirst(),
        plain("s_barrier_wait", &run_barrier_wait, Class::barrier, kGfx12),
        wait("s_waitcnt"),  // gfx12 still has it, though compilers use it only where CK writes assembly
        wait("s_waitcnt_vscnt", kGfx11),
        wait("s_waitcnt_vmcnt", kGfx11),
        wait("s_waitcnt_expcnt", kGfx11),
        wait("s_waitcnt_lgkmcnt", kGfx11),
        wait("s_wait_loadcnt", kGfx12),
        wait("s_wait_storecnt", kGfx12),
        wait("s_wait_dscnt", kGfx12),
        wait("s_wait_kmcnt", kGfx12),
        wait("s_wait_expcnt", kGfx12),
        wait("s_wait_samplecnt", kGfx12),
        wait("s_wait_bvhcnt", kGfx12),
        wait("s_wait_loadcnt_dscnt", kGfx12),
        wait("s_wait_storecnt_dscnt", kGfx12),
        no_effect("s_wait_idle", kGfx11And12),
        no_effect("s_wait_event", kGfx11And12),
        no_effect("s_wait_alu", kGfx12),
        no_effect("s_waitcnt_depctr", kGfx11),
        no_effect("s_delay_alu", kGfx11And12),
        no_effect("s_clause", kGfx11And12),
        no_effect("s_nop"),
        no_effect("s_setprio"),
        no_effect("s_version", kGfx11And12),
        no_effect("s_set_inst_prefetch_distance", kGfx11),
        no_effect("s_icache_inv"),
        no_effect("s_wakeup"),
        no_effect("s_incperflevel"),
        no_effect("s_decperflevel"),
        no_effect("s_ttracedata"),
        no_effect("s_ttracedata_imm", kGfx11And12),
    };
    for (auto table : {hardware_register_table, gpr_index_table}) {
        for (const Definition& def : table()) all.push_back(def);
    }
    return all;
}

}  // namespace gfxsim
