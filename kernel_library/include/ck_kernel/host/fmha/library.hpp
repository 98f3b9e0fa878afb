// SPDX-License-Identifier: MIT
//
// Host pass only: what an attention kernel library consists of, and the frame that its variants share.
//
// Each variant is a Stage:
//   Args                                       what its kernel takes, by value
//   kNeeded                                    the tensors that it cannot do without, whatever its features
//   check(library, problem, reason)            what it asks of a problem beyond check_sizes()
//   grid(config, problem, wave_size)           of a problem that was checked
//   arguments(config, problem)                 the same
// and a file of its own, which headers.hpp includes.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

template <typename Stage>
struct Library : Subject {
    using Problem = ck_fmha_problem;

    static constexpr char kComputes[] = "attention";
    static constexpr char kProblem[] = "ck_fmha_problem";

    const void* function;

    constexpr Library(const Config& of, const char* called, const void* code) : Subject{of, called}, function(code) {}
};

constexpr int workgroup_size(const Config& config, int wave_size) {
    return config.waves * (config.lanes > 0 ? config.lanes : wave_size);
}

template <typename Stage>
ck_kernel_status check(const Library<Stage>& library, const ck_fmha_problem& p, int wave_size, const Reason& reason) {
    if (const auto status = check_sizes(library, p, reason)) return status;
    if (const auto status = Stage::check(library, p, reason)) return status;
    return check_grid(library, Stage::grid(library.config, p, wave_size), workgroup_size(library.config, wave_size),
                      reason);
}

template <typename Stage>
std::uint64_t workspace_bytes(const Library<Stage>&, const ck_fmha_problem&) {
    return 0;  // what waits between kernels is a matter of the plan
}

template <typename Stage>
std::uint32_t phases(const Library<Stage>&, const ck_fmha_problem&) {
    return CK_PHASE_COMPUTE;
}

template <typename Stage>
bool has_null(const Library<Stage>& library, const ck_fmha_problem& p) {
    for (const auto index : Stage::kNeeded)
        if (p.tensors[index] == nullptr) return true;
    return Stage::lacks_feature(library.config, p);
}

// Enqueues problems that check() has accepted.
template <typename Stage>
struct Work {
    const Hip& hip;
    const Library<Stage>& library;
    int wave_size;
    hipStream_t stream;
    void* workspace;
    std::uint32_t phases;

    hipError_t enqueue(const ck_fmha_problem& p) const {
        const Grid grid = Stage::grid(library.config, p, wave_size);
        const auto count = [](std::int64_t value) { return static_cast<unsigned>(value); };
        typename Stage::Args args = Stage::arguments(library.config, p);
        void* pointers[] = {&args};
        return hip.launch_kernel(library.function, dim3(count(grid.x), count(grid.y), count(grid.z)),
                                 dim3(count(workgroup_size(library.config, wave_size))), pointers, 0, stream);
    }
};

}  // namespace ck_kernel::fmha
