// SPDX-License-Identifier: MIT
#include "ckdispatch/capi/guard.hpp"
#include "ckdispatch/capi/handles.hpp"

using namespace ckdispatch;
using namespace ckdispatch::capi;

namespace {

Device& device_of(ckd_device* handle) { return *needed(handle, "a device").it; }

}  // namespace

ckd_status ckd_device_open(const char* name, const char* simulator, ckd_device** device) {
    return guarded([&] {
        give(device, "a place for the device", [&] {
            return ckd_device::make(Device::open(text_of(name, "the name of a device"),
                                                 simulator ? text_of(simulator, "the path of the simulator") : ""));
        });
    });
}

void ckd_device_close(ckd_device* device) { ckd_device::destroy(device, "a device"); }
const char* ckd_device_gpu(const ckd_device* device) {
    return device && device->alive() ? device->it->gpu().c_str() : "";
}

ckd_status ckd_device_allocate(ckd_device* device, size_t bytes, void** address) {
    return guarded(
        [&] { give(address, "a place for the address", [&] { return device_of(device).allocate(bytes); }); });
}
ckd_status ckd_device_release(ckd_device* device, void* address) {
    return guarded([&] { device_of(device).release(address); });
}
ckd_status ckd_device_copy_in(ckd_device* device, void* to, const void* from_host, size_t bytes) {
    return guarded([&] { device_of(device).copy_to_device(to, from_host, bytes); });
}
ckd_status ckd_device_copy_out(ckd_device* device, void* to_host, const void* from, size_t bytes) {
    return guarded([&] { device_of(device).copy_to_host(to_host, from, bytes); });
}
ckd_status ckd_device_copy_rows(ckd_device* device, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t rows, void* stream) {
    return guarded([&] { device_of(device).copy_rows(to, to_pitch, from, from_pitch, width, rows, stream); });
}
ckd_status ckd_device_fill(ckd_device* device, void* address, int byte, size_t bytes, void* stream) {
    return guarded([&] { device_of(device).fill(address, byte, bytes, stream); });
}
ckd_status ckd_device_synchronize(ckd_device* device, void* stream) {
    return guarded([&] { device_of(device).synchronize(stream); });
}
ckd_status ckd_device_create_stream(ckd_device* device, void** stream) {
    return guarded([&] { give(stream, "a place for the stream", [&] { return device_of(device).create_stream(); }); });
}
ckd_status ckd_device_destroy_stream(ckd_device* device, void* stream) {
    return guarded([&] { device_of(device).destroy_stream(stream); });
}

ckd_status ckd_device_load(ckd_device* device, const void* file, ckd_code** code) {
    return guarded([&] {
        give(code, "a place for the code", [&] {
            (void)device_of(device);
            (void)needed(static_cast<const char*>(file), "a code object");
            return ckd_code::make(std::make_shared<DeviceCode>(device->it, file));
        });
    });
}

void ckd_code_close(ckd_code* code) { ckd_code::destroy(code, "device code"); }

ckd_status ckd_code_launch(ckd_code* code, const char* kernel, uint32_t workgroups, uint32_t lanes, void* arguments,
                           size_t bytes, void* stream) {
    return guarded([&] {
        needed(code, "device code")
            .it->launch(text_of(kernel, "the name of a kernel"), workgroups, lanes, arguments, bytes, stream);
    });
}
