// SPDX-License-Identifier: MIT
#include "gfxsim/check/lds.hpp"

#include <algorithm>

namespace gfxsim {

void LdsCheck::start(Workgroup& group) {
    words_.assign((group.lds.size() + 3) / 4, Word{});
    ++epoch_;
}

void LdsCheck::race(const Wave& wave, const Instr& instr, int lane, u64 address, const char* what, u32 other,
                    Findings& findings) {
    if (findings.again(FindingKind::lds_race, instr)) return;
    findings.add(FindingKind::lds_race, wave, instr, lane,
                 std::string(what) + " LDS byte " + std::to_string(address) + ", with no barrier after wave " +
                     std::to_string(other) + (std::string(what) == "writes" ? " used it," : " wrote it,"));
}

u64 LdsCheck::access(Wave& wave, const Instr& instr, const Access& access, u64 defined, const WaveView& view,
                     Findings& findings) {
    const Span memory{0, wave.group->lds.size()};
    const u32 me = wave.index;
    const u32 align = std::min<u32>(access.bytes, 4);
    // Loads and stores may begin at any byte of LDS, and the compiler uses that where it knows the address: its own
    // offset tells.
    const bool meant = access.use != Use::atomic && u32(instr.mod.offset) % align;
    u64 good = ~u64(0);
    const u64 serial = view.waves[me]->issued(view.counter) + 1;

    for_lanes(access.mask, [&](int lane) {
        const u64 address = access.address[lane];
        if (!memory.holds(address, access.bytes)) {
            if (!findings.again(FindingKind::lds_out_of_bounds, instr))
                findings.add(FindingKind::lds_out_of_bounds, wave, instr, lane,
                             "accesses " + std::to_string(access.bytes) + " bytes at LDS byte " +
                                 std::to_string(address) + " of " + std::to_string(memory.size()) + ",");
            return;
        }
        if (address % align && !meant && !findings.again(FindingKind::misaligned, instr))
            findings.add(FindingKind::misaligned, wave, instr, lane,
                         "accesses " + std::to_string(access.bytes) + " bytes at LDS byte " + std::to_string(address) +
                             ", which is not aligned,");

        for (u64 at = address; at < address + access.bytes; at = (at | 3) + 1) {
            const u64 last = std::min<u64>((at | 3) + 1, address + access.bytes);
            const u8 bytes = u8(((1u << (last - at)) - 1) << (at & 3));
            Word& word = words_[at / 4];
            const bool fresh_write = word.write_epoch == epoch_ && (word.written & bytes) && word.writer != me;
            // Reading what others change atomically is how a loop around compare-and-swap begins.
            const bool both_atomic = access.use != Use::write && word.atomic;
            // A write that its wave has not waited for may arrive after the barrier.
            const bool in_flight = word.writer != me && (word.written & bytes) && word.counter &&
                                   view.waves[word.writer]->ended(Counter(word.counter)) < word.serial &&
                                   word.write_epoch != epoch_;

            if (access.use != Use::write) {
                if (fresh_write && !both_atomic) race(wave, instr, lane, at, "reads", word.writer, findings);
                else if (in_flight && !both_atomic && !findings.again(FindingKind::missing_wait, instr))
                    findings.add(FindingKind::missing_wait, wave, instr, lane,
                                 "reads LDS byte " + std::to_string(at) + ", which wave " +
                                     std::to_string(word.writer) + " wrote without a wait before the barrier,");
                if (word.read_epoch != epoch_) word.read_epoch = epoch_, word.readers = 0;
                if (access.use == Use::read) word.readers |= u32(1) << (me & 31);
                if ((word.defined & bytes) != bytes) {
                    good &= ~(u64(1) << lane);
                    if (!(word.defined & bytes) && !word.written &&
                        !findings.again(FindingKind::uninitialised_lds, instr))
                        findings.add(FindingKind::uninitialised_lds, wave, instr, lane,
                                     "reads LDS byte " + std::to_string(at) + ", which nothing has written,");
                }
            }
            if (access.use != Use::read) {
                const u32 others = word.read_epoch == epoch_ ? word.readers & ~(u32(1) << (me & 31)) : 0;
                if (fresh_write && !both_atomic) race(wave, instr, lane, at, "writes", word.writer, findings);
                else if (others && access.use == Use::write)
                    race(wave, instr, lane, at, "writes", u32(__builtin_ctz(others)), findings);
                if (word.write_epoch != epoch_ || word.writer != me) word.written = 0;
                word.write_epoch = epoch_, word.writer = u8(me), word.written |= bytes, word.serial = serial;
                word.counter = u8(view.counter), word.atomic = access.use == Use::atomic;
                if (defined >> lane & 1) word.defined |= bytes;
                else word.defined &= u8(~bytes);
            }
        }
    });
    return good;
}

}  // namespace gfxsim
