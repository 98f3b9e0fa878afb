// SPDX-License-Identifier: MIT
// A problem as kernels have it, whose C is of rows. For the sources of this folder.
#pragma once

#include <string_view>

#include "ckdispatch/gemm/problem.hpp"

namespace ckdispatch {

/// A problem whose C has contiguous columns is its own transpose with the operands exchanged: C' = B' A'. D tensors are
/// transposed with C.
struct Oriented {
    std::int64_t m, n, stride_a, stride_b, stride_c, batch_stride_a, batch_stride_b, batch_stride_c;
    Name dtype_a, dtype_b;
    char layout[3];
    char d_layout;
    bool exchanged;
};

inline Oriented oriented(const GemmProblem& p) {
    const std::string_view letters = p.layout.text();
    const char d = p.d_layout.text()[0];
    const auto other = [](char letter) { return letter == 'r' ? 'c' : 'r'; };
    if (letters[2] == 'r')
        return {p.m,
                p.n,
                p.stride_a,
                p.stride_b,
                p.stride_c,
                p.batch_stride_a,
                p.batch_stride_b,
                p.batch_stride_c,
                p.dtype_a,
                p.dtype_b,
                {letters[0], letters[1], 'r'},
                d,
                false};
    return {p.n,
            p.m,
            p.stride_b,
            p.stride_a,
            p.stride_c,
            p.batch_stride_b,
            p.batch_stride_a,
            p.batch_stride_c,
            p.dtype_b,
            p.dtype_a,
            {other(letters[1]), other(letters[0]), 'r'},
            other(d),
            true};
}

}  // namespace ckdispatch
