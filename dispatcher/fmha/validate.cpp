// SPDX-License-Identifier: MIT
// The CPU's own attention, for results of any plan.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "ckdispatch/core/numbers.hpp"
#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// A tensor on the host; one that the problem does not have is empty.
class Host {
public:
    Host(Device& device, const FmhaProblem& p, std::size_t slot, Tensors tensors)
        : strides_(p.strides[slot]), numbers_(p.dtype_of(slot), device.facts().fp8_encoding) {
        const std::size_t tensor = FmhaFamily::tensor_of(slot);
        if (!p.has(slot)) return;
        bytes_.resize(FmhaFamily::region(p, tensor).reach);
        device.copy_to_host(bytes_.data(), tensors[tensor], bytes_.size());
    }

    bool empty() const { return bytes_.empty(); }
    double at(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column) const {
        return numbers_.at(bytes_.data(), batch * strides_.batch + head * strides_.head + row * strides_.row + column);
    }
    double at(std::int64_t index) const { return numbers_.at(bytes_.data(), index); }
    std::int64_t whole(std::int64_t index) const {
        std::int32_t value;
        std::memcpy(&value, bytes_.data() + index * 4, sizeof(value));
        return value;
    }
    const Numbers& numbers() const { return numbers_; }

private:
    std::vector<char> bytes_;
    FmhaStrides strides_;
    Numbers numbers_;
};

// One sequence: where its rows and keys are.
struct Sequence {
    std::int64_t index, batch, rows, keys, first_row, first_key;
};

class Reference {
public:
    Reference(Device& device, const FmhaProblem& p, Tensors tensors)
        : p_(p), q_(device, p, CK_FMHA_Q, tensors), k_(device, p, CK_FMHA_K, tensors), v_(device, p, CK_FMHA_V, tensors),
            bias_(device, p, CK_FMHA_BIAS, tensors),
          sink_(device, p, CK_FMHA_SINK, tensors), start_q_(device, p, CK_FMHA_SEQSTART_Q, tensors), start_k_(device, p, CK_FMHA_SEQSTART_K, tensors),
          length_q_(device, p, CK_FMHA_SEQLEN_Q, tensors), length_k_(device, p, CK_FMHA_SEQLEN_K, tensors), table_(device, p, CK_FMHA_BLOCK_TABLE, tensors),
          cache_(device, p, CK_FMHA_CACHE_INDEX, tensors), indptr_(device, p, CK_FMHA_KV_INDPTR, tensors), pages_(device, p, CK_FMHA_KV_PAGES, tensors) {}

    Sequence sequence(std::int64_t i) const {
        Sequence one{i, p_.group ? 0 : i, p_.seqlen_q, p_.seqlen_k, 0, 0};
        if (p_.group) one.first_row = start_q_.whole(i), one.rows = start_q_.whole(i + 1) - one.first_row;
        if (!start_k_.empty()) one.first_key = start_k_.whole(i), one.keys = start_k_.whole(i + 1) - one.first_key;
        if (!indptr_.empty()) one.keys = indptr_.whole(i + 1) - indptr_.whole(i);
        if (!length_q_.empty()) one.rows = length_q_.whole(i);
        if (!length_k_.empty()) one.keys = length_k_.whole(i);
        return one;
    }

    // Scores of a row, and then what each key weighs; returns lse.
    double weigh(const Sequence& of, std::int64_t head, std::int64_t row, std::vector<double>& weights) const {
        weights.assign(std::size_t(of.keys), kNothing);
        double most = kNothing;
        for (std::int64_t key = 0; key < of.keys; ++key) {
            if (!keeps(of, row, key)) continue;
            double& score = weights[std::size_t(key)];
            score         = 0;
            for (std::int64_t i = 0; i < p_.hdim_q; ++i) score += q_.at(of.batch, head, of.first_row + row, i) * at(k_, of, head, key, i);
            score = capped(score * double(p_.scale)) + added(of, head, row, key);
            most  = std::max(most, score);
        }
        const double sink = sink_.empty() ? kNothing : sink_.at(head);
        most              = std::max(most, sink);
        if (most == kNothing) return kNothing;
        double sum = sink == kNothing ? 0 : std::exp(sink - most);
        for (double& weight : weights) sum += weight = weight == kNothing ? 0 : std::exp(weight - most);
        for (double& weight : weights) weight /= sum;
        return most + std::log(sum);
    }

    /// What an element of o is, and the sum of its magnitudes.
    std::pair<double, double> output(const Sequence& of, std::int64_t head, const std::vector<double>& weights, std::int64_t column) const {
        double value = 0, magnitude = 0;
        for (std::int64_t key = 0; key < of.keys; ++key) {
            if (!(weights[std::size_t(key)] > 0)) continue;
            const double term = weights[std::size_t(key)] * at(v_, of, head, key, column);
            value += term, magnitude += std::fabs(term);
        }
        const double scale = p_.scale_p > 0 ? double(p_.scale_p) * double(p_.scale_o) : 1;
        return {value * scale, magnitude * scale};
    }

    /// The relative error of a weight, which is rounded to the dtype of q.
    double roundoff() const { return 2 * q_.numbers().unit_roundoff(); }

private:
    bool keeps(const Sequence& of, std::int64_t row, std::int64_t key) const {
        if (!p_.masked()) return true;
        const std::int64_t at = row + (p_.mask == CK_FMHA_MASK_BOTTOM_RIGHT ? of.keys - of.rows : 0);
        if (p_.window_right >= 0 && key > at + p_.window_right) return false;
        return p_.window_left < 0 || key >= at - p_.window_left || key < p_.sink_tokens;
    }
    double capped(double score) const { return p_.soft_cap > 0 ? double(p_.soft_cap) * std::tanh(score / double(p_.soft_cap)) : score; }
    double added(const Sequence& of, std::int64_t head, std::int64_t row, std::int64_t key) const {
        if (bias_.empty()) return 0;
        if (p_.bias == fmha_words().elementwise) return bias_.at(of.batch, head, of.first_row + row, key);
        const double slope = bias_.at(of.index * p_.strides[CK_FMHA_BIAS].batch + head);
        // Of causal masks the slopes count from the first key.
        if (p_.masked() && p_.window_left < 0 && p_.window_right == 0) return slope * double(key);
        const std::int64_t offset = p_.mask == CK_FMHA_MASK_TOP_LEFT ? 0 : of.keys - of.rows;
        return -slope * std::fabs(double(row + offset - key));
    }
    double at(const Host& cache, const Sequence& of, std::int64_t head, std::int64_t key, std::int64_t column) const {
        const std::int64_t group = head / (p_.heads_q / p_.heads_k);
        if (!indptr_.empty()) return cache.at(pages_.whole(indptr_.whole(of.index) + key), group, 0, column);
        const std::int64_t slot = cache_.empty() ? of.index : cache_.whole(of.index);
        if (table_.empty()) return cache.at(p_.group ? 0 : slot, group, of.first_key + key, column);
        const std::int64_t page = table_.whole(slot * p_.strides[CK_FMHA_BLOCK_TABLE].batch + key / p_.page_rows);
        return cache.at(page, group, key % p_.page_rows, column);
    }

    const FmhaProblem& p_;
    Host q_, k_, v_, bias_, sink_, start_q_, start_k_, length_q_, length_k_, table_, cache_, indptr_, pages_;
};

// Counts one element; true if it is the worst that is wrong.
bool is_worst(double actual, double expected, double allowed, Validation& result) {
    const bool same  = actual == expected || (std::isnan(actual) && std::isnan(expected));
    const double off = same ? 0 : std::fabs(actual - expected), ratio = same ? 0 : off / allowed;
    const double over = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    ++result.checked;
    if (off > result.max_abs) result.max_abs = off;
    if (over <= 1) {
        if (over > result.max_over && result.wrong == 0) result.max_over = over;
        return false;
    }
    const bool first = result.wrong++ == 0;
    if (!first && over <= result.max_over) return false;
    result.max_over = over, result.actual = actual, result.expected = expected;
    return true;
}

void check_known(const FmhaProblem& p) {
    if (p.variant != fmha_words().forward || p.p_drop > 0 || p.seqlen_new)
        throw Error(ErrorCode::unsupported,
                    "A validation of " + p.text() + " was asked for; the CPU computes an attention without dropout and new rows, and no gradients.");
}

}  // namespace

Validation validate(FmhaDispatcher& dispatcher, const FmhaProblem& problem, Tensors tensors, const RunOptions& options) {
    check_known(problem);
    Validation result;
    Device& device  = dispatcher.device();
    const auto plan = dispatcher.run(problem, tensors, options);
    device.synchronize(options.stream);
    result.kernel = plan->name();
    result.device = device.name();
    const Reference reference(device, problem, tensors);
    const Host o(device, problem, CK_FMHA_O, tensors), lse(device, problem, CK_FMHA_LSE, tensors);
    const Numbers& output = o.numbers();
    std::vector<double> weights;
    for (std::int64_t i = 0; i < problem.batch; ++i) {
        const Sequence of = reference.sequence(i);
        for (std::int64_t head = 0; head < problem.heads_q; ++head)
            for (std::int64_t row = 0; row < of.rows; ++row) {
                const double sum = reference.weigh(of, head, row, weights);
                if (!lse.empty()) {
                    // Scores are sums of products in fp32.
                    const double actual = lse.at(of.batch, head, 0, of.first_row + row);
                    if (is_worst(actual, sum, 1e-4 + 1e-5 * std::fabs(sum), result)) result.worst = {i, head, row};
                }
                for (std::int64_t column = 0; column < problem.hdim_v; ++column) {
                    const auto [value, magnitude] = reference.output(of, head, weights, column);
                    const double allowed          = (reference.roundoff() + 1e-5) * magnitude + 2 * output.unit_roundoff() * std::fabs(value) +
                        output.smallest() + 1e-6;
                    if (is_worst(o.at(of.batch, head, of.first_row + row, column), value, allowed, result)) result.worst = {i, head, row, column};
                }
            }
    }
    return result;
}

}  // namespace ckdispatch
