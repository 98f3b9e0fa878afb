// SPDX-License-Identifier: MIT
// Contexts. The device has its primary one, and all that a program creates are that one.
#include "gfxsim/hip/runtime.hpp"

struct ihipCtx_t {};

namespace {

using namespace gfxsim;

hipCtx_t primary() {
    static ihipCtx_t context;
    return &context;
}

void give_primary(hipCtx_t* context, int device) {
    require(context, "it needs a place for the context.");
    check_device(device);
    *context = primary();
}

void check_context(hipCtx_t context) {
    if (context && context != primary()) fail(hipErrorInvalidContext, "the context does not exist.");
}

}  // namespace

extern "C" {

hipError_t hipCtxCreate(hipCtx_t* context, unsigned, hipDevice_t device) {
    return api(__func__, [&] { give_primary(context, device); });
}

hipError_t hipCtxDestroy(hipCtx_t context) {
    return api(__func__, [&] { check_context(context); });
}

hipError_t hipCtxGetCurrent(hipCtx_t* context) {
    return api(__func__, [&] { give_primary(context, 0); });
}

hipError_t hipCtxSetCurrent(hipCtx_t context) {
    return api(__func__, [&] { check_context(context); });
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
    return api(__func__, [&] { check_context(context); });
}

hipError_t hipCtxPopCurrent(hipCtx_t* context) {
    return api(__func__, [&] { give_primary(context, 0); });
}

hipError_t hipCtxGetDevice(hipDevice_t* device) { return hipGetDevice(device); }
hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
    return api(__func__, [&] { give_primary(context, device); });
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
    return api(__func__, [&] { check_device(device); });
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
    return api(__func__, [&] {
        check_device(device);
        if (flags) *flags = 0;
        if (active) *active = 1;
    });
}

}  // extern "C"
