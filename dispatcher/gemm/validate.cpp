// SPDX-License-Identifier: MIT
#include <cmath>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/gemm/numbers.hpp"

namespace ckdispatch {
namespace {

// One operand on the host, whatever its layout, as numbers.
class Matrix {
public:
    Matrix(Device& device, const GemmProblem& p, std::size_t tensor, const void* address, Name dtype, std::int64_t stride, std::int64_t batch_stride)
        : bytes_(GemmFamily::tensor_bytes(p, tensor)), numbers_(dtype, device.facts().fp8_encoding), stride_(stride), batch_stride_(batch_stride), by_rows_(p.layout.text()[tensor] == 'r') {
        device.copy_to_host(bytes_.data(), address, bytes_.size());
    }

    double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        return numbers_.at(bytes_.data(), batch * batch_stride_ + (by_rows_ ? row * stride_ + column : column * stride_ + row));
    }
    const Numbers& numbers() const { return numbers_; }

private:
    std::vector<char> bytes_;
    Numbers numbers_;
    std::int64_t stride_, batch_stride_;
    bool by_rows_;
};

}  // namespace

Validation validate(GemmDispatcher& dispatcher, const GemmProblem& problem, Tensors tensors, const RunOptions& options) {
    Device& device  = dispatcher.device();
    const auto plan = dispatcher.run(problem, tensors, options);
    device.synchronize(options.stream);
    const GemmProblem& p = plan->problem;
    const Matrix a(device, p, 0, tensors[0], p.dtype_a, p.stride_a, p.batch_stride_a);
    const Matrix b(device, p, 1, tensors[1], p.dtype_b, p.stride_b, p.batch_stride_b);
    const Matrix c(device, p, 2, tensors[2], p.dtype_c, p.stride_c, p.batch_stride_c);

    // The accumulator rounds K times, in any order; the output once for each part of K that is added to it.
    const double roundings = double(plan->stages.front().way.k_batch);
    const double roundoff  = c.numbers().unit_roundoff(), largest = c.numbers().largest();
    const double sum_error = roundoff > 0 ? double(p.k) * std::ldexp(1.0, -24) : 0;
    Validation result;
    result.kernel = plan->name();
    result.device = device.name();
    std::vector<double> row(static_cast<std::size_t>(p.k));
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
        for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t l = 0; l < p.k; ++l) row[std::size_t(l)] = a.at(batch, i, l);
            for (std::int64_t j = 0; j < p.n; ++j) {
                double expected = 0, magnitude = 0;
                for (std::int64_t l = 0; l < p.k; ++l) {
                    const double term = row[std::size_t(l)] * b.at(batch, l, j);
                    expected += term;
                    magnitude += std::fabs(term);
                }
                const double actual  = c.at(batch, i, j);
                const double added   = roundings > 1 ? roundings * roundoff * magnitude : 0;
                const double allowed = sum_error * magnitude + added + roundings * c.numbers().smallest() + roundoff * (std::fabs(expected) + sum_error * magnitude);
                // What is too large for the dtype becomes infinite or the largest number.
                const bool overflow = std::fabs(expected) + allowed > largest && std::fabs(actual) >= largest && std::signbit(actual) == std::signbit(expected);
                const double error  = overflow ? 0 : std::fabs(actual - expected);
                const double over   = error == 0 ? 0 : error / allowed;
                ++result.checked;
                // A NaN compares with nothing, and is wrong unless it was expected.
                const bool same = std::isnan(expected) ? std::isnan(actual) : over <= 1;
                result.wrong += same ? 0 : 1;
                if (!same && !(over <= result.max_over)) {
                    result.max_over  = over;
                    result.worst_row = i, result.worst_column = j, result.worst_batch = batch;
                    result.actual = actual, result.expected = expected;
                }
                if (same && over > result.max_over && result.wrong == 0) result.max_over = over;
                if (error > result.max_abs) result.max_abs = error;
            }
        }
    }
    return result;
}

}  // namespace ckdispatch
