// SPDX-License-Identifier: MIT
// What a caller wants of a matrix product, independent of any kernel.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// C[m,n] = op(A[m,k] * B[k,n], D0, D1, …), `batch` times. Made by GemmProblemBuilder, which validates; compared and hashed as a value.
struct GemmProblem {
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t batch = 1;
    /// Leading dimensions: elements from one row (layout r) or column (c) to the next.
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    std::int64_t batch_stride_a = 0, batch_stride_b = 0, batch_stride_c = 0;
    Name dtype_a, dtype_b, dtype_c;
    /// Of A, B and C, each r (rows are contiguous) or c (columns are).
    Name layout;
    /// Applied to the product and the D tensors; PassThrough without any.
    Name fused_op;
    int d_count = 0;
    /// Parts that K is split into; 0 lets the dispatcher choose.
    std::int64_t split_k = 1;
    /// Bytes that all addresses and batch strides are multiples of, a power of two up to 16.
    int alignment = 16;
    bool deterministic = false;
    std::uint64_t workspace_limit = std::numeric_limits<std::uint64_t>::max();

    double flops() const { return 2.0 * double(m) * double(n) * double(k) * double(batch); }
    /// Bytes that must be read and written at least once.
    double bytes() const;
    /// Such as "gemm 512x256x1024 fp16 rcr".
    std::string text() const;

    friend bool operator==(const GemmProblem& a, const GemmProblem& b);
    std::size_t hash() const;
};

class GemmProblemBuilder {
public:
    /// A batch stride that leaves no gap.
    static constexpr std::int64_t kPacked = -1;

    GemmProblemBuilder& sizes(std::int64_t m, std::int64_t n, std::int64_t k);
    /// Of A, B and C; C's is the usual one of the pair if it is not given.
    GemmProblemBuilder& dtypes(std::string_view a, std::string_view b, std::string_view c = {});
    GemmProblemBuilder& dtype(std::string_view all) { return dtypes(all, all); }
    /// Such as "rcr".
    GemmProblemBuilder& layout(std::string_view letters);
    /// 0 is packed.
    GemmProblemBuilder& leading_dimensions(std::int64_t a, std::int64_t b, std::int64_t c);
    /// Elements from one row to the next and from one column to the next; gives the operand's letter and leading dimension.
    GemmProblemBuilder& strides_a(std::int64_t row, std::int64_t column);
    GemmProblemBuilder& strides_b(std::int64_t row, std::int64_t column);
    GemmProblemBuilder& strides_c(std::int64_t row, std::int64_t column);
    /// Elements from one matrix to the next; a stride of 0 shares an operand.
    GemmProblemBuilder& batch(std::int64_t count, std::int64_t stride_a = kPacked, std::int64_t stride_b = kPacked, std::int64_t stride_c = kPacked);
    GemmProblemBuilder& split_k(std::int64_t parts);
    GemmProblemBuilder& fused(std::string_view op, int d_count);
    /// Of the addresses; batch strides lower it further.
    GemmProblemBuilder& alignment(int bytes);
    GemmProblemBuilder& deterministic(bool wanted);
    GemmProblemBuilder& workspace_limit(std::uint64_t bytes);

    /// Throws Error (invalid_argument) with the sentence about the first thing that is wrong.
    GemmProblem build() const;

private:
    struct Side {
        std::int64_t row = 0, column = 0;
        bool given = false;
    };
    void apply(const Side& side, char name, std::int64_t rows, std::int64_t columns, std::size_t letter, std::string& letters, std::int64_t& leading) const;

    GemmProblem problem_;
    std::string letters_ = "rcr";
    Side a_, b_, c_;
};

}  // namespace ckdispatch
