// SPDX-License-Identifier: MIT
//
// Host pass only: the launches that a problem takes on a stream, by the variant of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ck_gemm_problem.h"
#include "ck_kernel/host/gemm/library.hpp"
#include "ck_kernel/host/hip_runtime.hpp"
#include "ck_kernel/plan/gemm/product.hpp"

namespace ck_kernel::gemm {

// Enqueues problems that supports() has accepted, with a workspace of workspace_bytes().
template <int Ds>
class Work {
public:
    const Hip& hip;
    const Library& library;
    int wave_size;
    hipStream_t stream;
    void* workspace;
    std::uint32_t phases;

    hipError_t enqueue(const ck_gemm_problem& p) const {
        switch (library.config.variant) {
            case Variant::grouped: return enqueue_groups(p);
            case Variant::stream_k: return enqueue_shares(p);
            case Variant::standard:
            case Variant::batched:
            case Variant::multi_d:
            case Variant::preshuffle: break;
        }
        return enqueue_product(p);
    }

private:
    static std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

    bool adds_parts() const { return library.config.split_k == SplitK::workspace; }

    ProductArgs<Ds> arguments(const ck_gemm_problem& p) const {
        ProductArgs<Ds> args{p.a,
                             p.b,
                             {},
                             adds_parts() ? workspace : p.c,
                             narrow(p.m),
                             narrow(p.n),
                             narrow(p.k),
                             narrow(p.stride_a),
                             narrow(p.stride_b),
                             {},
                             narrow(adds_parts() ? p.n : p.stride_c),
                             narrow(p.k_batch)};
        for (int i = 0; i < Ds; ++i) {
            args.d[i] = p.d[i];
            args.stride_d[i] = narrow(p.stride_d[i]);
        }
        return args;
    }

    hipError_t launch(const void* function, dim3 grid, int block, void** arguments) const {
        return hip.launch_kernel(function, grid, dim3(static_cast<unsigned>(block)), arguments, 0, stream);
    }

    // What is between the rows of C belongs to somebody else.
    hipError_t clear(const ck_gemm_problem& p) const {
        const auto bytes = static_cast<std::size_t>(library.config.c.bytes);
        return hip.memset_2d_async(p.c, static_cast<std::size_t>(p.stride_c) * bytes, 0,
                                   static_cast<std::size_t>(p.n) * bytes, static_cast<std::size_t>(p.m), stream);
    }

    // How many workgroups of a persistent kernel the current device runs at once.
    hipError_t resident_workgroups(const void* function, int block, std::int64_t* count) const {
        int device = 0, units = 0, per_unit = 0;
        if (const auto error = hip.get_device(&device)) return error;
        if (const auto error = hip.device_get_attribute(&units, hipDeviceAttributeMultiprocessorCount, device))
            return error;
        if (const auto error = hip.max_active_blocks(&per_unit, function, block, 0)) return error;
        *count = static_cast<std::int64_t>(units) * per_unit;
        return hipSuccess;
    }

    hipError_t add_up(const ck_gemm_problem& p, std::int64_t workgroups, ProductArgs<Ds>* product) const {
        AddPartsArgs parts{workspace, p.c, p.m, p.n, p.stride_c, p.k_batch};
        void* both[] = {product, &parts};
        void* alone[] = {&parts};
        return launch(library.add_parts, dim3(static_cast<unsigned>(workgroups)), kAddPartsBlock,
                      product ? both : alone);
    }

    hipError_t enqueue_product(const ck_gemm_problem& p) const {
        const Config& config = library.config;
        // The parts of K need the same loops, as supports() made sure.
        const int loops = ceil_div(k_parts(config, p.k, p.k_batch).last, config.tile.k);
        const Entry* entry = find_entry(config, library.entries, library.entry_count, loops);
        if (entry == nullptr) return hipErrorInvalidDeviceFunction;
        const int block = block_size(config, wave_size);
        std::int64_t workgroups = tile_count(config, p.m, p.n);
        auto layers = static_cast<unsigned>(p.k_batch);
        if (config.persistent) {
            if (const auto error = resident_workgroups(entry->function, block, &workgroups)) return error;
            layers = 1;  // each workgroup goes through the parts of K by itself
        }
        if (phases & CK_PHASE_CLEAR)
            if (const auto error = clear(p)) return error;
        ProductArgs<Ds> args = arguments(p);
        std::int64_t strides[] = {p.batch_stride_a, p.batch_stride_b, p.batch_stride_c};
        void* pointers[] = {&args, &strides[0], &strides[1], &strides[2]};
        const bool batched = config.variant == Variant::batched;
        const dim3 grid(static_cast<unsigned>(workgroups), batched ? static_cast<unsigned>(p.batch) : 1, layers);
        if (phases & CK_PHASE_COMPUTE)
            if (const auto error = launch(entry->function, grid, block, pointers)) return error;
        if (!(phases & CK_PHASE_COMBINE)) return hipSuccess;
        constexpr std::int64_t most = 65536;  // each thread goes on by all of them
        const std::int64_t wanted = (p.m * p.n + kAddPartsBlock - 1) / kAddPartsBlock;
        return add_up(p, wanted < most ? wanted : most, nullptr);
    }

    hipError_t enqueue_shares(const ck_gemm_problem& p) const {
        const Config& config = library.config;
        ProductArgs<Ds> args = arguments(p);
        if (phases & CK_PHASE_CLEAR)
            if (const auto error = clear(p)) return error;
        void* pointers[] = {&args};
        if (phases & CK_PHASE_COMPUTE)
            if (const auto error = launch(library.entries[0].function, dim3(static_cast<unsigned>(p.k_batch)),
                                          block_size(config, wave_size), pointers))
                return error;
        return phases & CK_PHASE_COMBINE ? add_up(p, tile_count(config, p.m, p.n), &args) : hipSuccess;
    }

    hipError_t enqueue_groups(const ck_gemm_problem& p) const {
        const auto bytes = static_cast<std::size_t>(p.group_count) * sizeof(Group);
        auto* groups = static_cast<Group*>(std::malloc(bytes));
        if (groups == nullptr) return hipErrorOutOfMemory;
        std::int64_t workgroups = 0;
        if constexpr (Ds == 0)
            for (std::int64_t i = 0; i < p.group_count; ++i) {
                groups[i] = {arguments(p.groups[i]), narrow(workgroups), 0};
                workgroups += tile_count(library.config, p.groups[i].m, p.groups[i].n);
            }
        // From memory that is not pinned the runtime has copied before it returns.
        auto error = hip.memcpy_async(workspace, groups, bytes, hipMemcpyHostToDevice, stream);
        std::free(groups);
        if (error) return error;
        GroupsArgs args{static_cast<const Group*>(workspace), narrow(p.group_count)};
        void* pointers[] = {&args};
        return launch(library.entries[0].function, dim3(static_cast<unsigned>(workgroups)),
                      block_size(library.config, wave_size), pointers);
    }
};

}  // namespace ck_kernel::gemm
