// SPDX-License-Identifier: MIT
#include "gfxsim/hip/runtime.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace gfxsim {
namespace {

constexpr const char* kDefaultGpu   = "gfx942";
constexpr u64 kDefaultLimit         = 4'000'000'000;

u64 number(const char* variable, u64 otherwise) {
    const char* text = std::getenv(variable);
    if (!text || !*text) return otherwise;
    char* end       = nullptr;
    const u64 value = std::strtoull(text, &end, 10);
    if (*end || *text == '-')
        fail_loudly(hipErrorInvalidValue, std::string(variable) + "=" + text + " is no number; it takes a whole number.");
    return value;
}

bool yes_or_no(const char* variable, bool otherwise, const char* meaning) {
    const char* text = std::getenv(variable);
    if (!text || !*text) return otherwise;
    const std::string value = text;
    if (value != "0" && value != "1")
        fail_loudly(hipErrorInvalidValue, std::string(variable) + "=" + value + " is neither 0 nor 1; " + meaning + ".");
    return value == "1";
}

// The simulator is compiled for the third level of amd64, whose processors multiply and add in one step.
void check_processor() {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
        fail_loudly(hipErrorNoDevice, "This processor has no AVX2 and FMA, which the simulator needs; run it on one that has (x86-64-v3).");
#endif
}

Settings read_environment() {
    check_processor();
    Settings settings;
    const char* name = std::getenv("GFXSIM_GPU");
    if (!name || !*name) name = kDefaultGpu;
    settings.gpu = find_gpu(name);
    if (!settings.gpu)
        fail_loudly(hipErrorNoDevice, std::string("GFXSIM_GPU=") + name + " is no GPU that is simulated; these are: " +
                                          std::string(known_gpus()) + ".");
    settings.threads           = unsigned(number("GFXSIM_THREADS", 0));
    settings.multiprocessors   = u32(std::min<u64>(number("GFXSIM_MULTIPROCESSORS", 0), UINT32_MAX));
    settings.instruction_limit = number("GFXSIM_INSTRUCTION_LIMIT", kDefaultLimit);
    settings.execute           = yes_or_no("GFXSIM_EXECUTE", true, "0 checks launches without executing them");
    try {
        settings.monitor = MonitorOptions::from_environment();
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorInvalidValue, error.what());
    }
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
