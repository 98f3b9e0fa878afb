// SPDX-License-Identifier: MIT
// What the runtime and the process that disassembles for it say to each other, over one socket: a request, then lines
// up to an end.
#pragma once

#include "gfxsim/core/types.hpp"

namespace gfxsim::disassembly {

/// The program that disassembles; it lies beside the runtime.
constexpr const char* kProgram = "gfxsim_disassembler";

/// Where that program finds its end of the socket.
constexpr int kSocket = 0;

constexpr u64 kMostCode = u64(1) << 30;  ///< bytes of one request
constexpr u64 kMostText = 1024;          ///< characters of one line
constexpr u64 kMostDeaths = 1000;        ///< instructions of one request that the disassembler may die of
constexpr u64 kMostDeathsOfAFile = 3;    ///< the same of addresses, whose source lines all come from one table

/// `size` bytes of code follow. Or, if there are addresses, as many bytes of a code object and then these, 8 bytes
/// each: a line for each says from where in the source the instruction is.
struct Request {
    char gpu[16] = {};
    u64 size = 0;
    u64 addresses = 0;
};

/// `text` characters follow. A line of no bytes is the last one, and its `text` is an End.
struct Line {
    u32 bytes = 0;  ///< of the instruction; 1 for an address
    u32 text = 0;
};

enum class End : u32 {
    complete,
    no_disassembler,  ///< the code object manager has none for the GPU
    too_many_deaths,
};

}  // namespace gfxsim::disassembly
