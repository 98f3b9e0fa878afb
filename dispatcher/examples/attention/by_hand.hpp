// SPDX-License-Identifier: MIT
// Attention and its gradients in plain loops, for what the dispatcher has no reference of. Tensors are packed, [batch,
// row, head, element].
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "ckdispatch/fmha/problem.hpp"

struct ByHand {
    std::vector<double> o, dq, dk, dv;
};

struct ByHandInputs {
    std::vector<double> q, k, v;
    std::vector<double> kept{};   ///< what dropout multiplies each probability with, [batch, head, row, key]; or empty
    std::vector<double> d_o{};    ///< or empty, without gradients
    std::vector<float> slopes{};  ///< of each head, causal; or empty
};

inline double dot(const double* a, const double* b, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

inline void add(double* to, double factor, const double* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// One row of one head: `row` is its place in q, `keys` how many it sees, `first_key` where the first is in k, and
/// `kept` is of its probabilities.
inline void row_by_hand(const ckdispatch::FmhaProblem& p, const ByHandInputs& in, std::int64_t row, std::int64_t keys,
                        std::int64_t first_key, const double* kept, double slope, ByHand& out) {
    const auto key = [&](std::int64_t j) { return first_key + j * p.heads_k; };
    const double* const q = in.q.data() + row * p.hdim_q;
    std::vector<double> probability;
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
        probability.push_back(
            std::exp(p.scale * dot(q, in.k.data() + key(j) * p.hdim_q, p.hdim_q) - slope * double(keys - 1 - j)));
        sum += probability.back();
    }
    double* const o = out.o.data() + row * p.hdim_v;
    for (std::int64_t j = 0; j < keys; ++j)
        add(o, (probability[j] /= sum) * (kept ? kept[j] : 1), in.v.data() + key(j) * p.hdim_v, p.hdim_v);
    if (in.d_o.empty()) return;

    const double* const d_o = in.d_o.data() + row * p.hdim_v;
    const double mean = dot(d_o, o, p.hdim_v);
    for (std::int64_t j = 0; j < keys; ++j) {
        const double weight = kept ? kept[j] : 1;
        const double d_score =
            p.scale * probability[j] * (weight * dot(d_o, in.v.data() + key(j) * p.hdim_v, p.hdim_v) - mean);
        add(out.dv.data() + key(j) * p.hdim_v, probability[j] * weight, d_o, p.hdim_v);
        add(out.dq.data() + row * p.hdim_q, d_score, in.k.data() + key(j) * p.hdim_q, p.hdim_q);
        add(out.dk.data() + key(j) * p.hdim_q, d_score, q, p.hdim_q);
    }
}

/// Without a mask, or causal from the bottom right.
inline ByHand by_hand(const ckdispatch::FmhaProblem& p, const ByHandInputs& in) {
    ByHand out;
    out.o.resize(p.batch * p.seqlen_q * p.heads_q * p.hdim_v);
    out.dq.resize(in.q.size()), out.dk.resize(in.k.size()), out.dv.resize(in.v.size());
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t i = 0; i < p.seqlen_q; ++i)
            for (std::int64_t h = 0; h < p.heads_q; ++h) {
                const std::int64_t keys = p.masked() ? i + 1 + p.seqlen_k - p.seqlen_q : p.seqlen_k;
                const double* kept =
                    in.kept.empty() ? nullptr : in.kept.data() + ((b * p.heads_q + h) * p.seqlen_q + i) * p.seqlen_k;
                row_by_hand(p, in, (b * p.seqlen_q + i) * p.heads_q + h, keys,
                            b * p.seqlen_k * p.heads_k + h * p.heads_k / p.heads_q, kept,
                            in.slopes.empty() ? 0 : in.slopes[h], out);
            }
    return out;
}
