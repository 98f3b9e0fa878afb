// SPDX-License-Identifier: MIT
// The entries that copy memory. They are done when they return, also those called asynchronous.
#include <mutex>

#include "gfxsim/hip/runtime.hpp"
#include "gfxsim/hip/transfer.hpp"

namespace {

using namespace gfxsim;

// Version 7 made the source const, as it should be.
#if HIP_VERSION_MAJOR >= 7
using HostSource = const void*;
#else
using HostSource = void*;
#endif

void in_stream(hipStream_t stream) {
    check_device(0);
    std::lock_guard<std::mutex> lock(runtime().mutex);
    check_stream(stream);
}

void copy_in(hipStream_t stream, void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    in_stream(stream);
    copy(to, from, bytes, kind);
}

void copy_rows(hipStream_t stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
               size_t height, hipMemcpyKind kind) {
    in_stream(stream);
    copy(Place{to, to_pitch, 0}, Place{const_cast<void*>(from), from_pitch, 0}, Shape{width, height, 1}, kind);
}

Variable symbol(const void* host, size_t bytes, size_t offset) {
    std::lock_guard<std::mutex> lock(runtime().mutex);
    const Variable variable = runtime().programs.variable(host);
    if (offset > variable.size || bytes > variable.size - offset)
        fail(hipErrorInvalidValue,
             "the range leaves the variable '" + variable.name + "' of " + std::to_string(variable.size) + " bytes.");
    return variable;
}

void to_symbol(hipStream_t stream, const void* host, const void* from, size_t bytes, size_t offset,
               hipMemcpyKind kind) {
    in_stream(stream);
    copy(reinterpret_cast<u8*>(symbol(host, bytes, offset).address) + offset, from, bytes, kind);
}

void from_symbol(hipStream_t stream, void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind) {
    in_stream(stream);
    copy(to, reinterpret_cast<const u8*>(symbol(host, bytes, offset).address) + offset, bytes, kind);
}

void check_peers(int to, int from) { check_device(to), check_device(from); }

Place place_of(const hipPitchedPtr& pitched, const hipPos& position) {
    Place place{pitched.ptr, pitched.pitch, pitched.pitch * pitched.ysize};
    if (place.pointer)
        place.pointer =
            static_cast<u8*>(place.pointer) + position.z * place.slice + position.y * place.pitch + position.x;
    return place;
}

void copy_box(hipStream_t stream, const hipMemcpy3DParms* box) {
    require(box, "it needs a description of the copy.");
    if (box->srcArray || box->dstArray)
        fail_loudly(hipErrorNotSupported, "Copies from and to arrays are not simulated.");
    in_stream(stream);
    copy(place_of(box->dstPtr, box->dstPos), place_of(box->srcPtr, box->srcPos),
         Shape{box->extent.width, box->extent.height, box->extent.depth}, box->kind);
}

void* pointer_of(hipMemoryType type, const void* host, void* device) {
    if (type == hipMemoryTypeArray) fail_loudly(hipErrorNotSupported, "Copies from and to arrays are not simulated.");
    return type == hipMemoryTypeHost ? const_cast<void*>(host) : device;
}

void copy_described(hipStream_t stream, const hip_Memcpy2D* rows) {
    require(rows, "it needs a description of the copy.");
    in_stream(stream);
    Place to{pointer_of(rows->dstMemoryType, rows->dstHost, rows->dstDevice), rows->dstPitch, 0};
    Place from{pointer_of(rows->srcMemoryType, rows->srcHost, rows->srcDevice), rows->srcPitch, 0};
    require(to.pointer && from.pointer, "a pointer is null.");
    to.pointer = static_cast<u8*>(to.pointer) + rows->dstY * rows->dstPitch + rows->dstXInBytes;
    from.pointer = static_cast<u8*>(from.pointer) + rows->srcY * rows->srcPitch + rows->srcXInBytes;
    copy(to, from, Shape{rows->WidthInBytes, rows->Height, 1}, hipMemcpyDefault);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] { copy_in(nullptr, to, from, bytes, kind); });
}

hipError_t hipMemcpyAsync(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { copy_in(stream, to, from, bytes, kind); });
}

hipError_t hipMemcpyWithStream(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { copy_in(stream, to, from, bytes, kind); });
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, HostSource from, size_t bytes) {
    return api(__func__, [&] { copy_in(nullptr, to, from, bytes, hipMemcpyHostToDevice); });
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, HostSource from, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { copy_in(stream, to, from, bytes, hipMemcpyHostToDevice); });
}

hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t bytes) {
    return api(__func__, [&] { copy_in(nullptr, to, from, bytes, hipMemcpyDeviceToHost); });
}

hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { copy_in(stream, to, from, bytes, hipMemcpyDeviceToHost); });
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
    return api(__func__, [&] { copy_in(nullptr, to, from, bytes, hipMemcpyDeviceToDevice); });
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
    return api(__func__, [&] { copy_in(stream, to, from, bytes, hipMemcpyDeviceToDevice); });
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    return api(__func__, [&] {
        check_peers(to_device, from_device);
        copy_in(nullptr, to, from, bytes, hipMemcpyDeviceToDevice);
    });
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                              hipStream_t stream) {
    return api(__func__, [&] {
        check_peers(to_device, from_device);
        copy_in(stream, to, from, bytes, hipMemcpyDeviceToDevice);
    });
}

hipError_t hipMemcpyToSymbol(const void* host, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { to_symbol(nullptr, host, from, bytes, offset, kind); });
}

hipError_t hipMemcpyToSymbolAsync(const void* host, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream) {
    return api(__func__, [&] { to_symbol(stream, host, from, bytes, offset, kind); });
}

hipError_t hipMemcpyFromSymbol(void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] { from_symbol(nullptr, to, host, bytes, offset, kind); });
}

hipError_t hipMemcpyFromSymbolAsync(void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream) {
    return api(__func__, [&] { from_symbol(stream, to, host, bytes, offset, kind); });
}

hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                       hipMemcpyKind kind) {
    return api(__func__, [&] { copy_rows(nullptr, to, to_pitch, from, from_pitch, width, height, kind); });
}

hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                            hipMemcpyKind kind, hipStream_t stream) {
    return api(__func__, [&] { copy_rows(stream, to, to_pitch, from, from_pitch, width, height, kind); });
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D* rows) {
    return api(__func__, [&] { copy_described(nullptr, rows); });
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D* rows, hipStream_t stream) {
    return api(__func__, [&] { copy_described(stream, rows); });
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D* rows) {
    return api(__func__, [&] { copy_described(nullptr, rows); });
}

hipError_t hipMemcpy3D(const hipMemcpy3DParms* box) {
    return api(__func__, [&] { copy_box(nullptr, box); });
}

hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* box, hipStream_t stream) {
    return api(__func__, [&] { copy_box(stream, box); });
}

}  // extern "C"
