// SPDX-License-Identifier: MIT
// Addresses and range checks of buffer instructions.
//
// gfx9 checks bytes unless the instruction has an index and the buffer a stride, and then the index; later generations
// say in the descriptor what to check. The offset that is checked is that of the register and the instruction, which
// wraps at 32 bits (compilers count on that, for registers that hold negative numbers), plus the scalar one, which does
// not. All of them check each dword of a load or store by itself and an atomic as a whole.
#include <algorithm>

#include "gfxsim/ops/reach.hpp"
#include "gfxsim/ops/transfer.hpp"

namespace gfxsim {
namespace {

// OOB_SELECT of gfx11 and gfx12.
enum class Check : u8 { index_and_offset, index, none_but_empty, bytes };

struct Descriptor {
    u64 base;
    u32 stride;
    u32 records;
    u32 swizzle;  ///< bytes that stay together when the buffer is swizzled, or 0
    u32 index_stride;
    bool add_lane;
    Check check;

    Descriptor(const u32* words, Isa isa, bool idxen) {
        base = words[0] | u64(words[1] & 0xffff) << 32;
        stride = words[1] >> 16 & 0x3fff;
        records = words[2];
        index_stride = 8u << (words[3] >> 21 & 3);
        add_lane = words[3] >> 23 & 1;
        if (isa == Isa::gfx9) {
            swizzle = words[1] >> 31 ? 4 : 0;
            // A buffer that adds the lane needs no format, and has four more bits of stride in its place.
            if (add_lane) stride |= (words[3] >> 15 & 0xf) << 14;
            check = idxen && stride ? Check::index : Check::bytes;
        } else {
            constexpr u32 kElement[] = {0, 4, 8, 16};
            swizzle = kElement[words[1] >> 30];
            check = Check(words[3] >> 28 & 3);
        }
    }

    // What start.cpp gives a kernel of gfx908 or gfx90a for its private memory.
    bool is_private(Isa isa) const { return isa == Isa::gfx9 && add_lane && swizzle; }
};

u64 swizzled(const Descriptor& d, u64 index, u64 offset) {
    const u64 index_high = index / d.index_stride, index_low = index % d.index_stride;
    const u64 offset_high = offset / d.swizzle, offset_low = offset % d.swizzle;
    return (index_high * d.stride + offset_high * d.swizzle) * d.index_stride + index_low * d.swizzle + offset_low;
}

// How many of an access's bytes the buffer holds.
u64 room(const Descriptor& d, u64 index, u64 offset, u32 soffset, u64 most) {
    const auto below = [&](u64 start, u64 end) { return start >= end ? 0 : std::min(most, end - start); };
    switch (d.check) {
        case Check::index_and_offset: return index < d.records ? below(offset, d.stride) : 0;
        case Check::index: return index < d.records ? most : 0;
        case Check::none_but_empty: return d.records ? most : 0;
        case Check::bytes:
            if (d.swizzle && d.stride) return index < d.records ? below(offset, d.stride) : 0;
            return below(offset + soffset, d.records);
    }
    return 0;
}

// Tells the observer about lanes that are partly in range, by how much of them is.
void observe_partial(Wave& wave, const Instr& instr, const Request& request, const Reach& reach) {
    for (u32 dwords = 1; dwords < 4; ++dwords) {
        u64 lanes = 0;
        for_lanes(reach.partial, [&](int lane) { lanes |= u64(reach.dwords[lane] == dwords) << lane; });
        observe(wave, instr, Space::global, request.use, lanes, 4 * dwords, reach.at, request.data);
    }
}

void reach_private(Wave& wave, const Instr& instr, const u32* voffset, u32 soffset, const Request& request,
                   Reach& reach) {
    // The scalar offset counts bytes of all lanes together.
    const u32 base = u32(instr.mod.offset) + soffset / wave.size;
    for (int lane = 0; lane < kLanes; ++lane) reach.at[lane] = u32(base + (voffset ? voffset[lane] : 0));
    reach_scratch(wave, instr, wave.exec(), request, reach);
}

}  // namespace

void BufferPlace::reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach) {
    const Operand& vaddr = instr.src[data_at + 1];
    const Operand& rsrc = instr.src[data_at + 2];
    const bool offen = instr.mod.offen, idxen = instr.mod.idxen;
    const u32 soffset = read_scalar32(wave, instr.src[data_at + 3]);
    const u32* vindex = idxen ? wave.v[vaddr.index] : nullptr;
    const u32* voffset = offen ? wave.v[vaddr.index + (idxen ? 1 : 0)] : nullptr;
    const Descriptor d(&wave.s[rsrc.index], wave.isa, idxen);
    if (d.is_private(wave.isa)) return reach_private(wave, instr, voffset, soffset, request, reach);

    const u64 exec = wave.exec();
    const u64 origin = d.base + soffset;
    const u32 ioffset = u32(instr.mod.offset);
    const bool plain = !idxen && !d.add_lane && !d.swizzle && d.check == Check::bytes;
    if (plain && voffset) {
        u32 most = 0;
        for (int lane = 0; lane < wave.size; ++lane) reach.at[lane] = origin + u32(voffset[lane] + ioffset);
        for (int lane = 0; lane < wave.size; ++lane) most = std::max(most, voffset[lane] + ioffset);
        if (u64(most) + soffset + request.bytes <= d.records) {
            reach.bounds = Bounds::from(origin, most);
            return reach_global(wave, instr, exec, request, reach);
        }
    }
    u64 inside = 0;
    for_lanes(exec, [&](int lane) {
        const u64 index = u64(vindex ? vindex[lane] : 0) + (d.add_lane ? u64(lane) : 0);
        const u64 offset = u32((voffset ? voffset[lane] : 0) + ioffset);
        const u64 bytes = room(d, index, offset, soffset, request.bytes);
        reach.at[lane] = origin + (d.swizzle ? swizzled(d, index, offset) : index * d.stride + offset);
        const u64 bit = u64(1) << lane;
        if (bytes == request.bytes) inside |= bit;
        else if (bytes >= 4 && request.use != Use::atomic) reach.partial |= bit, reach.dwords[lane] = u8(bytes / 4);
        else reach.outside |= bit;
    });
    if (d.swizzle && request.bytes > d.swizzle)
        throw Fault(FaultKind::unsupported,
                    "reaches more than one element of a swizzled buffer, which is not simulated");
    reach_global(wave, instr, inside, request, reach);
    if (!reach.partial) return;
    observe_partial(wave, instr, request, reach);
    for_lanes(reach.partial, [&](int lane) { wave.global(reach.at[lane], 4u * reach.dwords[lane], request.use); });
}

}  // namespace gfxsim
