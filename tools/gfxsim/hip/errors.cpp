// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <new>

#include "device_code/bytes.hpp"
#include "gfxsim/core/float16.hpp"
#include "gfxsim/hip/api.hpp"
#include "gfxsim/processor/processor.hpp"

namespace gfxsim {
namespace {

// Names in it may come from a file.
std::string bounded(const std::string& sentence) {
    return ckdispatch::device_code::shortened(sentence, ckdispatch::device_code::limits::kSentence);
}

struct ThreadErrors {
    hipError_t last = hipSuccess;  ///< until it is asked for
    hipError_t last_call = hipSuccess;
    std::string sentence;
};

ThreadErrors& errors() {
    thread_local ThreadErrors state;
    return state;
}

hipError_t record(hipError_t code, const std::string& sentence) {
    ThreadErrors& state = errors();
    state.last = state.last_call = code;
    state.sentence = bounded(sentence);
    return code;
}

struct Described {
    hipError_t code;
    const char* name;
    const char* text;
};

constexpr Described kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorDeinitialized, "hipErrorDeinitialized", "driver shutting down"},
    {hipErrorProfilerDisabled, "hipErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
    {hipErrorProfilerNotInitialized, "hipErrorProfilerNotInitialized", "profiler is not initialized"},
    {hipErrorProfilerAlreadyStarted, "hipErrorProfilerAlreadyStarted", "profiler already started"},
    {hipErrorProfilerAlreadyStopped, "hipErrorProfilerAlreadyStopped", "profiler already stopped"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {hipErrorInsufficientDriver, "hipErrorInsufficientDriver", "driver version is insufficient for runtime version"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration", "__global__ function call is not configured"},
    {hipErrorPriorLaunchFailure, "hipErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorInvalidContext, "hipErrorInvalidContext", "invalid device context"},
    {hipErrorContextAlreadyCurrent, "hipErrorContextAlreadyCurrent", "context is already current context"},
    {hipErrorMapFailed, "hipErrorMapFailed", "mapping of buffer object failed"},
    {hipErrorUnmapFailed, "hipErrorUnmapFailed", "unmapping of buffer object failed"},
    {hipErrorArrayIsMapped, "hipErrorArrayIsMapped", "array is mapped"},
    {hipErrorAlreadyMapped, "hipErrorAlreadyMapped", "resource already mapped"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {hipErrorAlreadyAcquired, "hipErrorAlreadyAcquired", "resource already acquired"},
    {hipErrorNotMapped, "hipErrorNotMapped", "resource not mapped"},
    {hipErrorNotMappedAsArray, "hipErrorNotMappedAsArray", "resource not mapped as array"},
    {hipErrorNotMappedAsPointer, "hipErrorNotMappedAsPointer", "resource not mapped as pointer"},
    {hipErrorECCNotCorrectable, "hipErrorECCNotCorrectable", "uncorrectable ECC error encountered"},
    {hipErrorUnsupportedLimit, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {hipErrorContextAlreadyInUse, "hipErrorContextAlreadyInUse",
     "exclusive-thread device already in use by a different thread"},
    {hipErrorPeerAccessUnsupported, "hipErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {hipErrorInvalidKernelFile, "hipErrorInvalidKernelFile", "invalid kernel file"},
    {hipErrorInvalidGraphicsContext, "hipErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    {hipErrorInvalidSource, "hipErrorInvalidSource", "device kernel image is invalid"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorSharedObjectSymbolNotFound, "hipErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    {hipErrorSharedObjectInitFailed, "hipErrorSharedObjectInitFailed", "shared object initialization failed"},
    {hipErrorOperatingSystem, "hipErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorIllegalState, "hipErrorIllegalState", "the operation cannot be performed in the present state"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {hipErrorLaunchTimeOut, "hipErrorLaunchTimeOut", "the launch timed out and was terminated"},
    {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {hipErrorSetOnActiveProcess, "hipErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {hipErrorContextIsDestroyed, "hipErrorContextIsDestroyed", "context is destroyed"},
    {hipErrorAssert, "hipErrorAssert", "device-side assert triggered"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing one"},
    {hipErrorCapturedEvent, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {hipErrorStreamCaptureWrongThread, "hipErrorStreamCaptureWrongThread",
     "attempt to terminate a capture from another thread"},
    {hipErrorGraphExecUpdateFailure, "hipErrorGraphExecUpdateFailure", "the graph update was not performed"},
    {hipErrorInvalidChannelDescriptor, "hipErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {hipErrorInvalidTexture, "hipErrorInvalidTexture", "invalid texture"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
    {hipErrorRuntimeMemory, "hipErrorRuntimeMemory", "runtime memory call returned error"},
    {hipErrorRuntimeOther, "hipErrorRuntimeOther", "runtime call other than memory returned error"},
    {hipErrorTbd, "hipErrorTbd", "unknown error"},
};

const Described* describe(hipError_t code) {
    for (const Described& known : kErrors) {
        if (known.code == code) return &known;
    }
    return nullptr;
}

}  // namespace

void say(const std::string& sentence) noexcept { std::fprintf(stderr, "gfxsim: %s\n", bounded(sentence).c_str()); }

void check_processor() {
    static const char* const problem = processor_problem();
    if (!problem) return;
    static std::atomic<bool> said{false};
    throw HipError(hipErrorNoDevice, problem, !said.exchange(true));
}

hipError_t record_exception(const char* name) noexcept {
    try {
        throw;
    } catch (const HipError& error) {
        if (error.loud()) say(error.what());
        return record(error.code(), error.loud() ? error.what() : std::string(name) + ": " + error.what());
    } catch (const std::bad_alloc&) {
        return record(hipErrorOutOfMemory, std::string(name) + ": there is not enough memory.");
    } catch (const std::length_error&) {
        return record(hipErrorOutOfMemory, std::string(name) + ": there is not enough memory.");
    } catch (const std::exception& error) {
        say(error.what());
        return record(hipErrorUnknown, std::string(name) + ": " + error.what());
    }
}

// Called by the entries that make_exports.py defines because nothing else does.
std::intptr_t refuse_entry(const char* name, std::intptr_t result) {
    const std::string sentence =
        std::string(name) + " is an entry of the HIP runtime that the simulator does not have.";
    say(sentence);
    (void)record(hipErrorNotSupported, sentence);
    return result;
}

}  // namespace gfxsim

using namespace gfxsim;

// Not all of these are declared in a header that exports them.
#pragma GCC visibility push(default)
extern "C" {

/// Why the last call of this thread that failed did so; an empty string if none has.
const char* gfxsimLastError(void) { return errors().sentence.c_str(); }

hipError_t hipGetLastError(void) {
    const hipError_t last = errors().last;
    errors().last = hipSuccess;
    return last;
}

hipError_t hipPeekAtLastError(void) { return errors().last; }

hipError_t hipExtGetLastError(void) {
    const hipError_t last = errors().last_call;
    errors().last_call = hipSuccess;
    return last;
}

const char* hipGetErrorName(hipError_t code) {
    const Described* known = describe(code);
    return known ? known->name : "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t code) {
    const Described* known = describe(code);
    return known ? known->text : "unrecognized error code";
}

hipError_t hipDrvGetErrorName(hipError_t code, const char** name) {
    return api(__func__, [&] {
        require(name && describe(code), "the code is no error code, or there is no place for its name.");
        *name = describe(code)->name;
    });
}

hipError_t hipDrvGetErrorString(hipError_t code, const char** text) {
    return api(__func__, [&] {
        require(text && describe(code), "the code is no error code, or there is no place for its text.");
        *text = describe(code)->text;
    });
}

// Compilers of old called these to convert half precision on the host, and the real library has them.
std::uint16_t __gnu_f2h_ieee(float value) { return to_f16(value).bits; }
float __gnu_h2f_ieee(std::uint16_t bits) { return to_f32(f16{bits}); }

}  // extern "C"
#pragma GCC visibility pop
