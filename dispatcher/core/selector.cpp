// SPDX-License-Identifier: MIT
#include "ckdispatch/core/selector.hpp"

namespace ckdispatch {

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
