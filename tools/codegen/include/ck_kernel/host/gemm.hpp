// SPDX-License-Identifier: MIT
//
// Host pass only: launching one GEMM kernel as the ABI asks for it. Needs neither CK nor libstdc++.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/host/gemm_enqueue.hpp"
#include "ck_kernel/host/gemm_library.hpp"
#include "ck_kernel/host/gemm_supports.hpp"
#include "ck_kernel/host/gpus.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/host/timer.hpp"
#include "ck_kernel/plan/gemm.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel::gemm {

inline bool has_null(const Config& config, const ck_gemm_problem& p)
{
    if(config.variant == Variant::grouped)
    {
        for(std::int64_t i = 0; i < p.group_count; ++i)
            if(p.groups[i].a == nullptr || p.groups[i].b == nullptr || p.groups[i].c == nullptr)
                return true;
        return false;
    }
    for(int i = 0; i < config.d_count; ++i)
        if(p.d[i] == nullptr)
            return true;
    return p.a == nullptr || p.b == nullptr || p.c == nullptr;
}

template <int Ds>
ck_kernel_status launch(const Library& library,
                               const ck_problem* problem,
                               const ck_launch_options* options,
                               const Reason& reason)
{
    if(options == nullptr || options->struct_size < sizeof(ck_launch_options) || options->repeat < 1 ||
       options->warmup < 0 || (options->timed && options->milliseconds == nullptr))
        return reason(CK_KERNEL_INVALID,
                      "%s was launched without valid options: repeat must be at least 1, warmup at least 0, and a timed "
                      "launch needs a place for its milliseconds.",
                      library.name);
    if(const auto status = supports(library, problem, options->gpu, reason))
        return status;
    const ck_gemm_problem& p = *reinterpret_cast<const ck_gemm_problem*>(problem);
    if(has_null(library.config, p))
        return reason(CK_KERNEL_INVALID, "%s was launched with a null tensor.", library.name);
    const std::uint64_t needed = workspace_bytes(library.config, p);
    if(needed > 0 && (options->workspace == nullptr || options->workspace_size < needed))
        return reason(CK_KERNEL_INVALID, "%s was launched with a workspace of %llu bytes and needs %llu.", library.name,
                      static_cast<unsigned long long>(options->workspace ? options->workspace_size : 0),
                      static_cast<unsigned long long>(needed));
    const Hip* hip = nullptr;
    if(const auto status = find_runtime(library.name, &hip, reason))
        return status;

    const int wave_size   = wave_size_of(options->gpu);
    const auto stream     = static_cast<hipStream_t>(options->stream);
    const auto device_say = [&](hipError_t error) {
        return reason(CK_KERNEL_DEVICE_FAILED, "%s failed on %s: %s.", library.name, options->gpu,
                      hip->get_error_string(error));
    };

    const Work<Ds> work{*hip, library, wave_size, stream, options->workspace};
    for(int i = 0; i < options->warmup; ++i)
        if(const auto error = work.enqueue(p))
            return device_say(error);
    Timer timer(*hip);
    if(options->timed)
        if(const auto error = timer.start(stream))
            return device_say(error);
    for(int i = 0; i < options->repeat; ++i)
        if(const auto error = work.enqueue(p))
            return device_say(error);
    if(options->timed)
    {
        float total = 0;
        if(const auto error = timer.stop(stream, &total))
            return device_say(error);
        *options->milliseconds = total / static_cast<float>(options->repeat);
    }
    return CK_KERNEL_OK;
}

} // namespace ck_kernel::gemm
