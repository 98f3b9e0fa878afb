// SPDX-License-Identifier: MIT
// What the runtime and the process that disassembles for it say to each other, over one socket: a request, then lines up to an end.
#pragma once

#include "gfxsim/core/types.hpp"

namespace gfxsim::disassembly {

/// The program that disassembles; it lies beside the runtime.
constexpr const char* kProgram = "gfxsim_disassembler";

/// Where that program finds its end of the socket.
constexpr int kSocket = 0;

constexpr u64 kMostCode  = u64(1) << 30;  ///< bytes of one request
constexpr u64 kMostText  = 1024;          ///< characters of one line
constexpr u64 kMostDeaths = 1000;         ///< instructions of one request that the disassembler may die of

/// `size` bytes of code follow.
struct Request {
    char gpu[16] = {};
    u64 size     = 0;
};

/// `text` characters follow. A line of no bytes is the last one, and its `text` is an End.
struct Line {
    u32 bytes = 0;  ///< of the instruction
    u32 text  = 0;
};

enum class End : u32 {
    complete,
    no_disassembler,  ///< the code object manager has none for the GPU
    too_many_deaths,
};

}  // namespace gfxsim::disassembly
