// SPDX-License-Identifier: MIT
#include "ckdispatch/core/plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ckdispatch {
namespace {

// What no memory holds is refused when it is asked for; until then it must stay as large as that.
constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > kEverything - b ? kEverything : a + b; }

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t step) {
    return bytes > kEverything - step ? kEverything : (bytes + step - 1) / step * step;
}

}  // namespace

std::uint64_t lay_out(std::vector<Temporary>& temporaries) {
    std::vector<std::size_t> order(temporaries.size()), live;  // the latter in the order of their places
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return temporaries[a].first < temporaries[b].first; });
    std::uint64_t end = 0;
    for (const std::size_t next : order) {
        Temporary& one = temporaries[next];
        live.erase(std::remove_if(live.begin(), live.end(),
                                  [&](std::size_t other) { return temporaries[other].last < one.first; }),
                   live.end());
        one.offset = 0;
        auto place = live.begin();
        for (; place != live.end() && plus(one.offset, one.bytes) > temporaries[*place].offset; ++place)
            one.offset = round_up(plus(temporaries[*place].offset, temporaries[*place].bytes), one.alignment);
        live.insert(place, next);
        end = std::max(end, plus(one.offset, one.bytes));
    }
    return end;
}

Transfer clearing(const Argument& to, std::uint64_t bytes) {
    Transfer all;
    all.to = to;
    all.width = bytes;
    return all;
}

Transfer copying(const Argument& to, const Lines& to_lines, const Argument& from, const Lines& from_lines) {
    const Lines::Bytes there = to_lines.in_bytes(), here = from_lines.in_bytes();
    Transfer all;
    all.to = to, all.from = from;
    all.width = std::min(there.width, here.width);
    all.rows = std::min(there.lines, here.lines);
    all.to_pitch = there.pitch, all.from_pitch = here.pitch;
    all.blocks = std::min(there.matrices, here.matrices);
    all.to_block = there.matrix_pitch, all.from_block = here.matrix_pitch;
    // Blocks that follow each other on both sides are one, and so are blocks of one row, unless they overlap.
    if (all.rows == 1 && std::min(all.to_block, all.from_block) >= all.width)
        all.to_pitch = all.to_block, all.from_pitch = all.from_block;
    if (all.to_block == all.rows * all.to_pitch && all.from_block == all.rows * all.from_pitch)
        all.rows *= all.blocks, all.blocks = 1;
    if (all.rows == 1) all.to_pitch = all.from_pitch = all.width;
    all.sets = std::min(there.sets, here.sets);
    all.to_set = there.set_pitch, all.from_set = here.set_pitch;
    return all;
}

}  // namespace ckdispatch
