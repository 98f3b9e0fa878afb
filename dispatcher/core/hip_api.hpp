// SPDX-License-Identifier: MIT
// The functions of a HIP runtime that was loaded while the program runs. Not part of the public face: it needs HIP's headers.
#pragma once

#include <hip/hip_runtime_api.h>

#include <string>

namespace ckdispatch {

struct HipApi {
    decltype(&::hipGetDeviceCount) get_device_count;
    decltype(&::hipSetDevice) set_device;
    decltype(&::hipGetDevicePropertiesR0600) get_device_properties;
    decltype(&::hipGetErrorName) get_error_name;
    decltype(&::hipGetErrorString) get_error_string;
    hipError_t (*malloc)(void**, std::size_t);
    decltype(&::hipFree) free;
    decltype(&::hipMemcpy) memcpy;
    decltype(&::hipMemcpy2DAsync) memcpy_2d_async;
    decltype(&::hipMemsetAsync) memset_async;
    decltype(&::hipStreamCreate) stream_create;
    decltype(&::hipStreamDestroy) stream_destroy;
    decltype(&::hipStreamSynchronize) stream_synchronize;
    decltype(&::hipStreamIsCapturing) stream_is_capturing;
    decltype(&::hipStreamWaitEvent) stream_wait_event;
    decltype(&::hipEventCreate) event_create;
    decltype(&::hipEventCreateWithFlags) event_create_with_flags;
    decltype(&::hipEventDestroy) event_destroy;
    decltype(&::hipEventRecord) event_record;
    decltype(&::hipEventSynchronize) event_synchronize;
    decltype(&::hipEventElapsedTime) event_elapsed_time;
    /// The reason of the last error of this thread; null for a runtime that is not the simulator.
    const char* (*last_reason)();
};

/// The simulator's runtime, loaded from a file, or a GPU's, loaded by its name. Loads once per process; asking for the other kind then throws Error.
const HipApi& load_hip(bool simulator, const std::string& path);

}  // namespace ckdispatch
