// SPDX-License-Identifier: MIT
// The border to C: exceptions become codes and a message of the calling thread.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

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
    } catch (const std::length_error&) {
        return failed(ErrorCode::out_of_memory, "No machine has enough memory for this call.");
    } catch (const std::exception& error) {
        return failed(ErrorCode::internal, error.what());
    } catch (...) {
        return failed(ErrorCode::internal, "Something was thrown that is no exception.");
    }
}

/// A handle says whether it is alive; nothing else that a call points to does.
template <class T, class = void>
struct IsHandle : std::false_type {};
template <class T>
struct IsHandle<T, std::void_t<decltype(&T::alive)>> : std::true_type {};

/// Throws Error if a pointer that the call needs is null, or a handle that was destroyed.
template <class T>
T& needed(T* pointer, const char* what) {
    if (!pointer) throw InvalidArgumentError(std::string("A call was made without ") + what + ".");
    if constexpr (IsHandle<T>::value)
        if (!pointer->alive())
            throw InvalidArgumentError(std::string("A call was made with a handle that is not ") + what +
                                       ", or not any more.");
    return *pointer;
}

/// The most bytes of names and paths, and of documents.
inline constexpr std::size_t kLongestText = 65536, kLongestDocument = std::size_t(1) << 28;

/// A text of the caller's, which must be there and end within reason. Throws Error.
std::string text_of(const char* given, const char* what, std::size_t longest = kLongestText);

/// Writes what is made to a place of the caller's, which is looked at first: nothing is made for nobody.
template <class T, class Make>
void give(T* place, const char* what, Make&& make) {
    T& given = needed(place, what);
    given = make();
}

/// A copy that ckd_free_text() frees.
char* allocated(const std::string& text);

}  // namespace ckdispatch::capi
