// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/product/comparison.hpp"
#include "ckdispatch/product/validated_run.hpp"

namespace ckdispatch {
namespace {

// An input, a filter and an output position that belong together: the product of what is there is a term of what is
// computed.
struct Meeting {
    std::int64_t input = 0, filter = 0, output = 0;
};

// Along one dimension, for each position of what is computed.
using Meetings = std::vector<std::vector<Meeting>>;

Meetings meetings_of(const GroupedConvAxis& a, std::int64_t GroupedConvAxis::* extent, std::int64_t Meeting::* result) {
    Meetings all(std::size_t(a.*extent));
    for (std::int64_t output = 0; output < a.output; ++output)
        for (std::int64_t filter = 0; filter < a.filter; ++filter) {
            const Meeting one{output * a.stride + filter * a.dilation - a.left_pad, filter, output};
            if (one.input >= 0 && one.input < a.input) all[std::size_t(one.*result)].push_back(one);
        }
    return all;
}

// A tensor on the host, decoded once: each element is part of many sums.
class Values {
public:
    Values(Device& device, const GroupedConvProblem& p, std::size_t tensor, const void* address)
        : tensor_(device, address, GroupedConvFamily::tensor_bytes(p, tensor), p.dtype_of(tensor)),
          values_(std::size_t(p.elements(tensor))) {
        for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = tensor_.at(std::int64_t(i));
    }

    const double* at(std::int64_t place) const { return values_.data() + place; }
    const Numbers& numbers() const { return tensor_.numbers(); }

private:
    HostTensor tensor_;
    std::vector<double> values_;
};

// How far it is in a packed tensor from one image, group, channel or position to the next.
struct Steps {
    std::int64_t n = 0, g = 0, c = 0, k = 0, position = 0;

    Steps(const GroupedConvProblem& p, std::string_view letters, std::int64_t positions) {
        std::int64_t step = 1;
        for (std::size_t i = letters.size(); i-- > 0;) {
            if (letters[i] == 'n') n = std::exchange(step, step * p.n);
            if (letters[i] == 'g') g = std::exchange(step, step * p.g);
            if (letters[i] == 'c') c = std::exchange(step, step * p.c);
            if (letters[i] == 'k') k = std::exchange(step, step * p.k);
            // Those of all dimensions are one run, which the innermost begins.
            if (GroupedConvLayout::is_position(letters[i]) && position == 0)
                position = std::exchange(step, step * positions);
        }
    }
};

class Reference {
public:
    Reference(Device& device, const GroupedConvProblem& p, Tensors tensors)
        : p_(p),
          layout_(GroupedConvLayout::find(p.layout)),
          result_(p.result()),
          of_x_(p, layout_.x, p.inputs()),
          of_w_(p, layout_.w, p.filters()),
          of_y_(p, layout_.y, p.outputs()),
          x_(device, p, 0, tensors[0]),
          w_(device, p, 1, tensors[1]),
          y_(device, p, 2, tensors[2]) {
        if (p.d_count) bias_.emplace_back(device, p, 3, tensors[3]);
        static constexpr std::int64_t GroupedConvAxis::* extents[] = {&GroupedConvAxis::input, &GroupedConvAxis::filter,
                                                                      &GroupedConvAxis::output};
        static constexpr std::int64_t Meeting::* places[] = {&Meeting::input, &Meeting::filter, &Meeting::output};
        for (std::size_t i = 0; i < meetings_.size(); ++i)
            meetings_[i] = meetings_of(p.axes[i], extents[result_], places[result_]);
    }

    const Numbers& output() const { return (result_ == 0 ? x_ : result_ == 1 ? w_ : y_).numbers(); }

    /// Position by position of what is computed.
    void compare(Comparison& comparison, Validation& validation) const {
        std::vector<Meeting> together;
        std::int64_t position = 0;
        for (std::size_t d = 0; d < meetings_[0].size(); ++d)
            for (std::size_t h = 0; h < meetings_[1].size(); ++h)
                for (std::size_t w = 0; w < meetings_[2].size(); ++w, ++position) {
                    together.clear();
                    for (const Meeting& of_d : meetings_[0][d])
                        for (const Meeting& of_h : meetings_[1][h])
                            for (const Meeting& of_w : meetings_[2][w]) together.push_back(flat(of_d, of_h, of_w));
                    compare_at(together, position, {std::int64_t(d), std::int64_t(h), std::int64_t(w)}, comparison,
                               validation);
                }
    }

private:
    using Position = std::array<std::int64_t, CK_GROUPED_CONV_MAX_SPATIAL>;

    // Positions of all dimensions as one number.
    Meeting flat(const Meeting& d, const Meeting& h, const Meeting& w) const {
        const auto one = [&](std::int64_t Meeting::* place, std::int64_t GroupedConvAxis::* extent) {
            return (d.*place * (p_.axes[1].*extent) + h.*place) * (p_.axes[2].*extent) + w.*place;
        };
        return {one(&Meeting::input, &GroupedConvAxis::input), one(&Meeting::filter, &GroupedConvAxis::filter),
                one(&Meeting::output, &GroupedConvAxis::output)};
    }

    const double* x(std::int64_t n, std::int64_t position, std::int64_t g, std::int64_t c) const {
        return x_.at(n * of_x_.n + position * of_x_.position + g * of_x_.g + c * of_x_.c);
    }
    const double* w(std::int64_t g, std::int64_t k, std::int64_t position, std::int64_t c) const {
        return w_.at(g * of_w_.g + k * of_w_.k + position * of_w_.position + c * of_w_.c);
    }
    const double* y(std::int64_t n, std::int64_t position, std::int64_t g, std::int64_t k) const {
        return y_.at(n * of_y_.n + position * of_y_.position + g * of_y_.g + k * of_y_.k);
    }

    // An element of the result at a position: i and j are image and channel in, channels out and in, or image and
    // channel out.
    const double* result(std::int64_t position, std::int64_t g, std::int64_t i, std::int64_t j) const {
        return result_ == 0 ? x(i, position, g, j) : result_ == 1 ? w(g, i, position, j) : y(i, position, g, j);
    }

    // The factors of its terms where positions meet: the first of each, and how far it is to the next.
    struct Factors {
        const double* a;
        std::int64_t a_step;
        const double* b;
        std::int64_t b_step;
    };
    Factors factors(const Meeting& m, std::int64_t g, std::int64_t i, std::int64_t j) const {
        switch (result_) {
            case 0: return {y(i, m.output, g, 0), of_y_.k, w(g, 0, m.filter, j), of_w_.k};
            case 1: return {y(0, m.output, g, i), of_y_.n, x(0, m.input, g, j), of_x_.n};
            default: return {x(i, m.input, g, 0), of_x_.c, w(g, j, m.filter, 0), of_w_.c};
        }
    }

    void compare_at(const std::vector<Meeting>& together, std::int64_t position, const Position& at,
                    Comparison& comparison, Validation& validation) const {
        // The sum is over what is neither i nor j.
        const std::int64_t first = result_ == 1 ? p_.k : p_.n, second = result_ == 2 ? p_.k : p_.c,
                           depth = result_ == 0   ? p_.k
                                   : result_ == 1 ? p_.n
                                                  : p_.c;
        std::vector<double> ds(bias_.size());
        for (std::int64_t g = 0; g < p_.g; ++g)
            for (std::int64_t i = 0; i < first; ++i)
                for (std::int64_t j = 0; j < second; ++j) {
                    Sum sum;
                    for (const Meeting& one : together) {
                        const Factors all = factors(one, g, i, j);
                        for (std::int64_t l = 0; l < depth; ++l) sum.add(all.a[l * all.a_step] * all.b[l * all.b_step]);
                    }
                    if (!ds.empty()) ds[0] = *bias_[0].at(g * p_.k + j);
                    if (comparison.is_worst(*result(position, g, i, j), sum, ds)) validation.worst = index(g, i, at, j);
                }
    }

    // In the order of the layout.
    std::vector<std::int64_t> index(std::int64_t g, std::int64_t i, const Position& at, std::int64_t j) const {
        std::vector<std::int64_t> all;
        auto position = at.begin();
        for (const char letter : layout_.of_tensor(result_)) {
            if (GroupedConvLayout::is_position(letter)) all.push_back(*position++);
            else if (letter == 'g') all.push_back(g);
            else all.push_back(letter == 'n' || (letter == 'k' && result_ == 1) ? i : j);
        }
        return all;
    }

    const GroupedConvProblem& p_;
    const GroupedConvLayout& layout_;
    std::size_t result_;
    Steps of_x_, of_w_, of_y_;
    Values x_, w_, y_;
    std::vector<Values> bias_;
    std::array<Meetings, CK_GROUPED_CONV_MAX_SPATIAL> meetings_;
};

}  // namespace

Validation validate(GroupedConvDispatcher& dispatcher, const GroupedConvPlan& plan, Tensors tensors,
                    const RunOptions& options) {
    Validation result;
    run_to_validate(dispatcher, plan, tensors, options, result);
    const GroupedConvProblem& problem = plan.problem;
    const Reference reference(dispatcher.device(), problem, tensors);
    Comparison comparison(FusedOp::find(problem.fused_op, problem.d_count), reference.output(), roundings_of(plan),
                          result);
    reference.compare(comparison, result);
    return result;
}

}  // namespace ckdispatch
