// SPDX-License-Identifier: MIT
// What compiled programs and libraries call before main() and after it.
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

using namespace gfxsim;

namespace {

using Lock = std::lock_guard<std::mutex>;

FatBinary* binary_of(void* handle) { return static_cast<FatBinary*>(handle); }

}  // namespace

// Not all of these are declared in a header that exports them.
#pragma GCC visibility push(default)
extern "C" {

void** __hipRegisterFatBinary(const void* wrapper) {
    FatBinary* made = nullptr;
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        made = runtime().programs.add_binary(wrapper);
    });
    return reinterpret_cast<void**>(made);
}

void __hipRegisterFunction(void** handle, const void* host, char*, const char* name, unsigned, uint3*, uint3*, dim3*,
                           dim3*, int*) {
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        runtime().programs.add_function(host, {binary_of(handle), name, 0, nullptr});
    });
}

void __hipRegisterVar(void** handle, void* host, char*, char* name, int, size_t size, int, int) {
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        runtime().programs.add_variable(host, {binary_of(handle), name, size, nullptr});
    });
}

void __hipRegisterManagedVar(void* handle, void** pointer, void* initial, const char* name, size_t size, unsigned) {
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        // The host may use the variable before anything else of the runtime.
        void* const memory = runtime().blocks.allocate(size, MemoryKind::managed, hipMemAttachGlobal);
        std::memcpy(memory, initial, size);
        *pointer = memory;
        binary_of(handle)->managed.push_back({name, memory});
        runtime().programs.add_variable(pointer, {binary_of(handle), name, size, memory});
    });
}

void __hipUnregisterFatBinary(void** handle) {
    (void)api(__func__, [&] {
        Lock wait(runtime().running);
        Lock lock(runtime().mutex);
        FatBinary* const binary = binary_of(handle);
        if (!binary) return;
        for (const FatBinary::ManagedVariable& variable : binary->managed) runtime().blocks.remove(variable.memory);
        runtime().programs.remove_binary(binary);
    });
}

}  // extern "C"
#pragma GCC visibility pop
