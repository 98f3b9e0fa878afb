// SPDX-License-Identifier: MIT
// Launches. They are done when the call returns, whatever their stream.
#include "gfxsim/hip/launch.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "gfxsim/engine/engine.hpp"
#include "gfxsim/hip/events.hpp"
#include "gfxsim/hip/interrupts.hpp"
#include "gfxsim/hip/occupancy.hpp"
#include "gfxsim/hip/runtime.hpp"
#include "gfxsim/monitor/monitor.hpp"

using namespace gfxsim;

namespace {

constexpr u32 kMostThreads = 1024;
constexpr u64 kMostScratchBytes = 128 * 1024;

std::string triple(const dim3& size) {
    return "(" + std::to_string(size.x) + ", " + std::to_string(size.y) + ", " + std::to_string(size.z) + ")";
}

void check_size(const Gpu& gpu, const Kernel& kernel, const LaunchRequest& request) {
    const auto refuse = [&](hipError_t code, const std::string& why) {
        fail_loudly(code, "Kernel " + kernel.name + ": " + why + ".");
    };
    const auto text = [](u64 number) { return std::to_string(number); };
    const dim3 &grid = request.grid, &block = request.block;
    if (!block.x || !block.y || !block.z)
        refuse(hipErrorInvalidConfiguration, "the block " + triple(block) + " is empty");
    if (!grid.x || !grid.y || !grid.z) refuse(hipErrorInvalidConfiguration, "the grid " + triple(grid) + " is empty");
    // Axis by axis first, for a product of what a program may ask for need not fit into 64 bits.
    const u64 threads =
        std::max({block.x, block.y, block.z}) > kMostThreads ? kMostThreads + 1 : u64(block.x) * block.y * block.z;
    if (threads > kMostThreads)
        refuse(hipErrorInvalidConfiguration, "the block " + triple(block) + " has more than 1024 threads");
    u64 blocks = 0;
    if (__builtin_mul_overflow(u64(grid.x) * grid.y, u64(grid.z), &blocks))
        refuse(hipErrorInvalidConfiguration, "the grid " + triple(grid) + " has 2^64 blocks or more");
    if (threads > kernel.max_group_size)
        refuse(hipErrorLaunchFailure, "the block " + triple(block) + " has " + text(threads) +
                                          " threads, but the kernel was compiled for at most " +
                                          text(kernel.max_group_size));
    if (u64(grid.x) * block.x >> 32 || u64(grid.y) * block.y >> 32 || u64(grid.z) * block.z >> 32)
        refuse(hipErrorInvalidConfiguration, "the grid " + triple(grid) + " has 2^32 threads or more along an axis");
    // There the ids along y and z share a register.
    if (gpu.isa == Isa::gfx12 && (grid.y > 0xffff || grid.z > 0xffff))
        refuse(hipErrorInvalidConfiguration, "the grid " + triple(grid) + " has more than 65535 blocks along y or z");
    u64 lds = 0;
    if (__builtin_add_overflow(u64(kernel.lds_bytes), u64(request.dynamic_lds), &lds)) lds = ~u64(0);
    if (lds > u64(gpu.spec->lds_bytes))
        refuse(hipErrorLaunchOutOfResources, "it needs " + text(lds) + " bytes of LDS, but " + std::string(gpu.name()) +
                                                 " has " + text(u64(gpu.spec->lds_bytes)) + " for a workgroup");
    if (kernel.scratch_bytes > kMostScratchBytes)
        refuse(hipErrorLaunchOutOfResources, "it needs " + text(kernel.scratch_bytes) +
                                                 " bytes of scratch memory per lane, but " + text(kMostScratchBytes) +
                                                 " is the most");
    if (!request.cooperative) return;
    const u64 at_once = u64(active_blocks(gpu, kernel, u32(threads), request.dynamic_lds)) * multiprocessors(gpu).count;
    if (blocks > at_once)
        refuse(hipErrorCooperativeLaunchTooLarge, "the grid " + triple(grid) + " has more blocks than the " +
                                                      text(at_once) +
                                                      " that run at once, which a cooperative launch needs");
}

hipError_t code_of(FaultKind kind) {
    switch (kind) {
        case FaultKind::memory: return hipErrorIllegalAddress;
        case FaultKind::limit: return hipErrorLaunchTimeOut;
        case FaultKind::unsupported: return hipErrorNotSupported;
        case FaultKind::out_of_memory: return hipErrorOutOfMemory;
        case FaultKind::interrupted:
        case FaultKind::trap:
        case FaultKind::invalid: return hipErrorLaunchFailure;
    }
    return hipErrorLaunchFailure;
}

// A kernel reaches what serves printf, assert and malloc through pointers that are null here.
std::string missing_services(const Kernel& kernel, FaultKind kind) {
    const auto serves = [](const KernelArg& arg) {
        return arg.name == "hidden_hostcall_buffer" || arg.name == "hidden_printf_buffer" ||
               arg.name == "hidden_heap_v1";
    };
    if (kind != FaultKind::memory || std::none_of(kernel.args.begin(), kernel.args.end(), serves)) return "";
    return " The kernel has code for printf, assert or malloc, which are not simulated and lead to address 0.";
}

std::string perhaps_waiting(const Settings& chosen, FaultKind kind) {
    if (kind != FaultKind::limit || !chosen.monitor.sample) return "";
    return " Only the workgroups that a time needs are run; if they wait for others, use GFXSIM_TIMING=1.";
}

/// Memory that is in the map for the time of a launch.
class Mapped {
public:
    explicit Mapped(Allocation allocation) : begin_(allocation.begin) { runtime().memory.add(std::move(allocation)); }
    ~Mapped() { runtime().memory.remove(begin_); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

private:
    u64 begin_;
};

void run(const Settings& chosen, const Kernel& kernel, const std::vector<const Kernel*>& together,
         const LaunchRequest& request, size_t stack_limit, const Interruption& interruption) {
    const Gpu& gpu = *chosen.gpu;
    check_size(gpu, kernel, request);
    if (!chosen.execute) check_arguments(kernel, request);
    if (!chosen.execute && chosen.monitor.report.empty()) return;

    Launch launch;
    launch.kernel = &kernel, launch.gpu = &gpu;
    launch.grid[0] = request.grid.x, launch.grid[1] = request.grid.y, launch.grid[2] = request.grid.z;
    launch.block[0] = request.block.x, launch.block[1] = request.block.y, launch.block[2] = request.block.z;
    launch.lds_bytes = u32(kernel.lds_bytes + request.dynamic_lds);
    launch.scratch_bytes = kernel.scratch_bytes;
    if (kernel.dynamic_stack)
        launch.scratch_bytes = std::max(kernel.scratch_bytes, u32(std::min<u64>(stack_limit, kMostScratchBytes)));
    launch.instruction_limit = chosen.instruction_limit, launch.launch_limit = chosen.launch_limit;

    Monitor monitor(chosen.monitor, launch, multiprocessors(gpu).count, together);
    LaunchOutcome outcome;
    if (!chosen.execute) return monitor.finish(launch, outcome);

    const LaunchMemory own(kernel, request, launch);
    const Mapped mapped(own.allocation());
    launch.kernarg = own.kernarg(), launch.dispatch_packet = own.packet(), launch.queue = own.queue();
    launch.memory = runtime().memory.snapshot();

    EngineOptions options;
    options.threads = chosen.threads;
    options.observer = monitor.factory();
    options.only = monitor.groups();
    options.interruption = interruption;
    {
        const InterruptWatch watch;
        outcome = run_launch(launch, options);
    }
    try {
        monitor.finish(launch, outcome);
    } catch (const std::runtime_error& error) {
        fail_loudly(hipErrorNotSupported, error.what());
    }
    pass_time(monitor.microseconds());
    if (!outcome.ok)
        fail_loudly(code_of(outcome.kind),
                    outcome.error + missing_services(kernel, outcome.kind) + perhaps_waiting(chosen, outcome.kind));
}

template <class Resolve>
void launch_resolved(Resolve&& resolve, const LaunchRequest& request, hipEvent_t start = nullptr,
                     hipEvent_t stop = nullptr) {
    const Settings& chosen = settings();
    const Interruption interrupted = interruption();
    std::lock_guard<std::mutex> alone(runtime().running);
    const Kernel* kernel = nullptr;
    size_t stack = 0;
    std::vector<const Kernel*> together;
    {
        std::lock_guard<std::mutex> lock(runtime().mutex);
        check_stream(request.stream);
        const hipFunction_t handle = resolve(runtime().programs);
        kernel = &runtime().programs.kernel(handle);
        stack = runtime().stack_limit;
        if (chosen.monitor.variants_together) together = runtime().programs.kernels_beside(handle);
    }
    if (start) record_event(start);
    run(chosen, *kernel, together, request, stack, interrupted);
    if (stop) record_event(stop);
}

void launch(const void* host, const LaunchRequest& request, hipEvent_t start = nullptr, hipEvent_t stop = nullptr) {
    launch_resolved([&](Programs& programs) { return programs.function(host); }, request, start, stop);
}

void launch(hipFunction_t function, const LaunchRequest& request, hipEvent_t start = nullptr,
            hipEvent_t stop = nullptr) {
    launch_resolved([&](Programs&) { return function; }, request, start, stop);
}

// These launches count the grid in threads.
void launch_threads(hipFunction_t function, const dim3& threads, const LaunchRequest& request, hipEvent_t start,
                    hipEvent_t stop) {
    const dim3& block = request.block;
    if (!block.x || !block.y || !block.z) fail(hipErrorInvalidConfiguration, "the block is empty.");
    if (threads.x % block.x || threads.y % block.y || threads.z % block.z)
        fail_loudly(hipErrorNotSupported, "A grid of " + triple(threads) + " threads is no multiple of the block " +
                                              triple(block) + ", and workgroups that are not full are not simulated.");
    LaunchRequest whole = request;
    whole.grid = dim3(threads.x / block.x, threads.y / block.y, threads.z / block.z);
    launch(function, whole, start, stop);
}

struct CallConfiguration {
    dim3 grid, block;
    size_t lds;
    hipStream_t stream;
};

std::vector<CallConfiguration>& configurations() {
    thread_local std::vector<CallConfiguration> stack;
    return stack;
}

}  // namespace

// Not all of these are declared in a header that exports them.
#pragma GCC visibility push(default)
extern "C" {

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
    return api(__func__, [&] { configurations().push_back({grid, block, lds, stream}); });
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* lds, hipStream_t* stream) {
    return api(__func__, [&] {
        if (configurations().empty()) fail(hipErrorMissingConfiguration, "no launch has been configured.");
        const CallConfiguration top = configurations().back();
        configurations().pop_back();
        *grid = top.grid, *block = top.block, *lds = top.lds, *stream = top.stream;
    });
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** params, size_t lds, hipStream_t stream) {
    return api(__func__, [&] { launch(function, {grid, block, lds, params, nullptr, stream, false}); });
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** params, unsigned lds,
                                      hipStream_t stream) {
    return api(__func__, [&] { launch(function, {grid, block, lds, params, nullptr, stream, true}); });
}

hipError_t hipExtLaunchKernel(const void* function, dim3 grid, dim3 block, void** params, size_t lds,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
    return api(__func__, [&] { launch(function, {grid, block, lds, params, nullptr, stream, false}, start, stop); });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds, hipStream_t stream,
                                 void** params, void** extra) {
    return api(__func__, [&] {
        launch(function,
               {dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), lds, params, extra, stream, false});
    });
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds,
                                            hipStream_t stream, void** params) {
    return api(__func__, [&] {
        launch(function,
               {dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), lds, params, nullptr, stream, true});
    });
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t threads_x, uint32_t threads_y, uint32_t threads_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t lds,
                                    hipStream_t stream, void** params, void** extra, hipEvent_t start, hipEvent_t stop,
                                    uint32_t) {
    return api(__func__, [&] {
        launch_threads(function, dim3(threads_x, threads_y, threads_z),
                       {{}, dim3(block_x, block_y, block_z), lds, params, extra, stream, false}, start, stop);
    });
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t threads_x, uint32_t threads_y, uint32_t threads_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t lds,
                                    hipStream_t stream, void** params, void** extra, hipEvent_t start,
                                    hipEvent_t stop) {
    return api(__func__, [&] {
        launch_threads(function, dim3(threads_x, threads_y, threads_z),
                       {{}, dim3(block_x, block_y, block_z), lds, params, extra, stream, false}, start, stop);
    });
}

// Programs compiled as C++ with headers of old ask for these two by their mangled names.
hipError_t _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j(
    hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**, void**,
    hipEvent_t, hipEvent_t, uint32_t) __attribute__((alias("hipExtModuleLaunchKernel")));
hipError_t _Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_(
    hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void**, void**,
    hipEvent_t, hipEvent_t) __attribute__((alias("hipHccModuleLaunchKernel")));

}  // extern "C"
#pragma GCC visibility pop
