// SPDX-License-Identifier: MIT
//
// Host pass only: what clang's constructors register, kept until a HIP runtime is there to be told.
//
// A translation unit with device code has a constructor that calls __hipRegisterFatBinary and its like, so a library of
// it would need the runtime to be loaded at all. The definitions below take the place of the runtime's, in this library
// and for nobody else. They note down what they are given; hip_runtime.hpp hands it on when a kernel is first launched.
#pragma once

#include <cstddef>
#include <cstdlib>

#include <hip/hip_runtime_api.h>

// Each library keeps its own list, however it is compiled and loaded.
#pragma GCC visibility push(hidden)

namespace ck_kernel {

// A device function: the runtime knows it by the address of its handle on the host.
struct RegisteredFunction {
    const void* handle;
    char* name;
    const char* device_name;
    unsigned thread_limit;
    RegisteredFunction* next;
};

// The device code of one translation unit.
struct RegisteredBinary {
    const void* wrapper;
    RegisteredFunction* functions;
    void** known_as;  // by the runtime, or null if it has not been told
    RegisteredBinary* next;
};

// Constructors and destructors of one library never run at once, so that nothing needs to guard the list from them.
inline RegisteredBinary* registered_binaries = nullptr;

inline void forget(RegisteredBinary* binary) {
    for (RegisteredBinary** link = &registered_binaries; *link != nullptr; link = &(*link)->next)
        if (*link == binary) {
            *link = binary->next;
            break;
        }
    while (RegisteredFunction* function = binary->functions) {
        binary->functions = function->next;
        std::free(function);
    }
    std::free(binary);
}

}  // namespace ck_kernel

// HIP's header declares these two to be visible, which no later declaration can change.
asm(".hidden hipLaunchKernel");
asm(".hidden __hipPopCallConfiguration");

// What is merely called by generated code must be marked as used. Were there no memory, the functions would stay
// unknown to the runtime, which then refuses to launch them.
extern "C" {

__attribute__((used)) inline void** __hipRegisterFatBinary(const void* wrapper) {
    auto* binary = static_cast<ck_kernel::RegisteredBinary*>(std::malloc(sizeof(ck_kernel::RegisteredBinary)));
    if (binary == nullptr) return nullptr;
    *binary = {wrapper, nullptr, nullptr, ck_kernel::registered_binaries};
    ck_kernel::registered_binaries = binary;
    return reinterpret_cast<void**>(binary);
}

__attribute__((used)) inline void __hipRegisterFunction(void** registered, const void* handle, char* name,
                                                        const char* device_name, unsigned thread_limit, void*, void*,
                                                        void*, void*, int*) {
    auto* binary = reinterpret_cast<ck_kernel::RegisteredBinary*>(registered);
    auto* function = static_cast<ck_kernel::RegisteredFunction*>(std::malloc(sizeof(ck_kernel::RegisteredFunction)));
    if (binary == nullptr || function == nullptr) return std::free(function);
    *function = {handle, name, device_name, thread_limit, binary->functions};
    binary->functions = function;
}

// When the library goes, hip_runtime.hpp has already told the runtime.
__attribute__((used)) inline void __hipUnregisterFatBinary(void** registered) {
    ck_kernel::forget(reinterpret_cast<ck_kernel::RegisteredBinary*>(registered));
}

// Both are called by a kernel's host function, which nobody calls: kernels are launched by their handles.
__attribute__((used)) inline hipError_t __hipPopCallConfiguration(dim3*, dim3*, std::size_t*, hipStream_t*) {
    return hipErrorNotSupported;
}

__attribute__((used)) inline hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, std::size_t, hipStream_t) {
    return hipErrorNotSupported;
}

}  // extern "C"

#pragma GCC visibility pop
