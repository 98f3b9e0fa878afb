// SPDX-License-Identifier: MIT
#include "ckdispatch/core/device.hpp"

#include <charconv>
#include <cstdlib>
#include <utility>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/gpus.hpp"
#include "ckdispatch/core/hip_api.hpp"

namespace ckdispatch {
namespace {

struct Wanted {
    bool simulator = false;
    std::string gpu;  ///< of the simulator
    int ordinal = 0;  ///< of an AMD GPU
};

Wanted parse_name(const std::string& name) {
    Wanted wanted;
    if (name.compare(0, 4, "sim:") == 0) {
        wanted.simulator = true;
        wanted.gpu = name.substr(4);
        if (arch::find_gpu(wanted.gpu)) return wanted;
        throw InvalidArgumentError("The device " + name + " was asked for; the simulator has " + known_gpus() + ".");
    }
    if (name.compare(0, 4, "hip:") == 0) {
        const char* end = name.data() + name.size();
        const auto result = std::from_chars(name.data() + 4, end, wanted.ordinal);
        if (result.ec == std::errc{} && result.ptr == end && wanted.ordinal >= 0) return wanted;
    }
    throw InvalidArgumentError("The device '" + name +
                               "' was asked for; a device is called hip:0 (an AMD GPU) or sim:gfx942 (the simulator).");
}

std::string from_environment(const char* variable) {
    const char* value = std::getenv(variable);
    return value ? value : "";
}

hipStream_t stream_of(void* stream) { return static_cast<hipStream_t>(stream); }

}  // namespace

std::shared_ptr<Device> Device::open(const std::string& name, const std::string& simulator) {
    const Wanted wanted = parse_name(name);
    // The simulator reads it at the first call of its runtime, and not again.
    if (wanted.simulator) ::setenv("GFXSIM_GPU", wanted.gpu.c_str(), 1);
    std::shared_ptr<Device> device(new Device);
    device->name_ = name;
    device->simulated_ = wanted.simulator;
    device->ordinal_ = wanted.ordinal;
    device->hip_ =
        &load_hip(wanted.simulator, simulator.empty() ? from_environment("CKDISPATCH_SIMULATOR") : simulator);

    int count = 0;
    const auto status = device->hip_->get_device_count(&count);
    if (status == hipErrorNoDevice || (status == hipSuccess && wanted.ordinal >= count))
        throw NotFoundError("The device " + name + " was asked for, and this machine has " + std::to_string(count) +
                            " AMD GPUs that the HIP runtime can use; sim:gfx942 needs none.");
    device->check(status, "hipGetDeviceCount");
    device->several_ = count > 1;
    hipDeviceProp_tR0600 properties{};
    device->check(device->hip_->get_device_properties(&properties, wanted.ordinal), "hipGetDeviceProperties");
    const std::string_view target(properties.gcnArchName);
    device->gpu_ = target.substr(0, target.find(':'));
    device->facts_ = arch::find_gpu(device->gpu_.text());
    if (!device->facts_)
        throw WrongGpuError("The device " + name + " is a " + std::string(device->gpu_.text()) +
                            "; this runtime knows " + known_gpus() + ".");
    if (wanted.simulator && device->gpu_ != Name(wanted.gpu))
        throw InvalidArgumentError("The device " + name + " was asked for, and this process already simulates " +
                                   std::string(device->gpu_.text()) + "; use a process of its own.");
    return device;
}

void Device::check(int error, const char* call) const {
    if (error == hipSuccess) return;
    const auto status = static_cast<hipError_t>(error);
    std::string sentence = std::string(call) + " failed on " + name_ + " with " + hip_->get_error_name(status);
    const char* reason = hip_->last_reason ? hip_->last_reason() : hip_->get_error_string(status);
    sentence += reason && *reason ? ": " + std::string(reason) : "";
    if (sentence.back() != '.') sentence += '.';
    throw_error(status == hipErrorOutOfMemory ? ErrorCode::out_of_memory : ErrorCode::device_failed, sentence);
}

bool Device::simulates_times() const { return hip_->simulated_times && hip_->simulated_times() != 0; }

std::string Device::last_reason() const {
    const char* reason = hip_->last_reason ? hip_->last_reason() : nullptr;
    return reason && *reason ? " (" + std::string(reason) + ")" : "";
}

void Device::make_current() {
    if (several_) check(hip_->set_device(ordinal_), "hipSetDevice");
}

void* Device::allocate(std::size_t bytes) {
    make_current();
    void* address = nullptr;
    check(hip_->malloc(&address, bytes), "hipMalloc");
    return address;
}

void Device::release(void* address) { check(hip_->free(address), "hipFree"); }

void Device::copy_to_device(void* device, const void* host, std::size_t bytes) {
    make_current();
    check(hip_->memcpy(device, host, bytes, hipMemcpyHostToDevice), "hipMemcpy");
}

void Device::copy_to_host(void* host, const void* device, std::size_t bytes) {
    make_current();
    check(hip_->memcpy(host, device, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
}

void Device::copy_on_device(void* to, const void* from, std::size_t bytes) {
    make_current();
    check(hip_->memcpy(to, from, bytes, hipMemcpyDeviceToDevice), "hipMemcpy");
}

void Device::copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                       std::size_t rows, void* stream) {
    make_current();
    check(
        hip_->memcpy_2d_async(to, to_pitch, from, from_pitch, width, rows, hipMemcpyDeviceToDevice, stream_of(stream)),
        "hipMemcpy2D");
}

void Device::fill(void* address, int byte, std::size_t bytes, void* stream) {
    make_current();
    check(hip_->memset_async(address, byte, bytes, stream_of(stream)), "hipMemset");
}

void Device::synchronize(void* stream) {
    make_current();
    check(hip_->stream_synchronize(stream_of(stream)), "hipStreamSynchronize");
}

void* Device::create_stream() {
    make_current();
    hipStream_t stream = nullptr;
    check(hip_->stream_create(&stream), "hipStreamCreate");
    return stream;
}

void Device::destroy_stream(void* stream) { check(hip_->stream_destroy(stream_of(stream)), "hipStreamDestroy"); }

DeviceBuffer::DeviceBuffer(std::shared_ptr<Device> device, std::size_t bytes)
    : device_(std::move(device)), address_(bytes ? device_->allocate(bytes) : nullptr), size_(bytes) {}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(std::move(other.device_)),
      address_(std::exchange(other.address_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(size_, other.size_);
    return *this;
}

DeviceBuffer::~DeviceBuffer() {
    if (address_) (void)device_->hip().free(address_);
}

DeviceCode::DeviceCode(std::shared_ptr<Device> device, const void* file) : device_(std::move(device)) {
    device_->make_current();
    hipModule_t module = nullptr;
    device_->check(device_->hip().module_load_data(&module, file), "hipModuleLoadData");
    module_ = module;
}

DeviceCode::~DeviceCode() { (void)device_->hip().module_unload(static_cast<hipModule_t>(module_)); }

void DeviceCode::launch(const std::string& kernel, unsigned workgroups, unsigned lanes, void* arguments,
                        std::size_t bytes, void* stream) {
    device_->make_current();
    hipFunction_t function = nullptr;
    device_->check(device_->hip().module_get_function(&function, static_cast<hipModule_t>(module_), kernel.c_str()),
                   "hipModuleGetFunction");
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_PARAM_END};
    device_->check(device_->hip().module_launch_kernel(function, workgroups, 1, 1, lanes, 1, 1, 0, stream_of(stream),
                                                       nullptr, extra),
                   "hipModuleLaunchKernel");
}

GpuTimer::GpuTimer(std::shared_ptr<Device> device, void* stream) : device_(std::move(device)), stream_(stream) {
    device_->make_current();
    hipEvent_t event = nullptr;
    device_->check(device_->hip().event_create(&event), "hipEventCreate");
    begin_ = event;
    device_->check(device_->hip().event_create(&event), "hipEventCreate");
    end_ = event;
}

GpuTimer::~GpuTimer() {
    for (void* event : {begin_, end_})
        if (event) (void)device_->hip().event_destroy(static_cast<hipEvent_t>(event));
}

void GpuTimer::start() {
    device_->check(device_->hip().event_record(static_cast<hipEvent_t>(begin_), stream_of(stream_)), "hipEventRecord");
}

double GpuTimer::stop() {
    const auto begin = static_cast<hipEvent_t>(begin_), end = static_cast<hipEvent_t>(end_);
    float milliseconds = 0;
    device_->check(device_->hip().event_record(end, stream_of(stream_)), "hipEventRecord");
    device_->check(device_->hip().event_synchronize(end), "hipEventSynchronize");
    device_->check(device_->hip().event_elapsed_time(&milliseconds, begin, end), "hipEventElapsedTime");
    return milliseconds;
}

}  // namespace ckdispatch
