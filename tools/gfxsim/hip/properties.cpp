// SPDX-License-Identifier: MIT
#include "gfxsim/hip/properties.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gfxsim/hip/blocks.hpp"
#include "gfxsim/hip/occupancy.hpp"
#include "gfxsim/loader/target.hpp"

namespace gfxsim {
namespace {

constexpr int kMostThreads = 1024;
constexpr int kMostBlocks = 2147483647;
constexpr int kMostBlocksYZ = 65536;
constexpr int kPitchGranule = 256;
constexpr int kWallClockKhz = 100'000;

// The name ends in one digit each for the minor version and the stepping.
int major_version(const Gpu& gpu) {
    return std::atoi(std::string(gpu.name().substr(3, gpu.name().size() - 5)).c_str());
}
int minor_version(const Gpu& gpu) {
    const char digit[] = {gpu.name()[gpu.name().size() - 2], '\0'};
    return int(std::strtol(digit, nullptr, 16));
}

template <size_t N>
void set_text(char (&place)[N], const std::string& text) {
    std::snprintf(place, N, "%s", text.c_str());
}

hipDeviceArch_t features() {
    hipDeviceArch_t arch{};
    arch.hasGlobalInt32Atomics = arch.hasGlobalFloatAtomicExch = arch.hasSharedInt32Atomics =
        arch.hasSharedFloatAtomicExch = 1;
    arch.hasFloatAtomicAdd = arch.hasGlobalInt64Atomics = arch.hasSharedInt64Atomics = arch.hasDoubles = 1;
    arch.hasWarpVote = arch.hasWarpBallot = arch.hasWarpShuffle = arch.hasThreadFenceSystem = arch.has3dGrid = 1;
    return arch;
}

int registers_per_block(const Gpu& gpu) {
    return gpu.spec->registers.vgprs_per_simd * gpu.spec->wave_size * int(multiprocessors(gpu).simds);
}

}  // namespace

hipDeviceProp_tR0600 properties(const Gpu& gpu) {
    const auto& spec = *gpu.spec;
    const Multiprocessor unit = multiprocessors(gpu);
    hipDeviceProp_tR0600 p{};
    set_text(p.name, std::string(spec.product) + " (gfxsim)");
    set_text(p.gcnArchName, target_id(gpu));
    std::snprintf(p.uuid.bytes, sizeof(p.uuid.bytes), "gfxsim-%s", std::string(gpu.name()).c_str());
    p.totalGlobalMem = host_memory().total;
    p.sharedMemPerBlock = p.sharedMemPerBlockOptin = size_t(spec.lds_bytes);
    p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor = size_t(spec.lds_pool_bytes);
    p.regsPerBlock = p.regsPerMultiprocessor = registers_per_block(gpu);
    p.warpSize = spec.wave_size;
    p.memPitch = kMostBlocks;
    p.maxThreadsPerBlock = kMostThreads;
    for (int& most : p.maxThreadsDim) most = kMostThreads;
    p.maxGridSize[0] = kMostBlocks, p.maxGridSize[1] = p.maxGridSize[2] = kMostBlocksYZ;
    p.clockRate = spec.max_clock_mhz * 1000;
    p.totalConstMem = kMostBlocks;
    p.major = major_version(gpu), p.minor = minor_version(gpu);
    p.textureAlignment = p.texturePitchAlignment = kPitchGranule;
    p.multiProcessorCount = int(unit.count);
    p.maxThreadsPerMultiProcessor = int(unit.threads);
    p.maxBlocksPerMultiProcessor = int(unit.threads) / spec.wave_size;
    p.l2CacheSize = int(spec.l2_bytes);
    p.clockInstructionRate = kWallClockKhz;
    p.arch = features();
    p.pciBusID = 1;
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess =
        p.directManagedMemAccessFromHost = 1;
    p.concurrentKernels = p.cooperativeLaunch = p.hostNativeAtomicSupported = p.canUseHostPointerForRegisteredMem = 1;
    p.hostRegisterSupported = p.memoryPoolsSupported = p.ECCEnabled = p.isLargeBar = 1;
    p.asyncEngineCount = p.deviceOverlap = 1;
    p.streamPrioritiesSupported = 1;
    return p;
}

hipDeviceProp_tR0000 old_properties(const Gpu& gpu) {
    const hipDeviceProp_tR0600 now = properties(gpu);
    hipDeviceProp_tR0000 p{};
    std::memcpy(p.name, now.name, sizeof(p.name));
    std::memcpy(p.gcnArchName, now.gcnArchName, sizeof(p.gcnArchName));
    p.totalGlobalMem = now.totalGlobalMem, p.sharedMemPerBlock = now.sharedMemPerBlock;
    p.regsPerBlock = now.regsPerBlock, p.warpSize = now.warpSize, p.maxThreadsPerBlock = now.maxThreadsPerBlock;
    for (int axis = 0; axis < 3; ++axis)
        p.maxThreadsDim[axis] = now.maxThreadsDim[axis], p.maxGridSize[axis] = now.maxGridSize[axis];
    p.clockRate = now.clockRate, p.totalConstMem = now.totalConstMem, p.major = now.major, p.minor = now.minor;
    p.multiProcessorCount = now.multiProcessorCount, p.l2CacheSize = now.l2CacheSize;
    p.maxThreadsPerMultiProcessor = now.maxThreadsPerMultiProcessor, p.clockInstructionRate = now.clockInstructionRate;
    p.arch = now.arch, p.concurrentKernels = now.concurrentKernels, p.pciBusID = now.pciBusID;
    p.maxSharedMemoryPerMultiProcessor = now.maxSharedMemoryPerMultiProcessor,
    p.canMapHostMemory = now.canMapHostMemory;
    p.gcnArch = int(std::strtol(std::string(gpu.name().substr(3)).c_str(), nullptr, 10));
    p.cooperativeLaunch = now.cooperativeLaunch, p.memPitch = now.memPitch;
    p.textureAlignment = now.textureAlignment, p.texturePitchAlignment = now.texturePitchAlignment;
    p.ECCEnabled = now.ECCEnabled, p.isLargeBar = now.isLargeBar, p.managedMemory = now.managedMemory;
    p.directManagedMemAccessFromHost = now.directManagedMemAccessFromHost,
    p.concurrentManagedAccess = now.concurrentManagedAccess;
    return p;
}

int attribute(const Gpu& gpu, hipDeviceAttribute_t attribute) {
    const hipDeviceProp_tR0600 p = properties(gpu);
    switch (attribute) {
        case hipDeviceAttributeEccEnabled: return p.ECCEnabled;
        case hipDeviceAttributeAsyncEngineCount: return p.asyncEngineCount;
        case hipDeviceAttributeCanMapHostMemory: return p.canMapHostMemory;
        case hipDeviceAttributeCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
        case hipDeviceAttributeClockRate: return p.clockRate;
        case hipDeviceAttributeComputeMode: return p.computeMode;
        case hipDeviceAttributeComputePreemptionSupported: return p.computePreemptionSupported;
        case hipDeviceAttributeConcurrentKernels: return p.concurrentKernels;
        case hipDeviceAttributeConcurrentManagedAccess: return p.concurrentManagedAccess;
        case hipDeviceAttributeCooperativeLaunch: return p.cooperativeLaunch;
        case hipDeviceAttributeCooperativeMultiDeviceLaunch: return p.cooperativeMultiDeviceLaunch;
        case hipDeviceAttributeDeviceOverlap: return p.deviceOverlap;
        case hipDeviceAttributeDirectManagedMemAccessFromHost: return p.directManagedMemAccessFromHost;
        case hipDeviceAttributeHostNativeAtomicSupported: return p.hostNativeAtomicSupported;
        case hipDeviceAttributeIntegrated: return p.integrated;
        case hipDeviceAttributeIsMultiGpuBoard: return p.isMultiGpuBoard;
        case hipDeviceAttributeKernelExecTimeout: return p.kernelExecTimeoutEnabled;
        case hipDeviceAttributeL2CacheSize: return p.l2CacheSize;
        case hipDeviceAttributeComputeCapabilityMajor: return p.major;
        case hipDeviceAttributeComputeCapabilityMinor: return p.minor;
        case hipDeviceAttributeManagedMemory: return p.managedMemory;
        case hipDeviceAttributeMaxBlocksPerMultiProcessor: return p.maxBlocksPerMultiProcessor;
        case hipDeviceAttributeMaxBlockDimX: return p.maxThreadsDim[0];
        case hipDeviceAttributeMaxBlockDimY: return p.maxThreadsDim[1];
        case hipDeviceAttributeMaxBlockDimZ: return p.maxThreadsDim[2];
        case hipDeviceAttributeMaxGridDimX: return p.maxGridSize[0];
        case hipDeviceAttributeMaxGridDimY: return p.maxGridSize[1];
        case hipDeviceAttributeMaxGridDimZ: return p.maxGridSize[2];
        case hipDeviceAttributeMaxThreadsPerBlock: return p.maxThreadsPerBlock;
        case hipDeviceAttributeMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
        case hipDeviceAttributeMaxPitch: return int(p.memPitch);
        case hipDeviceAttributeMemoryBusWidth: return p.memoryBusWidth;
        case hipDeviceAttributeMemoryClockRate: return p.memoryClockRate;
        case hipDeviceAttributeMultiprocessorCount: return p.multiProcessorCount;
        case hipDeviceAttributePhysicalMultiProcessorCount: return gpu.spec->compute_units;
        case hipDeviceAttributePageableMemoryAccess: return p.pageableMemoryAccess;
        case hipDeviceAttributePageableMemoryAccessUsesHostPageTables: return p.pageableMemoryAccessUsesHostPageTables;
        case hipDeviceAttributePciBusId: return p.pciBusID;
        case hipDeviceAttributePciDeviceId: return p.pciDeviceID;
        case hipDeviceAttributePciDomainID: return p.pciDomainID;
        case hipDeviceAttributeMaxRegistersPerBlock: return p.regsPerBlock;
        case hipDeviceAttributeMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
        case hipDeviceAttributeMaxSharedMemoryPerBlock: return int(p.sharedMemPerBlock);
        case hipDeviceAttributeSharedMemPerBlockOptin: return int(p.sharedMemPerBlockOptin);
        case hipDeviceAttributeSharedMemPerMultiprocessor: return int(p.sharedMemPerMultiprocessor);
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: return int(p.maxSharedMemoryPerMultiProcessor);
        case hipDeviceAttributeStreamPrioritiesSupported: return p.streamPrioritiesSupported;
        case hipDeviceAttributeTextureAlignment: return int(p.textureAlignment);
        case hipDeviceAttributeTexturePitchAlignment: return int(p.texturePitchAlignment);
        case hipDeviceAttributeTotalConstantMemory: return int(p.totalConstMem);
        case hipDeviceAttributeUnifiedAddressing: return p.unifiedAddressing;
        case hipDeviceAttributeWarpSize: return p.warpSize;
        case hipDeviceAttributeMemoryPoolsSupported: return p.memoryPoolsSupported;
        case hipDeviceAttributeVirtualMemoryManagementSupported: return 0;
        case hipDeviceAttributeHostRegisterSupported: return p.hostRegisterSupported;
        case hipDeviceAttributeClockInstructionRate: return p.clockInstructionRate;
        case hipDeviceAttributeWallClockRate: return kWallClockKhz;
        case hipDeviceAttributeIsLargeBar: return p.isLargeBar;
        case hipDeviceAttributeAsicRevision: return p.asicRevision;
        case hipDeviceAttributeCanUseStreamWaitValue: return 0;
        case hipDeviceAttributeImageSupport: return 0;
        case hipDeviceAttributeFineGrainSupport: return 1;
        default:
            fail_loudly(hipErrorInvalidValue,
                        "The device attribute " + std::to_string(int(attribute)) + " is not simulated.");
    }
}

}  // namespace gfxsim
