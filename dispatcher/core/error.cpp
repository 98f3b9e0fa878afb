// SPDX-License-Identifier: MIT
#include "ckdispatch/core/error.hpp"

namespace ckdispatch {

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::ok: return "ok";
        case ErrorCode::invalid_argument: return "invalid argument";
        case ErrorCode::not_found: return "not found";
        case ErrorCode::duplicate: return "duplicate";
        case ErrorCode::unsupported: return "unsupported";
        case ErrorCode::no_kernel: return "no kernel";
        case ErrorCode::wrong_gpu: return "wrong GPU";
        case ErrorCode::abi_mismatch: return "ABI mismatch";
        case ErrorCode::damaged: return "damaged";
        case ErrorCode::device_failed: return "device failed";
        case ErrorCode::out_of_memory: return "out of memory";
        case ErrorCode::io_failed: return "i/o failed";
        case ErrorCode::mismatch: return "mismatch";
        case ErrorCode::internal: return "internal error";
    }
    return "unknown";
}

}  // namespace ckdispatch
