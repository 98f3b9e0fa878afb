// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/problem_builder.hpp"

#include <algorithm>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/core/error.hpp"
#include "ckdispatch/core/tensors.hpp"

namespace ckdispatch {
namespace {

constexpr std::string_view kAsked = "A GEMM";
constexpr std::int64_t kLimit = std::int64_t(1) << 31;
constexpr std::int64_t kFar = std::int64_t(1) << 60;  // elements; bytes of them can still be counted

[[noreturn]] void refuse(const std::string& sentence) { throw InvalidArgumentError(sentence); }

std::string number(std::int64_t value) { return std::to_string(value); }

void check_sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
    if (m < 1 || n < 1 || k < 1 || m >= kLimit || n >= kLimit || k >= kLimit)
        refuse("A GEMM of M x N x K = " + number(m) + " x " + number(n) + " x " + number(k) +
               " was asked for; each must be from 1 to 2^31-1.");
}

void check_leading(const std::string& name, std::int64_t leading, std::int64_t width) {
    if (leading < width || leading >= kLimit)
        refuse("A GEMM was asked for with " + name + " of leading dimension " + number(leading) +
               "; it must be at least " + number(width) + " and less than 2^31.");
}

// One operand of a batch: its stride from matrix to matrix, made explicit.
void complete_batch_stride(const std::string& name, std::int64_t batch, std::int64_t leading, std::int64_t lines,
                           std::int64_t width, bool output, std::int64_t& stride) {
    const std::int64_t matrix = leading * (lines - 1) + width;
    if (batch == 1) stride = 0;
    if (stride == GemmProblemBuilder::kPacked) stride = std::max(leading * lines, width);
    if (batch > 1 && (stride < 0 || (output && stride < matrix)))
        refuse("A GEMM was asked for with a batch stride of " + name + " of " + number(stride) +
               (output ? "; the matrices of an output must not overlap: at least " + number(matrix) + "."
                       : "; it must not be negative."));
    if (stride > kFar / batch)
        refuse("A GEMM was asked for with a batch of " + number(batch) + " whose " + name + " is " + number(stride) +
               " elements from one matrix to the next; no memory holds that.");
}

void complete_ds(GemmProblem& p) {
    if (p.d_count < 0 || p.d_count > CK_GEMM_MAX_DS)
        refuse("A GEMM with " + number(p.d_count) + " D tensors was asked for; there may be up to " +
               number(CK_GEMM_MAX_DS) + ".");
    if (p.dtype_d.empty() || p.d_count == 0) p.dtype_d = p.dtype_c;
    if (p.d_layout.empty() || p.d_count == 0) p.d_layout = "r";
    (void)dtype_facts(p.dtype_d, kAsked);
    if (p.d_layout.text() != "r" && p.d_layout.text() != "c")
        refuse("A GEMM with D tensors of the layout '" + std::string(p.d_layout.text().substr(0, 20)) +
               "' was asked for; it is r for rows or c for columns.");
    const bool rows = p.d_layout.text() == "r";
    const std::int64_t width = rows ? p.n : p.m, lines = rows ? p.m : p.n;
    for (std::size_t i = 0; i < p.stride_d.size(); ++i) {
        if (i >= std::size_t(p.d_count)) {
            p.stride_d[i] = p.batch_stride_d[i] = 0;
            continue;
        }
        const std::string name = "D" + number(std::int64_t(i));
        const bool repeated = p.stride_d[i] == GemmProblemBuilder::kRepeated;
        if (p.stride_d[i] == GemmProblemBuilder::kPacked) p.stride_d[i] = width;
        if (!repeated) check_leading(name, p.stride_d[i], width);
        if (repeated && p.batch_stride_d[i] == GemmProblemBuilder::kPacked) p.batch_stride_d[i] = 0;
        complete_batch_stride(name, p.batch, p.stride_d[i], lines, width, false, p.batch_stride_d[i]);
    }
}

void check_weights(const GemmProblem& p) {
    if (p.weights.empty()) return;
    const WeightsBlock block = WeightsBlock::of(p.weights);
    const std::string_view letters = p.layout.text();
    const std::string asked = "A GEMM with weights preshuffled as " + std::string(p.weights.text()) + " was asked for ";
    if (letters[1] != 'c' || letters[2] != 'r')
        refuse(asked + "in the layout " + std::string(letters) +
               "; they take the place of a B of columns, with a C of rows, such as rcr.");
    if (p.n % block.n || p.k % block.k)
        refuse(asked + "with N x K = " + number(p.n) + " x " + number(p.k) + "; each must be a multiple.");
    if (p.stride_b != p.k)
        refuse(asked + "with a leading dimension of B of " + number(p.stride_b) + "; they have no gaps: it is K.");
}

// Elements that share a byte cannot be told apart by an address. No kernel takes them but as neighbours along K.
void check_packing(const GemmProblem& p) {
    const auto check = [&](char name, Name dtype, int pack, bool along_k, std::int64_t leading,
                           std::int64_t batch_stride) {
        if (pack == 1 || (p.k % pack == 0 && (!along_k || (leading % pack == 0 && batch_stride % pack == 0)))) return;
        refuse("A GEMM with K = " + number(p.k) + " and " + name + " of " + std::string(dtype.text()) +
               " with a leading dimension of " + number(leading) + " and a batch stride of " + number(batch_stride) +
               " was asked for; " + number(pack) + " of its elements share a byte, so each must be a multiple of " +
               number(pack) + ".");
    };
    check('A', p.dtype_a, p.pack_a, p.layout.text()[0] == 'r', p.stride_a, p.batch_stride_a);
    check('B', p.dtype_b, p.pack_b, p.layout.text()[1] == 'c', p.stride_b, p.batch_stride_b);
    if (dtype_facts(p.dtype_c, kAsked).pack > 1 || dtype_facts(p.dtype_d, kAsked).pack > 1)
        refuse(
            "A GEMM with C or D tensors of a dtype of which several elements share a byte was asked for; only A and B "
            "can be of one.");
}

}  // namespace

GemmProblemBuilder::GemmProblemBuilder() {
    problem_.stride_d.fill(kPacked);
    problem_.batch_stride_d.fill(kPacked);
}

void GemmProblemBuilder::apply(const Side& side, char name, std::int64_t rows, std::int64_t columns, std::size_t letter,
                               std::string& letters, std::int64_t& leading) const {
    if (!side.given) return;
    // A single row or column has no stride to speak of; the layout's letter then stays as it was.
    const bool by_rows = side.column == 1 || columns == 1;
    const bool by_columns = side.row == 1 || rows == 1;
    if (!by_rows && !by_columns)
        refuse(std::string("A GEMM was asked for with ") + name + " of strides " + number(side.row) + " and " +
               number(side.column) + "; one of them must be 1: copy it into rows or columns that are contiguous.");
    if (by_rows != by_columns) letters[letter] = by_rows ? 'r' : 'c';
    const bool rows_contiguous = letters[letter] == 'r';
    const std::int64_t stride = rows_contiguous ? side.row : side.column;
    const bool single = (rows_contiguous ? rows : columns) == 1;
    leading = single ? std::max(stride, rows_contiguous ? columns : rows) : stride;
}

void GemmProblemBuilder::check_groups(std::int64_t count) {
    constexpr std::int64_t kMost = 65536;
    if (count > kMost)
        refuse("A GEMM of " + number(count) + " groups was asked for; there may be up to " + number(kMost) + ".");
}

// Each group is a problem of its own, and is checked and completed as one.
void GemmProblemBuilder::build_groups(GemmProblem& p) const {
    if (p.m || p.n || p.k || a_.given || b_.given || c_.given || p.stride_a || p.stride_b || p.stride_c)
        refuse("A GEMM of groups was asked for with sizes or strides beside theirs; each group has its own.");
    if (p.batch != 1 || p.d_count || !p.weights.empty())
        refuse(
            "A GEMM of groups was asked for with a batch, D tensors or preshuffled weights; groups have none: run them "
            "one by one.");
    check_groups(std::int64_t(p.groups.size()));
    GemmProblemBuilder builder = *this;
    builder.problem_.groups = {};
    for (GemmGroup& group : p.groups) {
        const GemmProblem one = builder.sizes(group.m, group.n, group.k)
                                    .leading_dimensions(group.stride_a, group.stride_b, group.stride_c)
                                    .build();
        group = {one.m, one.n, one.k, one.stride_a, one.stride_b, one.stride_c};
        // What was completed is the same for all.
        p.dtype_c = one.dtype_c, p.dtype_d = one.dtype_d, p.d_layout = one.d_layout, p.layout = one.layout,
        p.fused_op = one.fused_op;
        p.pack_a = one.pack_a, p.pack_b = one.pack_b;
    }
    p.batch_stride_a = p.batch_stride_b = p.batch_stride_c = 0;
    p.stride_d.fill(0), p.batch_stride_d.fill(0);
}

GemmProblem GemmProblemBuilder::build() const {
    GemmProblem p = problem_;
    if (!p.groups.empty()) return build_groups(p), p;
    std::string letters = letters_;
    check_sizes(p.m, p.n, p.k);
    if (letters.size() != 3 || letters.find_first_not_of("rc") != letters.npos)
        refuse(
            "A GEMM of the layout '" + letters.substr(0, 20) +
            "' was asked for; a layout has a letter for each of A, B and C, r for rows or c for columns, such as rcr.");
    apply(a_, 'A', p.m, p.k, 0, letters, p.stride_a);
    apply(b_, 'B', p.k, p.n, 1, letters, p.stride_b);
    apply(c_, 'C', p.m, p.n, 2, letters, p.stride_c);
    p.layout = letters;

    p.pack_a = dtype_facts(p.dtype_a, kAsked).pack, p.pack_b = dtype_facts(p.dtype_b, kAsked).pack;
    if (p.dtype_c.empty()) p.dtype_c = usual_output(p.dtype_a, p.dtype_b, kAsked);
    (void)dtype_facts(p.dtype_c, kAsked);

    const auto side = [&](char name, const Side& given, std::size_t letter, std::int64_t rows, std::int64_t columns,
                          std::int64_t& leading, std::int64_t& stride) {
        const std::int64_t width = letters[letter] == 'r' ? columns : rows,
                           lines = letters[letter] == 'r' ? rows : columns;
        if (leading == 0 && !given.given) leading = width;
        check_leading(std::string(1, name), leading, width);
        complete_batch_stride(std::string(1, name), p.batch, leading, lines, width, name == 'C', stride);
    };
    if (p.batch < 1 || p.batch >= kLimit)
        refuse("A GEMM with a batch of " + number(p.batch) + " was asked for; it must be from 1 to 2^31-1.");
    side('A', a_, 0, p.m, p.k, p.stride_a, p.batch_stride_a);
    side('B', b_, 1, p.k, p.n, p.stride_b, p.batch_stride_b);
    side('C', c_, 2, p.m, p.n, p.stride_c, p.batch_stride_c);

    if (p.split_k < 0 || p.split_k > p.k)
        refuse("A GEMM with K = " + number(p.k) + " split into " + number(p.split_k) +
               " parts was asked for; parts are from 1 to K, or 0 for the dispatcher to choose.");
    if (p.fused_op.empty()) p.fused_op = "PassThrough";
    complete_ds(p);
    check_packing(p);
    check_weights(p);
    check_alignment(p.alignment, kAsked);
    return p;
}

}  // namespace ckdispatch
