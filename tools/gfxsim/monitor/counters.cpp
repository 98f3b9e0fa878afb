// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/counters.hpp"

#include "gfxsim/core/lines.hpp"

namespace gfxsim {
void Counts::add(const Counts& other) {
    for (int i = 0; i < kClasses; ++i) instructions[std::size_t(i)] += other.instructions[std::size_t(i)];
    matrix_flops += other.matrix_flops, barriers += other.barriers;
    global_read += other.global_read, global_written += other.global_written, global_atomic += other.global_atomic;
    global_accesses += other.global_accesses, global_lines += other.global_lines;
    scalar_read += other.scalar_read, scalar_written += other.scalar_written, scalar_accesses += other.scalar_accesses;
    lds_read += other.lds_read, lds_written += other.lds_written, lds_accesses += other.lds_accesses;
    lds_cycles += other.lds_cycles, lds_conflict_cycles += other.lds_conflict_cycles;
}

void LaunchCounter::before(Wave&, const Instr& instr) {
    if (!instr.def) return;
    ++counts_.instructions[std::size_t(instr.def->traits.klass)];
    counts_.matrix_flops += instr.def->traits.flops;
}

void LaunchCounter::access(Wave& wave, const Instr& instr, const Access& access) {
    const u64 bytes = u64(__builtin_popcountll(access.mask)) * access.bytes;
    // Scalar accesses have a cache of their own and no lanes whose addresses could lie well or badly.
    if (instr.def && instr.def->traits.klass == Class::scalar_memory) {
        (access.use == Use::read ? counts_.scalar_read : counts_.scalar_written) += bytes;
        ++counts_.scalar_accesses;
    } else if (access.space == Space::global) {
        (access.use == Use::read    ? counts_.global_read
         : access.use == Use::write ? counts_.global_written
                                    : counts_.global_atomic) += bytes;
        ++counts_.global_accesses;
        counts_.global_lines += distinct_lines(access, kLineBytes).count;
    } else if (access.space == Space::lds) {
        (access.use == Use::read ? counts_.lds_read : counts_.lds_written) += bytes;
        ++counts_.lds_accesses;
        const BankUse use = bank_use(access, u32(wave.gpu->spec->lds_banks));
        counts_.lds_cycles += use.cycles, counts_.lds_conflict_cycles += use.conflict;
    }
}

}  // namespace gfxsim
