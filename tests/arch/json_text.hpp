// SPDX-License-Identifier: MIT
// Values as JSON has them.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

inline std::string text(std::string_view value) {
    std::string quoted = "\"";
    for (const char character : value) {
        if (character == '"' || character == '\\') quoted += '\\';
        quoted += character;
    }
    return quoted + '"';
}

inline std::string number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    return digits;
}
