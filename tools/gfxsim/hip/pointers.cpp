// SPDX-License-Identifier: MIT
// What a program can learn about a pointer.
#include <cstring>
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

namespace {

using namespace gfxsim;
using Lock = std::lock_guard<std::mutex>;

struct PointerFacts {
    hipMemoryType type = hipMemoryTypeUnregistered;
    u64 begin = 0;
    u64 size = 0;
    unsigned flags = 0;
    bool device = false, host = false, managed = false;
};

PointerFacts facts_of(const void* pointer) {
    PointerFacts facts;
    {
        Lock lock(runtime().mutex);
        if (const Block* block = runtime().blocks.find(pointer)) facts.flags = block->flags;
    }
    const auto memory = runtime().memory.snapshot();
    const Allocation* allocation = memory->find(reinterpret_cast<u64>(pointer), 1);
    if (!allocation) return facts;
    facts.begin = allocation->begin, facts.size = allocation->end - allocation->begin;
    facts.device = true;
    facts.managed = allocation->kind == MemoryKind::managed;
    facts.host = facts.managed || allocation->kind == MemoryKind::host;
    facts.type = facts.managed ? hipMemoryTypeManaged : facts.host ? hipMemoryTypeHost : hipMemoryTypeDevice;
    return facts;
}

PointerFacts known_facts(const void* pointer) {
    const PointerFacts facts = facts_of(pointer);
    require(facts.size, "the pointer is none that the runtime knows.");
    return facts;
}

template <class T>
void answer(void* place, T value) {
    std::memcpy(place, &value, sizeof(T));
}

void get_attribute(void* place, hipPointer_attribute attribute, void* pointer) {
    const PointerFacts facts = facts_of(pointer);
    const bool known = facts.size != 0;
    switch (attribute) {
        case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: answer<unsigned>(place, unsigned(facts.type)); break;
        case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: answer<void*>(place, known ? pointer : nullptr); break;
        case HIP_POINTER_ATTRIBUTE_HOST_POINTER: answer<void*>(place, facts.host ? pointer : nullptr); break;
        case HIP_POINTER_ATTRIBUTE_BUFFER_ID: answer<unsigned long long>(place, facts.begin); break;
        case HIP_POINTER_ATTRIBUTE_IS_MANAGED: answer<unsigned>(place, facts.managed); break;
        case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: answer<int>(place, known ? 0 : -1); break;
        case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: answer<u64>(place, facts.begin); break;
        case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: answer<size_t>(place, facts.size); break;
        case HIP_POINTER_ATTRIBUTE_MAPPED: answer<unsigned>(place, known); break;
        default:
            fail_loudly(hipErrorNotSupported,
                        "The pointer attribute " + std::to_string(int(attribute)) + " is not simulated.");
    }
}

}  // namespace

extern "C" {

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
    return api(__func__, [&] {
        require(attributes && pointer, "it needs a pointer and a place for its attributes.");
        const PointerFacts facts = facts_of(pointer);
        *attributes = {};
        attributes->type = facts.type;
        attributes->device = facts.device ? 0 : -1;
        void* const same = const_cast<void*>(pointer);
        attributes->devicePointer = facts.device ? same : nullptr;
        attributes->hostPointer = facts.host ? same : nullptr;
        attributes->isManaged = facts.managed, attributes->allocationFlags = facts.flags;
    });
}

hipError_t hipPointerGetAttribute(void* value, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
    return api(__func__, [&] {
        require(value && pointer, "it needs a pointer and a place for the value.");
        get_attribute(value, attribute, pointer);
    });
}

hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* attributes, void** values,
                                      hipDeviceptr_t pointer) {
    return api(__func__, [&] {
        require(count && attributes && values, "it needs attributes and places for their values.");
        for (unsigned i = 0; i < count; ++i) get_attribute(values[i], attributes[i], pointer);
    });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* begin, size_t* bytes, hipDeviceptr_t pointer) {
    return api(__func__, [&] {
        const PointerFacts facts = known_facts(pointer);
        if (begin) *begin = reinterpret_cast<void*>(facts.begin);
        if (bytes) *bytes = facts.size;
    });
}

hipError_t hipMemPtrGetInfo(void* pointer, size_t* bytes) {
    return api(__func__, [&] {
        require(bytes, "it needs a place for the size.");
        *bytes = known_facts(pointer).size;
    });
}

hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
    return api(__func__, [&] {
        require(device && flags == 0, "it needs a place for the pointer and no flags.");
        require(known_facts(host).host, "the pointer is no host memory that the runtime knows.");
        *device = host;
    });
}

hipError_t hipHostGetFlags(unsigned* flags, void* host) {
    return api(__func__, [&] {
        require(flags, "it needs a place for the flags.");
        const PointerFacts facts = known_facts(host);
        require(facts.host && !facts.managed, "the pointer is no host memory that the runtime knows.");
        *flags = facts.flags;
    });
}

// Memory is in one place, so moving it is done at once and advice changes nothing.
hipError_t hipMemPrefetchAsync(const void* pointer, size_t, int device, hipStream_t stream) {
    return api(__func__, [&] {
        if (device != hipCpuDeviceId) check_device(device);
        known_facts(pointer);
        Lock lock(runtime().mutex);
        check_stream(stream);
    });
}

hipError_t hipMemAdvise(const void* pointer, size_t, hipMemoryAdvise, int device) {
    return api(__func__, [&] {
        if (device != hipCpuDeviceId) check_device(device);
        known_facts(pointer);
    });
}

}  // extern "C"
