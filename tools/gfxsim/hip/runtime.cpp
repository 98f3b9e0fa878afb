// SPDX-License-Identifier: MIT
#include "gfxsim/hip/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace gfxsim {
namespace {

constexpr const char* kDefaultGpu = "gfx942";
constexpr u64 kDefaultLimit = 4'000'000'000;
// Of a sample a wave may wait for one that is not run. The longest loops over K have a tenth of that.
constexpr u64 kSampleLimit = 5'000'000;

u64 number(const char* variable, u64 otherwise) {
    const char* text = std::getenv(variable);
    if (!text || !*text) return otherwise;
    char* end = nullptr;
    const u64 value = std::strtoull(text, &end, 10);
    if (*end || *text == '-')
        fail_loudly(hipErrorInvalidValue,
                    std::string(variable) + "=" + text + " is no number; it takes a whole number.");
    return value;
}

/// Whether a variable that takes one of two words has the second.
bool is_second(const char* variable, const char* first, const char* second, bool otherwise, const char* meaning) {
    const char* text = std::getenv(variable);
    if (!text || !*text) return otherwise;
    const std::string value = text;
    if (value != first && value != second)
        fail_loudly(hipErrorInvalidValue, std::string(variable) + "=" + value + " is neither " + first + " nor " +
                                              second + "; " + meaning + ".");
    return value == second;
}

unsigned thread_count() {
    constexpr u64 kMostThreads = 1024;
    const u64 threads = number("GFXSIM_THREADS", 0);
    if (threads > kMostThreads)
        fail_loudly(hipErrorInvalidValue, "GFXSIM_THREADS=" + std::to_string(threads) + " is too many; " +
                                              std::to_string(kMostThreads) + " is the most.");
    return unsigned(threads);
}

Settings read_environment() {
    Settings settings;
    const char* name = std::getenv("GFXSIM_GPU");
    if (!name || !*name) name = kDefaultGpu;
    settings.gpu = find_gpu(name);
    if (!settings.gpu)
        fail_loudly(hipErrorNoDevice, std::string("GFXSIM_GPU=") + name + " is no GPU that is simulated; these are: " +
                                          std::string(known_gpus()) + ".");
    settings.threads = thread_count();
    settings.multiprocessors = u32(std::min<u64>(number("GFXSIM_MULTIPROCESSORS", 0), UINT32_MAX));
    settings.launch_limit = number("GFXSIM_LAUNCH_LIMIT", 0);
    settings.execute = is_second("GFXSIM_EXECUTE", "0", "1", true, "0 checks launches without executing them");
    settings.whole_pages = is_second("GFXSIM_BOUNDS", "exact", "page", false,
                                     "page lets kernels reach the rest of an allocation's last page");
    try {
        settings.monitor = MonitorOptions::from_environment(*settings.gpu);
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorInvalidValue, error.what());
    }
    settings.instruction_limit =
        number("GFXSIM_INSTRUCTION_LIMIT", settings.monitor.sample ? kSampleLimit : kDefaultLimit);
    return settings;
}

}  // namespace

const Settings& settings() {
    static std::mutex mutex;
    static std::optional<Settings> read;
    static std::optional<HipError> problem;
    std::lock_guard<std::mutex> lock(mutex);
    // Every call fails then, but one sentence about it is enough.
    if (problem) throw HipError(problem->code(), problem->what(), false);
    if (!read) {
        try {
            read = read_environment();
        } catch (const HipError& error) {
            problem = error;
            throw;
        }
    }
    return *read;
}

Runtime& runtime() {
    static Runtime& only = *new Runtime;
    return only;
}

void check_device(int device) {
    settings();
    if (device != 0) fail(hipErrorInvalidDevice, "there is no device " + std::to_string(device) + ", only device 0.");
}

}  // namespace gfxsim
