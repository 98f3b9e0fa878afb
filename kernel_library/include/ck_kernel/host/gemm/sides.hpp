// SPDX-License-Identifier: MIT
//
// Host pass only: what a kernel asks of each operand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_gemm_problem.h"
#include "ck_kernel/host/gemm/library.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"

namespace ck_kernel::gemm {

// One operand: rows of `width` contiguous elements, `stride` apart, moved `vector` elements at a time.
struct Side {
    char letter;
    char width_letter;
    std::int64_t rows, width, stride;
    int width_tile;
    bool padded;
    int vector, bytes;
    const void* pointer;
};

inline ck_kernel_status check_side(const Library& library, const Side& side, const Reason& reason) {
    const long long width = side.width, stride = side.stride, rows = side.rows;
    if (side.stride < side.width)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for %c with leading dimension %lld, which is less than %c = %lld.", library.name,
                      side.letter, stride, side.width_letter, width);
    if (!side.padded && side.width % side.width_tile != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c = %lld and needs a multiple of %d, because it does not pad %c.",
                      library.name, side.width_letter, width, side.width_tile, side.width_letter);
    if (side.width % side.vector != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c = %lld and moves %c in vectors of %d elements: %c must be a multiple of %d.",
                      library.name, side.width_letter, width, side.letter, side.vector, side.width_letter, side.vector);
    if (side.stride % side.vector != 0 && rows > 1)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c with leading dimension %lld and moves it in vectors of %d elements: "
                      "the leading dimension must be a multiple of %d.",
                      library.name, side.letter, stride, side.vector, side.vector);
    if (!fits_descriptor(rows, stride, side.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c of %lld rows with leading dimension %lld, which is 2 GiB or more.",
                      library.name, side.letter, rows, stride);
    if (misaligned(side.pointer, side.vector * side.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c at an address that is not a multiple of %d bytes, its vector width.",
                      library.name, side.letter, side.vector * side.bytes);
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel::gemm
