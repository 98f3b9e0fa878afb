// SPDX-License-Identifier: MIT
// What a launch is watched for, and where the result goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/check/findings.hpp"
#include "gfxsim/engine/engine.hpp"
#include "gfxsim/monitor/counters.hpp"
#include "gfxsim/timing/estimate.hpp"

namespace gfxsim {

struct MonitorOptions {
    bool check = false;              ///< GFXSIM_CHECK=1
    bool count = false;              ///< a report is asked for
    bool trace = false;              ///< GFXSIM_TRACE is set
    bool time = false;               ///< GFXSIM_TIMING=1 or sample; auto and auto-sample on a GPU with facts about time
    bool sample = false;             ///< GFXSIM_TIMING=sample: only workgroups that a time needs are run
    bool variants_together = false;  ///< GFXSIM_TIMING_TOGETHER=1: the kernels of a code object are taken for one
                                     ///< function, with the registers of the largest
    bool time_by_instruction = false;  ///< GFXSIM_TIMING_INSTRUCTIONS=1: the report of a time has each instruction
    std::string
        time_trace;  ///< GFXSIM_TIMING_TRACE: a file that gets what the waves of each launch did, for a trace viewer
    std::string report;    ///< GFXSIM_REPORT: a file that gets one JSON object per launch and line
    std::string findings;  ///< GFXSIM_FINDINGS: a file that gets each finding as a line
    u64 trace_group = 0;   ///< GFXSIM_TRACE=GROUP:WAVE: the wave whose instructions are printed
    u32 trace_wave = 0;

    /// Throws std::runtime_error with a sentence for a value that has no meaning, also on this GPU.
    static MonitorOptions from_environment(const Gpu& gpu);
};

/// Watches one launch: hands an observer to every thread, then merges what they saw.
class Monitor {
public:
    /// `units`: that the launch may use.
    Monitor(const MonitorOptions& options, const Launch& launch, u32 units, const std::vector<const Kernel*>& together);

    /// For EngineOptions::only.
    std::vector<u64> groups() const;
    /// For EngineOptions::observer; empty when nothing is to be watched.
    std::function<std::unique_ptr<Observer>()> factory();
    /// Takes the observers back, prints findings to standard error and appends to the report. Throws std::runtime_error
    /// with a sentence if there is an instruction whose time nobody knows.
    void finish(const Launch& launch, LaunchOutcome& outcome);

    const std::vector<Finding>& findings() const { return findings_; }
    const Counts& counts() const { return counts_; }
    /// Of the launch, in µs of the simulated GPU; 0 if times are not asked for.
    double microseconds() const { return time_ ? time_->us : 0.0; }

private:
    MonitorOptions options_;
    u64 launch_;
    const Gpu* gpu_;
    timing::Spread spread_;  ///< if times are asked for
    std::vector<u64> sample_, lines_alone_;
    std::unique_ptr<timing::LaunchTime> time_;
    std::vector<Finding> findings_;
    Counts counts_;
};

/// The report's JSON object, on one line.
std::string report_json(const Launch& launch, const LaunchOutcome& outcome, const MonitorOptions& options,
                        const Counts& counts, const std::vector<Finding>& findings, const timing::LaunchTime* time);

}  // namespace gfxsim
