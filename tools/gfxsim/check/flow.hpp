// SPDX-License-Identifier: MIT
// How undefined bits or lanes pass through an instruction, where that is not simply "all sources must be defined".
#pragma once

#include "gfxsim/core/instr.hpp"

namespace gfxsim {

enum class Flow : u8 {
    all,  ///< every source counts
    // Of scalar registers, bit by bit.
    bit_copy,
    bit_and,
    bit_or,
    bit_and_not,
    bit_or_not,
    bit_not_and,
    bit_not_or,
    bit_each,
    bit_select,
    // Of vector registers, lane by lane.
    lane_select,  ///< a mask chooses one of two sources
    read_lane,
    read_first,
    write_lane,
    cross_lanes,  ///< lanes take values from other lanes
    upward,       ///< the low half of a result needs the low halves of the sources alone
    pick,         ///< each half of a result is a half of a source, which op_sel says
    halves,       ///< each half of a result needs the halves of all sources that op_sel and op_sel_hi say
    nothing,      ///< the result does not depend on the sources
};

struct FlowOf {
    Flow flow = Flow::all;
    bool with_exec = false;  ///< the second source is EXEC, and the result goes there
};

/// Worked out from the mnemonic once for each definition and thread.
const FlowOf& flow_of(const Definition& def);

}  // namespace gfxsim
