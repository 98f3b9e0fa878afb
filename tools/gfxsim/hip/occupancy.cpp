// SPDX-License-Identifier: MIT
#include "gfxsim/hip/occupancy.hpp"

#include <algorithm>
#include <mutex>

#include "arch/occupancy.hpp"
#include "gfxsim/hip/runtime.hpp"

namespace gfxsim {
namespace {

u32 largest_block(const Gpu& gpu, const Kernel& kernel, u64 dynamic_lds, u32 limit) {
    const u32 step = kernel.wave_size, most = std::min(kernel.max_group_size, limit ? limit : kernel.max_group_size);
    u32 best = 0, best_threads = 0;
    for (u32 block = std::min(step, most); block && block <= most; block += step) {
        const u32 threads = active_blocks(gpu, kernel, block, dynamic_lds) * block;
        if (threads >= best_threads && threads) best = block, best_threads = threads;
    }
    return best;
}

const Kernel& kernel_of(const void* host) { return runtime().programs.kernel(runtime().programs.function(host)); }
const Kernel& kernel_of(hipFunction_t function) { return runtime().programs.kernel(function); }

template <class Function>
void count_blocks(int* blocks, Function function, int block, size_t dynamic_lds) {
    require(blocks && block > 0, "it needs a block size above 0 and a place for the number of blocks.");
    const Gpu& gpu = *settings().gpu;
    std::lock_guard<std::mutex> lock(runtime().mutex);
    *blocks = int(active_blocks(gpu, kernel_of(function), u32(block), dynamic_lds));
}

template <class Function>
void choose_block(int* grid, int* block, Function function, size_t dynamic_lds, int limit) {
    require(grid && block && limit >= 0,
            "it needs places for the grid size and the block size, and a limit that is not negative.");
    const Gpu& gpu = *settings().gpu;
    std::lock_guard<std::mutex> lock(runtime().mutex);
    const Kernel& kernel = kernel_of(function);
    const u32 best = largest_block(gpu, kernel, dynamic_lds, u32(limit));
    *block = int(best);
    *grid = best ? int(active_blocks(gpu, kernel, best, dynamic_lds) * multiprocessors(gpu).count) : 0;
}

}  // namespace

Multiprocessor multiprocessors(const Gpu& gpu) {
    const auto& spec = *gpu.spec;
    Multiprocessor unit{};
    unit.simds = u32(ckdispatch::arch::simds_per_unit(spec));
    unit.count = u32(spec.compute_units * spec.simds_per_cu) / unit.simds;
    if (const u32 told = settings().multiprocessors) unit.count = std::min(unit.count, told);
    unit.threads = unit.simds * u32(spec.registers.max_waves_per_simd) * u32(spec.wave_size);
    return unit;
}

u32 active_blocks(const Gpu& gpu, const Kernel& kernel, u32 block, u64 dynamic_lds) {
    const u64 lds = kernel.lds_bytes + dynamic_lds;
    if (block > kernel.max_group_size || lds > u64(gpu.spec->lds_bytes)) return 0;
    const ckdispatch::arch::KernelResources used{int(kernel.vgprs), int(kernel.agprs), int(kernel.sgprs), i64(lds),
                                                 int(block)};
    return u32(ckdispatch::arch::workgroups_per_unit(*gpu.spec, used));
}

}  // namespace gfxsim

using namespace gfxsim;

extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block,
                                                        size_t dynamic_lds) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block,
                                                                 size_t dynamic_lds, unsigned) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int block,
                                                              size_t dynamic_lds) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, hipFunction_t function, int block,
                                                                       size_t dynamic_lds, unsigned) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function, size_t dynamic_lds,
                                             int limit) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t function, size_t dynamic_lds,
                                                   int limit) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, hipFunction_t function,
                                                            size_t dynamic_lds, int limit, unsigned) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

}  // extern "C"
