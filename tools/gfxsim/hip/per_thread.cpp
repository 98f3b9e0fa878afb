// SPDX-License-Identifier: MIT
// The entries of programs that are compiled for a default stream per thread. Work is done when it is put into a stream,
// so they are those of the null stream.
#include "gfxsim/hip/api.hpp"

// Not all of these are declared in a header that exports them.
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMemcpy_spt(void* to, const void* from, size_t bytes, hipMemcpyKind kind) {
    return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemcpyAsync_spt(void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpyAsync(to, from, bytes, kind, stream);
}
hipError_t hipMemcpyToSymbol_spt(const void* host, const void* from, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return hipMemcpyToSymbol(host, from, bytes, offset, kind);
}
hipError_t hipMemcpyToSymbolAsync_spt(const void* host, const void* from, size_t bytes, size_t offset,
                                      hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpyToSymbolAsync(host, from, bytes, offset, kind, stream);
}
hipError_t hipMemcpyFromSymbol_spt(void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return hipMemcpyFromSymbol(to, host, bytes, offset, kind);
}
hipError_t hipMemcpyFromSymbolAsync_spt(void* to, const void* host, size_t bytes, size_t offset, hipMemcpyKind kind,
                                        hipStream_t stream) {
    return hipMemcpyFromSymbolAsync(to, host, bytes, offset, kind, stream);
}
hipError_t hipMemcpy2D_spt(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                           hipMemcpyKind kind) {
    return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
hipError_t hipMemcpy2DAsync_spt(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return hipMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms* box) { return hipMemcpy3D(box); }
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms* box, hipStream_t stream) {
    return hipMemcpy3DAsync(box, stream);
}
hipError_t hipMemset_spt(void* to, int value, size_t bytes) { return hipMemset(to, value, bytes); }
hipError_t hipMemsetAsync_spt(void* to, int value, size_t bytes, hipStream_t stream) {
    return hipMemsetAsync(to, value, bytes, stream);
}
hipError_t hipMemset2D_spt(void* to, size_t pitch, int value, size_t width, size_t height) {
    return hipMemset2D(to, pitch, value, width, height);
}
hipError_t hipMemset2DAsync_spt(void* to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    return hipMemset2DAsync(to, pitch, value, width, height, stream);
}
hipError_t hipMemset3D_spt(hipPitchedPtr to, int value, hipExtent extent) { return hipMemset3D(to, value, extent); }
hipError_t hipMemset3DAsync_spt(hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream) {
    return hipMemset3DAsync(to, value, extent, stream);
}
hipError_t hipStreamSynchronize_spt(hipStream_t stream) { return hipStreamSynchronize(stream); }
hipError_t hipStreamQuery_spt(hipStream_t stream) { return hipStreamQuery(stream); }
hipError_t hipStreamGetFlags_spt(hipStream_t stream, unsigned* flags) { return hipStreamGetFlags(stream, flags); }
hipError_t hipStreamGetPriority_spt(hipStream_t stream, int* priority) {
    return hipStreamGetPriority(stream, priority);
}
hipError_t hipStreamWaitEvent_spt(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return hipStreamWaitEvent(stream, event, flags);
}
hipError_t hipStreamAddCallback_spt(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned flags) {
    return hipStreamAddCallback(stream, callback, data, flags);
}
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus* status) {
    return hipStreamIsCapturing(stream, status);
}
hipError_t hipEventRecord_spt(hipEvent_t event, hipStream_t stream) { return hipEventRecord(event, stream); }
hipError_t hipLaunchHostFunc_spt(hipStream_t stream, hipHostFn_t function, void* data) {
    return hipLaunchHostFunc(stream, function, data);
}
hipError_t hipLaunchKernel_spt(const void* function, dim3 grid, dim3 block, void** params, size_t lds,
                               hipStream_t stream) {
    return hipLaunchKernel(function, grid, block, params, lds, stream);
}
hipError_t hipLaunchCooperativeKernel_spt(const void* function, dim3 grid, dim3 block, void** params, uint32_t lds,
                                          hipStream_t stream) {
    return hipLaunchCooperativeKernel(function, grid, block, params, lds, stream);
}

}  // extern "C"
#pragma GCC visibility pop
