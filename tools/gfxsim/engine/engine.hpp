// SPDX-License-Identifier: MIT
// Runs a launch: workgroups on all threads, the waves of a workgroup in turns on one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gfxsim/core/wave.hpp"

namespace gfxsim {

/// Whether somebody wants a launch to end: a count that has moved since the launch was asked for.
struct Interruption {
    const std::atomic<u64>* count = nullptr;
    u64 before = 0;

    bool wanted() const { return count && count->load(std::memory_order_relaxed) != before; }
};

struct EngineOptions {
    unsigned threads = 0;  ///< 0: one per core
    /// Makes the observer of one thread; null: nothing watches. Called once per thread and launch.
    std::function<std::unique_ptr<Observer>()> observer;
    /// Indices of the workgroups to run, in rising order; empty: all. Memory then has no more than what those wrote.
    std::vector<u64> only;
    /// Ends the launch soon after it is wanted.
    Interruption interruption;
};

struct LaunchOutcome {
    bool ok = true;
    FaultKind kind = FaultKind::invalid;
    std::string error;  ///< one sentence with kernel, instruction and address
    u64 wave_instructions = 0;
    u64 waves = 0;
    std::vector<std::unique_ptr<Observer>> observers;  ///< one per thread, to be merged
};

/// Puts a wave into the state in which the hardware starts it.
void start_wave(Wave& wave, Workgroup& group, u32 index);

LaunchOutcome run_launch(const Launch& launch, const EngineOptions& options);

}  // namespace gfxsim
