// SPDX-License-Identifier: MIT
// The one device that there is.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "gfxsim/hip/properties.hpp"
#include "gfxsim/hip/runtime.hpp"

namespace {

using namespace gfxsim;
using Lock = std::lock_guard<std::mutex>;

constexpr const char* kPciBusId = "0000:01:00.0";

const Gpu& gpu_of(int device) {
    check_device(device);
    return *settings().gpu;
}

}  // namespace

#undef hipGetDeviceProperties
#undef hipChooseDevice

// Not all of these are declared in a header that exports them.
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipInit(unsigned flags) {
    return api(__func__, [&] {
        require(flags == 0, "the flags must be 0.");
        settings();
    });
}

hipError_t hipDriverGetVersion(int* version) {
    return api(__func__, [&] {
        require(version, "it needs a place for the version.");
        *version = HIP_VERSION;
    });
}

hipError_t hipRuntimeGetVersion(int* version) {
    return api(__func__, [&] {
        require(version, "it needs a place for the version.");
        *version = HIP_VERSION;
    });
}

hipError_t hipGetDeviceCount(int* count) {
    return api(__func__, [&] {
        require(count, "it needs a place for the number.");
        *count = 0;
        settings();
        *count = 1;
    });
}

hipError_t hipGetDevice(int* device) {
    return api(__func__, [&] {
        require(device, "it needs a place for the device.");
        settings();
        *device = 0;
    });
}

hipError_t hipSetDevice(int device) {
    return api(__func__, [&] { check_device(device); });
}

hipError_t hipSetValidDevices(int* devices, int count) {
    return api(__func__, [&] {
        require(count == 0 || devices, "it needs devices.");
        for (int i = 0; i < count; ++i) check_device(devices[i]);
    });
}

hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
    return api(__func__, [&] {
        require(device, "it needs a place for the device.");
        check_device(ordinal);
        *device = 0;
    });
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* place, int device) {
    return api(__func__, [&] {
        require(place, "it needs a place for the properties.");
        *place = properties(gpu_of(device));
    });
}

hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000* place, int device) {
    return api(__func__, [&] {
        require(place, "it needs a place for the properties.");
        *place = old_properties(gpu_of(device));
    });
}

// The names without a version are those of programs from before there was one.
hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000* place, int device) {
    return hipGetDevicePropertiesR0000(place, device);
}

hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600*) { return hipGetDevice(device); }
hipError_t hipChooseDeviceR0000(int* device, const hipDeviceProp_tR0000*) { return hipGetDevice(device); }
hipError_t hipChooseDevice(int* device, const hipDeviceProp_tR0000*) { return hipGetDevice(device); }

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int device) {
    return api(__func__, [&] {
        require(value, "it needs a place for the value.");
        *value = attribute(gpu_of(device), which);
    });
}

hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
    return api(__func__, [&] {
        require(major && minor, "it needs places for both numbers.");
        const auto all = properties(gpu_of(device));
        *major = all.major, *minor = all.minor;
    });
}

hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
    return api(__func__, [&] {
        require(name && length > 0, "it needs a place for the name.");
        std::snprintf(name, size_t(length), "%s", properties(gpu_of(device)).name);
    });
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
    return api(__func__, [&] {
        require(uuid, "it needs a place for the id.");
        *uuid = properties(gpu_of(device)).uuid;
    });
}

hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
    return api(__func__, [&] {
        require(bytes, "it needs a place for the size.");
        *bytes = properties(gpu_of(device)).totalGlobalMem;
    });
}

hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
    return api(__func__, [&] {
        require(id && length > int(std::strlen(kPciBusId)), "it needs a place of 13 bytes for the id.");
        check_device(device);
        std::snprintf(id, size_t(length), "%s", kPciBusId);
    });
}

hipError_t hipDeviceGetByPCIBusId(int* device, const char* id) {
    return api(__func__, [&] {
        require(device && id, "it needs an id and a place for the device.");
        if (std::strcmp(id, kPciBusId) != 0) fail(hipErrorInvalidDevice, "there is no device with that id.");
        *device = 0;
    });
}

hipError_t hipDeviceSynchronize(void) {
    return api(__func__, [] {
        settings();
        Lock wait(runtime().running);
    });
}

// Memory and modules stay: a reset device has none of them, but freeing them twice would be worse than keeping them.
hipError_t hipDeviceReset(void) {
    return api(__func__, [] {
        settings();
        Lock wait(runtime().running);
    });
}

hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
    return api(__func__, [&] {
        require(value, "it needs a place for the value.");
        Lock lock(runtime().mutex);
        if (limit != hipLimitStackSize) fail(hipErrorUnsupportedLimit, "only the stack has a limit.");
        *value = runtime().stack_limit;
    });
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value) {
    return api(__func__, [&] {
        constexpr size_t kMost = 128 * 1024 - 16;
        Lock lock(runtime().mutex);
        if (limit != hipLimitStackSize) fail(hipErrorUnsupportedLimit, "only the stack has a limit.");
        require(value <= kMost, "the stack of a lane is at most 131056 bytes.");
        runtime().stack_limit = std::max(value, size_t(16 * 1024));
    });
}

// AMD GPUs ignore preferences for caches and banks.
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
    return api(__func__, [&] {
        require(config, "it needs a place for the value.");
        *config = hipFuncCachePreferNone;
    });
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
    return api(__func__, [&] {
        require(config, "it needs a place for the value.");
        *config = hipSharedMemBankSizeFourByte;
    });
}

hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }

hipError_t hipGetDeviceFlags(unsigned* flags) {
    return api(__func__, [&] {
        require(flags, "it needs a place for the flags.");
        *flags = hipDeviceScheduleAuto;
    });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
    return api(__func__, [&] {
        require(can, "it needs a place for the answer.");
        check_device(device), check_device(peer);
        *can = 0;
    });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
    return api(__func__, [&] {
        check_device(peer);
        fail(hipErrorInvalidDevice, "a device is no peer of itself.");
    });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
    return api(__func__, [&] {
        check_device(peer);
        fail(hipErrorPeerAccessNotEnabled, "a device is no peer of itself.");
    });
}

hipError_t hipProfilerStart() { return hipSuccess; }
hipError_t hipProfilerStop() { return hipSuccess; }

}  // extern "C"
#pragma GCC visibility pop
