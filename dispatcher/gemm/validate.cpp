// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/fused_ops.hpp"
#include "ckdispatch/gemm/numbers.hpp"
#include "ckdispatch/gemm/words.hpp"

namespace ckdispatch {
namespace {

// One tensor on the host, whatever its layout, as numbers.
class Matrix {
public:
    Matrix(Device& device, const GemmProblem& p, std::size_t tensor, const void* address, Name dtype, char letter, std::int64_t stride, std::int64_t batch_stride)
        : bytes_(GemmFamily::tensor_bytes(p, tensor)), numbers_(dtype, device.facts().fp8_encoding), stride_(stride), batch_stride_(batch_stride), by_rows_(letter == 'r') {
        device.copy_to_host(bytes_.data(), address, bytes_.size());
        if (tensor == 1 && !p.weights.empty()) granule_ = GemmGranule::of(p.weights), depth_ = p.k;
    }

    double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        const std::int64_t place = granule_.n ? granule_.place(row, column, depth_) : by_rows_ ? row * stride_ + column : column * stride_ + row;
        return numbers_.at(bytes_.data(), batch * batch_stride_ + place);
    }
    const Numbers& numbers() const { return numbers_; }

private:
    std::vector<char> bytes_;
    Numbers numbers_;
    std::int64_t stride_, batch_stride_;
    bool by_rows_;
    GemmGranule granule_;
    std::int64_t depth_ = 0;
};

// How often C may be rounded: once for each part of K that is added to it in memory.
double roundings_of(const Stage<GemmFamily>& stage) {
    return stage.kernel->key().split_k == gemm_words().atomic ? double(stage.way.parts) : 1;
}

// What one element must be: the sum's errors, those of the operation, and the last rounding.
class Expectation {
public:
    Expectation(const GemmProblem& p, const Numbers& output, double roundings) : op_(FusedOp::find(p.fused_op, p.d_count)), output_(output), roundings_(roundings) {
        // The accumulator rounds K times, in any order.
        sum_error_ = output.unit_roundoff() > 0 ? double(p.k) * std::ldexp(1.0, -24) : 0;
    }

    Bounded of(double sum, double magnitude, const std::vector<double>& ds) const {
        const double roundoff = output_.unit_roundoff(), smallest = output_.smallest();
        Bounded product{sum, sum_error_ * magnitude + (roundings_ > 1 ? roundings_ * roundoff * magnitude : 0) + (roundings_ - 1) * smallest};
        if (op_.changes_nothing()) return stored(product);
        // The product is stored first.
        Bounded result = op_.apply(stored(product), ds);
        // In between it was float32, and what is behind the point is cut off.
        if (roundoff == 0 && result.error > 0) result = {std::trunc(result.value), result.error + 1};
        return stored(result);
    }

private:
    Bounded stored(Bounded x) const { return {x.value, x.error + output_.unit_roundoff() * (std::fabs(x.value) + x.error) + output_.smallest()}; }

    FusedOp op_;
    const Numbers& output_;
    double roundings_;
    double sum_error_;
};

void compare(double actual, Bounded expected, double largest, std::int64_t batch, std::int64_t row, std::int64_t column, Validation& result) {
    // What is too large for the dtype becomes infinite or the largest number.
    const bool overflow = std::fabs(expected.value) + expected.error > largest && std::fabs(actual) >= largest && std::signbit(actual) == std::signbit(expected.value);
    const double error  = overflow ? 0 : std::fabs(actual - expected.value);
    const double over   = error == 0 ? 0 : error / expected.error;
    ++result.checked;
    // A NaN compares with nothing, and is wrong unless it was expected.
    const bool same = std::isnan(expected.value) ? std::isnan(actual) : over <= 1;
    result.wrong += same ? 0 : 1;
    if (!same && !(over <= result.max_over)) {
        result.max_over  = over;
        result.worst_row = row, result.worst_column = column, result.worst_batch = batch;
        result.actual = actual, result.expected = expected.value;
    }
    if (same && over > result.max_over && result.wrong == 0) result.max_over = over;
    if (error > result.max_abs) result.max_abs = error;
}

// All matrices of one problem without groups; `first` is how many were before it.
void compare_all(Device& device, const GemmProblem& p, Tensors tensors, double roundings, std::int64_t first, Validation& result) {
    const std::string_view letters = p.layout.text();
    const Matrix a(device, p, 0, tensors[0], p.dtype_a, letters[0], p.stride_a, p.batch_stride_a);
    const Matrix b(device, p, 1, tensors[1], p.dtype_b, letters[1], p.stride_b, p.batch_stride_b);
    const Matrix c(device, p, 2, tensors[2], p.dtype_c, letters[2], p.stride_c, p.batch_stride_c);
    std::vector<Matrix> ds;
    for (std::size_t i = 0; i < std::size_t(p.d_count); ++i) ds.emplace_back(device, p, 3 + i, tensors[3 + i], p.dtype_d, p.d_layout.text()[0], p.stride_d[i], p.batch_stride_d[i]);
    const Expectation expectation(p, c.numbers(), roundings);
    std::vector<double> row(static_cast<std::size_t>(p.k)), d(ds.size());
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
        for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t l = 0; l < p.k; ++l) row[std::size_t(l)] = a.at(batch, i, l);
            for (std::int64_t j = 0; j < p.n; ++j) {
                double sum = 0, magnitude = 0;
                for (std::int64_t l = 0; l < p.k; ++l) {
                    const double term = row[std::size_t(l)] * b.at(batch, l, j);
                    sum += term;
                    magnitude += std::fabs(term);
                }
                std::transform(ds.begin(), ds.end(), d.begin(), [&](const Matrix& one) { return one.at(batch, i, j); });
                compare(c.at(batch, i, j), expectation.of(sum, magnitude, d), c.numbers().largest(), first + batch, i, j, result);
            }
        }
    }
}

}  // namespace

Validation validate(GemmDispatcher& dispatcher, const GemmProblem& problem, Tensors tensors, const RunOptions& options) {
    // Before anything runs: an operation that the reference does not know.
    (void)FusedOp::find(problem.fused_op, problem.d_count);
    Device& device  = dispatcher.device();
    const auto plan = dispatcher.run(problem, tensors, options);
    device.synchronize(options.stream);
    Validation result;
    result.kernel = plan->name();
    result.device = device.name();
    std::int64_t first = 0;
    // A stage computes all groups, or one.
    for (const Stage<GemmFamily>& stage : plan->stages) {
        std::vector<GemmProblem> products = stage.problem.products();
        if (products.empty()) products.push_back(stage.problem);
        for (std::size_t i = 0; i < products.size(); ++i, first += products[0].batch)
            compare_all(device, products[i], tensors + stage.first_tensor + 3 * i, roundings_of(stage), first, result);
    }
    return result;
}

}  // namespace ckdispatch
