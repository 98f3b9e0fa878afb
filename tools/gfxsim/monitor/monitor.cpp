// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/monitor.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "gfxsim/check/checker.hpp"
#include "gfxsim/monitor/trace.hpp"

namespace gfxsim {
namespace {

std::atomic<u64> launches{0};

// All that watches one thread's workgroups, as one observer.
class Watch : public Observer {
public:
    Watch(const MonitorOptions& options, u64 launch) {
        if (options.check) checker = std::make_unique<Checker>(launch), parts_.push_back(checker.get());
        if (options.count) counter = std::make_unique<LaunchCounter>(), parts_.push_back(counter.get());
        if (options.trace) tracer_ = std::make_unique<Tracer>(options.trace_group, options.trace_wave), parts_.push_back(tracer_.get());
    }
    void start(Wave& wave) override {
        for (Observer* part : parts_) part->start(wave);
    }
    void before(Wave& wave, const Instr& instr) override {
        for (Observer* part : parts_) part->before(wave, instr);
    }
    void access(Wave& wave, const Instr& instr, const Access& access) override {
        for (Observer* part : parts_) part->access(wave, instr, access);
    }
    void after(Wave& wave, const Instr& instr) override {
        for (Observer* part : parts_) part->after(wave, instr);
    }
    void barrier(Workgroup& group) override {
        for (Observer* part : parts_) part->barrier(group);
    }

    std::unique_ptr<Checker> checker;
    std::unique_ptr<LaunchCounter> counter;

private:
    std::unique_ptr<Tracer> tracer_;
    std::vector<Observer*> parts_;
};

bool is_on(const char* name) {
    const char* value = std::getenv(name);
    return value && *value && std::string(value) != "0";
}

// One write per line, so that processes may share a file.
void append(const char* variable, const std::string& path, const std::string& line) {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    std::FILE* file    = std::fopen(path.c_str(), "ab");
    const bool written = file && std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if (!file || std::fclose(file) != 0 || !written)
        std::fprintf(stderr, "gfxsim: %s names %s, which cannot be written.\n", variable, path.c_str());
}

}  // namespace

MonitorOptions MonitorOptions::from_environment() {
    MonitorOptions options;
    options.check = is_on("GFXSIM_CHECK");
    if (const char* report = std::getenv("GFXSIM_REPORT")) options.report = report;
    if (const char* findings = std::getenv("GFXSIM_FINDINGS")) options.findings = findings;
    options.count = !options.report.empty();
    if (const char* trace = std::getenv("GFXSIM_TRACE")) {
        unsigned long long group = 0;
        unsigned wave            = 0;
        char behind              = 0;
        if (std::sscanf(trace, "%llu:%u%c", &group, &wave, &behind) != 2)
            throw std::runtime_error(std::string("GFXSIM_TRACE=") + trace + " is not of the form GROUP:WAVE, such as 0:0.");
        options.trace = true, options.trace_group = group, options.trace_wave = wave;
    }
    return options;
}

Monitor::Monitor(const MonitorOptions& options) : options_(options), launch_(++launches) {}

std::function<std::unique_ptr<Observer>()> Monitor::factory() {
    if (!options_.check && !options_.count && !options_.trace) return nullptr;
    return [options = options_, launch = launch_] { return std::make_unique<Watch>(options, launch); };
}

void Monitor::finish(const Launch& launch, LaunchOutcome& outcome) {
    Findings all;
    for (const auto& observer : outcome.observers) {
        if (!observer) continue;
        const Watch& watch = static_cast<const Watch&>(*observer);
        if (watch.checker) all.merge(watch.checker->findings());
        if (watch.counter) counts_.add(watch.counter->counts());
    }
    outcome.observers.clear();
    findings_ = all.list();
    for (const Finding& finding : findings_) {
        const std::string line = describe(finding, launch.kernel->name) + "\n";
        std::fprintf(stderr, "gfxsim: %s", line.c_str());
        if (!options_.findings.empty()) append("GFXSIM_FINDINGS", options_.findings, line);
    }
    if (!options_.report.empty())
        append("GFXSIM_REPORT", options_.report, report_json(launch, outcome, options_, counts_, findings_) + "\n");
}

}  // namespace gfxsim
