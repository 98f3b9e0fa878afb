// SPDX-License-Identifier: MIT
#include "gfxsim/timing/recorder.hpp"

#include <algorithm>

#include "gfxsim/core/lines.hpp"

namespace gfxsim::timing {

void Recorder::start(Wave& wave) {
    if (wave.index != 0) return;
    // The place of a workgroup is used again for the next.
    auto& slot = running_[wave.group];
    if (slot) done_.push_back(std::move(slot));
    last_ = nullptr;
    if (!std::binary_search(wanted_.begin(), wanted_.end(), wave.group->index)) return;
    slot = std::make_unique<GroupStream>();
    slot->index = wave.group->index;
    slot->lines_alone = std::binary_search(lines_alone_.begin(), lines_alone_.end(), slot->index);
    const u32* block = wave.group->launch->block;
    slot->waves.resize((block[0] * block[1] * block[2] + wave.size - 1) / wave.size);
}

GroupStream* Recorder::stream(const Wave& wave) {
    if (last_ != wave.group) {
        last_ = wave.group;
        const auto found = running_.find(wave.group);
        last_stream_ = found == running_.end() ? nullptr : found->second.get();
    }
    return last_stream_;
}

void Recorder::before(Wave& wave, const Instr& instr) {
    GroupStream* to = stream(wave);
    if (!to) return;
    ++to->steps;
    if (!to->lines_alone) to->waves[wave.index].push_back({u32(&instr - wave.program->instrs.data()), kNoTouch});
}

void Recorder::access(Wave& wave, const Instr& instr, const Access& access) {
    GroupStream* to = stream(wave);
    if (!to) return;
    // Kernels' arguments come by way of a cache of their own.
    if (instr.def->traits.klass == Class::scalar_memory) return;
    if (to->lines_alone) {
        if (access.space != Space::lds && access.use == Use::read) add_lines(*to, access);
        return;
    }
    Step& step = to->waves[wave.index].back();
    if (step.touch == kNoTouch) {
        step.touch = u32(to->touches.size());
        Touch touch;
        touch.space = access.space, touch.use = access.use, touch.first_line = u32(to->lines.size());
        to->touches.push_back(touch);
    }
    Touch& touch = to->touches[step.touch];
    touch.bytes += u32(__builtin_popcountll(access.mask)) * access.bytes;
    if (access.space == Space::lds) {
        touch.lds_cycles = u16(touch.lds_cycles + bank_use(access, banks_).cycles);
        return;
    }
    touch.space = access.space, touch.use = access.use;
    add_lines(*to, access);
    touch.lines = u32(to->lines.size()) - touch.first_line;
}

void Recorder::add_lines(GroupStream& to, const Access& access) const {
    const Lines lines = distinct_lines(access, line_bytes_);
    for (std::size_t i = 0; i < lines.count; ++i) to.lines.push_back(lines.number[i]);
}

std::vector<std::unique_ptr<GroupStream>> Recorder::take() {
    for (auto& entry : running_)
        if (entry.second) done_.push_back(std::move(entry.second));
    running_.clear();
    last_ = nullptr;
    return std::move(done_);
}

}  // namespace gfxsim::timing
