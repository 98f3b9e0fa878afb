// SPDX-License-Identifier: MIT
// Where the lanes of a vector memory instruction reach: the memory behind each lane's address.
#pragma once

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// Each lane reaches one space or, outside of a buffer or of LDS, none.
struct Reach {
    u64 mask[3] = {0, 0, 0};  ///< lanes, by Space
    u64 base[3] = {0, 0, 0};  ///< what `at` counts from, as an address of this process
    u64 outside = 0;          ///< lanes whose load gives 0 and whose store has no effect
    u64 partial = 0;          ///< lanes whose first `dwords` are in a buffer and whose others are not
    Bounds bounds;            ///< of `at`, as narrow as they are known
    alignas(64) u64 at[kLanes];
    u8 dwords[kLanes];
};

/// What an instruction asks for, apart from the address.
struct Request {
    u32 bytes;
    Use use;
    const Operand* data;
};

/// Index of the first operand of the address if the data are the destination.
constexpr int kLoads = -1;

// Each fills a Reach for the lanes in EXEC, tells the observer, and raises a Fault for an address without memory.
// `data_at` is the index of the source operand that holds the data, or kLoads.

struct GlobalPlace {
    static constexpr const char* prefix = "global_";
    static constexpr Class klass = Class::global;
    static constexpr int data_at = 1;
    static int atomic_data_at(const Instr&) { return 1; }
    static void reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach);
};

/// Global memory, LDS or private memory, as the address says.
struct FlatPlace {
    static constexpr const char* prefix = "flat_";
    static constexpr Class klass = Class::global;
    static constexpr int data_at = 1;
    static int atomic_data_at(const Instr&) { return 1; }
    static void reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach);
};

struct ScratchPlace {
    static constexpr const char* prefix = "scratch_";
    static constexpr Class klass = Class::scratch;
    static constexpr int data_at = 1;
    static int atomic_data_at(const Instr&) { return 1; }
    static void reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach);
};

struct BufferPlace {
    static constexpr const char* prefix = "buffer_";
    static constexpr Class klass = Class::global;
    static constexpr int data_at = 0;
    /// One register is both what an atomic adds and what it returns.
    static int atomic_data_at(const Instr& instr) { return instr.dsts ? kLoads : 0; }
    static void reach(Wave& wave, const Instr& instr, int data_at, const Request& request, Reach& reach);
};

// The parts of the above, for lanes whose addresses or offsets are already in `reach.at`.
void reach_global(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach);
void reach_lds(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach);
void reach_scratch(Wave& wave, const Instr& instr, u64 lanes, const Request& request, Reach& reach);

}  // namespace gfxsim
