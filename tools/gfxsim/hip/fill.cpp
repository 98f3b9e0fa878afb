// SPDX-License-Identifier: MIT
// The entries that fill memory.
#include <mutex>

#include "gfxsim/hip/runtime.hpp"
#include "gfxsim/hip/transfer.hpp"

namespace {

using namespace gfxsim;

void fill_in(hipStream_t stream, void* to, unsigned value, unsigned element, size_t count) {
    {
        check_device(0);
        std::lock_guard<std::mutex> lock(runtime().mutex);
        check_stream(stream);
    }
    size_t bytes = 0;
    require(!__builtin_mul_overflow(count, size_t(element), &bytes), "the range is larger than the address space.");
    fill(Place{to, 0, 0}, Shape{bytes, 1, 1}, value, element);
}

void fill_box(hipStream_t stream, const hipPitchedPtr& to, int value, const Shape& shape) {
    {
        check_device(0);
        std::lock_guard<std::mutex> lock(runtime().mutex);
        check_stream(stream);
    }
    fill(Place{to.ptr, to.pitch, to.pitch * to.ysize}, shape, unsigned(value), 1);
}

hipPitchedPtr pitched(void* pointer, size_t pitch, size_t height) {
    hipPitchedPtr made{};
    made.ptr = pointer, made.pitch = pitch, made.ysize = height;
    return made;
}

}  // namespace

extern "C" {

hipError_t hipMemset(void* to, int value, size_t bytes) {
    return api(__func__, [&] { fill_in(nullptr, to, unsigned(value), 1, bytes); });
}

hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { fill_in(stream, to, unsigned(value), 1, bytes); });
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
    return api(__func__, [&] { fill_in(nullptr, to, value, 1, count); });
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { fill_in(stream, to, value, 1, count); });
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count) {
    return api(__func__, [&] { fill_in(nullptr, to, value, 2, count); });
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { fill_in(stream, to, value, 2, count); });
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
    return api(__func__, [&] { fill_in(nullptr, to, unsigned(value), 4, count); });
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
    return api(__func__, [&] { fill_in(stream, to, unsigned(value), 4, count); });
}

hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return api(__func__, [&] { fill_box(nullptr, pitched(to, pitch, height), value, {width, height, 1}); });
}

hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    return api(__func__, [&] { fill_box(stream, pitched(to, pitch, height), value, {width, height, 1}); });
}

hipError_t hipMemset3D(hipPitchedPtr to, int value, hipExtent extent) {
    return api(__func__, [&] { fill_box(nullptr, to, value, {extent.width, extent.height, extent.depth}); });
}

hipError_t hipMemset3DAsync(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
    return api(__func__, [&] { fill_box(stream, to, value, {extent.width, extent.height, extent.depth}); });
}

}  // extern "C"
