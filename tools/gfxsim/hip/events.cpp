// SPDX-License-Identifier: MIT
// Events. Their times are of the machine that the simulator runs on, or with GFXSIM_TIMING of the simulated GPU.
#include "gfxsim/hip/events.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "gfxsim/hip/runtime.hpp"

struct ihipEvent_t {
    unsigned flags = 0;
    std::optional<double> microseconds;
};

namespace gfxsim {
namespace {

using Lock = std::lock_guard<std::mutex>;

void check_event(hipEvent_t event) {
    if (!runtime().events.count(event)) fail(hipErrorInvalidHandle, "the event does not exist.");
}

void create(hipEvent_t* event, unsigned flags) {
    constexpr unsigned kKnown = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                                hipEventDisableSystemFence | hipEventReleaseToDevice | hipEventReleaseToSystem;
    require(event && !(flags & ~kKnown), "it needs a place for the event and flags that exist.");
    if (flags & hipEventInterprocess)
        fail_loudly(hipErrorNotSupported, "Events that processes share are not simulated.");
    auto made = std::make_unique<ihipEvent_t>();
    made->flags = flags;
    Lock lock(runtime().mutex);
    runtime().events.insert(made.get());
    *event = made.release();
}

void record(hipEvent_t event, hipStream_t stream) {
    {
        Lock lock(runtime().mutex);
        check_stream(stream);
    }
    record_event(event);
}

}  // namespace

void record_event(hipEvent_t event) {
    using Microseconds = std::chrono::duration<double, std::micro>;
    const auto now = std::chrono::steady_clock::now();
    Lock lock(runtime().mutex);
    check_event(event);
    event->microseconds =
        settings().monitor.time ? runtime().simulated_microseconds : Microseconds(now.time_since_epoch()).count();
}

void pass_time(double microseconds) {
    Lock lock(runtime().mutex);
    runtime().simulated_microseconds += microseconds;
}

}  // namespace gfxsim

using namespace gfxsim;

extern "C" {

/// Whose time events have: 0, the machine's that the simulator runs on; 1, the simulated GPU's; 2, the same, and
/// launches compute nothing that is right.
__attribute__((visibility("default"))) int gfxsimTimes(void) {
    try {
        const MonitorOptions& monitor = settings().monitor;
        return monitor.sample ? 2 : monitor.time ? 1 : 0;
    } catch (const std::exception&) {
        return 0;  // every call of HIP fails then, with a sentence
    }
}

hipError_t hipEventCreate(hipEvent_t* event) {
    return api(__func__, [&] { create(event, hipEventDefault); });
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
    return api(__func__, [&] { create(event, flags); });
}

hipError_t hipEventDestroy(hipEvent_t event) {
    return api(__func__, [&] {
        Lock lock(runtime().mutex);
        check_event(event);
        runtime().events.erase(event);
        delete event;
    });
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return api(__func__, [&] { record(event, stream); });
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags) {
    return api(__func__, [&] {
        require(flags == 0, "the flags are for graphs, which are not simulated.");
        record(event, stream);
    });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    return api(__func__, [&] {
        Lock lock(runtime().mutex);
        check_event(event);
    });
}

hipError_t hipEventQuery(hipEvent_t event) {
    return api(__func__, [&] {
        Lock lock(runtime().mutex);
        check_event(event);
    });
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
    return api(__func__, [&] {
        require(milliseconds, "it needs a place for the time.");
        Lock lock(runtime().mutex);
        check_event(start), check_event(stop);
        if (!start->microseconds || !stop->microseconds) fail(hipErrorInvalidHandle, "an event has not been recorded.");
        if ((start->flags | stop->flags) & hipEventDisableTiming)
            fail(hipErrorInvalidHandle, "an event was created without timing.");
        *milliseconds = float((*stop->microseconds - *start->microseconds) / 1000);
    });
}

}  // extern "C"
