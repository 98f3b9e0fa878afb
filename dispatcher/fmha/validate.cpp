// SPDX-License-Identifier: MIT
// Results of any plan against the CPU's own attention.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ckdispatch/core/numbers.hpp"
#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/reference.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// As a caller counts them.
std::int64_t tensor(std::size_t slot) { return std::int64_t(FmhaFamily::tensor_of(slot)); }

// Counts one element; true if it is the worst that is wrong.
bool is_worst(double actual, double expected, double allowed, Validation& result) {
    const bool same = actual == expected || (std::isnan(actual) && std::isnan(expected));
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

// Of a sum whose terms were rounded to a dtype, as it is itself.
double allowed_of(double value, double magnitude, double roundoff, const Numbers& output) {
    return (roundoff + 1e-5) * magnitude + 2 * output.unit_roundoff() * std::fabs(value) + output.smallest() + 1e-6;
}

// Random bytes of a row's scores, of which only those need be there that its mask keeps.
void check_bytes(const FmhaReference& reference, const FmhaHost& randval, const FmhaSequence& of, std::int64_t head,
                 std::int64_t row, Validation& result) {
    for (std::int64_t key = 0; key < of.keys; ++key) {
        if (!reference.keeps(of, row, key)) continue;
        const double actual = double(std::uint8_t(int(randval.at(of.batch, head, of.first_row + row, key))));
        if (is_worst(actual, reference.dropout()->byte(of.index, head, row, key), 0.5, result))
            result.worst = {tensor(CK_FMHA_RANDVAL), of.index, head, row, key};
    }
}

void check_outputs(Device& device, const FmhaProblem& p, Tensors tensors, Validation& result) {
    const FmhaReference reference(device, p, tensors);
    const FmhaHost o(device, p, CK_FMHA_O, tensors), lse(device, p, CK_FMHA_LSE, tensors),
        randval(device, p, CK_FMHA_RANDVAL, tensors);
    std::vector<double> weights;
    for (std::int64_t i = 0; i < p.batch; ++i) {
        const FmhaSequence of = reference.sequence(i);
        for (std::int64_t head = 0; head < p.heads_q; ++head)
            for (std::int64_t row = 0; row < of.rows; ++row) {
                const double sum = reference.weigh(of, head, row, weights);
                if (!lse.empty()) {
                    // Scores are sums of products in fp32.
                    const double actual = lse.at(of.batch, head, 0, of.first_row + row);
                    if (is_worst(actual, sum, 1e-4 + 1e-5 * std::fabs(sum), result)) result.worst = {i, head, row};
                }
                for (std::int64_t key = 0; key < of.keys; ++key)
                    weights[std::size_t(key)] *= reference.kept(of, head, row, key);
                for (std::int64_t column = 0; column < p.hdim_v; ++column) {
                    const auto [value, magnitude] = reference.output(of, head, weights, column);
                    const double allowed = allowed_of(value, magnitude, reference.roundoff(), o.numbers());
                    if (is_worst(o.at(of.batch, head, of.first_row + row, column), value, allowed, result))
                        result.worst = {i, head, row, column};
                }
                if (!randval.empty()) check_bytes(reference, randval, of, head, row, result);
            }
    }
}

// New rows where the cache has them now, and rows of q, each turned by the angles of its position.
class Appended {
public:
    /// Before the run, which turns q where it is.
    Appended(Device& device, const FmhaProblem& p, Tensors tensors)
        : p_(p),
          q_(device, p, CK_FMHA_Q, tensors),
          k_(device, p, CK_FMHA_K_NEW, tensors),
          v_(device, p, CK_FMHA_V_NEW, tensors),
          cos_(device, p, CK_FMHA_ROTARY_COS, tensors),
          sin_(device, p, CK_FMHA_ROTARY_SIN, tensors) {}

    void check(const FmhaReference& after, Validation& result) const {
        const std::int64_t group = p_.heads_q / p_.heads_k;
        for (std::int64_t i = 0; i < p_.batch; ++i) {
            const FmhaSequence of = after.sequence(i);
            const std::int64_t before = of.keys - p_.seqlen_new;
            for (std::int64_t head = 0; head < p_.heads_k; ++head)
                for (std::int64_t row = 0; row < p_.seqlen_new; ++row) {
                    for (std::int64_t c = 0; c < p_.hdim_q; ++c)
                        compare(CK_FMHA_K, k_, i, head, row, c, before + row,
                                after.k(of, head * group, before + row, c), result);
                    for (std::int64_t c = 0; c < p_.hdim_v; ++c)
                        if (is_worst(after.v(of, head * group, before + row, c), v_.at(i, head, row, c), 0, result))
                            result.worst = {tensor(CK_FMHA_V), i, head, row, c};
                }
            for (std::int64_t head = 0; head < p_.heads_q && !cos_.empty(); ++head)
                for (std::int64_t row = 0; row < of.rows; ++row)
                    for (std::int64_t c = 0; c < p_.hdim_q; ++c)
                        compare(CK_FMHA_Q, q_, i, head, row, c, before + (p_.masked() ? row : 0),
                                after.q().at(i, head, row, c), result);
        }
    }

private:
    void compare(std::size_t slot, const FmhaHost& rows, std::int64_t i, std::int64_t head, std::int64_t row,
                 std::int64_t c, std::int64_t position, double actual, Validation& result) const {
        double value = rows.at(i, head, row, c), magnitude = std::fabs(value);
        if (!cos_.empty() && c < p_.rotary_dim) {
            const std::int64_t half = p_.rotary_dim / 2;
            const bool halves = p_.rotary == fmha_words().half;
            const std::int64_t pair = halves ? c % half : c / 2, first = halves ? pair : 2 * pair,
                               second = halves ? pair + half : 2 * pair + 1;
            const double cos = cos_.at(position * half + pair), sin = sin_.at(position * half + pair);
            const double other = rows.at(i, head, row, c == first ? second : first) * (c == first ? -sin : sin);
            magnitude = std::fabs(value * cos) + std::fabs(other);
            value = value * cos + other;
        }
        if (is_worst(actual, value, allowed_of(value, magnitude, 0, rows.numbers()), result))
            result.worst = {tensor(slot), i, head, row, c};
    }

    const FmhaProblem& p_;
    FmhaHost q_, k_, v_, cos_, sin_;
};

// Gradients of one sequence and a head of k, summed over the heads of q that share it.
class Gradients {
public:
    Gradients(Device& device, const FmhaProblem& p, Tensors tensors)
        : p_(p),
          reference_(device, p, tensors),
          o_(device, p, CK_FMHA_O, tensors),
          lse_(device, p, CK_FMHA_LSE, tensors),
          d_o_(device, p, CK_FMHA_D_O, tensors),
          dq_(device, p, CK_FMHA_DQ, tensors),
          dk_(device, p, CK_FMHA_DK, tensors),
          dv_(device, p, CK_FMHA_DV, tensors),
          dbias_(device, p, CK_FMHA_DBIAS, tensors) {}

    void check(Validation& result) {
        const std::int64_t group = p_.heads_q / p_.heads_k;
        for (std::int64_t i = 0; i < p_.batch; ++i) {
            const FmhaSequence of = reference_.sequence(i);
            for (std::int64_t head_k = 0; head_k < p_.heads_k; ++head_k) {
                sums_k_.assign(std::size_t(of.keys * p_.hdim_q), {}),
                    sums_v_.assign(std::size_t(of.keys * p_.hdim_v), {});
                for (std::int64_t head = head_k * group; head < (head_k + 1) * group; ++head)
                    for (std::int64_t row = 0; row < of.rows; ++row) add_row(of, head, row, result);
                for (std::int64_t key = 0; key < of.keys; ++key) {
                    for (std::int64_t c = 0; c < p_.hdim_q; ++c)
                        compare(CK_FMHA_DK, dk_, of, head_k, key, c, sums_k_[std::size_t(key * p_.hdim_q + c)], result);
                    for (std::int64_t c = 0; c < p_.hdim_v; ++c)
                        compare(CK_FMHA_DV, dv_, of, head_k, key, c, sums_v_[std::size_t(key * p_.hdim_v + c)], result);
                }
            }
        }
    }

private:
    struct Sum {
        double value = 0, magnitude = 0;
        /// `size` is what the factor is a difference of.
        void add(double factor, double size, double other) {
            value += factor * other, magnitude += size * std::fabs(other);
        }
    };

    void add_row(const FmhaSequence& of, std::int64_t head, std::int64_t row, Validation& result) {
        const std::int64_t at = of.first_row + row;
        const double lse = lse_.at(of.batch, head, 0, at), scale = double(p_.scale);
        reference_.score(of, head, row, scores_);
        double dot = 0, dot_size = 0;
        for (std::int64_t c = 0; c < p_.hdim_v; ++c) {
            const double term = o_.at(of.batch, head, at, c) * d_o_.at(of.batch, head, at, c);
            dot += term, dot_size += std::fabs(term);
        }
        std::vector<Sum> dq(std::size_t(p_.hdim_q));
        for (std::int64_t key = 0; key < of.keys; ++key) {
            const double score = scores_[std::size_t(key)];
            const double weight = score == kNothing || lse == kNothing ? 0 : std::exp(score - lse),
                         kept = reference_.kept(of, head, row, key);
            double dp = 0, dp_size = 0;
            for (std::int64_t c = 0; c < p_.hdim_v && weight > 0; ++c) {
                const double d_o = d_o_.at(of.batch, head, at, c), term = d_o * reference_.v(of, head, key, c);
                dp += term, dp_size += std::fabs(term);
                sums_v_[std::size_t(key * p_.hdim_v + c)].add(weight * kept, weight * kept, d_o);
            }
            const double ds = weight * (dp * kept - dot), size = weight * (dp_size * kept + dot_size);
            for (std::int64_t c = 0; c < p_.hdim_q && weight > 0; ++c) {
                dq[std::size_t(c)].add(scale * ds, std::fabs(scale) * size, reference_.k(of, head, key, c));
                sums_k_[std::size_t(key * p_.hdim_q + c)].add(scale * ds, std::fabs(scale) * size,
                                                              reference_.q().at(of.batch, head, at, c));
            }
            if (!dbias_.empty())
                compare(CK_FMHA_DBIAS, dbias_, {of.index, of.batch, 0, 0, 0, 0}, head, at, key, {ds, size}, result);
        }
        for (std::int64_t c = 0; c < p_.hdim_q; ++c)
            compare(CK_FMHA_DQ, dq_, {of.index, of.batch, 0, 0, 0, 0}, head, at, c, dq[std::size_t(c)], result);
    }

    // A weight comes from a score and lse, each of fp32 and in an exponential.
    void compare(std::size_t slot, const FmhaHost& found, const FmhaSequence& of, std::int64_t head, std::int64_t row,
                 std::int64_t c, const Sum& sum, Validation& result) const {
        const double allowed = allowed_of(sum.value, sum.magnitude, reference_.roundoff() + 1e-4, found.numbers());
        if (is_worst(found.at(of.batch, head, of.first_key + row, c), sum.value, allowed, result))
            result.worst = {tensor(slot), of.index, head, row, c};
    }

    const FmhaProblem& p_;
    FmhaReference reference_;
    FmhaHost o_, lse_, d_o_, dq_, dk_, dv_, dbias_;
    std::vector<double> scores_;
    std::vector<Sum> sums_k_, sums_v_;
};

}  // namespace

Validation validate(FmhaDispatcher& dispatcher, const FmhaPlan& plan, Tensors tensors, const RunOptions& options) {
    Validation result;
    const FmhaProblem& problem = plan.problem;
    Device& device = dispatcher.device();
    std::optional<Appended> appended;
    if (problem.seqlen_new) appended.emplace(device, problem, tensors);
    dispatcher.run_plan(plan, tensors, options);
    device.synchronize(options.stream);
    result.kernel = plan.name();
    result.device = device.name();
    if (problem.variant == fmha_words().backward) {
        Gradients(device, problem, tensors).check(result);
        return result;
    }
    if (appended) appended->check(FmhaReference(device, problem, tensors), result);
    check_outputs(device, problem, tensors, result);
    return result;
}

}  // namespace ckdispatch
