// SPDX-License-Identifier: MIT
// Where kernels run: an AMD GPU through its HIP runtime, or the simulator, which is a HIP runtime too.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "arch/arch_types.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

struct HipApi;

/// Called `hip:0` (the first AMD GPU) or `sim:gfx942` (the simulator). A process has one HIP runtime: kernel libraries
/// find it by its name.
class Device {
public:
    /// Loads the runtime. The simulator's is `simulator`, or if that is empty what CKDISPATCH_SIMULATOR names.
    /// Throws InvalidArgumentError, NotFoundError or DeviceFailedError with a sentence.
    static std::shared_ptr<Device> open(const std::string& name, const std::string& simulator = {});

    const std::string& name() const { return name_; }
    bool simulated() const { return simulated_; }
    /// Whether events have the time of the simulated GPU, and not that of the simulator itself.
    bool simulates_times() const;
    Name gpu() const { return gpu_; }
    const arch::GpuSpec& facts() const { return *facts_; }

    void* allocate(std::size_t bytes);
    void release(void* address);
    void copy_to_device(void* device, const void* host, std::size_t bytes);
    void copy_to_host(void* host, const void* device, std::size_t bytes);
    void copy_on_device(void* to, const void* from, std::size_t bytes);
    /// Rows of `width` bytes on the device, `pitch` bytes from one to the next.
    void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                   std::size_t rows, void* stream = nullptr);
    void fill(void* address, int byte, std::size_t bytes, void* stream = nullptr);
    void synchronize(void* stream = nullptr);
    void* create_stream();
    void destroy_stream(void* stream);
    /// Makes this device the current one of the calling thread, where there are several.
    void make_current();

    const HipApi& hip() const { return *hip_; }
    /// Throws Error with the call, HIP's name for the error and, on the simulator, the reason.
    void check(int error, const char* call) const;
    /// The simulator's reason for the last error of this thread, in brackets; empty on a GPU.
    std::string last_reason() const;

private:
    Device() = default;

    std::string name_;
    Name gpu_;
    const arch::GpuSpec* facts_ = nullptr;
    const HipApi* hip_ = nullptr;
    bool simulated_ = false;
    bool several_ = false;
    int ordinal_ = 0;
};

/// Device memory that is released with the object.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    DeviceBuffer(std::shared_ptr<Device> device, std::size_t bytes);
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
    ~DeviceBuffer();

    void* address() const { return address_; }
    std::size_t size() const { return size_; }

private:
    std::shared_ptr<Device> device_;
    void* address_ = nullptr;
    std::size_t size_ = 0;
};

/// A code object of kernels that are no kernel libraries, on a device.
class DeviceCode {
public:
    /// Of the code object's whole file. Throws Error.
    DeviceCode(std::shared_ptr<Device> device, const void* file);
    ~DeviceCode();
    DeviceCode(const DeviceCode&) = delete;
    DeviceCode& operator=(const DeviceCode&) = delete;

    /// Enqueues a kernel of so many workgroups, with its arguments as they lie in memory.
    void launch(const std::string& kernel, unsigned workgroups, unsigned lanes, void* arguments, std::size_t bytes,
                void* stream = nullptr);

private:
    std::shared_ptr<Device> device_;
    void* module_ = nullptr;
};

/// The GPU's clock between two points of a stream.
class GpuTimer {
public:
    GpuTimer(std::shared_ptr<Device> device, void* stream);
    ~GpuTimer();
    GpuTimer(const GpuTimer&) = delete;
    GpuTimer& operator=(const GpuTimer&) = delete;
    void start();
    /// Waits for what was enqueued since start(), and returns its milliseconds.
    double stop();

private:
    std::shared_ptr<Device> device_;
    void* stream_;
    void* begin_ = nullptr;
    void* end_ = nullptr;
};

}  // namespace ckdispatch
