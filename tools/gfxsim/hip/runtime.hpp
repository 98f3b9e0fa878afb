// SPDX-License-Identifier: MIT
// The one runtime of this process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "gfxsim/core/gpu.hpp"
#include "gfxsim/core/memory.hpp"
#include "gfxsim/hip/api.hpp"
#include "gfxsim/hip/blocks.hpp"
#include "gfxsim/hip/modules.hpp"
#include "gfxsim/monitor/monitor.hpp"

namespace gfxsim {

/// What the environment chose.
struct Settings {
    const Gpu* gpu = nullptr;   ///< GFXSIM_GPU
    unsigned threads = 0;       ///< GFXSIM_THREADS; 0: one per core
    u32 multiprocessors = 0;    ///< GFXSIM_MULTIPROCESSORS; 0: all that the GPU has
    u64 instruction_limit = 0;  ///< GFXSIM_INSTRUCTION_LIMIT, per wave
    u64 launch_limit = 0;       ///< GFXSIM_LAUNCH_LIMIT, instructions of all waves of a launch; 0: none
    bool whole_pages = false;   ///< GFXSIM_BOUNDS=page
    bool execute = true;        ///< GFXSIM_EXECUTE; without, launches are only checked
    MonitorOptions monitor;     ///< GFXSIM_CHECK, GFXSIM_REPORT and their like
};

/// Read when they are first asked for. A HipError if the environment names a GPU that is not simulated.
const Settings& settings();

struct Runtime {
    MemoryMap memory;

    /// Held while a kernel runs and by what must not happen meanwhile. Taken before `mutex`.
    std::mutex running;
    /// Guards all that follows.
    std::mutex mutex;
    Blocks blocks{memory};
    Programs programs;
    std::set<hipStream_t> streams;
    std::set<hipEvent_t> events;
    std::size_t stack_limit = 16 * 1024;
    double simulated_microseconds = 0;  ///< that launches have taken, if times are asked for
};

/// Made when it is first asked for and never destroyed, for libraries unregister themselves until the process is gone.
Runtime& runtime();

/// A HipError unless the device is the one that there is.
void check_device(int device);
/// A HipError unless the stream is one of those that exist.
void check_stream(hipStream_t stream);

}  // namespace gfxsim
