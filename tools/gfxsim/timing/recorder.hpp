// SPDX-License-Identifier: MIT
// Writes down what the waves of some workgroups do.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "gfxsim/timing/stream.hpp"

namespace gfxsim::timing {

class Recorder : public Observer {
public:
    /// `groups`: of which, in rising order, and of which the lines alone. `line_bytes`: of the GPU's caches.
    Recorder(const std::vector<u64>& groups, const std::vector<u64>& lines_alone, u32 line_bytes, u32 banks)
        : wanted_(groups), lines_alone_(lines_alone), line_bytes_(line_bytes), banks_(banks) {}

    void start(Wave& wave) override;
    void before(Wave& wave, const Instr& instr) override;
    void access(Wave& wave, const Instr& instr, const Access& access) override;

    /// What this thread's workgroups did.
    std::vector<std::unique_ptr<GroupStream>> take();

private:
    GroupStream* stream(const Wave& wave);
    void add_lines(GroupStream& to, const Access& access) const;

    const std::vector<u64>& wanted_;
    const std::vector<u64>& lines_alone_;
    u32 line_bytes_, banks_;
    std::unordered_map<const Workgroup*, std::unique_ptr<GroupStream>> running_;
    std::vector<std::unique_ptr<GroupStream>> done_;
    const Workgroup* last_ = nullptr;
    GroupStream* last_stream_ = nullptr;
};

}  // namespace gfxsim::timing
