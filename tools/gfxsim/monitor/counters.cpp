// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/counters.hpp"

#include <algorithm>

namespace gfxsim {
namespace {

// Distinct lines that the lanes of one instruction touch.
u64 lines_touched(const Access& access) {
    std::array<u64, 4 * kLanes> lines;
    std::size_t count = 0;
    for_lanes(access.mask, [&](int lane) {
        const u64 first = access.address[lane] / kLineBytes, last = (access.address[lane] + access.bytes - 1) / kLineBytes;
        for (u64 line = first; line <= last; ++line) {
            // Neighbouring lanes mostly share a line: dropping repeats at once keeps the list short.
            if (count && lines[count - 1] == line) continue;
            if (count < lines.size()) lines[count++] = line;
        }
    });
    std::sort(lines.begin(), lines.begin() + i64(count));
    return u64(std::unique(lines.begin(), lines.begin() + i64(count)) - lines.begin());
}

struct BankUse {
    u64 cycles   = 0;
    u64 conflict = 0;
};

// Banks serve one word each per cycle. Lanes are served in groups whose accesses fill all banks once; lanes that want the
// same word share it.
BankUse bank_use(const Access& access, u32 banks) {
    const u32 words    = std::max<u32>(1, access.bytes / 4);
    const int together = std::max<int>(1, int(banks / words));
    BankUse use;
    for (int first = 0; first < kLanes; first += together) {
        std::array<std::vector<u64>, 64> wanted;
        u64 most = 0;
        for (int lane = first; lane < std::min(first + together, kLanes); ++lane) {
            if (!(access.mask >> lane & 1)) continue;
            for (u32 word = 0; word < words; ++word) {
                const u64 index = access.address[lane] / 4 + word;
                auto& bank      = wanted[index % banks];
                if (std::find(bank.begin(), bank.end(), index) == bank.end()) bank.push_back(index);
                most = std::max<u64>(most, bank.size());
            }
        }
        use.cycles += most;
        use.conflict += most > 1 ? most - 1 : 0;
    }
    return use;
}

}  // namespace

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
        (access.use == Use::read ? counts_.global_read : access.use == Use::write ? counts_.global_written : counts_.global_atomic) += bytes;
        ++counts_.global_accesses;
        counts_.global_lines += lines_touched(access);
    } else if (access.space == Space::lds) {
        (access.use == Use::read ? counts_.lds_read : counts_.lds_written) += bytes;
        ++counts_.lds_accesses;
        const BankUse use = bank_use(access, u32(wave.gpu->spec->lds_banks));
        counts_.lds_cycles += use.cycles, counts_.lds_conflict_cycles += use.conflict;
    }
}

}  // namespace gfxsim
