// SPDX-License-Identifier: MIT
// Makes GEMM problems from what a caller says, and refuses those that make no sense.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ckdispatch/gemm/problem.hpp"

namespace ckdispatch {

class GemmProblemBuilder {
public:
    /// A batch stride, or the leading dimension of a D tensor, that leaves no gap.
    static constexpr std::int64_t kPacked = -1;
    /// The leading dimension of a D tensor that has one row, or one column, for all.
    static constexpr std::int64_t kRepeated = 0;

    GemmProblemBuilder();

    /// Throws InvalidArgumentError if there are more than a problem may have.
    static void check_groups(std::int64_t count);

    GemmProblemBuilder& sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
        return problem_.m = m, problem_.n = n, problem_.k = k, *this;
    }
    /// Of A, B and C; C's is the usual one of the pair if it is not given.
    GemmProblemBuilder& dtypes(std::string_view a, std::string_view b, std::string_view c = {}) {
        return problem_.dtype_a = a, problem_.dtype_b = b, problem_.dtype_c = c, *this;
    }
    GemmProblemBuilder& dtype(std::string_view all) { return dtypes(all, all); }
    /// Such as "rcr".
    GemmProblemBuilder& layout(std::string_view letters) { return letters_ = letters, *this; }
    /// 0 is packed.
    GemmProblemBuilder& leading_dimensions(std::int64_t a, std::int64_t b, std::int64_t c) {
        return problem_.stride_a = a, problem_.stride_b = b, problem_.stride_c = c, *this;
    }
    /// Elements from one row to the next and from one column to the next; gives the operand's letter and leading
    /// dimension.
    GemmProblemBuilder& strides_a(std::int64_t row, std::int64_t column) { return a_ = {row, column, true}, *this; }
    GemmProblemBuilder& strides_b(std::int64_t row, std::int64_t column) { return b_ = {row, column, true}, *this; }
    GemmProblemBuilder& strides_c(std::int64_t row, std::int64_t column) { return c_ = {row, column, true}, *this; }
    /// Elements from one matrix to the next; a stride of 0 shares an operand.
    GemmProblemBuilder& batch(std::int64_t count, std::int64_t stride_a = kPacked, std::int64_t stride_b = kPacked,
                              std::int64_t stride_c = kPacked) {
        return problem_.batch = count, problem_.batch_stride_a = stride_a, problem_.batch_stride_b = stride_b,
               problem_.batch_stride_c = stride_c, *this;
    }
    GemmProblemBuilder& split_k(std::int64_t parts) { return problem_.split_k = parts, *this; }
    /// An operation on the product and as many D tensors.
    GemmProblemBuilder& fused(std::string_view op, int d_count) {
        return problem_.fused_op = op, problem_.d_count = d_count, *this;
    }
    /// Of the D tensors; C's dtype and r if it is not said.
    GemmProblemBuilder& d_tensors(std::string_view dtype, std::string_view layout = "r") {
        return problem_.dtype_d = dtype, problem_.d_layout = layout, *this;
    }
    /// kPacked or kRepeated, or elements from one row (or column) to the next; those that are not named are packed.
    GemmProblemBuilder& d_leading_dimensions(std::initializer_list<std::int64_t> strides) {
        return d_leading_dimensions(strides.begin(), strides.size());
    }
    GemmProblemBuilder& d_leading_dimensions(const std::int64_t* strides, std::size_t count) {
        return std::copy_n(strides, std::min(count, problem_.stride_d.size()), problem_.stride_d.begin()), *this;
    }
    /// Elements from one matrix to the next, 0 to share a D tensor; packed unless named, and shared where the leading
    /// dimension is kRepeated.
    GemmProblemBuilder& d_batch_strides(std::initializer_list<std::int64_t> strides) {
        return d_batch_strides(strides.begin(), strides.size());
    }
    GemmProblemBuilder& d_batch_strides(const std::int64_t* strides, std::size_t count) {
        return std::copy_n(strides, std::min(count, problem_.batch_stride_d.size()), problem_.batch_stride_d.begin()),
               *this;
    }
    /// B is stored as the WeightsBlock of that n and k says.
    GemmProblemBuilder& preshuffled(std::int64_t n, std::int64_t k) {
        return problem_.weights = std::to_string(n) + "x" + std::to_string(k), *this;
    }
    /// One more product, with leading dimensions of its own (0 is packed); there are then no other sizes.
    GemmProblemBuilder& group(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t stride_a = 0,
                              std::int64_t stride_b = 0, std::int64_t stride_c = 0) {
        return problem_.groups.push_back({m, n, k, stride_a, stride_b, stride_c}), *this;
    }
    /// Of the addresses; batch strides lower it further.
    GemmProblemBuilder& alignment(int bytes) { return problem_.alignment = bytes, *this; }
    GemmProblemBuilder& deterministic(bool wanted) { return problem_.deterministic = wanted, *this; }
    GemmProblemBuilder& workspace_limit(std::uint64_t bytes) { return problem_.workspace_limit = bytes, *this; }

    /// Throws InvalidArgumentError with the sentence about the first thing that is wrong.
    GemmProblem build() const;

private:
    struct Side {
        std::int64_t row = 0, column = 0;
        bool given = false;
    };
    void apply(const Side& side, char name, std::int64_t rows, std::int64_t columns, std::size_t letter,
               std::string& letters, std::int64_t& leading) const;
    void build_groups(GemmProblem& problem) const;

    GemmProblem problem_;
    std::string letters_ = "rcr";
    Side a_, b_, c_;
};

}  // namespace ckdispatch
