// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/trace.hpp"

#include <cstdio>
#include <string>

namespace gfxsim {
namespace {

constexpr int kShownLanes = 4;

std::string hex(u64 value, int digits) {
    char text[24];
    std::snprintf(text, sizeof(text), "%0*llx", digits, static_cast<unsigned long long>(value));
    return text;
}

std::string value_of(const Wave& wave, const Operand& operand) {
    std::string text;
    for (int dword = 0; dword < operand.dwords && dword < 4; ++dword) {
        const int index = operand.index + dword;
        if (operand.is_scalar()) {
            text += " " + hex(wave.s[index], 8);
            continue;
        }
        const bool accumulator = index >= kFirstAgpr;
        text +=
            std::string(accumulator ? " a" : " v") + std::to_string(accumulator ? index - kFirstAgpr : index) + "={";
        for (int lane = 0; lane < kShownLanes; ++lane) text += (lane ? " " : "") + hex(wave.v[index][lane], 8);
        text += "…}";
    }
    return text;
}

}  // namespace

void Tracer::access(Wave& wave, const Instr&, const Access& access) {
    if (!watched(wave) || !access.mask) return;
    constexpr const char* kSpaces[] = {"global", "lds", "scratch"};
    constexpr const char* kUses[] = {"read", "write", "atomic"};
    std::string addresses;
    int shown = 0;
    for_lanes(access.mask, [&](int lane) {
        if (shown++ < kShownLanes) addresses += " " + std::to_string(lane) + ":" + hex(access.address[lane], 0);
    });
    std::fprintf(stderr, "          %s %s of %u bytes by %d lanes,%s%s\n", kSpaces[int(access.space)],
                 kUses[int(access.use)], access.bytes, __builtin_popcountll(access.mask), addresses.c_str(),
                 shown > kShownLanes ? " …" : "");
}

void Tracer::after(Wave& wave, const Instr& instr) {
    if (!watched(wave)) return;
    std::string written;
    for (int n = 0; n < instr.dsts; ++n) written += value_of(wave, instr.dst[n]);
    if (instr.def && instr.def->traits.writes_scc) written += wave.scc ? " scc=1" : " scc=0";
    std::fprintf(stderr, "%8llu  %06x  %-60s exec=%s%s\n", static_cast<unsigned long long>(wave.executed), instr.offset,
                 wave.program->text(instr).c_str(), hex(wave.exec(), wave.size / 4).c_str(), written.c_str());
}

}  // namespace gfxsim
