// SPDX-License-Identifier: MIT
//
// Host pass only: which problems a batched transpose library computes, and the launch that they take.
#pragma once

#include <cstdint>

#include "ck_batched_transpose_problem.h"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/host/library.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/batched_transpose/config.hpp"

namespace ck_kernel::batched_transpose {

struct Library {
    using Problem = ck_batched_transpose_problem;

    static constexpr char kComputes[] = "batched transposes";
    static constexpr char kProblem[] = "ck_batched_transpose_problem";

    Config config;
    const char* name;
    const void* function;
};

constexpr std::int64_t kMostLayers = 65535;  // of workgroups along y and z of the grid

constexpr std::int64_t tiles(std::int64_t extent, int tile) { return (extent + tile - 1) / tile; }

inline ck_kernel_status check(const Library& library, const ck_batched_transpose_problem& p, int,
                              const Reason& reason) {
    const Config& c = library.config;
    const long long batch = p.batch, height = p.height, width = p.width;
    if (p.batch < 1 || p.height < 1 || p.width < 1)
        return reason(CK_KERNEL_INVALID, "%s was asked for %lld matrices of %lld x %lld; each must be at least 1.",
                      library.name, batch, height, width);
    std::int64_t elements = 0;
    if (__builtin_mul_overflow(p.height, p.width, &elements) || __builtin_mul_overflow(elements, p.batch, &elements) ||
        elements > INT32_MAX / c.bytes)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %lld matrices of %lld x %lld, which are 2 GiB or more.",
                      library.name, batch, height, width);
    if (!c.pad && (p.height % c.rows != 0 || p.width % c.columns != 0))
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for matrices of %lld x %lld and needs multiples of %d x %d, because it does not pad.",
            library.name, height, width, c.rows, c.columns);
    if (p.batch > kMostLayers || tiles(p.width, c.columns) > kMostLayers)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %lld matrices of %lld columns, which are more than %lld layers of workgroups.",
                      library.name, batch, width, static_cast<long long>(kMostLayers));
    if (misaligned(p.x, c.vector() * c.bytes) || misaligned(p.y, c.vector() * c.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for addresses that are not multiples of %d bytes, its vector width.", library.name,
                      c.vector() * c.bytes);
    return CK_KERNEL_OK;
}

inline std::uint64_t workspace_bytes(const Library&, const ck_batched_transpose_problem&) { return 0; }

inline std::uint32_t phases(const Library&, const ck_batched_transpose_problem&) { return CK_PHASE_COMPUTE; }

inline bool has_null(const Library&, const ck_batched_transpose_problem& p) { return p.x == nullptr || p.y == nullptr; }

// Enqueues problems that check() has accepted.
struct Work {
    const Hip& hip;
    const Library& library;
    int wave_size;
    hipStream_t stream;
    void* workspace;
    std::uint32_t phases;

    hipError_t enqueue(const ck_batched_transpose_problem& p) const {
        const Config& c = library.config;
        const auto count = [](std::int64_t value) { return static_cast<unsigned>(value); };
        const auto size = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
        Args args{p.x, p.y, size(p.batch), size(p.height), size(p.width), size(p.height * p.width)};
        void* pointers[] = {&args};
        const dim3 grid(count(tiles(p.height, c.rows)), count(tiles(p.width, c.columns)), count(p.batch));
        return hip.launch_kernel(library.function, grid, dim3(count(c.waves * wave_size)), pointers, 0, stream);
    }
};

}  // namespace ck_kernel::batched_transpose
