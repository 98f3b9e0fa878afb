// SPDX-License-Identifier: MIT
#include "gfxsim/monitor/monitor.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "gfxsim/check/checker.hpp"
#include "gfxsim/monitor/trace.hpp"
#include "gfxsim/monitor/viewer.hpp"

namespace gfxsim {
namespace {

std::atomic<u64> launches{0};

// All that watches one thread's workgroups, as one observer.
class Watch : public Observer {
public:
    Watch(const MonitorOptions& options, u64 launch, const std::vector<u64>& sample,
          const std::vector<u64>& lines_alone, const Gpu* gpu) {
        if (options.time) {
            recorder = std::make_unique<timing::Recorder>(
                sample, lines_alone, u32(timing::facts_of(gpu->name())->line_bytes), u32(gpu->spec->lds_banks));
            parts_.push_back(recorder.get());
        }
        if (options.check) checker = std::make_unique<Checker>(launch), parts_.push_back(checker.get());
        if (options.count) counter = std::make_unique<LaunchCounter>(), parts_.push_back(counter.get());
        if (options.trace)
            tracer_ = std::make_unique<Tracer>(options.trace_group, options.trace_wave),
            parts_.push_back(tracer_.get());
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
    std::unique_ptr<timing::Recorder> recorder;

private:
    std::unique_ptr<Tracer> tracer_;
    std::vector<Observer*> parts_;
};

bool is_on(const char* name) {
    const char* value = std::getenv(name);
    return value && *value && std::string(value) != "0";
}

// One write per line, so that processes may share a file. A new file begins with `head`.
void append(const char* variable, const std::string& path, const std::string& line, const std::string& head = "") {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    std::FILE* file = std::fopen(path.c_str(), "ab");
    const bool is_new = file && std::fseek(file, 0, SEEK_END) == 0 && std::ftell(file) == 0;
    const std::string text = is_new ? head + line : line;
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (!file || std::fclose(file) != 0 || !written)
        std::fprintf(stderr, "gfxsim: %s names %s, which cannot be written.\n", variable, path.c_str());
}

}  // namespace

MonitorOptions MonitorOptions::from_environment(const Gpu& gpu) {
    MonitorOptions options;
    options.check = is_on("GFXSIM_CHECK");
    if (const char* report = std::getenv("GFXSIM_REPORT")) options.report = report;
    if (const char* findings = std::getenv("GFXSIM_FINDINGS")) options.findings = findings;
    options.count = !options.report.empty();
    const char* timing = std::getenv("GFXSIM_TIMING");
    if (timing) {
        const std::string asked = timing;
        if (asked != "" && asked != "0" && asked != "1" && asked != "sample" && asked != "auto" &&
            asked != "auto-sample")
            throw std::runtime_error(
                "GFXSIM_TIMING=" + asked +
                " has no meaning; it is 1, or sample to run only the workgroups that a time needs. With auto "
                "and auto-sample in their place a GPU without facts about time has none.");
        const bool known = timing::facts_of(gpu.name()) != nullptr;
        const bool if_any = asked == "auto" || asked == "auto-sample";
        options.time = if_any ? known : asked == "1" || asked == "sample";
        options.sample = options.time && (asked == "sample" || asked == "auto-sample");
        if (options.time && !known)
            throw std::runtime_error("GFXSIM_TIMING=" + asked + " asks for times on " + std::string(gpu.name()) +
                                     ", of which no facts about time are known; "
                                     "there are some of " +
                                     timing::gpus_with_facts() + ".");
    }
    options.variants_together = is_on("GFXSIM_TIMING_TOGETHER");
    options.time_by_instruction = is_on("GFXSIM_TIMING_INSTRUCTIONS");
    if (const char* file = std::getenv("GFXSIM_TIMING_TRACE")) options.time_trace = file;
    // With auto nobody insists.
    const bool insists = !timing || std::string(timing).rfind("auto", 0) != 0;
    if (!options.time && insists && (options.time_by_instruction || !options.time_trace.empty()))
        throw std::runtime_error(
            std::string(options.time_by_instruction ? "GFXSIM_TIMING_INSTRUCTIONS" : "GFXSIM_TIMING_TRACE") +
            " is set and no times are asked for; set GFXSIM_TIMING=1, or sample, too.");
    if (const char* trace = std::getenv("GFXSIM_TRACE")) {
        unsigned long long group = 0;
        unsigned wave = 0;
        char behind = 0;
        if (std::sscanf(trace, "%llu:%u%c", &group, &wave, &behind) != 2)
            throw std::runtime_error(std::string("GFXSIM_TRACE=") + trace +
                                     " is not of the form GROUP:WAVE, such as 0:0.");
        options.trace = true, options.trace_group = group, options.trace_wave = wave;
    }
    return options;
}

Monitor::Monitor(const MonitorOptions& options, const Launch& launch, u32 units,
                 const std::vector<const Kernel*>& together)
    : options_(options), launch_(++launches), gpu_(launch.gpu) {
    if (!options.time) return;
    spread_ = timing::spread_of(launch, units, together);
    sample_ = spread_.sample(), lines_alone_ = spread_.lines_alone();
}

std::vector<u64> Monitor::groups() const { return options_.sample ? sample_ : std::vector<u64>(); }

std::function<std::unique_ptr<Observer>()> Monitor::factory() {
    if (!options_.check && !options_.count && !options_.trace && !options_.time) return nullptr;
    return [this] { return std::make_unique<Watch>(options_, launch_, sample_, lines_alone_, gpu_); };
}

void Monitor::finish(const Launch& launch, LaunchOutcome& outcome) {
    Findings all;
    std::vector<std::unique_ptr<timing::GroupStream>> streams;
    for (const auto& observer : outcome.observers) {
        if (!observer) continue;
        Watch& watch = static_cast<Watch&>(*observer);
        if (watch.checker) all.merge(watch.checker->findings());
        if (watch.counter) counts_.add(watch.counter->counts());
        if (watch.recorder)
            for (auto& stream : watch.recorder->take()) streams.push_back(std::move(stream));
    }
    outcome.observers.clear();
    if (options_.time && outcome.ok && outcome.waves)
        time_ = std::make_unique<timing::LaunchTime>(
            timing::time_of(launch, spread_, streams, !options_.time_trace.empty()));
    if (time_ && !options_.time_trace.empty())
        append("GFXSIM_TIMING_TRACE", options_.time_trace, trace_events(launch_, launch, *time_), kTraceBegin);
    findings_ = all.list();
    for (const Finding& finding : findings_) {
        const std::string line = describe(finding, launch.kernel->name) + "\n";
        std::fprintf(stderr, "gfxsim: %s", line.c_str());
        if (!options_.findings.empty()) append("GFXSIM_FINDINGS", options_.findings, line);
    }
    if (!options_.report.empty())
        append("GFXSIM_REPORT", options_.report,
               report_json(launch, outcome, options_, counts_, findings_, time_.get()) + "\n");
}

}  // namespace gfxsim
