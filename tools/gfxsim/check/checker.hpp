// SPDX-License-Identifier: MIT
// The checking mode: watches every instruction of the workgroups that one thread runs.
#pragma once

#include <memory>
#include <unordered_map>

#include "gfxsim/check/definedness.hpp"
#include "gfxsim/check/findings.hpp"
#include "gfxsim/check/global.hpp"
#include "gfxsim/check/lds.hpp"
#include "gfxsim/check/waits.hpp"

namespace gfxsim {

class Checker : public Observer {
public:
    explicit Checker(u64 launch) : global_(launch) {}

    void start(Wave& wave) override;
    void before(Wave& wave, const Instr& instr) override;
    void access(Wave& wave, const Instr& instr, const Access& access) override;
    void after(Wave& wave, const Instr& instr) override;
    void barrier(Workgroup& group) override;

    const Findings& findings() const { return findings_; }

private:
    struct WaveState {
        WaitCheck waits;
        Definedness defined;
        std::vector<u8> scratch;         ///< bytes that hold a value
        const Instr* barrier = nullptr;  ///< the last that it came to
    };
    /// What is known about one workgroup in flight.
    struct GroupState {
        LdsCheck lds;
        std::vector<std::unique_ptr<WaveState>> waves;
        std::vector<const WaitCheck*> waits;  ///< of the waves
    };
    static WaveState& state(const Wave& wave) { return *static_cast<GroupState*>(wave.check_state)->waves[wave.index]; }
    void scratch_access(Wave& wave, const Access& access);
    /// The current instruction read memory of which these lanes are defined.
    void load(u64 defined);
    void check_lanes(const Wave& wave, const Instr& instr);
    void check_operands(Wave& wave, const Instr& instr, const Access& access);

    std::unordered_map<const Workgroup*, std::unique_ptr<GroupState>> groups_;
    GlobalCheck global_;
    Findings findings_;
    Loaded loaded_{};  ///< by the current instruction
};

}  // namespace gfxsim
