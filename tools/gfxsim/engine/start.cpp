// SPDX-License-Identifier: MIT
// The registers that a wave starts with, as the kernel's descriptor asks for them.
#include "gfxsim/engine/engine.hpp"

#include <algorithm>

namespace gfxsim {
namespace {

// Register contents that no program put there; a program that uses them shows it.
constexpr u32 kPoison = 0xfeedbeef;

// Bits of kernel_code_properties, in the order in which the registers are laid out.
enum Property : u16 {
    kPrivateSegmentBuffer = 1 << 0,
    kDispatchPtr = 1 << 1,
    kQueuePtr = 1 << 2,
    kKernargPtr = 1 << 3,
    kDispatchId = 1 << 4,
    kFlatScratchInit = 1 << 5,
    kPrivateSegmentSize = 1 << 6,
};

// The buffer behind which gfx908 and gfx90a have private memory: swizzled, of any size, with the lane in the address.
constexpr u64 kPrivateBufferLow = u64(1) << 63;
constexpr u64 kPrivateBufferHigh = 0xffffffff | u64(1 << 23 | 3 << 21) << 32;

bool bit(u32 value, int n) { return value >> n & 1; }

u16 start_scalars(Wave& wave, const Launch& launch, const Workgroup& group) {
    const Kernel& kernel = *launch.kernel;
    u16 next = 0;
    const auto put32 = [&](u32 value) { wave.s[next++] = value; };
    const auto put64 = [&](u64 value) { put32(u32(value)), put32(u32(value >> 32)); };
    if (kernel.properties & kPrivateSegmentBuffer) put64(kPrivateBufferLow), put64(kPrivateBufferHigh);
    if (kernel.properties & kDispatchPtr) put64(launch.dispatch_packet);
    if (kernel.properties & kQueuePtr) put64(launch.queue);
    if (kernel.properties & kKernargPtr) put64(launch.kernarg);
    if (kernel.properties & kDispatchId) put64(0);
    if (kernel.properties & kFlatScratchInit) put64(0);
    if (kernel.properties & kPrivateSegmentSize) put32(launch.scratch_bytes);

    const u16 preload_length = kernel.kernarg_preload & 0x7f, preload_offset = kernel.kernarg_preload >> 7;
    for (u16 i = 0; i < preload_length; ++i) {
        u32 value;
        std::memcpy(&value, reinterpret_cast<const u8*>(launch.kernarg) + 4 * (preload_offset + i), 4);
        put32(value);
    }

    if (wave.isa == Isa::gfx12) {
        // Workgroup ids arrive in the trap handler's registers.
        wave.s[sreg::ttmp + 9] = group.id[0];
        wave.s[sreg::ttmp + 7] = group.id[1] | group.id[2] << 16;
    } else {
        // They follow as many registers as the descriptor counts, which can be more than it fills.
        next = std::max(next, u16(kernel.rsrc2 >> 1 & 0x1f));
        for (int axis = 0; axis < 3; ++axis) {
            if (bit(kernel.rsrc2, 7 + axis)) put32(group.id[axis]);
        }
        if (bit(kernel.rsrc2, 10)) put32(0);
        if (bit(kernel.rsrc2, 0)) put32(0);
    }
    return next;
}

void start_ids(Wave& wave, const Launch& launch, u32 first) {
    const u32 axes = launch.kernel->rsrc2 >> 11 & 3;
    for (int lane = 0; lane < wave.size; ++lane) {
        const u32 item = first + u32(lane);
        const u32 x = item % launch.block[0], y = item / launch.block[0] % launch.block[1],
                  z = item / (launch.block[0] * launch.block[1]);
        if (wave.gpu->packed_ids()) {
            wave.v[0][lane] = x | y << 10 | z << 20;
        } else {
            wave.v[0][lane] = x;
            if (axes >= 1) wave.v[1][lane] = y;
            if (axes >= 2) wave.v[2][lane] = z;
        }
    }
}

}  // namespace

void start_wave(Wave& wave, Workgroup& group, u32 index) {
    const Launch& launch = *group.launch;
    const Kernel& kernel = *launch.kernel;
    wave.gpu = launch.gpu, wave.isa = launch.gpu->isa, wave.program = kernel.program, wave.group = &group;
    wave.size = u8(kernel.wave_size), wave.full = wave.size == 64 ? ~u64(0) : 0xffffffff;
    wave.pc = kernel.entry, wave.index = index, wave.executed = 0, wave.scc = false, wave.state = State::running;
    wave.barrier_signalled = wave.skips_vector = false, wave.mode_rest = 0;
    wave.forget_memory();
    wave.mode.set_bits((kernel.rsrc1 >> 12 & 0xff) | u32(bit(kernel.rsrc1, 21)) << 8 | u32(bit(kernel.rsrc1, 23)) << 9);
    if (wave.isa == Isa::gfx12) wave.mode.ieee = false, wave.mode.dx10_clamp = true;

    for (u32 row = 0; row < kVectorRows; ++row) {
        const bool used = row < kFirstAgpr ? row < kernel.vgprs + 1 : row - kFirstAgpr < kernel.agprs;
        if (!used) continue;
        for (u32& value : wave.v[row]) value = kPoison;
    }
    for (u32& value : wave.s) value = kPoison;
    wave.s[sreg::null] = 0;
    const u32 items = launch.block[0] * launch.block[1] * launch.block[2], first = index * wave.size;
    const u32 lanes = items - first < wave.size ? items - first : wave.size;
    wave.set_exec(lanes == 64 ? ~u64(0) : (u64(1) << lanes) - 1);
    start_scalars(wave, launch, group);
    start_ids(wave, launch, first);
    wave.scratch.assign(std::size_t(launch.scratch_bytes) * wave.size, kPoisonByte);
}

}  // namespace gfxsim
