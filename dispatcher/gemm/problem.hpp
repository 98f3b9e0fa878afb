// SPDX-License-Identifier: MIT
// What a caller wants of a matrix product, independent of any kernel.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "arch/arch_types.hpp"
#include "ck_gemm_problem.h"
#include "ckdispatch/core/fields.hpp"
#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

/// A value for each D tensor.
using GemmDs = std::array<std::int64_t, CK_GEMM_MAX_DS>;

/// One product among several of different sizes.
struct GemmGroup {
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};

/// C[m,n] = op(A[m,k] * B[k,n], D0, D1, …), `batch` times, or once for each group. Made by GemmProblemBuilder, which
/// validates; compared and hashed as a value.
struct GemmProblem {
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t batch = 1;
    /// Leading dimensions: elements from one row (layout r) or column (c) to the next.
    std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
    std::int64_t batch_stride_a = 0, batch_stride_b = 0, batch_stride_c = 0;
    Name dtype_a, dtype_b, dtype_c;
    /// Elements of A and of B that share a byte, which follows from their dtypes.
    int pack_a = 1, pack_b = 1;
    /// Of A, B and C, each r (rows are contiguous) or c (columns are).
    Name layout;
    /// Applied to the product and the D tensors; PassThrough without any.
    Name fused_op;
    int d_count = 0;
    /// Of every D tensor; C's and r where there are none.
    Name dtype_d, d_layout;
    /// A leading dimension of 0 repeats one row (d_layout r) or one column (c), a batch stride of 0 shares the tensor.
    GemmDs stride_d{}, batch_stride_d{};
    /// Empty, or the n and k of the matrix instruction in whose order B is stored, such as 16x32.
    Name weights;
    /// Products of different sizes, which then stand in place of m, n, k and the leading dimensions above.
    std::vector<GemmGroup> groups;
    /// Parts that K is split into; 0 lets the dispatcher choose.
    std::int64_t split_k = 1;
    /// Bytes that all addresses are multiples of, a power of two up to 16.
    int alignment = 16;
    bool deterministic = false;
    std::uint64_t workspace_limit = std::numeric_limits<std::uint64_t>::max();

    double flops() const;
    /// Bytes that must be read and written at least once.
    double bytes() const;
    /// Such as "gemm 512x256x1024 fp16 rcr".
    std::string text() const;

    /// Every group as a problem of its own, in their order.
    std::vector<GemmProblem> products() const;
    /// The same for one after the other in one place: visit(index, product).
    template <class Visit>
    void for_each_product(Visit&& visit) const {
        GemmProblem one = without_groups();
        for (std::size_t i = 0; i < groups.size(); ++i) {
            one.take_sizes(groups[i]);
            visit(i, static_cast<const GemmProblem&>(one));
        }
    }

    /// Bytes that it holds beside itself.
    std::size_t held_bytes() const { return groups.size() * sizeof(GemmGroup); }

    friend bool operator==(const GemmProblem& a, const GemmProblem& b);
    std::size_t hash() const;

private:
    GemmProblem without_groups() const;
    void take_sizes(const GemmGroup& group);
};

/// In which order preshuffled weights are: in blocks of n columns, each with k neighbours along K of one column after
/// the other.
struct WeightsBlock {
    std::int64_t n = 0, k = 0;

    /// That of a word such as 16x8. Throws InvalidArgumentError for any other.
    static WeightsBlock of(Name weights);
    /// In which the lanes of a wave take B for one matrix instruction.
    static WeightsBlock read_by(const Extent3& warp_tile, const arch::GpuSpec& gpu);
    std::string text() const { return std::to_string(n) + "x" + std::to_string(k); }
    /// Where element k, n of a matrix of that depth is among the elements of preshuffled weights.
    std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t depth) const;
};

}  // namespace ckdispatch
