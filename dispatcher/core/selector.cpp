// SPDX-License-Identifier: MIT
#include "ckdispatch/core/selector.hpp"

#include "arch/arch_specs.hpp"

namespace ckdispatch {

const arch::GpuSpec& gpu_facts(Name gpu) {
    if (const arch::GpuSpec* found = arch::find_gpu(gpu.text())) return *found;
    std::string known;
    for (const arch::GpuSpec& spec : arch::gpus) known += (known.empty() ? "" : ", ") + std::string(spec.name);
    throw Error(ErrorCode::invalid_argument, "The GPU '" + std::string(gpu.text()) + "' was asked for; the known ones are " + known + ".");
}

ErrorCode code_of(ck_kernel_status status) {
    switch (status) {
        case CK_KERNEL_OK: return ErrorCode::ok;
        case CK_KERNEL_UNSUPPORTED: return ErrorCode::unsupported;
        case CK_KERNEL_INVALID: return ErrorCode::invalid_argument;
        case CK_KERNEL_WRONG_GPU: return ErrorCode::wrong_gpu;
        case CK_KERNEL_DEVICE_FAILED: return ErrorCode::device_failed;
    }
    return ErrorCode::internal;
}

}  // namespace ckdispatch
