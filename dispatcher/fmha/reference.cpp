// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

std::optional<FmhaDropout> dropout_of(Device& device, const FmhaProblem& p, Tensors tensors) {
    if (p.p_drop == 0) return std::nullopt;
    if (!p.has(CK_FMHA_DROP_SEED)) return FmhaDropout(p.p_drop, p.drop_seed, p.drop_offset, p.heads_q);
    const FmhaHost seed(device, p, CK_FMHA_DROP_SEED, tensors), offset(device, p, CK_FMHA_DROP_OFFSET, tensors);
    return FmhaDropout(p.p_drop, seed.whole<std::uint64_t>(0), offset.whole<std::uint64_t>(0), p.heads_q);
}

}  // namespace

FmhaHost::FmhaHost(Device& device, const FmhaProblem& p, std::size_t slot, Tensors tensors)
    : strides_(p.strides[slot]), numbers_(p.dtype_of(slot), device.facts().fp8_encoding) {
    const std::size_t tensor = FmhaFamily::tensor_of(slot);
    if (!p.has(slot)) return;
    bytes_.resize(FmhaFamily::region(p, tensor).reach);
    if (!bytes_.empty()) device.copy_to_host(bytes_.data(), tensors[tensor], bytes_.size());
}

FmhaReference::FmhaReference(Device& device, const FmhaProblem& p, Tensors tensors)
    : p_(p),
      q_(device, p, CK_FMHA_Q, tensors),
      k_(device, p, CK_FMHA_K, tensors),
      v_(device, p, CK_FMHA_V, tensors),
      bias_(device, p, CK_FMHA_BIAS, tensors),
      sink_(device, p, CK_FMHA_SINK, tensors),
      start_q_(device, p, CK_FMHA_SEQSTART_Q, tensors),
      start_k_(device, p, CK_FMHA_SEQSTART_K, tensors),
      length_q_(device, p, CK_FMHA_SEQLEN_Q, tensors),
      length_k_(device, p, CK_FMHA_SEQLEN_K, tensors),
      table_(device, p, CK_FMHA_BLOCK_TABLE, tensors),
      cache_(device, p, CK_FMHA_CACHE_INDEX, tensors),
      indptr_(device, p, CK_FMHA_KV_INDPTR, tensors),
      pages_(device, p, CK_FMHA_KV_PAGES, tensors),
      dropout_(dropout_of(device, p, tensors)) {}

FmhaSequence FmhaReference::sequence(std::int64_t i) const {
    FmhaSequence one{i, p_.group ? 0 : i, p_.seqlen_q, p_.seqlen_k, 0, 0};
    if (p_.group) one.first_row = start_q_.whole(i), one.rows = start_q_.whole(i + 1) - one.first_row;
    if (!start_k_.empty()) one.first_key = start_k_.whole(i), one.keys = start_k_.whole(i + 1) - one.first_key;
    if (!indptr_.empty()) one.keys = indptr_.whole(i + 1) - indptr_.whole(i);
    if (!length_q_.empty()) one.rows = length_q_.whole(i);
    if (!length_k_.empty()) one.keys = length_k_.whole(i) + p_.seqlen_new;
    return one;
}

void FmhaReference::score(const FmhaSequence& of, std::int64_t head, std::int64_t row,
                          std::vector<double>& scores) const {
    scores.assign(std::size_t(of.keys), kNothing);
    for (std::int64_t key = 0; key < of.keys; ++key) {
        if (!keeps(of, row, key)) continue;
        double sum = 0;
        for (std::int64_t i = 0; i < p_.hdim_q; ++i)
            sum += q_.at(of.batch, head, of.first_row + row, i) * k(of, head, key, i);
        scores[std::size_t(key)] = capped(sum * double(p_.scale)) + added(of, head, row, key);
    }
}

double FmhaReference::weigh(const FmhaSequence& of, std::int64_t head, std::int64_t row,
                            std::vector<double>& weights) const {
    score(of, head, row, weights);
    const double sink = sink_.empty() ? kNothing : sink_.at(head);
    double most = sink;
    for (const double one : weights) most = std::max(most, one);
    if (most == kNothing) return kNothing;
    double sum = sink == kNothing ? 0 : std::exp(sink - most);
    for (double& weight : weights) sum += weight = weight == kNothing ? 0 : std::exp(weight - most);
    for (double& weight : weights) weight /= sum;
    return most + std::log(sum);
}

std::pair<double, double> FmhaReference::output(const FmhaSequence& of, std::int64_t head,
                                                const std::vector<double>& weights, std::int64_t column) const {
    double value = 0, magnitude = 0;
    for (std::int64_t key = 0; key < of.keys; ++key) {
        if (!(weights[std::size_t(key)] > 0)) continue;
        const double term = weights[std::size_t(key)] * v(of, head, key, column);
        value += term, magnitude += std::fabs(term);
    }
    const double scale = p_.scale_p > 0 ? double(p_.scale_p) * double(p_.scale_o) : 1;
    return {value * scale, magnitude * scale};
}

bool FmhaReference::keeps(const FmhaSequence& of, std::int64_t row, std::int64_t key) const {
    if (!p_.masked()) return true;
    const std::int64_t at = row + (p_.mask == CK_FMHA_MASK_BOTTOM_RIGHT ? of.keys - of.rows : 0);
    if (p_.window_right >= 0 && key > at + p_.window_right) return false;
    return p_.window_left < 0 || key >= at - p_.window_left || key < p_.sink_tokens;
}

double FmhaReference::capped(double score) const {
    return p_.soft_cap > 0 ? double(p_.soft_cap) * std::tanh(score / double(p_.soft_cap)) : score;
}

double FmhaReference::added(const FmhaSequence& of, std::int64_t head, std::int64_t row, std::int64_t key) const {
    if (bias_.empty()) return 0;
    if (p_.bias == fmha_words().elementwise) return bias_.at(of.batch, head, of.first_row + row, key);
    const double slope = bias_.at(of.index * p_.strides[CK_FMHA_BIAS].batch + head);
    // Of causal masks the slopes count from the first key.
    if (p_.masked() && p_.window_left < 0 && p_.window_right == 0) return slope * double(key);
    const std::int64_t offset = p_.mask == CK_FMHA_MASK_TOP_LEFT ? 0 : of.keys - of.rows;
    return -slope * std::fabs(double(row + offset - key));
}

double FmhaReference::at(const FmhaHost& cache, const FmhaSequence& of, std::int64_t head, std::int64_t key,
                         std::int64_t column) const {
    const std::int64_t group = head / (p_.heads_q / p_.heads_k);
    if (!indptr_.empty()) return cache.at(pages_.whole(indptr_.whole(of.index) + key), group, 0, column);
    const std::int64_t slot = cache_.empty() ? of.index : cache_.whole(of.index);
    if (table_.empty()) return cache.at(p_.group ? 0 : slot, group, of.first_key + key, column);
    const std::int64_t page = table_.whole(slot * p_.strides[CK_FMHA_BLOCK_TABLE].batch + key / p_.page_rows);
    return cache.at(page, group, key % p_.page_rows, column);
}

}  // namespace ckdispatch
