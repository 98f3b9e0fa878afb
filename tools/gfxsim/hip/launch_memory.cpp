// SPDX-License-Identifier: MIT
#include <algorithm>

#include "gfxsim/hip/launch.hpp"

namespace gfxsim {
namespace {

// Scalar loads are widened to whole aligned groups of registers and may read this far behind the last argument.
constexpr u64 kWidestLoad = 64;
constexpr u64 kQueueBytes = 256;
constexpr u64 kGroupApertureHigh = 0x40, kPrivateApertureHigh = 0x44;

// The dispatch packet of the architected queueing language.
struct Packet {
    u16 header;
    u16 dimensions;
    u16 block[3];
    u16 reserved0;
    u32 items[3];
    u32 private_bytes;
    u32 group_bytes;
    u64 kernel;
    u64 kernarg;
    u64 reserved1;
    u64 completion;
};
static_assert(sizeof(Packet) == 64, "a dispatch packet has 64 bytes");
constexpr u16 kKernelDispatch = 2;

u64 round_up(u64 value, u64 granule) { return (value + granule - 1) / granule * granule; }

bool is_explicit(ArgKind kind) {
    return kind == ArgKind::by_value || kind == ArgKind::global_buffer || kind == ArgKind::dynamic_shared_pointer;
}

u64 hidden_value(ArgKind kind, const LaunchRequest& request, u64 queue) {
    switch (kind) {
        case ArgKind::block_count_x: return request.grid.x;
        case ArgKind::block_count_y: return request.grid.y;
        case ArgKind::block_count_z: return request.grid.z;
        case ArgKind::group_size_x: return request.block.x;
        case ArgKind::group_size_y: return request.block.y;
        case ArgKind::group_size_z: return request.block.z;
        case ArgKind::grid_dims: return 3;
        case ArgKind::private_base: return kPrivateAperture >> 32;
        case ArgKind::shared_base: return kSharedAperture >> 32;
        case ArgKind::queue_ptr: return queue;
        case ArgKind::dynamic_lds_size: return request.dynamic_lds;
        // Workgroups are whole and begin at 0. What serves printf, malloc and the like does not exist: a kernel
        // that uses it reads from address 0, which is an error.
        default: return 0;
    }
}

struct Buffer {
    const u8* data = nullptr;
    size_t size = 0;
};

Buffer packed_arguments(void** extra) {
    Buffer buffer;
    for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) buffer.data = static_cast<const u8*>(extra[1]);
        else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE) buffer.size = *static_cast<const size_t*>(extra[1]);
        else fail(hipErrorInvalidValue, "the extra launch parameters hold something that is no HIP_LAUNCH_PARAM.");
    }
    if (!buffer.data && buffer.size)
        fail(hipErrorInvalidValue, "the extra launch parameters have a size but no buffer.");
    return buffer;
}

// Calls `take` with each argument and its value.
template <class Take>
void for_each_value(const Kernel& kernel, void** params, Take&& take) {
    size_t index = 0;
    for (const KernelArg& arg : kernel.args) {
        if (!is_explicit(arg.kind)) continue;
        const void* value = params ? params[index] : nullptr;
        if (!value)
            fail(hipErrorInvalidValue,
                 "the kernel " + kernel.name + " gets no value for its argument " + std::to_string(index) + ".");
        take(arg, value);
        ++index;
    }
}

bool is_packed(const LaunchRequest& request) { return request.extra && !request.params; }

}  // namespace

void check_arguments(const Kernel& kernel, const LaunchRequest& request) {
    if (is_packed(request)) packed_arguments(request.extra);
    else for_each_value(kernel, request.params, [](const KernelArg&, const void*) {});
}

LaunchMemory::LaunchMemory(const Kernel& kernel, const LaunchRequest& request, const Launch& launch) {
    packet_ = round_up(kernel.kernarg_bytes, 64) + kWidestLoad;
    queue_ = packet_ + sizeof(Packet);
    region_ = Region(queue_ + kQueueBytes);
    copy_arguments(kernel, request);
    fill_hidden(kernel, request);
    fill_packet(kernel, launch);
    std::memset(region_.data() + queue_, 0, kQueueBytes);
    const u32 group = u32(kSharedAperture >> 32), scratch = u32(kPrivateAperture >> 32);
    std::memcpy(region_.data() + queue_ + kGroupApertureHigh, &group, 4);
    std::memcpy(region_.data() + queue_ + kPrivateApertureHigh, &scratch, 4);
}

Allocation LaunchMemory::allocation() const {
    Allocation allocation;
    allocation.begin = region_.address(), allocation.end = allocation.begin + region_.size();
    allocation.kind = MemoryKind::arguments, allocation.writable = false;
    return allocation;
}

void LaunchMemory::copy_arguments(const Kernel& kernel, const LaunchRequest& request) {
    if (is_packed(request)) {
        const Buffer buffer = packed_arguments(request.extra);
        std::memcpy(region_.data(), buffer.data, std::min<u64>(buffer.size, kernel.kernarg_bytes));
        return;
    }
    for_each_value(kernel, request.params, [&](const KernelArg& arg, const void* value) {
        std::memcpy(region_.data() + arg.offset, value, arg.size);
    });
}

void LaunchMemory::fill_hidden(const Kernel& kernel, const LaunchRequest& request) {
    for (const KernelArg& arg : kernel.args) {
        if (is_explicit(arg.kind)) continue;
        const u64 value = hidden_value(arg.kind, request, queue());
        std::memset(region_.data() + arg.offset, 0, arg.size);
        std::memcpy(region_.data() + arg.offset, &value, std::min<u64>(arg.size, sizeof(value)));
    }
}

void LaunchMemory::fill_packet(const Kernel& kernel, const Launch& launch) {
    Packet packet{};
    packet.header = kKernelDispatch, packet.dimensions = 3;
    for (int axis = 0; axis < 3; ++axis) {
        packet.block[axis] = u16(launch.block[axis]);
        packet.items[axis] = launch.grid[axis] * launch.block[axis];
    }
    packet.private_bytes = launch.scratch_bytes, packet.group_bytes = launch.lds_bytes;
    packet.kernel = kernel.program->address, packet.kernarg = kernarg();
    std::memcpy(region_.data() + packet_, &packet, sizeof(packet));
}

}  // namespace gfxsim
