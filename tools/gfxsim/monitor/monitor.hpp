// SPDX-License-Identifier: MIT
// What a launch is watched for, and where the result goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gfxsim/check/findings.hpp"
#include "gfxsim/engine/engine.hpp"
#include "gfxsim/monitor/counters.hpp"

namespace gfxsim {

struct MonitorOptions {
    bool check = false;          ///< GFXSIM_CHECK=1
    bool count = false;          ///< a report is asked for
    bool trace = false;          ///< GFXSIM_TRACE is set
    std::string report;          ///< GFXSIM_REPORT: a file that gets one JSON object per launch and line
    std::string findings;        ///< GFXSIM_FINDINGS: a file that gets each finding as a line
    u64 trace_group = 0;         ///< GFXSIM_TRACE=GROUP:WAVE: the wave whose instructions are printed
    u32 trace_wave  = 0;

    /// Throws std::runtime_error with a sentence for a value that has no meaning.
    static MonitorOptions from_environment();
};

/// Watches one launch: hands an observer to every thread, then merges what they saw.
class Monitor {
public:
    explicit Monitor(const MonitorOptions& options);

    /// For EngineOptions::observer; empty when nothing is to be watched.
    std::function<std::unique_ptr<Observer>()> factory();
    /// Takes the observers back, prints findings to standard error and appends to the report.
    void finish(const Launch& launch, LaunchOutcome& outcome);

    const std::vector<Finding>& findings() const { return findings_; }
    const Counts& counts() const { return counts_; }

private:
    MonitorOptions options_;
    u64 launch_;
    std::vector<Finding> findings_;
    Counts counts_;
};

/// The report's JSON object, on one line.
std::string report_json(const Launch& launch, const LaunchOutcome& outcome, const MonitorOptions& options, const Counts& counts,
                        const std::vector<Finding>& findings);

}  // namespace gfxsim
