// SPDX-License-Identifier: MIT
// What every entry point shares: no exception leaves it, and its error is kept for the thread that called.
#pragma once

#include <hip/hip_runtime_api.h>

#include <stdexcept>
#include <string>

namespace gfxsim {

/// Ends a call with an error code and a sentence; a loud one is also written to stderr.
class HipError : public std::runtime_error {
public:
    HipError(hipError_t code, const std::string& sentence, bool loud)
        : std::runtime_error(sentence), code_(code), loud_(loud) {}
    hipError_t code() const { return code_; }
    bool loud() const { return loud_; }

private:
    hipError_t code_;
    bool loud_;
};

/// An error that programs provoke and handle; its sentence is kept for gfxsimLastError().
[[noreturn]] inline void fail(hipError_t code, const std::string& sentence) { throw HipError(code, sentence, false); }
/// An error whose code does not say what happened.
[[noreturn]] inline void fail_loudly(hipError_t code, const std::string& sentence) {
    throw HipError(code, sentence, true);
}

inline void require(bool condition, const char* sentence) {
    if (!condition) fail(hipErrorInvalidValue, sentence);
}

/// Records the exception that is being handled as the error of the entry `name`.
hipError_t record_exception(const char* name) noexcept;
/// Writes a sentence to stderr.
void say(const std::string& sentence) noexcept;

/// A HipError on a processor that the simulator was not compiled for. Every call fails there, and the first one says
/// so.
void check_processor();

/// Runs the body of an entry point.
template <class F>
hipError_t api(const char* name, F&& body) noexcept {
    try {
        check_processor();
        body();
        return hipSuccess;
    } catch (...) {
        return record_exception(name);
    }
}

}  // namespace gfxsim
