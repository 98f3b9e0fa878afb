// SPDX-License-Identifier: MIT
// The border to C: exceptions become codes and a message of the calling thread.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "ckdispatch/ckdispatch.h"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch::capi {

/// Keeps the sentence for ckd_last_error().
ckd_status failed(ErrorCode code, const char* sentence) noexcept;

template <class Body>
ckd_status guarded(Body&& body) noexcept {
    try {
        body();
        return CKD_OK;
    } catch (const Error& error) {
        return failed(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return failed(ErrorCode::out_of_memory, "The machine has too little memory for this call.");
    } catch (const std::exception& error) {
        return failed(ErrorCode::internal, error.what());
    } catch (...) {
        return failed(ErrorCode::internal, "Something was thrown that is no exception.");
    }
}

/// Throws Error if a pointer that the call needs is null.
template <class T>
T& needed(T* pointer, const char* what) {
    if (!pointer) throw Error(ErrorCode::invalid_argument, std::string("A call was made without ") + what + ".");
    return *pointer;
}

/// Writes what is made to a place of the caller's, which is looked at first: nothing is made for nobody.
template <class T, class Make>
void give(T* place, const char* what, Make&& make) {
    T& given = needed(place, what);
    given    = make();
}

/// A copy that ckd_free_text() frees.
char* allocated(const std::string& text);

}  // namespace ckdispatch::capi
