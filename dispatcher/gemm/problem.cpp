// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/problem.hpp"

#include <algorithm>
#include <tuple>

#include "arch/arch_specs.hpp"
#include "ckdispatch/core/error.hpp"

namespace ckdispatch {
namespace {

constexpr std::int64_t kLimit = std::int64_t(1) << 31;
constexpr std::int64_t kFar   = std::int64_t(1) << 60;  // elements; bytes of them can still be counted

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_argument, sentence); }

const arch::DtypeSpec& dtype_of(Name name) {
    const arch::DtypeSpec* found = arch::find_by_name<arch::DtypeSpec>(arch::dtypes, name.text());
    if (found) return *found;
    std::string known;
    for (const arch::DtypeSpec& dtype : arch::dtypes) known += (known.empty() ? "" : ", ") + std::string(dtype.name);
    refuse("A GEMM of the dtype '" + std::string(name.text()) + "' was asked for; the dtypes are " + known + ".");
}

Name usual_output(Name a, Name b) {
    for (const arch::DtypeCombination& pair : arch::dtype_combinations)
        if (pair.a == a.text() && pair.b == b.text()) return pair.output;
    refuse("A GEMM of " + std::string(a.text()) + " and " + std::string(b.text()) + " was asked for; no GPU multiplies that pair.");
}

auto identity(const GemmProblem& p) {
    return std::make_tuple(p.m, p.n, p.k, p.batch, p.stride_a, p.stride_b, p.stride_c, p.batch_stride_a, p.batch_stride_b, p.batch_stride_c, p.dtype_a.c_str(), p.dtype_b.c_str(),
                           p.dtype_c.c_str(), p.layout.c_str(), p.fused_op.c_str(), p.d_count, p.split_k, p.alignment, p.deterministic, p.workspace_limit);
}

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

bool operator==(const GemmProblem& a, const GemmProblem& b) { return identity(a) == identity(b); }

std::size_t GemmProblem::hash() const {
    std::size_t seed = 0;
    std::apply([&](const auto&... part) { ((seed = (seed ^ std::size_t(part)) * 0x9e3779b97f4a7c15ull, seed ^= seed >> 29), ...); },
               std::make_tuple(m, n, k, batch, stride_a, stride_b, stride_c, batch_stride_a, batch_stride_b, batch_stride_c, dtype_a.hash(), dtype_b.hash(), dtype_c.hash(), layout.hash(),
                               fused_op.hash(), d_count, split_k, alignment, deterministic, workspace_limit));
    return seed;
}

double GemmProblem::bytes() const {
    const double a = double(m) * double(k) * dtype_of(dtype_a).bytes, b = double(k) * double(n) * dtype_of(dtype_b).bytes;
    const double c = double(m) * double(n) * dtype_of(dtype_c).bytes;
    return double(batch) * (a + b + c);
}

std::string GemmProblem::text() const {
    std::string shown = "gemm " + number(m) + "x" + number(n) + "x" + number(k) + " " + std::string(dtype_a.text());
    if (dtype_b != dtype_a) shown += "*" + std::string(dtype_b.text());
    if (dtype_c != dtype_a) shown += "->" + std::string(dtype_c.text());
    shown += " " + std::string(layout.text());
    if (batch != 1) shown += " batch " + number(batch);
    if (split_k != 1) shown += split_k == 0 ? " split-K auto" : " split-K " + number(split_k);
    if (d_count) shown += " " + std::string(fused_op.text()) + " of " + number(d_count) + " D";
    return shown;
}

GemmProblemBuilder& GemmProblemBuilder::sizes(std::int64_t m, std::int64_t n, std::int64_t k) { return problem_.m = m, problem_.n = n, problem_.k = k, *this; }
GemmProblemBuilder& GemmProblemBuilder::dtypes(std::string_view a, std::string_view b, std::string_view c) {
    return problem_.dtype_a = a, problem_.dtype_b = b, problem_.dtype_c = c, *this;
}
GemmProblemBuilder& GemmProblemBuilder::layout(std::string_view letters) { return letters_ = letters, *this; }
GemmProblemBuilder& GemmProblemBuilder::leading_dimensions(std::int64_t a, std::int64_t b, std::int64_t c) {
    return problem_.stride_a = a, problem_.stride_b = b, problem_.stride_c = c, *this;
}
GemmProblemBuilder& GemmProblemBuilder::strides_a(std::int64_t row, std::int64_t column) { return a_ = {row, column, true}, *this; }
GemmProblemBuilder& GemmProblemBuilder::strides_b(std::int64_t row, std::int64_t column) { return b_ = {row, column, true}, *this; }
GemmProblemBuilder& GemmProblemBuilder::strides_c(std::int64_t row, std::int64_t column) { return c_ = {row, column, true}, *this; }
GemmProblemBuilder& GemmProblemBuilder::batch(std::int64_t count, std::int64_t stride_a, std::int64_t stride_b, std::int64_t stride_c) {
    return problem_.batch = count, problem_.batch_stride_a = stride_a, problem_.batch_stride_b = stride_b, problem_.batch_stride_c = stride_c, *this;
}
GemmProblemBuilder& GemmProblemBuilder::split_k(std::int64_t parts) { return problem_.split_k = parts, *this; }
GemmProblemBuilder& GemmProblemBuilder::fused(std::string_view op, int d_count) { return problem_.fused_op = op, problem_.d_count = d_count, *this; }
GemmProblemBuilder& GemmProblemBuilder::alignment(int bytes) { return problem_.alignment = bytes, *this; }
GemmProblemBuilder& GemmProblemBuilder::deterministic(bool wanted) { return problem_.deterministic = wanted, *this; }
GemmProblemBuilder& GemmProblemBuilder::workspace_limit(std::uint64_t bytes) { return problem_.workspace_limit = bytes, *this; }

void GemmProblemBuilder::apply(const Side& side, char name, std::int64_t rows, std::int64_t columns, std::size_t letter, std::string& letters, std::int64_t& leading) const {
    if (!side.given) return;
    // A single row or column has no stride to speak of; the layout's letter then stays as it was.
    const bool by_rows    = side.column == 1 || columns == 1;
    const bool by_columns = side.row == 1 || rows == 1;
    if (!by_rows && !by_columns)
        refuse(std::string("A GEMM was asked for with ") + name + " of strides " + number(side.row) + " and " + number(side.column) + "; one of them must be 1: copy it into rows or columns that are contiguous.");
    if (by_rows != by_columns) letters[letter] = by_rows ? 'r' : 'c';
    const bool rows_contiguous = letters[letter] == 'r';
    const std::int64_t stride  = rows_contiguous ? side.row : side.column;
    const bool single          = (rows_contiguous ? rows : columns) == 1;
    leading                    = single ? std::max(stride, rows_contiguous ? columns : rows) : stride;
}

GemmProblem GemmProblemBuilder::build() const {
    GemmProblem p       = problem_;
    std::string letters = letters_;
    if (p.m < 1 || p.n < 1 || p.k < 1 || p.m >= kLimit || p.n >= kLimit || p.k >= kLimit)
        refuse("A GEMM of M x N x K = " + number(p.m) + " x " + number(p.n) + " x " + number(p.k) + " was asked for; each must be from 1 to 2^31-1.");
    if (letters.size() != 3 || letters.find_first_not_of("rc") != letters.npos)
        refuse("A GEMM of the layout '" + letters.substr(0, 20) + "' was asked for; a layout has a letter for each of A, B and C, r for rows or c for columns, such as rcr.");
    apply(a_, 'A', p.m, p.k, 0, letters, p.stride_a);
    apply(b_, 'B', p.k, p.n, 1, letters, p.stride_b);
    apply(c_, 'C', p.m, p.n, 2, letters, p.stride_c);
    p.layout = letters;

    (void)dtype_of(p.dtype_a), (void)dtype_of(p.dtype_b);
    if (p.dtype_c.empty()) p.dtype_c = usual_output(p.dtype_a, p.dtype_b);
    (void)dtype_of(p.dtype_c);

    std::uint64_t batch_bytes = 0;  // whose lowest bit is what all batch strides are multiples of
    const auto side = [&](char name, const Side& given, std::size_t letter, std::int64_t rows, std::int64_t columns, Name dtype, std::int64_t& leading, std::int64_t& batch_stride, bool output) {
        const std::int64_t width = letters[letter] == 'r' ? columns : rows, lines = letters[letter] == 'r' ? rows : columns;
        if (leading == 0 && !given.given) leading = width;
        if (leading < width || leading >= kLimit)
            refuse(std::string("A GEMM was asked for with ") + name + " of leading dimension " + number(leading) + "; it must be at least " + number(width) + " and less than 2^31.");
        const std::int64_t matrix = leading * (lines - 1) + width;
        if (p.batch == 1) batch_stride = 0;
        if (batch_stride == kPacked) batch_stride = leading * lines;
        if (p.batch > 1 && (batch_stride < 0 || (output && batch_stride < matrix)))
            refuse(std::string("A GEMM was asked for with a batch stride of ") + name + " of " + number(batch_stride) + (output ? "; the matrices of an output must not overlap: at least " + number(matrix) + "." : "; it must not be negative."));
        if (batch_stride > kFar / p.batch)
            refuse("A GEMM was asked for with a batch of " + number(p.batch) + " whose " + name + " is " + number(batch_stride) + " elements from one matrix to the next; no memory holds that.");
        batch_bytes |= std::uint64_t(double(batch_stride) * dtype_of(dtype).bytes);
    };
    if (p.batch < 1 || p.batch >= kLimit) refuse("A GEMM with a batch of " + number(p.batch) + " was asked for; it must be from 1 to 2^31-1.");
    side('A', a_, 0, p.m, p.k, p.dtype_a, p.stride_a, p.batch_stride_a, false);
    side('B', b_, 1, p.k, p.n, p.dtype_b, p.stride_b, p.batch_stride_b, false);
    side('C', c_, 2, p.m, p.n, p.dtype_c, p.stride_c, p.batch_stride_c, true);

    if (p.split_k < 0 || p.split_k > p.k) refuse("A GEMM with K = " + number(p.k) + " split into " + number(p.split_k) + " parts was asked for; parts are from 1 to K, or 0 for the dispatcher to choose.");
    if (p.fused_op.empty()) p.fused_op = "PassThrough";
    if (p.d_count < 0 || p.d_count > 4) refuse("A GEMM with " + number(p.d_count) + " D tensors was asked for; there may be up to 4.");
    if (p.alignment < 1 || p.alignment > 16 || (p.alignment & (p.alignment - 1)))
        refuse("A GEMM with addresses aligned to " + number(p.alignment) + " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.");
    if (batch_bytes) p.alignment = int(std::min<std::uint64_t>(std::uint64_t(p.alignment), batch_bytes & (~batch_bytes + 1)));
    return p;
}

}  // namespace ckdispatch
