// SPDX-License-Identifier: MIT
// The functions of a HIP runtime that was loaded while the program runs. Not part of the public face: it needs HIP's
// headers.
#pragma once

#include <hip/hip_runtime_api.h>

#include <string>

namespace ckdispatch {

/// Each with its name here.
#define CKD_HIP_FUNCTIONS(FUNCTION)                              \
    FUNCTION(get_device_count, hipGetDeviceCount)                \
    FUNCTION(set_device, hipSetDevice)                           \
    FUNCTION(get_device_properties, hipGetDevicePropertiesR0600) \
    FUNCTION(get_error_name, hipGetErrorName)                    \
    FUNCTION(get_error_string, hipGetErrorString)                \
    FUNCTION(free, hipFree)                                      \
    FUNCTION(memcpy, hipMemcpy)                                  \
    FUNCTION(memcpy_2d_async, hipMemcpy2DAsync)                  \
    FUNCTION(memset_async, hipMemsetAsync)                       \
    FUNCTION(stream_create, hipStreamCreate)                     \
    FUNCTION(stream_destroy, hipStreamDestroy)                   \
    FUNCTION(stream_synchronize, hipStreamSynchronize)           \
    FUNCTION(stream_is_capturing, hipStreamIsCapturing)          \
    FUNCTION(stream_wait_event, hipStreamWaitEvent)              \
    FUNCTION(event_create, hipEventCreate)                       \
    FUNCTION(event_create_with_flags, hipEventCreateWithFlags)   \
    FUNCTION(event_destroy, hipEventDestroy)                     \
    FUNCTION(event_record, hipEventRecord)                       \
    FUNCTION(event_synchronize, hipEventSynchronize)             \
    FUNCTION(event_elapsed_time, hipEventElapsedTime)            \
    FUNCTION(module_load_data, hipModuleLoadData)                \
    FUNCTION(module_unload, hipModuleUnload)                     \
    FUNCTION(module_get_function, hipModuleGetFunction)          \
    FUNCTION(module_launch_kernel, hipModuleLaunchKernel)

struct HipApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared
#define CKD_HIP_MEMBER(name, function) decltype(&::function) name;
    CKD_HIP_FUNCTIONS(CKD_HIP_MEMBER)
    hipError_t (*malloc)(void**, std::size_t);  // HIP has several of that name
    /// The reason of the last error of this thread; null for a runtime that is not the simulator.
    const char* (*last_reason)();
    /// Whose time the simulator's events have: 0, its own; 1 or 2, the simulated GPU's. Null as above.
    int (*simulated_times)();
};

/// The simulator's runtime, loaded from a file, or a GPU's, loaded by its name. Loads once per process; asking for the
/// other kind then throws Error.
const HipApi& load_hip(bool simulator, const std::string& path);

}  // namespace ckdispatch
