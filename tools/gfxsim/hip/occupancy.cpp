// SPDX-License-Identifier: MIT
#include "gfxsim/hip/occupancy.hpp"

#include <algorithm>
#include <mutex>

#include "gfxsim/hip/runtime.hpp"

namespace gfxsim {
namespace {

u64 round_up(u64 value, u64 granule) { return granule ? (value + granule - 1) / granule * granule : value; }

u32 waves_per_simd(const Gpu& gpu, const Kernel& kernel) {
    const auto& registers = gpu.spec->registers;
    u64 waves             = u64(registers.max_waves_per_simd);
    if (kernel.vgprs) {
        // A register of a wave twice the usual size takes the place of two.
        const u64 width = std::max<u64>(1, kernel.wave_size / u64(gpu.spec->wave_size));
        waves           = std::min(waves, u64(registers.vgprs_per_simd) / (width * round_up(kernel.vgprs, u64(registers.vgpr_granule))));
    }
    if (kernel.sgprs && registers.sgprs_per_simd)
        waves = std::min(waves, u64(registers.sgprs_per_simd) / round_up(kernel.sgprs, u64(registers.sgpr_granule)));
    return u32(waves);
}

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
void count_blocks(int* blocks, Function function, int block, std::size_t dynamic_lds) {
    require(blocks && block > 0, "it needs a block size above 0 and a place for the number of blocks.");
    const Gpu& gpu = *settings().gpu;
    std::lock_guard<std::mutex> lock(runtime().mutex);
    *blocks = int(active_blocks(gpu, kernel_of(function), u32(block), dynamic_lds));
}

template <class Function>
void choose_block(int* grid, int* block, Function function, std::size_t dynamic_lds, int limit) {
    require(grid && block && limit >= 0, "it needs places for the grid size and the block size, and a limit that is not negative.");
    const Gpu& gpu = *settings().gpu;
    std::lock_guard<std::mutex> lock(runtime().mutex);
    const Kernel& kernel = kernel_of(function);
    const u32 best       = largest_block(gpu, kernel, dynamic_lds, u32(limit));
    *block               = int(best);
    *grid                = best ? int(active_blocks(gpu, kernel, best, dynamic_lds) * multiprocessors(gpu).count) : 0;
}

}  // namespace

Multiprocessor multiprocessors(const Gpu& gpu) {
    const auto& spec = *gpu.spec;
    const u32 paired = spec.workgroup_processor_mode ? 2 : 1;
    Multiprocessor unit{};
    unit.count = u32(spec.compute_units) / paired, unit.simds = u32(spec.simds_per_cu) * paired;
    unit.threads = unit.simds * u32(spec.registers.max_waves_per_simd) * u32(spec.wave_size);
    return unit;
}

u32 active_blocks(const Gpu& gpu, const Kernel& kernel, u32 block, u64 dynamic_lds) {
    const u64 lds = kernel.lds_bytes + dynamic_lds;
    if (block > kernel.max_group_size || lds > u64(gpu.spec->lds_bytes)) return 0;
    const u32 waves = (block + kernel.wave_size - 1) / kernel.wave_size;
    u64 blocks      = multiprocessors(gpu).simds * waves_per_simd(gpu, kernel) / waves;
    if (lds) blocks = std::min(blocks, u64(gpu.spec->lds_pool_bytes) / round_up(lds, u64(gpu.spec->lds_granule)));
    return u32(blocks);
}

}  // namespace gfxsim

using namespace gfxsim;

extern "C" {

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block, std::size_t dynamic_lds) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block, std::size_t dynamic_lds, unsigned) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int block, std::size_t dynamic_lds) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, hipFunction_t function, int block, std::size_t dynamic_lds,
                                                                       unsigned) {
    return api(__func__, [&] { count_blocks(blocks, function, block, dynamic_lds); });
}

hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* function, std::size_t dynamic_lds, int limit) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t function, std::size_t dynamic_lds, int limit) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, hipFunction_t function, std::size_t dynamic_lds, int limit, unsigned) {
    return api(__func__, [&] { choose_block(grid, block, function, dynamic_lds, limit); });
}

}  // extern "C"
