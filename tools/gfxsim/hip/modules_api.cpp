// SPDX-License-Identifier: MIT
// Modules that a program loads itself, and the symbols of those that it was linked with.
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

using namespace gfxsim;

namespace {

using Lock = std::lock_guard<std::mutex>;

void load_image(hipModule_t* module, const void* image) {
    require(module && image, "it needs an image and a place for the module.");
    settings();
    Lock lock(runtime().mutex);
    try {
        *module = runtime().programs.load(readable_from(image));
    } catch (const HipError&) {
        throw;
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorInvalidImage, error.what());
    }
}

}  // namespace

extern "C" {

hipError_t hipModuleLoad(hipModule_t* module, const char* file) {
    return api(__func__, [&] {
        require(module && file, "it needs a file name and a place for the module.");
        settings();
        std::vector<u8> content;
        try {
            content = read_file(file);
        } catch (const std::runtime_error& error) {
            fail_loudly(hipErrorFileNotFound, error.what());
        }
        Lock lock(runtime().mutex);
        *module = runtime().programs.load({bytes_of(content), file});
    });
}

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
    return api(__func__, [&] { load_image(module, image); });
}

hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, hipJitOption*, void**) {
    return api(__func__, [&] { load_image(module, image); });
}

hipError_t hipModuleUnload(hipModule_t module) {
    return api(__func__, [&] {
        Lock wait(runtime().running);
        Lock lock(runtime().mutex);
        runtime().programs.unload(module);
    });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
    return api(__func__, [&] {
        require(function && name, "it needs a name and a place for the function.");
        Lock lock(runtime().mutex);
        *function = runtime().programs.function(module, name);
    });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* pointer, size_t* bytes, hipModule_t module, const char* name) {
    return api(__func__, [&] {
        require(name, "it needs a name.");
        Lock lock(runtime().mutex);
        const Variable& variable = runtime().programs.variable(module, name);
        if (pointer) *pointer = reinterpret_cast<void*>(variable.address);
        if (bytes) *bytes = variable.size;
    });
}

hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* symbol) {
    return api(__func__, [&] {
        require(function, "it needs a place for the function.");
        Lock lock(runtime().mutex);
        *function = runtime().programs.function(symbol);
    });
}

hipError_t hipGetSymbolAddress(void** pointer, const void* symbol) {
    return api(__func__, [&] {
        require(pointer, "it needs a place for the address.");
        Lock lock(runtime().mutex);
        *pointer = reinterpret_cast<void*>(runtime().programs.variable(symbol).address);
    });
}

hipError_t hipGetSymbolSize(size_t* size, const void* symbol) {
    return api(__func__, [&] {
        require(size, "it needs a place for the size.");
        Lock lock(runtime().mutex);
        *size = runtime().programs.variable(symbol).size;
    });
}

const char* hipKernelNameRef(const hipFunction_t function) {
    const char* name = nullptr;
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        name = runtime().programs.kernel(function).name.c_str();
    });
    return name;
}

const char* hipKernelNameRefByPtr(const void* host, hipStream_t) {
    const char* name = nullptr;
    (void)api(__func__, [&] {
        Lock lock(runtime().mutex);
        name = runtime().programs.kernel(runtime().programs.function(host)).name.c_str();
    });
    return name;
}

}  // extern "C"
