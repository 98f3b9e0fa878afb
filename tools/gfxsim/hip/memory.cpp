// SPDX-License-Identifier: MIT
// Getting memory and giving it back.
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

/// There is one pool, and all memory that streams ask for comes from it.
struct ihipMemPoolHandle_t {
    std::uint64_t release_threshold = 0;
};

namespace {

using namespace gfxsim;
using Lock = std::lock_guard<std::mutex>;

constexpr size_t kPitchGranule = 256;

void* allocate(size_t bytes, MemoryKind kind, unsigned flags) {
    check_device(0);
    if (bytes == 0) return nullptr;
    Lock lock(runtime().mutex);
    return runtime().blocks.allocate(bytes, kind, flags);
}

void allocate_to(void** pointer, size_t bytes, MemoryKind kind, unsigned flags = 0) {
    require(pointer, "it needs a place for the pointer.");
    *pointer = allocate(bytes, kind, flags);
}

void allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t height, size_t depth) {
    require(pointer && pitch, "it needs places for the pointer and the pitch.");
    const size_t row = (width + kPitchGranule - 1) / kPitchGranule * kPitchGranule;
    size_t bytes = 0;
    if (row < width || __builtin_mul_overflow(row, height, &bytes) || __builtin_mul_overflow(bytes, depth, &bytes))
        throw std::bad_alloc();
    *pointer = allocate(bytes, MemoryKind::device, 0);
    *pitch = row;
}

// No kernel runs while memory goes away.
void release(void* pointer, bool only_host) {
    if (!pointer) return;
    Lock wait(runtime().running);
    Lock lock(runtime().mutex);
    const Block* block = runtime().blocks.find(pointer);
    const bool own = block && block->begin == reinterpret_cast<u64>(pointer) && !block->registered();
    if (!own || (only_host && block->kind != MemoryKind::host))
        fail(hipErrorInvalidValue, "the pointer is not the beginning of an allocation of this kind.");
    runtime().blocks.remove(pointer);
}

hipMemPool_t the_pool() {
    static ihipMemPoolHandle_t pool;
    return &pool;
}

void check_pool(hipMemPool_t pool) {
    if (pool != the_pool()) fail(hipErrorInvalidValue, "there is no memory pool but the default one.");
}

void check_stream_locked(hipStream_t stream) {
    Lock lock(runtime().mutex);
    check_stream(stream);
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** pointer, size_t bytes) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::device); });
}

hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::device, flags); });
}

hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] {
        check_stream_locked(stream);
        allocate_to(pointer, bytes, MemoryKind::device);
    });
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
    return api(__func__, [&] {
        check_pool(pool);
        check_stream_locked(stream);
        allocate_to(pointer, bytes, MemoryKind::device);
    });
}

hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::managed, flags); });
}

hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned flags) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::host, flags); });
}

hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::host, flags); });
}

hipError_t hipMallocHost(void** pointer, size_t bytes) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::host); });
}

hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
    return api(__func__, [&] { allocate_to(pointer, bytes, MemoryKind::host); });
}

hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    return api(__func__, [&] { allocate_pitched(pointer, pitch, width, height, 1); });
}

hipError_t hipMemAllocPitch(hipDeviceptr_t* pointer, size_t* pitch, size_t width, size_t height, unsigned) {
    return api(__func__, [&] { allocate_pitched(pointer, pitch, width, height, 1); });
}

hipError_t hipMalloc3D(hipPitchedPtr* pointer, hipExtent extent) {
    return api(__func__, [&] {
        require(pointer, "it needs a place for the pointer.");
        allocate_pitched(&pointer->ptr, &pointer->pitch, extent.width, extent.height, extent.depth);
        pointer->xsize = extent.width, pointer->ysize = extent.height;
    });
}

hipError_t hipFree(void* pointer) {
    return api(__func__, [&] { release(pointer, false); });
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
    return api(__func__, [&] {
        check_stream_locked(stream);
        release(pointer, false);
    });
}

hipError_t hipHostFree(void* pointer) {
    return api(__func__, [&] { release(pointer, true); });
}

hipError_t hipFreeHost(void* pointer) {
    return api(__func__, [&] { release(pointer, true); });
}

hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return api(__func__, [&] {
        require(pointer && bytes, "it needs memory to register.");
        Lock lock(runtime().mutex);
        runtime().blocks.add_host_range(pointer, bytes, flags);
    });
}

hipError_t hipHostUnregister(void* pointer) {
    return api(__func__, [&] {
        Lock wait(runtime().running);
        Lock lock(runtime().mutex);
        const Block* block = runtime().blocks.find(pointer);
        if (!block || !block->registered() || block->begin != reinterpret_cast<u64>(pointer))
            fail(hipErrorHostMemoryNotRegistered, "no memory has been registered at the pointer.");
        runtime().blocks.remove(pointer);
    });
}

hipError_t hipMemGetInfo(size_t* available, size_t* total) {
    return api(__func__, [&] {
        check_device(0);
        const HostMemory memory = host_memory();
        if (available) *available = memory.available;
        if (total) *total = memory.total;
    });
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
    return api(__func__, [&] {
        require(pool, "it needs a place for the pool.");
        check_device(device);
        *pool = the_pool();
    });
}

hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
    return api(__func__, [&] {
        require(pool, "it needs a place for the pool.");
        check_device(device);
        *pool = the_pool();
    });
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
    return api(__func__, [&] {
        check_device(device);
        check_pool(pool);
    });
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
    return api(__func__, [&] { check_pool(pool); });
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        check_pool(pool);
        require(value, "it needs a value.");
        Lock lock(runtime().mutex);
        if (attribute == hipMemPoolAttrReleaseThreshold) pool->release_threshold = *static_cast<std::uint64_t*>(value);
        else
            fail_loudly(hipErrorNotSupported,
                        "The only attribute of a memory pool that is simulated is its release threshold.");
    });
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
    return api(__func__, [&] {
        check_pool(pool);
        require(value, "it needs a place for the value.");
        Lock lock(runtime().mutex);
        if (attribute == hipMemPoolAttrReleaseThreshold) *static_cast<std::uint64_t*>(value) = pool->release_threshold;
        else
            fail_loudly(hipErrorNotSupported,
                        "The only attribute of a memory pool that is simulated is its release threshold.");
    });
}

}  // extern "C"
