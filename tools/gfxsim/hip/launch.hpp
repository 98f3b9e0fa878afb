// SPDX-License-Identifier: MIT
#pragma once

#include "gfxsim/core/program.hpp"
#include "gfxsim/core/wave.hpp"
#include "gfxsim/hip/api.hpp"
#include "gfxsim/loader/region.hpp"

namespace gfxsim {

/// What a program asks for when it launches a kernel.
struct LaunchRequest {
    dim3 grid;  ///< in workgroups
    dim3 block;
    std::size_t dynamic_lds = 0;
    void** params = nullptr;  ///< one pointer to each argument's value, or
    void** extra = nullptr;   ///< all arguments in one buffer, as HIP_LAUNCH_PARAM_… entries
    hipStream_t stream = nullptr;
    bool cooperative = false;
};

/// A HipError unless the request has a value for every argument that the kernel's metadata lists.
void check_arguments(const Kernel& kernel, const LaunchRequest& request);

/// The memory that a launch itself brings along: arguments, dispatch packet and queue.
class LaunchMemory {
public:
    /// Takes the request's arguments by the kernel's metadata and fills in those that are hidden.
    LaunchMemory(const Kernel& kernel, const LaunchRequest& request, const Launch& launch);

    u64 kernarg() const { return region_.address(); }
    u64 packet() const { return region_.address() + packet_; }
    u64 queue() const { return region_.address() + queue_; }
    /// What kernels may read of it.
    Allocation allocation() const;

private:
    void copy_arguments(const Kernel& kernel, const LaunchRequest& request);
    void fill_hidden(const Kernel& kernel, const LaunchRequest& request);
    void fill_packet(const Kernel& kernel, const Launch& launch);

    u64 packet_ = 0;
    u64 queue_ = 0;
    Region region_;
};

}  // namespace gfxsim
