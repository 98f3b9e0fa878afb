// SPDX-License-Identifier: MIT
//
// Host pass only: launching one GEMM kernel, on top of the plan. Needs neither CK nor libstdc++.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_kernel/host/gemm_library.hpp"
#include "ck_kernel/host/gemm_supports.hpp"
#include "ck_kernel/host/gpus.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/host/timer.hpp"
#include "ck_kernel/plan/gemm.hpp"
#include "ck_kernel_abi.h"

namespace ck_kernel::gemm {

// How many workgroups of a persistent kernel the current device runs at once.
inline hipError_t resident_workgroups(const Hip& hip, const Entry& entry, int block, int* count)
{
    int device = 0, units = 0, per_unit = 0;
    if(const auto error = hip.get_device(&device))
        return error;
    if(const auto error = hip.device_get_attribute(&units, hipDeviceAttributeMultiprocessorCount, device))
        return error;
    if(const auto error = hip.max_active_blocks(&per_unit, entry.function, block, 0))
        return error;
    *count = units * per_unit;
    return hipSuccess;
}

// What is between the rows of C belongs to somebody else.
inline hipError_t clear(const Hip& hip, const Config& config, const ck_gemm_problem& p, hipStream_t stream)
{
    const auto bytes = static_cast<std::size_t>(config.c.bytes);
    return hip.memset_2d_async(p.c, static_cast<std::size_t>(p.stride_c) * bytes, 0,
                               static_cast<std::size_t>(p.n) * bytes, static_cast<std::size_t>(p.m), stream);
}

inline hipError_t
enqueue(const Hip& hip, const Library& library, const ck_gemm_problem& p, int wave_size, hipStream_t stream)
{
    const Config& config = library.config;
    KernelArgs args{p.a,
                    p.b,
                    0,
                    p.c,
                    static_cast<std::int32_t>(p.m),
                    static_cast<std::int32_t>(p.n),
                    static_cast<std::int32_t>(p.k),
                    static_cast<std::int32_t>(p.stride_a),
                    static_cast<std::int32_t>(p.stride_b),
                    0,
                    static_cast<std::int32_t>(p.stride_c),
                    static_cast<std::int32_t>(p.k_batch)};
    // The parts of K need the same loops, as supports() made sure.
    const Entry* entry = find_entry(library, ceil_div(k_parts(config, p.k, p.k_batch).last, config.tile.k));
    if(entry == nullptr)
        return hipErrorInvalidDeviceFunction;
    const int block = block_size(config, wave_size);
    int workgroups  = tile_count(config, p.m, p.n);
    auto layers     = static_cast<unsigned>(p.k_batch);
    if(config.persistent)
    {
        if(const auto error = resident_workgroups(hip, *entry, block, &workgroups))
            return error;
        layers = 1; // each workgroup goes through the parts of K by itself
    }
    if(config.split_k)
        if(const auto error = clear(hip, config, p, stream))
            return error;
    void* arguments[] = {&args};
    return hip.launch_kernel(entry->function, dim3(static_cast<unsigned>(workgroups), 1, layers),
                             dim3(static_cast<unsigned>(block)), arguments, 0, stream);
}

inline ck_kernel_status launch(const Library& library,
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
    if(p.a == nullptr || p.b == nullptr || p.c == nullptr)
        return reason(CK_KERNEL_INVALID, "%s was launched with a null tensor.", library.name);
    const Hip* hip = nullptr;
    if(const auto status = find_runtime(library.name, &hip, reason))
        return status;

    const int wave_size   = wave_size_of(options->gpu);
    const auto stream     = static_cast<hipStream_t>(options->stream);
    const auto device_say = [&](hipError_t error) {
        return reason(CK_KERNEL_DEVICE_FAILED, "%s failed on %s: %s.", library.name, options->gpu,
                      hip->get_error_string(error));
    };

    for(int i = 0; i < options->warmup; ++i)
        if(const auto error = enqueue(*hip, library, p, wave_size, stream))
            return device_say(error);
    Timer timer(*hip);
    if(options->timed)
        if(const auto error = timer.start(stream))
            return device_say(error);
    for(int i = 0; i < options->repeat; ++i)
        if(const auto error = enqueue(*hip, library, p, wave_size, stream))
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
