// SPDX-License-Identifier: MIT
// Streams. Work is done when it is put into one, so there is never anything to wait for.
#include <memory>
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

struct ihipStream_t {
    unsigned flags = 0;
    int priority = 0;
};

namespace gfxsim {
namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr int kLeastPriority = 1, kGreatestPriority = -1;

// The null stream, the legacy one and that of the thread are there without being created.
bool is_built_in(hipStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

void create(hipStream_t* stream, unsigned flags, int priority) {
    require(stream && flags <= hipStreamNonBlocking, "it needs a place for the stream and flags that exist.");
    check_device(0);
    auto made = std::make_unique<ihipStream_t>();
    made->flags = flags;
    made->priority = priority < kGreatestPriority ? kGreatestPriority
                     : priority > kLeastPriority  ? kLeastPriority
                                                  : priority;
    Lock lock(runtime().mutex);
    runtime().streams.insert(made.get());
    *stream = made.release();
}

void check(hipStream_t stream) {
    Lock lock(runtime().mutex);
    check_stream(stream);
}

}  // namespace

void check_stream(hipStream_t stream) {
    if (!is_built_in(stream) && !runtime().streams.count(stream))
        fail(hipErrorInvalidHandle, "the stream does not exist.");
}

}  // namespace gfxsim

using namespace gfxsim;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
    return api(__func__, [&] { create(stream, hipStreamDefault, 0); });
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
    return api(__func__, [&] { create(stream, flags, 0); });
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
    return api(__func__, [&] { create(stream, flags, priority); });
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api(__func__, [&] {
        if (least) *least = kLeastPriority;
        if (greatest) *greatest = kGreatestPriority;
    });
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    return api(__func__, [&] {
        Lock lock(runtime().mutex);
        if (is_built_in(stream)) fail(hipErrorInvalidHandle, "the stream was not created by the program.");
        check_stream(stream);
        runtime().streams.erase(stream);
        delete stream;
    });
}

hipError_t hipStreamQuery(hipStream_t stream) {
    return api(__func__, [&] { check(stream); });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
    return api(__func__, [&] { check(stream); });
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
    return api(__func__, [&] {
        Lock lock(runtime().mutex);
        check_stream(stream);
        if (!runtime().events.count(event)) fail(hipErrorInvalidHandle, "the event does not exist.");
    });
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
    return api(__func__, [&] {
        require(flags, "it needs a place for the flags.");
        Lock lock(runtime().mutex);
        check_stream(stream);
        *flags = is_built_in(stream) ? hipStreamDefault : stream->flags;
    });
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
    return api(__func__, [&] {
        require(priority, "it needs a place for the priority.");
        Lock lock(runtime().mutex);
        check_stream(stream);
        *priority = is_built_in(stream) ? 0 : stream->priority;
    });
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device) {
    return api(__func__, [&] {
        require(device, "it needs a place for the device.");
        check(stream);
        *device = 0;
    });
}

int hipGetStreamDeviceId(hipStream_t) { return 0; }

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned flags) {
    return api(__func__, [&] {
        require(callback && flags == 0, "it needs a callback and no flags.");
        check(stream);
        callback(stream, hipSuccess, data);
    });
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
    return api(__func__, [&] {
        require(function, "it needs a function.");
        check(stream);
        function(data);
    });
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void*, size_t, unsigned) {
    return api(__func__, [&] { check(stream); });
}

// Nothing can be captured: hipStreamBeginCapture is an entry that is refused.
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
    return api(__func__, [&] {
        require(status, "it needs a place for the status.");
        check(stream);
        *status = hipStreamCaptureStatusNone;
    });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long*) {
    return api(__func__, [&] {
        require(status, "it needs a place for the status.");
        check(stream);
        *status = hipStreamCaptureStatusNone;
    });
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long*,
                                      hipGraph_t*, const hipGraphNode_t**, size_t*) {
    return api(__func__, [&] {
        require(status, "it needs a place for the status.");
        check(stream);
        *status = hipStreamCaptureStatusNone;
    });
}

}  // extern "C"
