// SPDX-License-Identifier: MIT
//
// Both passes: what is known of a kernel, and the arguments that it takes.
#pragma once

#include <cstdint>

namespace ck_kernel::batched_transpose {

struct Config {
    int rows, columns;  // of the tile
    int waves;
    bool pad;
    int bytes;  // of an element

    constexpr int vector() const { return pad ? 1 : 16 / bytes; }
};

// As CK has them.
struct Args {
    const void* x;
    void* y;
    std::int32_t batch, height, width, stride;
};

}  // namespace ck_kernel::batched_transpose
