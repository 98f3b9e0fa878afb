// SPDX-License-Identifier: MIT
// The state that instructions work on: a wave, its workgroup, and the launch that both belong to.
#pragma once

#include <string>
#include <vector>

#include "gfxsim/core/deferred.hpp"
#include "gfxsim/core/fault.hpp"
#include "gfxsim/core/instr.hpp"
#include "gfxsim/core/memory.hpp"
#include "gfxsim/core/program.hpp"

namespace gfxsim {

class Wave;

enum class Round : u8 { nearest, up, down, zero };

/// The floating-point part of the MODE register.
struct Mode {
    Round round32 = Round::nearest;
    Round round64 = Round::nearest;  ///< for f16 and f64
    u8 denorm32 = 3;                 ///< bit 0: keep denormal inputs, bit 1: keep denormal results
    u8 denorm64 = 3;                 ///< for f16 and f64
    bool ieee = true;
    bool dx10_clamp = true;

    /// Rounding to nearest with all denormals kept: what the host's arithmetic does by itself.
    bool plain() const {
        return round32 == Round::nearest && round64 == Round::nearest && denorm32 == 3 && denorm64 == 3;
    }
    u32 bits() const {
        return u32(round32) | u32(round64) << 2 | u32(denorm32) << 4 | u32(denorm64) << 6 | u32(dx10_clamp) << 8 |
               u32(ieee) << 9;
    }
    void set_bits(u32 bits) {
        round32 = Round(bits & 3), round64 = Round(bits >> 2 & 3), denorm32 = bits >> 4 & 3, denorm64 = bits >> 6 & 3;
        dx10_clamp = bits >> 8 & 1, ieee = bits >> 9 & 1;
    }
};

enum class Space : u8 { global, lds, scratch };
enum class Use : u8 { read, write, atomic };

/// One memory instruction's accesses, all lanes at once.
struct Access {
    Space space;
    Use use;
    u64 mask;             ///< lanes that take part
    u32 bytes;            ///< per lane
    const u64* address;   ///< of each lane; in LDS and scratch: the offset
    const Operand* data;  ///< the registers that are read or written, or nullptr
};

/// Watches a launch. Calls come from the thread that runs the wave, one thread for all waves of a workgroup.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void start(Wave&) {}
    virtual void before(Wave&, const Instr&) {}
    virtual void access(Wave&, const Instr&, const Access&) {}
    virtual void after(Wave&, const Instr&) {}
    /// All waves of the workgroup have met at a barrier.
    virtual void barrier(struct Workgroup&) {}
};

/// What all workgroups of a launch share.
struct Launch {
    const Kernel* kernel = nullptr;
    const Gpu* gpu = nullptr;
    std::shared_ptr<const AddressSpace> memory;
    u32 grid[3] = {1, 1, 1};   ///< in workgroups
    u32 block[3] = {1, 1, 1};  ///< in work items
    u32 lds_bytes = 0;         ///< static and dynamic
    u32 scratch_bytes = 0;     ///< per lane
    u64 kernarg = 0;
    u64 dispatch_packet = 0;
    u64 queue = 0;
    u64 instruction_limit = 0;  ///< per wave; 0: none
    u64 launch_limit = 0;       ///< instructions of all waves together; 0: none
};

struct Workgroup {
    const Launch* launch = nullptr;
    u32 id[3] = {0, 0, 0};
    u64 index = 0;
    std::vector<u8> lds;
    std::vector<Wave*> waves;
    u32 at_barrier = 0;
    u32 running = 0;
    DeferredAdds sums;
};

enum class State : u8 { running, barrier, ended, yielded };

/// Where flat addresses of LDS and of scratch lie; both are 4 GiB wide and no process has memory there.
constexpr u64 kSharedAperture = u64(1) << 56;
constexpr u64 kPrivateAperture = u64(2) << 56;
constexpr u64 kApertureMask = ~u64(0xffffffff);

class Wave {
public:
    /// Rows and places behind the last are no registers: whatever first register an instruction names, it stays in its
    /// file.
    alignas(64) u32 v[kVectorRows + kWidestVector][kLanes];
    u32 s[sreg::count + kWidestScalar];
    bool scc = false;
    State state = State::running;
    u8 size = 64;
    u32 pc = 0;          ///< index of the next instruction
    u32 index = 0;       ///< in its workgroup
    u64 full = ~u64(0);  ///< one bit for each lane that exists
    u64 executed = 0;    ///< instructions so far
    Mode mode;
    u32 mode_rest = 0;  ///< bits of MODE that are kept and have no effect
    Isa isa = Isa::gfx9;
    bool barrier_signalled = false;
    bool skips_vector = false;  ///< VSKIP: vector instructions do nothing
    const Gpu* gpu = nullptr;
    const Program* program = nullptr;
    Workgroup* group = nullptr;
    Observer* observer = nullptr;
    std::vector<u8> scratch;      ///< scratch_bytes of each lane, one lane after the other
    void* check_state = nullptr;  ///< the checking mode's, for this wave

    u64 s64(u16 index) const {
        u64 value;
        std::memcpy(&value, &s[index], 8);
        return value;
    }
    void set_s64(u16 index, u64 value) {
        if (index != sreg::null) std::memcpy(&s[index], &value, 8);
    }
    u64 exec() const { return s64(sreg::exec) & full; }
    void set_exec(u64 value) { set_s64(sreg::exec, value); }
    u64 vcc() const { return s64(sreg::vcc); }

    /// A mask operand (VCC, EXEC, a condition): one register in a wave of 32, two in a wave of 64.
    u64 mask(u16 index) const { return size == 64 ? s64(index) : s[index]; }
    void set_mask(u16 index, u64 value) {
        if (index == sreg::null) return;
        if (size == 64) std::memcpy(&s[index], &value, 8);
        else s[index] = u32(value);
    }

    /// Where `bytes` at a global address lie in this process; a Fault if they belong to no allocation.
    u8* global(u64 address, u32 bytes, Use use) {
        if (cached_.holds(address, bytes) && (use == Use::read || cached_writable_))
            return reinterpret_cast<u8*>(address);
        return global_slow(address, bytes, use);
    }
    /// Whether accesses within the bounds all lie in the allocation that was used last.
    bool in_last_allocation(const Bounds& bounds, u32 bytes, Use use) const {
        return cached_.holds(bounds, bytes) && (use == Use::read || cached_writable_);
    }
    /// Forgets what it knows about the address space of an earlier launch.
    void forget_memory() { cached_ = {}; }

private:
    u8* global_slow(u64 address, u32 bytes, Use use);

    Span cached_;
    bool cached_writable_ = false;
};

/// A scalar operand of 32 or 64 bits.
u32 read_scalar32(const Wave& wave, const Operand& operand);
u64 read_scalar64(const Wave& wave, const Operand& operand);
inline void write_scalar32(Wave& wave, const Operand& operand, u32 value) {
    if (operand.index != sreg::null) wave.s[operand.index] = value;
}
inline void write_scalar64(Wave& wave, const Operand& operand, u64 value) { wave.set_s64(operand.index, value); }

/// The index of the lowest set bit; undefined for 0.
inline int lowest(u64 mask) { return __builtin_ctzll(mask); }

/// Calls f(lane) for each lane in a mask, in order.
template <class F>
inline void for_lanes(u64 mask, F&& f) {
    while (mask) {
        f(lowest(mask));
        mask &= mask - 1;
    }
}

}  // namespace gfxsim
