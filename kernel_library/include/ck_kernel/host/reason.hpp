// SPDX-License-Identifier: MIT
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "ck_kernel_abi.h"

namespace ck_kernel {

// Writes the sentence that goes with a status into the caller's buffer.
class Reason {
public:
    Reason(char* text, std::size_t size) : text_(text), size_(text ? size : 0) {
        if (size_ > 0) text_[0] = '\0';
    }

    __attribute__((format(printf, 3, 4))) ck_kernel_status operator()(ck_kernel_status status, const char* format,
                                                                      ...) const {
        if (size_ > 0) {
            va_list arguments;
            va_start(arguments, format);
            std::vsnprintf(text_, size_, format, arguments);
            va_end(arguments);
        }
        return status;
    }

private:
    char* text_;
    std::size_t size_;
};

}  // namespace ck_kernel
