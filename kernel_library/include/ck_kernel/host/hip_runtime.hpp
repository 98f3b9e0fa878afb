// SPDX-License-Identifier: MIT
//
// Host pass only: the HIP runtime, found when a kernel is first launched. Until then the library needs none, and so
// loads, describes itself and says what it supports on machines without ROCm, and in processes that are still to be
// forked.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <pthread.h>

#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/host/registration.hpp"

namespace ck_kernel {

// The functions of the runtime that a kernel library calls.
struct Hip {
    void** (*register_binary)(const void*);
    void (*register_function)(void**, const void*, char*, const char*, unsigned, void*, void*, void*, void*, int*);
    void (*unregister_binary)(void**);
    hipError_t (*launch_kernel)(const void*, dim3, dim3, void**, std::size_t, hipStream_t);
    hipError_t (*get_device)(int*);
    hipError_t (*device_get_attribute)(int*, hipDeviceAttribute_t, int);
    hipError_t (*max_active_blocks)(int*, const void*, int, std::size_t);
    hipError_t (*memset_2d_async)(void*, std::size_t, int, std::size_t, std::size_t, hipStream_t);
    hipError_t (*memcpy_async)(void*, const void*, std::size_t, hipMemcpyKind, hipStream_t);
    hipError_t (*event_create)(hipEvent_t*);
    hipError_t (*event_record)(hipEvent_t, hipStream_t);
    hipError_t (*event_synchronize)(hipEvent_t);
    hipError_t (*event_elapsed_time)(float*, hipEvent_t, hipEvent_t);
    hipError_t (*event_destroy)(hipEvent_t);
    const char* (*get_error_string)(hipError_t);
};

// Numbers of attributes belong to a major version, so that of the headers comes first.
inline constexpr const char* kRuntimeNames[] = {
    HIP_VERSION_MAJOR < 7 ? "libamdhip64.so.6" : "libamdhip64.so.7",
    HIP_VERSION_MAJOR < 7 ? "libamdhip64.so.7" : "libamdhip64.so.6",
    "libamdhip64.so",
};

struct RuntimeState {
    pthread_mutex_t mutex;
    int ready;  // set once, after all that follows
    Hip hip;
};

__attribute__((visibility("hidden"))) inline RuntimeState runtime_state{PTHREAD_MUTEX_INITIALIZER, 0, {}};

// The runtime that the process has loaded, whoever did and however privately, or else the one on the loader's path. Why
// a runtime that is there could not be loaded is written to `broken`.
inline void* open_runtime(char* broken, std::size_t size) {
    for (const char* name : kRuntimeNames)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
    for (const char* name : kRuntimeNames) {
        if (void* library = dlopen(name, RTLD_NOW)) return library;
        const char* error = dlerror();
        // About a file that is not there at all the loader's sentence begins with the very name.
        if (error != nullptr && std::strncmp(error, name, std::strlen(name)) != 0)
            std::snprintf(broken, size, " (%s)", error);
    }
    return nullptr;
}

// Looks functions up by name, and keeps the name of the first that is missing.
struct Symbols {
    void* library;
    const char* missing;

    template <typename Function>
    void find(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library, name));
        if (function == nullptr && missing == nullptr) missing = name;
    }
};

inline const char* find_functions(void* library, Hip& hip) {
    Symbols symbols{library, nullptr};
    symbols.find(hip.register_binary, "__hipRegisterFatBinary");
    symbols.find(hip.register_function, "__hipRegisterFunction");
    symbols.find(hip.unregister_binary, "__hipUnregisterFatBinary");
    symbols.find(hip.launch_kernel, "hipLaunchKernel");
    symbols.find(hip.get_device, "hipGetDevice");
    symbols.find(hip.device_get_attribute, "hipDeviceGetAttribute");
    symbols.find(hip.max_active_blocks, "hipOccupancyMaxActiveBlocksPerMultiprocessor");
    symbols.find(hip.memset_2d_async, "hipMemset2DAsync");
    symbols.find(hip.memcpy_async, "hipMemcpyAsync");
    symbols.find(hip.event_create, "hipEventCreate");
    symbols.find(hip.event_record, "hipEventRecord");
    symbols.find(hip.event_synchronize, "hipEventSynchronize");
    symbols.find(hip.event_elapsed_time, "hipEventElapsedTime");
    symbols.find(hip.event_destroy, "hipEventDestroy");
    symbols.find(hip.get_error_string, "hipGetErrorString");
    return symbols.missing;
}

inline void register_binaries(const Hip& hip) {
    for (RegisteredBinary* binary = registered_binaries; binary != nullptr; binary = binary->next) {
        binary->known_as = hip.register_binary(binary->wrapper);
        for (const RegisteredFunction* f = binary->functions; f != nullptr; f = f->next)
            hip.register_function(binary->known_as, f->handle, f->name, f->device_name, f->thread_limit, nullptr,
                                  nullptr, nullptr, nullptr, nullptr);
    }
}

inline void unregister_binaries() {
    for (RegisteredBinary* binary = registered_binaries; binary != nullptr; binary = binary->next)
        if (binary->known_as != nullptr) {
            runtime_state.hip.unregister_binary(binary->known_as);
            binary->known_as = nullptr;
        }
}

inline ck_kernel_status load_runtime(const char* kernel, const Reason& reason) {
    char broken[256] = "";
    void* library = open_runtime(broken, sizeof(broken));
    if (library == nullptr)
        return reason(CK_KERNEL_DEVICE_FAILED,
                      "%s needs a HIP runtime to be launched, and %s, %s and %s are neither loaded in this process nor "
                      "found by the loader%s; describe() and supports() need none.",
                      kernel, kRuntimeNames[0], kRuntimeNames[1], kRuntimeNames[2], broken);
    if (const char* missing = find_functions(library, runtime_state.hip))
        return reason(CK_KERNEL_DEVICE_FAILED,
                      "%s was to be launched by a HIP runtime that lacks %s; it needs one of HIP 6 or later.", kernel,
                      missing);
    register_binaries(runtime_state.hip);
    // The runtime is younger than this library's own constructors and goes before their counterparts run, at the end of
    // the process. What is asked for now comes before that, and also when the library alone is unloaded.
    (void)std::atexit(unregister_binaries);
    __atomic_store_n(&runtime_state.ready, 1, __ATOMIC_RELEASE);
    return CK_KERNEL_OK;
}

// Loads the runtime if that has not been done; after a failure the next launch tries again.
inline ck_kernel_status find_runtime(const char* kernel, const Hip** hip, const Reason& reason) {
    *hip = &runtime_state.hip;
    if (__atomic_load_n(&runtime_state.ready, __ATOMIC_ACQUIRE)) return CK_KERNEL_OK;
    pthread_mutex_lock(&runtime_state.mutex);
    const auto status = runtime_state.ready ? CK_KERNEL_OK : load_runtime(kernel, reason);
    pthread_mutex_unlock(&runtime_state.mutex);
    return status;
}

}  // namespace ck_kernel
