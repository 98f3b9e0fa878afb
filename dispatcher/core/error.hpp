// SPDX-License-Identifier: MIT
// What can go wrong. Every message is a sentence: what was asked, what is wrong, what would work.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ckdispatch {

/// The values are those of ckd_status in ckdispatch.h.
enum class ErrorCode {
    ok = 0,
    invalid_argument = 1,  ///< a problem, an option or a name that makes no sense
    not_found = 2,         ///< a kernel, a device or a file that is not there
    duplicate = 3,         ///< the registry already has that kernel
    unsupported = 4,       ///< a valid problem that the kernel asked for cannot compute
    no_kernel = 5,         ///< no kernel of the registry computes the problem
    wrong_gpu = 6,         ///< the library holds no code for the device's GPU
    abi_mismatch = 7,      ///< a library of another ABI version
    damaged = 8,           ///< a file that is not what its hash, its manifest or its own description says
    device_failed = 9,     ///< the HIP runtime reported an error
    out_of_memory = 10,    ///< the device, or the machine, has too little memory
    io_failed = 11,        ///< a file could not be read or written
    mismatch = 12,         ///< a result differs from the reference by more than its tolerance
    internal = 13,
};

std::string_view name_of(ErrorCode code);

/// Text to be shown to somebody, whoever it came from: UTF-8, in one line, and of a length that can be read. Of one
/// that is too long the beginning and the end are left.
std::string presentable(std::string_view text);

/// Whatever the dispatcher throws is one of the classes below; this is for who does not care which.
class Error : public std::runtime_error {
public:
    ErrorCode code() const { return code_; }

protected:
    Error(ErrorCode code, const std::string& sentence) : std::runtime_error(presentable(sentence)), code_(code) {}

private:
    ErrorCode code_;
};

/// A class for each kind of error, so that a program can catch those that it knows what to do about.
template <ErrorCode kCode>
class ErrorOf : public Error {
public:
    explicit ErrorOf(const std::string& sentence) : Error(kCode, sentence) {}
};

using InvalidArgumentError = ErrorOf<ErrorCode::invalid_argument>;
using NotFoundError = ErrorOf<ErrorCode::not_found>;
using DuplicateError = ErrorOf<ErrorCode::duplicate>;
using UnsupportedError = ErrorOf<ErrorCode::unsupported>;
using NoKernelError = ErrorOf<ErrorCode::no_kernel>;
using WrongGpuError = ErrorOf<ErrorCode::wrong_gpu>;
using AbiMismatchError = ErrorOf<ErrorCode::abi_mismatch>;
using DamagedError = ErrorOf<ErrorCode::damaged>;
using DeviceFailedError = ErrorOf<ErrorCode::device_failed>;
using OutOfMemoryError = ErrorOf<ErrorCode::out_of_memory>;
using IoFailedError = ErrorOf<ErrorCode::io_failed>;
using MismatchError = ErrorOf<ErrorCode::mismatch>;
using InternalError = ErrorOf<ErrorCode::internal>;

/// The error of a code that is known only when the program runs.
[[noreturn]] void throw_error(ErrorCode code, const std::string& sentence);

}  // namespace ckdispatch
