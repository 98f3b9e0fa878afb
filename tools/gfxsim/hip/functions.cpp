// SPDX-License-Identifier: MIT
// What kernels say of themselves.
#include <mutex>

#include "gfxsim/hip/properties.hpp"
#include "gfxsim/hip/runtime.hpp"

namespace {

using namespace gfxsim;
using Lock = std::lock_guard<std::mutex>;

hipFuncAttributes attributes_of(const Kernel& kernel) {
    const Gpu& gpu = *settings().gpu;
    hipFuncAttributes made{};
    const auto device = properties(gpu);
    made.binaryVersion = made.ptxVersion = device.major * 10 + device.minor;
    made.localSizeBytes = kernel.scratch_bytes;
    made.maxDynamicSharedSizeBytes = int(gpu.spec->lds_bytes - i64(kernel.lds_bytes));
    made.maxThreadsPerBlock = int(kernel.max_group_size);
    made.numRegs = int(kernel.vgprs);
    made.sharedSizeBytes = kernel.lds_bytes;
    return made;
}

int value_of(const hipFuncAttributes& all, hipFunction_attribute attribute) {
    switch (attribute) {
        case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return all.maxThreadsPerBlock;
        case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return int(all.sharedSizeBytes);
        case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return int(all.constSizeBytes);
        case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return int(all.localSizeBytes);
        case HIP_FUNC_ATTRIBUTE_NUM_REGS: return all.numRegs;
        case HIP_FUNC_ATTRIBUTE_PTX_VERSION: return all.ptxVersion;
        case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: return all.binaryVersion;
        case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: return all.cacheModeCA;
        case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return all.maxDynamicSharedSizeBytes;
        case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return all.preferredShmemCarveout;
        default: fail(hipErrorInvalidValue, "the attribute is none that a function has.");
    }
}

const Kernel& kernel_of(const void* host) { return runtime().programs.kernel(runtime().programs.function(host)); }

void check_function(const void* host) {
    settings();
    Lock lock(runtime().mutex);
    kernel_of(host);
}

}  // namespace

extern "C" {

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* host) {
    return api(__func__, [&] {
        require(attributes, "it needs a place for the attributes.");
        settings();
        Lock lock(runtime().mutex);
        *attributes = attributes_of(kernel_of(host));
    });
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
    return api(__func__, [&] {
        require(value, "it needs a place for the value.");
        settings();
        Lock lock(runtime().mutex);
        *value = value_of(attributes_of(runtime().programs.kernel(function)), attribute);
    });
}

// A kernel may use all LDS without asking, so the hints change nothing.
hipError_t hipFuncSetAttribute(const void* host, hipFuncAttribute attribute, int value) {
    return api(__func__, [&] {
        require(attribute == hipFuncAttributeMaxDynamicSharedMemorySize ||
                    attribute == hipFuncAttributePreferredSharedMemoryCarveout,
                "the attribute is none that can be set.");
        settings();
        Lock lock(runtime().mutex);
        const hipFuncAttributes all = attributes_of(kernel_of(host));
        if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
            (value < 0 || value > all.maxDynamicSharedSizeBytes))
            fail(hipErrorInvalidValue, "the kernel can have at most " + std::to_string(all.maxDynamicSharedSizeBytes) +
                                           " bytes of dynamic LDS.");
    });
}

hipError_t hipFuncSetCacheConfig(const void* host, hipFuncCache_t) {
    return api(__func__, [&] { check_function(host); });
}

hipError_t hipFuncSetSharedMemConfig(const void* host, hipSharedMemConfig) {
    return api(__func__, [&] { check_function(host); });
}

}  // extern "C"
