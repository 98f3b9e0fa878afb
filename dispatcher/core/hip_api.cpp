// SPDX-License-Identifier: MIT
#include "ckdispatch/core/hip_api.hpp"

#include <dlfcn.h>

#include <memory>
#include <mutex>

#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

// In the order of preference: a runtime that the program has loaded itself is found first, whichever it is.
constexpr const char* kNames[] = {"libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so"};

void* already_loaded() {
    for (const char* name : kNames)
        if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return handle;
    return nullptr;
}

bool is_simulator(void* handle) { return ::dlsym(handle, "gfxsimLastError") != nullptr; }

void* load(bool simulator, const std::string& path) {
    if (simulator) {
        if (path.empty())
            throw NotFoundError(
                "The simulator was asked for and its runtime library is not known; set CKDISPATCH_SIMULATOR to "
                "its path (//tools/gfxsim:hip_runtime builds it).");
        // Kernel libraries look for it by its soname, in the whole process.
        void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!handle) throw NotFoundError("The simulator's runtime cannot be loaded: " + std::string(::dlerror()) + ".");
        if (!is_simulator(handle))
            throw InvalidArgumentError("The simulator was asked for, and " + path +
                                       " is not its runtime; //tools/gfxsim:hip_runtime builds it.");
        return handle;
    }
    std::string first;
    for (const char* name : kNames) {
        if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return handle;
        if (first.empty()) first = ::dlerror();
    }
    throw NotFoundError("An AMD GPU was asked for and no HIP runtime can be loaded (" + first +
                        "); install ROCm, or use a simulated device such as sim:gfx942.");
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    if (!function)
        throw AbiMismatchError("The HIP runtime that was loaded has no " + std::string(name) +
                               "; version 6 or newer is needed.");
}

std::unique_ptr<HipApi> resolve(void* handle) {
    auto api = std::make_unique<HipApi>();
#define CKD_HIP_FIND(name, function) find(handle, #function, api->name);
    CKD_HIP_FUNCTIONS(CKD_HIP_FIND)
    find(handle, "hipMalloc", api->malloc);
    api->last_reason = reinterpret_cast<const char* (*)()>(::dlsym(handle, "gfxsimLastError"));
    api->simulated_times = reinterpret_cast<int (*)()>(::dlsym(handle, "gfxsimTimes"));
    return api;
}

}  // namespace

const HipApi& load_hip(bool simulator, const std::string& path) {
    static auto& mutex = *new std::mutex;
    static std::unique_ptr<HipApi> loaded;
    std::lock_guard<std::mutex> lock(mutex);
    if (!loaded) {
        void* handle = already_loaded();
        if (!handle) handle = load(simulator, path);
        // One process cannot have both: kernel libraries would find the first.
        if (is_simulator(handle) != simulator)
            throw InvalidArgumentError(simulator ? "The simulator was asked for, and this process has already "
                                                   "loaded a GPU's HIP runtime; use a process of its own."
                                                 : "An AMD GPU was asked for, and this process has already "
                                                   "loaded the simulator; use a process of its own.");
        loaded = resolve(handle);
    }
    if ((loaded->last_reason != nullptr) != simulator)
        throw InvalidArgumentError(
            simulator
                ? "The simulator was asked for, and this process already runs on an AMD GPU; use a process of its own."
                : "An AMD GPU was asked for, and this process already runs on the simulator; use a process of its "
                  "own.");
    return *loaded;
}

}  // namespace ckdispatch
