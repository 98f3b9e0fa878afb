// SPDX-License-Identifier: MIT
#include "gfxsim/core/lines.hpp"

#include <algorithm>
#include <vector>

namespace gfxsim {

Lines distinct_lines(const Access& access, u64 line_bytes) {
    Lines lines;
    for_lanes(access.mask, [&](int lane) {
        const u64 first = access.address[lane] / line_bytes,
                  last = (access.address[lane] + access.bytes - 1) / line_bytes;
        for (u64 line = first; line <= last; ++line) {
            // Neighbouring lanes mostly share a line: dropping repeats at once keeps the list short.
            if (lines.count && lines.number[lines.count - 1] == line) continue;
            if (lines.count < lines.number.size()) lines.number[lines.count++] = line;
        }
    });
    const auto begin = lines.number.begin(), end = begin + i64(lines.count);
    std::sort(begin, end);
    lines.count = std::size_t(std::unique(begin, end) - begin);
    return lines;
}

// Banks serve one word each per cycle. Lanes are served in groups whose accesses fill all banks once; lanes that want
// the same word share it.
BankUse bank_use(const Access& access, u32 banks) {
    const u32 words = std::max<u32>(1, access.bytes / 4);
    const int together = std::max<int>(1, int(banks / words));
    BankUse use;
    for (int first = 0; first < kLanes; first += together) {
        std::array<std::vector<u64>, 64> wanted;
        u64 most = 0;
        for (int lane = first; lane < std::min(first + together, kLanes); ++lane) {
            if (!(access.mask >> lane & 1)) continue;
            for (u32 word = 0; word < words; ++word) {
                const u64 index = access.address[lane] / 4 + word;
                auto& bank = wanted[index % banks];
                if (std::find(bank.begin(), bank.end(), index) == bank.end()) bank.push_back(index);
                most = std::max<u64>(most, bank.size());
            }
        }
        use.cycles += most;
        use.conflict += most > 1 ? most - 1 : 0;
    }
    return use;
}

}  // namespace gfxsim
