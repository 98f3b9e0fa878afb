// SPDX-License-Identifier: MIT
//
// Host pass only: the functions of the kernel ABI, for a library of any family.
//
// A family has a Library with its `name`, the `Problem` that it computes, and the words `kComputes` and `kProblem` for
// sentences; beside it in its namespace
//   check(library, problem, wave_size, reason)   whether this kernel computes the problem
//   has_null(library, problem)                   whether a tensor that it needs is missing
//   workspace_bytes(library, problem)            of a problem that was checked
//   phases(library, problem)                     bits of ck_phase that such a problem has
// and a Work {hip, library, wave_size, stream, workspace, phases} whose enqueue(problem) launches those phases of what
// was checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/host/gpus.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/host/timer.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel {

template <std::uint32_t Family, typename Library>
ck_kernel_status supports(const Library& library, const ck_problem* problem, const char* gpu, const Reason& reason) {
    using Problem = typename Library::Problem;
    if (problem == nullptr || problem->struct_size < sizeof(Problem) || problem->family != Family)
        return reason(CK_KERNEL_INVALID, "%s computes %s and was given no %s of this ABI version.", library.name,
                      Library::kComputes, Library::kProblem);
    const int wave_size = wave_size_of(gpu);
    if (wave_size == 0)
        return reason(CK_KERNEL_WRONG_GPU, "%s was asked to run on %s and holds code for %s only.", library.name,
                      gpu ? gpu : "no GPU", gpu_names());
    return check(library, *reinterpret_cast<const Problem*>(problem), wave_size, reason);
}

template <std::uint32_t Family, typename Library>
ck_kernel_status workspace_size(const Library& library, const ck_problem* problem, const char* gpu,
                                std::uint64_t* bytes, const Reason& reason) {
    if (bytes == nullptr)
        return reason(CK_KERNEL_INVALID, "%s was asked for its workspace size without a place to write it.",
                      library.name);
    *bytes = 0;
    if (const auto status = supports<Family>(library, problem, gpu, reason)) return status;
    *bytes = workspace_bytes(library, *reinterpret_cast<const typename Library::Problem*>(problem));
    return CK_KERNEL_OK;
}

template <std::uint32_t Family, typename Library>
ck_kernel_status phases_of(const Library& library, const ck_problem* problem, const char* gpu, std::uint32_t* bits,
                           const Reason& reason) {
    if (bits == nullptr)
        return reason(CK_KERNEL_INVALID, "%s was asked for its phases without a place to write them.", library.name);
    *bits = 0;
    if (const auto status = supports<Family>(library, problem, gpu, reason)) return status;
    *bits = phases(library, *reinterpret_cast<const typename Library::Problem*>(problem));
    return CK_KERNEL_OK;
}

template <std::uint32_t Family, typename Work, typename Library>
ck_kernel_status launch(const Library& library, const ck_problem* problem, const ck_launch_options* options,
                        const Reason& reason) {
    if (options == nullptr || options->struct_size < offsetof(ck_launch_options, phases) || options->repeat < 1 ||
        options->warmup < 0 || (options->timed && options->milliseconds == nullptr))
        return reason(
            CK_KERNEL_INVALID,
            "%s was launched without valid options: repeat must be at least 1, warmup at least 0, and a timed "
            "launch needs a place for its milliseconds.",
            library.name);
    if (const auto status = supports<Family>(library, problem, options->gpu, reason)) return status;
    const auto& p = *reinterpret_cast<const typename Library::Problem*>(problem);
    if (has_null(library, p)) return reason(CK_KERNEL_INVALID, "%s was launched with a null tensor.", library.name);
    const std::uint64_t needed = workspace_bytes(library, p);
    if (needed > 0 && (options->workspace == nullptr || options->workspace_size < needed))
        return reason(CK_KERNEL_INVALID, "%s was launched with a workspace of %llu bytes and needs %llu.", library.name,
                      static_cast<unsigned long long>(options->workspace ? options->workspace_size : 0),
                      static_cast<unsigned long long>(needed));
    const std::uint32_t all = phases(library, p);
    const std::uint32_t chosen = options->struct_size < sizeof(ck_launch_options) ? 0 : options->phases;
    if ((chosen & ~all) != 0)
        return reason(CK_KERNEL_INVALID, "%s was launched with the phases %u, and the problem has %u.", library.name,
                      chosen, all);
    const Hip* hip = nullptr;
    if (const auto status = find_runtime(library.name, &hip, reason)) return status;

    const auto stream = static_cast<hipStream_t>(options->stream);
    const auto device_say = [&](hipError_t error) {
        return reason(CK_KERNEL_DEVICE_FAILED, "%s failed on %s: %s.", library.name, options->gpu,
                      hip->get_error_string(error));
    };

    const Work work{*hip, library, wave_size_of(options->gpu), stream, options->workspace, chosen == 0 ? all : chosen};
    for (int i = 0; i < options->warmup; ++i)
        if (const auto error = work.enqueue(p)) return device_say(error);
    Timer timer(*hip);
    if (options->timed)
        if (const auto error = timer.start(stream)) return device_say(error);
    for (int i = 0; i < options->repeat; ++i)
        if (const auto error = work.enqueue(p)) return device_say(error);
    if (options->timed) {
        float total = 0;
        if (const auto error = timer.stop(stream, &total)) return device_say(error);
        *options->milliseconds = total / static_cast<float>(options->repeat);
    }
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel
