// SPDX-License-Identifier: MIT
#include "gfxsim/ops/reach.hpp"

#include <algorithm>
#include <string>

#include "gfxsim/ops/transfer.hpp"

namespace gfxsim {
namespace {

// A 64-bit address in registers, or a 32-bit offset from one in scalar registers.
void global_addresses(const Wave& wave, const Instr& instr, const Operand& vaddr, const Operand& saddr, Reach& reach) {
    const u64 offset = u64(i64(instr.mod.offset));
    const u32* low = wave.v[vaddr.index];
    const int lanes = wave.size;
    if (saddr.is_scalar() && saddr.index != sreg::null) {
        const u64 base = wave.s64(saddr.index) + offset;
        u32 most = 0;
        for (int lane = 0; lane < lanes; ++lane) reach.at[lane] = base + low[lane];
        for (int lane = 0; lane < lanes; ++lane) most = std::max(most, low[lane]);
        reach.bounds = Bounds::from(base, most);
    } else {
        const u32* high = wave.v[vaddr.index + 1];
        for (int lane = 0; lane < lanes; ++lane) reach.at[lane] = (low[lane] | u64(high[lane]) << 32) + offset;
    }
}

[[noreturn]] void throw_outside_scratch(const Wave& wave, const Request& request, u64 offset) {
    const char* verb = request.use == Use::read    ? "reads "
                       : request.use == Use::write ? "writes "
                                                   : "atomically updates ";
    throw Fault(FaultKind::memory, verb + std::to_string(request.bytes) + " bytes at offset " +
                                       std::to_string(i32(u32(offset))) + " of a lane's private memory, which has " +
                                       std::to_string(wave.scratch.size() / std::size_t(wave.size)) + " bytes");
}

}  // namespace

void reach_global(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach) {
    if (!lanes) return;
    observe(wave, instr, Space::global, request.use, lanes, request.bytes, reach.at, request.data);
    if (!wave.in_last_allocation(reach.bounds, request.bytes, request.use)) {
        Bounds bounds = Bounds::of_none();
        each_lane(lanes, [&](int lane) { bounds.include(reach.at[lane]); });
        wave.global(bounds.first(), request.bytes, request.use);
        if (!wave.in_last_allocation(bounds, request.bytes, request.use))
            for_lanes(lanes, [&](int lane) { wave.global(reach.at[lane], request.bytes, request.use); });
    }
    reach.mask[int(Space::global)] = lanes;
}

void reach_lds(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach) {
    if (!lanes) return;
    observe(wave, instr, Space::lds, request.use, lanes, request.bytes, reach.at, request.data);
    std::vector<u8>& lds = wave.group->lds;
    const Span memory{0, lds.size()};
    u64 inside = lanes;
    if (!memory.holds(reach.bounds, request.bytes)) {
        for_lanes(lanes, [&](int lane) {
            if (!memory.holds(reach.at[lane], request.bytes)) inside &= ~(u64(1) << lane);
        });
    }
    reach.base[int(Space::lds)] = reinterpret_cast<u64>(lds.data());
    reach.mask[int(Space::lds)] = inside;
    reach.outside |= lanes & ~inside;
}

void reach_scratch(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach) {
    if (!lanes) return;
    observe(wave, instr, Space::scratch, request.use, lanes, request.bytes, reach.at, request.data);
    const Span memory{0, wave.scratch.size() / std::size_t(wave.size)};
    for_lanes(lanes, [&](int lane) {
        if (!memory.holds(reach.at[lane], request.bytes)) throw_outside_scratch(wave, request, reach.at[lane]);
        reach.at[lane] += u64(lane) * memory.size();
    });
    reach.base[int(Space::scratch)] = reinterpret_cast<u64>(wave.scratch.data());
    reach.mask[int(Space::scratch)] = lanes;
}

void GlobalPlace::reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach) {
    global_addresses(wave, instr, instr.src[0], instr.src[data_at == kLoads ? 1 : 2], reach);
    reach_global(wave, instr, wave.exec(), request, reach);
}

void FlatPlace::reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach) {
    global_addresses(wave, instr, instr.src[0], instr.src[data_at == kLoads ? 1 : 2], reach);
    const u64 exec = wave.exec();
    u64 shared = 0, own = 0;
    for_lanes(exec, [&](int lane) {
        const u64 aperture = reach.at[lane] & kApertureMask;
        if (aperture != kSharedAperture && aperture != kPrivateAperture) return;
        (aperture == kSharedAperture ? shared : own) |= u64(1) << lane;
        reach.at[lane] &= ~kApertureMask;
    });
    if (shared | own) reach.bounds = Bounds();
    reach_global(wave, instr, exec & ~shared & ~own, request, reach);
    reach_lds(wave, instr, shared, request, reach);
    reach_scratch(wave, instr, own, request, reach);
}

void ScratchPlace::reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach) {
    const Operand& vaddr = instr.src[0];
    const Operand& saddr = instr.src[data_at == kLoads ? 1 : 2];
    const u32 base = u32(instr.mod.offset) + (saddr.is_scalar() ? read_scalar32(wave, saddr) : 0);
    for (int lane = 0; lane < kLanes; ++lane)
        reach.at[lane] = u32(base + (vaddr.is_vector() ? wave.v[vaddr.index][lane] : 0));
    reach_scratch(wave, instr, wave.exec(), request, reach);
}

}  // namespace gfxsim
