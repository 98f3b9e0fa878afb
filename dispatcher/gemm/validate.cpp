// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "ckdispatch/product/comparison.hpp"
#include "ckdispatch/product/validated_run.hpp"

namespace ckdispatch {
namespace {

// One tensor on the host, whatever its layout.
class Matrix {
public:
    Matrix(Device& device, const GemmProblem& p, std::size_t tensor, const void* address, Name dtype, char letter,
           std::int64_t stride, std::int64_t batch_stride)
        : tensor_(device, address, GemmFamily::tensor_bytes(p, tensor), dtype),
          stride_(stride),
          batch_stride_(batch_stride),
          by_rows_(letter == 'r') {
        if (tensor == 1 && !p.weights.empty()) block_ = WeightsBlock::of(p.weights), depth_ = p.k;
    }

    double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        const std::int64_t place = block_.n   ? block_.place(row, column, depth_)
                                   : by_rows_ ? row * stride_ + column
                                              : column * stride_ + row;
        return tensor_.at(batch * batch_stride_ + place);
    }
    const Numbers& numbers() const { return tensor_.numbers(); }

private:
    HostTensor tensor_;
    std::int64_t stride_, batch_stride_;
    bool by_rows_;
    WeightsBlock block_;
    std::int64_t depth_ = 0;
};

// A kernel may write C where it reads one of them, so they are read before it runs.
std::vector<Matrix> read_ds(Device& device, const GemmProblem& p, Tensors tensors) {
    std::vector<Matrix> ds;
    ds.reserve(std::size_t(p.d_count));
    for (std::size_t i = 0; i < std::size_t(p.d_count); ++i)
        ds.emplace_back(device, p, 3 + i, tensors[3 + i], p.dtype_d, p.d_layout.text()[0], p.stride_d[i],
                        p.batch_stride_d[i]);
    return ds;
}

// All matrices of one problem without groups; `first` is how many were before it.
void compare_all(Device& device, const GemmProblem& p, Tensors tensors, const std::vector<Matrix>& ds, double roundings,
                 std::int64_t first, Validation& result) {
    const std::string_view letters = p.layout.text();
    const Matrix a(device, p, 0, tensors[0], p.dtype_a, letters[0], p.stride_a, p.batch_stride_a);
    const Matrix b(device, p, 1, tensors[1], p.dtype_b, letters[1], p.stride_b, p.batch_stride_b);
    const Matrix c(device, p, 2, tensors[2], p.dtype_c, letters[2], p.stride_c, p.batch_stride_c);
    Comparison comparison(FusedOp::find(p.fused_op, p.d_count), c.numbers(), roundings, result);
    std::vector<double> row(static_cast<std::size_t>(p.k)), d(ds.size());
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
        for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t l = 0; l < p.k; ++l) row[std::size_t(l)] = a.at(batch, i, l);
            for (std::int64_t j = 0; j < p.n; ++j) {
                Sum sum;
                for (std::int64_t l = 0; l < p.k; ++l) sum.add(row[std::size_t(l)] * b.at(batch, l, j));
                std::transform(ds.begin(), ds.end(), d.begin(), [&](const Matrix& one) { return one.at(batch, i, j); });
                if (comparison.is_worst(c.at(batch, i, j), sum, d)) result.worst = {first + batch, i, j};
            }
        }
    }
}

}  // namespace

Validation validate(GemmDispatcher& dispatcher, const GemmPlan& plan, Tensors tensors, const RunOptions& options) {
    Validation result;
    std::vector<Matrix> ds;
    run_to_validate(dispatcher, plan, tensors, options, result,
                    [&] { ds = read_ds(dispatcher.device(), plan.problem, tensors); });
    // Whatever a plan is made of, copies and pieces too, this is what it computes.
    std::vector<GemmProblem> products = plan.problem.products();
    if (products.empty()) products.push_back(plan.problem);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < products.size(); ++i, first += products[0].batch)
        compare_all(dispatcher.device(), products[i], tensors + 3 * i, ds, roundings_of(plan), first, result);
    return result;
}

}  // namespace ckdispatch
