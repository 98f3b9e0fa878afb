// SPDX-License-Identifier: MIT
// Kernels of attention in fp32 that the CPU computes, in the memory of the simulator, by the definition of each stage.
// MADE_UP_KIND is which of the kernels below it is.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ck_families.h"
#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/made_up/library.hpp"

namespace made_up {
namespace {

// What is not the same in all of them.
struct Kind {
    const char *name, *variant;
    const char* mode = "batch";
    bool mask = true, lse = true, paged = false, merged = false, skip_min = false, soft_cap = false,
         deterministic = false, bias_grad = false;
    const char *bias = "none", *rotary = "none";
    int max_splits = 0;
    const char* pipeline = "qr";
    const char* tile = "64, 64, 32, 64, 32, 64";
    bool pads = true;
    bool wrong = false;  // in one element of its last result
};

constexpr Kind of(const char* name, const char* variant) {
    Kind kind{name, variant};
    return kind;
}
constexpr Kind plain() {
    Kind kind = of("fmha_made_up_plain", "fwd");
    kind.mask = kind.lse = kind.pads = false;
    return kind;
}
constexpr Kind in_group(Kind kind, const char* name) {
    kind.name = name, kind.mode = "group";
    return kind;
}
constexpr Kind skipping(Kind kind, const char* name) {
    kind.name = name, kind.skip_min = true;
    return kind;
}
constexpr Kind with_bias(Kind kind, const char* name, const char* bias) {
    kind.name = name, kind.bias = bias;
    return kind;
}
constexpr Kind capped() {
    Kind kind = of("fmha_made_up_capped", "fwd");
    kind.soft_cap = true;
    return kind;
}
constexpr Kind in_pages(const char* name, const char* variant) {
    Kind kind = of(name, variant);
    kind.paged = true;
    return kind;
}
constexpr Kind merged() {
    Kind kind = of("fmha_made_up_merged", "splitkv");
    kind.mask = false, kind.merged = true;
    return kind;
}
constexpr Kind combining(const char* name, int most) {
    Kind kind = of(name, "combine");
    kind.max_splits = most, kind.pipeline = "none", kind.tile = "32", kind.mask = false;
    return kind;
}
constexpr Kind appending(const char* name, const char* rotary, bool paged) {
    Kind kind = of(name, "appendkv");
    kind.rotary = rotary, kind.paged = paged, kind.pipeline = "none", kind.tile = "64, 64",
    kind.mask = kind.lse = false;
    return kind;
}
constexpr Kind pass(const char* name, const char* variant, const char* tile) {
    Kind kind = of(name, variant);
    kind.pipeline = "none", kind.tile = tile, kind.mask = kind.lse = false;
    return kind;
}
constexpr Kind gradient(const char* name) {
    Kind kind = of(name, "dq_dk_dv");
    kind.lse = false, kind.pipeline = "kr", kind.tile = "32, 64, 64, 32, 64, 32, 32";
    return kind;
}
constexpr Kind in_one_order(Kind kind, const char* name) {
    kind.name = name, kind.deterministic = true;
    return kind;
}
constexpr Kind of_bias(Kind kind) {
    kind.name = "fmha_made_up_gradient_bias", kind.bias = "elementwise", kind.bias_grad = true;
    return kind;
}
constexpr Kind going_wrong(Kind kind, const char* name) {
    kind.name = name, kind.wrong = true;
    return kind;
}
constexpr Kind of_few_rows() {
    Kind kind = gradient("fmha_made_up_gradient_few");
    kind.mask = false, kind.pipeline = "qr_trload", kind.tile = "32, 16, 64, 32, 64, 32, 16";
    return kind;
}

[[maybe_unused]] constexpr Kind fwd = of("fmha_made_up_fwd", "fwd"), fwd_plain = plain(),
                                fwd_group = in_group(fwd, "fmha_made_up_fwd_group"),
                                fwd_skip = skipping(fwd_group, "fmha_made_up_fwd_skip"),
                                fwd_bias = with_bias(fwd, "fmha_made_up_fwd_bias", "elementwise"),
                                fwd_alibi = with_bias(fwd, "fmha_made_up_fwd_alibi", "alibi"), fwd_capped = capped(),
                                splitkv = of("fmha_made_up_splitkv", "splitkv"),
                                splitkv_group = in_group(splitkv, "fmha_made_up_splitkv_group"),
                                splitkv_paged = in_pages("fmha_made_up_splitkv_paged", "splitkv"),
                                splitkv_merged = merged(),
                                splitkv_group_paged = in_group(splitkv_paged, "fmha_made_up_splitkv_group_paged"),
                                combine = combining("fmha_made_up_combine", 8),
                                combine_many = combining("fmha_made_up_combine_many", 128),
                                combine_group = in_group(combine, "fmha_made_up_combine_group"),
                                pagedkv = in_pages("fmha_made_up_pagedkv", "pagedkv"),
                                pagedkv_skip = skipping(in_group(pagedkv, ""), "fmha_made_up_pagedkv_skip"),
                                prefill = in_pages("fmha_made_up_prefill", "batch_prefill"),
                                append = appending("fmha_made_up_append", "none", false),
                                append_half = appending("fmha_made_up_append_half", "half", false),
                                append_paged = appending("fmha_made_up_append_paged", "interleaved", true),
                                sink = pass("fmha_made_up_sink", "sink", "64"),
                                sum = pass("fmha_made_up_sum", "sum", "64"),
                                dot = pass("fmha_made_up_dot", "dot_do_o", "64"),
                                dot_group = in_group(dot, "fmha_made_up_dot_group"),
                                gradients = gradient("fmha_made_up_gradient"),
                                gradients_group = in_group(gradients, "fmha_made_up_gradient_group"),
                                gradients_ordered = in_one_order(gradients, "fmha_made_up_gradient_ordered"),
                                gradients_bias = of_bias(gradients), gradients_few = of_few_rows(),
                                gradients_wrong = going_wrong(gradients, "fmha_made_up_gradient_wrong"),
                                convert = pass("fmha_made_up_convert", "convert_dq", "64, 0"),
                                convert_group = in_group(convert, "fmha_made_up_convert_group"),
                                convert_ordered =
                                    in_one_order(pass("", "convert_dq", "64, 64"), "fmha_made_up_convert_ordered");
constexpr const Kind& kind = MADE_UP_KIND;

made_up_attentions launches{};

const ck_fmha_problem& fmha(const ck_problem* problem) { return *reinterpret_cast<const ck_fmha_problem*>(problem); }

bool is(const char* variant) { return std::strcmp(kind.variant, variant) == 0; }

constexpr float kNothing = -std::numeric_limits<float>::infinity();

// The tensors of a problem, by sequences as a kernel finds them.
struct Problem {
    const ck_fmha_problem& p;

    bool has(int slot) const { return p.tensors[slot] != nullptr; }
    float& at(int slot, std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t column,
              std::int64_t part = 0) const {
        const ck_fmha_strides& s = p.strides[slot];
        return static_cast<float*>(
            p.tensors[slot])[batch * s.batch + head * s.head + row * s.row + part * s.part + column];
    }
    std::int32_t& whole(int slot, std::int64_t index) const {
        return static_cast<std::int32_t*>(p.tensors[slot])[index];
    }

    bool group() const { return has(CK_FMHA_SEQSTART_Q); }
    std::int64_t batch(std::int64_t i) const { return group() ? 0 : i; }
    std::int64_t first_row(std::int64_t i) const { return group() ? whole(CK_FMHA_SEQSTART_Q, i) : 0; }
    std::int64_t rows(std::int64_t i) const {
        if (has(CK_FMHA_SEQLEN_Q) && !is("appendkv")) return whole(CK_FMHA_SEQLEN_Q, i);
        return group() ? whole(CK_FMHA_SEQSTART_Q, i + 1) - whole(CK_FMHA_SEQSTART_Q, i) : p.seqlen_q;
    }
    std::int64_t first_key(std::int64_t i) const { return has(CK_FMHA_SEQSTART_K) ? whole(CK_FMHA_SEQSTART_K, i) : 0; }
    std::int64_t keys(std::int64_t i) const {
        if (has(CK_FMHA_KV_INDPTR)) return whole(CK_FMHA_KV_INDPTR, i + 1) - whole(CK_FMHA_KV_INDPTR, i);
        if (has(CK_FMHA_SEQLEN_K)) return whole(CK_FMHA_SEQLEN_K, i);
        return has(CK_FMHA_SEQSTART_K) ? whole(CK_FMHA_SEQSTART_K, i + 1) - whole(CK_FMHA_SEQSTART_K, i) : p.seqlen_k;
    }
    float& cached(int slot, std::int64_t i, std::int64_t head, std::int64_t key, std::int64_t column) const {
        if (has(CK_FMHA_KV_INDPTR))
            return at(slot, 0, head, whole(CK_FMHA_KV_PAGES, whole(CK_FMHA_KV_INDPTR, i) + key), column);
        if (has(CK_FMHA_BLOCK_TABLE))
            return at(slot, whole(CK_FMHA_BLOCK_TABLE, i * p.strides[CK_FMHA_BLOCK_TABLE].batch + key / p.page_rows),
                      head, key % p.page_rows, column);
        return at(slot, has(CK_FMHA_CACHE_INDEX) ? whole(CK_FMHA_CACHE_INDEX, i) : batch(i), head, first_key(i) + key,
                  column);
    }
    std::int64_t shared(std::int64_t head) const { return head / (p.heads_q / p.heads_k); }

    bool keeps(std::int64_t i, std::int64_t row, std::int64_t key) const {
        if (!p.mask) return true;
        const std::int64_t own = row + (p.mask == CK_FMHA_MASK_BOTTOM_RIGHT ? keys(i) - rows(i) : 0);
        return (p.window_left < 0 || key >= own - p.window_left) && (p.window_right < 0 || key <= own + p.window_right);
    }
    float score(std::int64_t i, std::int64_t head, std::int64_t row, std::int64_t key) const {
        float sum = 0;
        for (std::int64_t c = 0; c < p.hdim_q; ++c)
            sum += at(CK_FMHA_Q, batch(i), head, first_row(i) + row, c) * cached(CK_FMHA_K, i, shared(head), key, c);
        sum *= p.scale;
        if (p.soft_cap > 0) sum = p.soft_cap * std::tanh(sum / p.soft_cap);
        if (std::strcmp(kind.bias, "elementwise") == 0)
            sum += at(CK_FMHA_BIAS, batch(i), head, first_row(i) + row, key);
        if (std::strcmp(kind.bias, "alibi") == 0) {
            const float slope = static_cast<float*>(p.tensors[CK_FMHA_BIAS])[i * p.strides[CK_FMHA_BIAS].batch + head];
            const std::int64_t from = p.mask == CK_FMHA_MASK_TOP_LEFT ? 0 : keys(i) - rows(i);
            sum += p.mask && p.window_left < 0 && p.window_right == 0 ? slope * float(key)
                                                                      : -slope * std::fabs(float(row + from - key));
        }
        return sum;
    }

    // Some keys of a row: o over them, and their lse.
    float attend(std::int64_t i, std::int64_t head, std::int64_t row, std::int64_t first, std::int64_t last,
                 std::vector<float>& o) const {
        std::vector<float> weights;
        float most = kNothing, sum = 0;
        for (std::int64_t key = first; key < last; ++key)
            weights.push_back(keeps(i, row, key) ? score(i, head, row, key) : kNothing),
                most = std::max(most, weights.back());
        o.assign(std::size_t(p.hdim_v), 0);
        if (most == kNothing) return kNothing;
        for (float& weight : weights) sum += weight = std::exp(weight - most);
        for (std::int64_t key = first; key < last; ++key)
            for (std::int64_t c = 0; c < p.hdim_v; ++c)
                o[std::size_t(c)] +=
                    weights[std::size_t(key - first)] / sum * cached(CK_FMHA_V, i, shared(head), key, c);
        return most + std::log(sum);
    }

    // As real ones: there are workgroups for as many rows as the longest sequence should have, each with some of them.
    template <class Visit>
    void each_row(Visit&& visit) const {
        const std::int64_t tile = is("combine") ? 8 : 64, most = (p.seqlen_q + tile - 1) / tile * tile;
        for (std::int64_t i = 0; i < p.batch; ++i) {
            if (kind.skip_min && rows(i) <= p.min_seqlen_q) continue;
            for (std::int64_t head = 0; head < p.heads_q; ++head)
                for (std::int64_t row = 0; row < std::min(rows(i), most); ++row) visit(i, head, row);
        }
    }
};

void attention(const Problem& problem) {
    const ck_fmha_problem& p = problem.p;
    const bool splits = is("splitkv");
    std::vector<float> o;
    problem.each_row([&](std::int64_t i, std::int64_t head, std::int64_t row) {
        const std::int64_t keys = problem.keys(i), share = splits ? (keys + p.parts - 1) / p.parts : keys,
                           at = problem.first_row(i) + row, batch = problem.batch(i);
        for (std::int64_t part = 0; part < (splits ? p.parts : 1); ++part) {
            const float lse =
                problem.attend(i, head, row, std::min(keys, part * share), std::min(keys, (part + 1) * share), o);
            for (std::int64_t c = 0; c < p.hdim_v; ++c)
                problem.at(splits ? CK_FMHA_O_ACC : CK_FMHA_O, batch, head, at, c, part) = o[std::size_t(c)];
            if (splits) problem.at(CK_FMHA_LSE_ACC, batch, head, at, 0, part) = lse;
            if (!splits && kind.lse) problem.at(CK_FMHA_LSE, batch, head, at, 0) = lse;
        }
    });
}

void combination(const Problem& problem) {
    problem.each_row([&](std::int64_t i, std::int64_t head, std::int64_t row) {
        const std::int64_t at = problem.first_row(i) + row, batch = problem.batch(i);
        float most = kNothing, sum = 0;
        for (std::int64_t part = 0; part < problem.p.parts; ++part)
            most = std::max(most, problem.at(CK_FMHA_LSE_ACC, batch, head, at, 0, part));
        const auto weight = [&](std::int64_t part) {
            return most == kNothing ? 0 : std::exp(problem.at(CK_FMHA_LSE_ACC, batch, head, at, 0, part) - most);
        };
        for (std::int64_t part = 0; part < problem.p.parts; ++part) sum += weight(part);
        for (std::int64_t c = 0; c < problem.p.hdim_v; ++c) {
            float o = 0;
            for (std::int64_t part = 0; part < problem.p.parts; ++part)
                if (weight(part) > 0) o += weight(part) / sum * problem.at(CK_FMHA_O_ACC, batch, head, at, c, part);
            problem.at(CK_FMHA_O, batch, head, at, c) = o;
        }
        problem.at(CK_FMHA_LSE, batch, head, at, 0) = most == kNothing ? kNothing : most + std::log(sum);
    });
}

void addition_of_rows(const Problem& problem) {
    const ck_fmha_problem& p = problem.p;
    const auto rotated = [&](std::int64_t position, std::int64_t c, auto&& x) {
        if (c >= p.rotary_dim) return x(c);
        const bool half = kind.rotary[0] == 'h';
        const std::int64_t pair = half ? c % (p.rotary_dim / 2) : c / 2, first = half ? pair : 2 * pair,
                           second = half ? pair + p.rotary_dim / 2 : 2 * pair + 1;
        const float cos = static_cast<float*>(p.tensors[CK_FMHA_ROTARY_COS])[position * (p.rotary_dim / 2) + pair],
                    sin = static_cast<float*>(p.tensors[CK_FMHA_ROTARY_SIN])[position * (p.rotary_dim / 2) + pair];
        return c == first ? x(first) * cos - x(second) * sin : x(second) * cos + x(first) * sin;
    };
    for (std::int64_t i = 0; i < p.batch; ++i) {
        const std::int64_t before = problem.whole(CK_FMHA_SEQLEN_K, i);
        for (std::int64_t head = 0; head < p.heads_k; ++head)
            for (std::int64_t row = 0; row < p.seqlen_new; ++row) {
                for (std::int64_t c = 0; c < p.hdim_q; ++c)
                    problem.cached(CK_FMHA_K, i, head, before + row, c) = rotated(
                        before + row, c, [&](std::int64_t at) { return problem.at(CK_FMHA_K_NEW, i, head, row, at); });
                for (std::int64_t c = 0; c < p.hdim_v; ++c)
                    problem.cached(CK_FMHA_V, i, head, before + row, c) = problem.at(CK_FMHA_V_NEW, i, head, row, c);
            }
        for (std::int64_t head = 0; head < p.heads_q && p.rotary_dim; ++head)
            for (std::int64_t row = 0; row < p.seqlen_q; ++row) {
                std::vector<float> own;
                for (std::int64_t c = 0; c < p.hdim_q; ++c) own.push_back(problem.at(CK_FMHA_Q, i, head, row, c));
                for (std::int64_t c = 0; c < p.hdim_q; ++c)
                    problem.at(CK_FMHA_Q, i, head, row, c) =
                        rotated(before + (p.mask ? row : 0), c, [&](std::int64_t at) { return own[std::size_t(at)]; });
            }
        problem.whole(CK_FMHA_SEQLEN_Q, i) = std::int32_t(before + p.seqlen_new);
    }
}

void sinks(const Problem& problem) {
    problem.each_row([&](std::int64_t i, std::int64_t head, std::int64_t row) {
        const std::int64_t at = problem.first_row(i) + row, batch = problem.batch(i);
        float& lse = problem.at(CK_FMHA_LSE, batch, head, at, 0);
        const float own = static_cast<float*>(problem.p.tensors[CK_FMHA_SINK])[head], most = std::max(lse, own);
        const float with = most + std::log(std::exp(lse - most) + std::exp(own - most));
        for (std::int64_t c = 0; c < problem.p.hdim_v; ++c)
            problem.at(CK_FMHA_O, batch, head, at, c) *= std::exp(lse - with);
        lse = with;
    });
}

void sums(const Problem& problem) {
    const ck_fmha_problem& p = problem.p;
    for (std::int64_t i = 0; i < p.batch; ++i)
        for (std::int64_t head = 0; head < p.heads_k; ++head)
            for (std::int64_t row = 0; row < p.seqlen_q; ++row)
                for (std::int64_t c = 0; c < p.hdim_q; ++c) {
                    float all = 0;
                    for (std::int64_t other = 0; other < p.heads_q / p.heads_k; ++other)
                        all += problem.at(CK_FMHA_Q, i, head * (p.heads_q / p.heads_k) + other, row, c);
                    problem.at(CK_FMHA_O, i, head, row, c) = all;
                }
}

void dots(const Problem& problem) {
    problem.each_row([&](std::int64_t i, std::int64_t head, std::int64_t row) {
        float all = 0;
        for (std::int64_t c = 0; c < problem.p.hdim_v; ++c)
            all += problem.at(CK_FMHA_O, problem.batch(i), head, problem.first_row(i) + row, c) *
                   problem.at(CK_FMHA_D_O, problem.batch(i), head, problem.first_row(i) + row, c);
        problem.at(CK_FMHA_D, problem.batch(i), head, problem.first_row(i) + row, 0) = all;
    });
}

// What is added to dq is added to what is there; parts, dk and dv are written, of sequences that have rows.
void all_gradients(const Problem& problem) {
    const ck_fmha_problem& p = problem.p;
    constexpr std::int64_t kPartKeys = 64;
    for (std::int64_t i = 0; i < p.batch; ++i) {
        if (problem.rows(i) == 0) continue;
        const std::int64_t keys = problem.keys(i), batch = problem.batch(i);
        for (std::int64_t head = 0; head < p.heads_q; ++head) {
            std::vector<float> dk(std::size_t(keys * p.hdim_q)), dv(std::size_t(keys * p.hdim_v));
            for (std::int64_t row = 0; row < problem.rows(i); ++row) {
                const std::int64_t at = problem.first_row(i) + row;
                std::vector<float> dq(std::size_t(p.hdim_q) * std::size_t(p.parts));
                std::vector<bool> touched(std::size_t(p.parts), false);
                for (std::int64_t key = 0; key < keys; ++key) {
                    if (!problem.keeps(i, row, key)) continue;
                    const std::int64_t part = kind.deterministic ? key / kPartKeys : 0;
                    const float weight =
                        std::exp(problem.score(i, head, row, key) - problem.at(CK_FMHA_LSE, batch, head, at, 0));
                    float dp = 0;
                    for (std::int64_t c = 0; c < p.hdim_v; ++c) {
                        const float own = problem.at(CK_FMHA_D_O, batch, head, at, c);
                        dp += own * problem.cached(CK_FMHA_V, i, problem.shared(head), key, c);
                        dv[std::size_t(key * p.hdim_v + c)] += weight * own;
                    }
                    const float ds = weight * (dp - problem.at(CK_FMHA_D, batch, head, at, 0));
                    if (kind.bias_grad) problem.at(CK_FMHA_DBIAS, batch, head, at, key) = ds;
                    touched[std::size_t(part)] = true;
                    for (std::int64_t c = 0; c < p.hdim_q; ++c) {
                        dq[std::size_t(part * p.hdim_q + c)] +=
                            p.scale * ds * problem.cached(CK_FMHA_K, i, problem.shared(head), key, c);
                        dk[std::size_t(key * p.hdim_q + c)] += p.scale * ds * problem.at(CK_FMHA_Q, batch, head, at, c);
                    }
                }
                for (std::int64_t part = 0; part < p.parts; ++part)
                    for (std::int64_t c = 0; c < p.hdim_q && touched[std::size_t(part)]; ++c) {
                        const float value = dq[std::size_t(part * p.hdim_q + c)];
                        if (problem.has(CK_FMHA_DQ)) problem.at(CK_FMHA_DQ, batch, head, at, c) = value;
                        else if (kind.deterministic) problem.at(CK_FMHA_DQ_ACC, batch, head, at, c, part) = value;
                        else problem.at(CK_FMHA_DQ_ACC, batch, head, at, c) += value;
                    }
            }
            for (std::int64_t key = 0; key < keys; ++key) {
                for (std::int64_t c = 0; c < p.hdim_q; ++c)
                    problem.at(CK_FMHA_DK, batch, head, problem.first_key(i) + key, c) =
                        dk[std::size_t(key * p.hdim_q + c)];
                for (std::int64_t c = 0; c < p.hdim_v; ++c)
                    problem.at(CK_FMHA_DV, batch, head, problem.first_key(i) + key, c) =
                        dv[std::size_t(key * p.hdim_v + c)];
            }
        }
    }
    if (kind.wrong) problem.at(CK_FMHA_DV, 1, 1, 2, 3) += 1;
}

void conversion(const Problem& problem) {
    problem.each_row([&](std::int64_t i, std::int64_t head, std::int64_t row) {
        const std::int64_t at = problem.first_row(i) + row, batch = problem.batch(i);
        for (std::int64_t c = 0; c < problem.p.hdim_q; ++c) {
            float all = 0;
            for (std::int64_t part = 0; part < problem.p.parts; ++part)
                all += problem.at(CK_FMHA_DQ_ACC, batch, head, at, c, part);
            problem.at(CK_FMHA_DQ, batch, head, at, c) = all;
        }
    });
}

}  // namespace

const char* describe() {
    static char text[2048];
    const auto word = [](bool value) { return value ? "true" : "false"; };
    std::snprintf(
        text, sizeof(text), R"({"abi_version": 2, "resources": null, "targets": "gfx942:64,gfx1100:32", "spec": {
        "family": "fmha", "name": "%s", "variant": "%s", "dtype": "fp32", "mode": "%s", "hdim_q": 64, "hdim_v": 64, "mask": %s, "lse": %s, "dropout": false,
        "soft_cap": %s, "scales": false, "paged": %s, "merged": %s, "skip_min": %s, "bias_grad": %s, "deterministic": %s, "bias": "%s", "rotary": "%s",
        "max_splits": %d, "pipeline": "%s", "tile": [%s], "waves": [4, 1, 1], "warp_tile": [32, 32, 16], "pads": [%s], "occupancy": 1}})",
        kind.name, kind.variant, kind.mode, word(kind.mask), word(kind.lse), word(kind.soft_cap), word(kind.paged),
        word(kind.merged), word(kind.skip_min), word(kind.bias_grad), word(kind.deterministic), kind.bias, kind.rotary,
        kind.max_splits, kind.pipeline, kind.tile, kind.pads ? "1, 1, 1, 1" : "0, 0, 0, 0");
    return text;
}

ck_kernel_status supports(const ck_problem* problem, const char*, char* why, std::size_t size) {
    const ck_fmha_problem& p = fmha(problem);
    if (p.base.struct_size != sizeof(p) || p.base.family != CK_FAMILY_FMHA)
        return say(CK_KERNEL_INVALID, why, size, "fmha_made_up was given no attention.");
    if (p.heads_k < 1 || p.heads_q % p.heads_k || p.parts < 1)
        return say(CK_KERNEL_INVALID, why, size, "fmha_made_up was given heads or parts that are none.");
    if (kind.lse && !p.tensors[is("splitkv") ? CK_FMHA_LSE_ACC : CK_FMHA_LSE])
        return say(CK_KERNEL_INVALID, why, size, "fmha_made_up was given no place for lse.");
    // As real ones do.
    if (!kind.lse && !is("dq_dk_dv") && !is("sink") && p.tensors[CK_FMHA_LSE])
        return say(CK_KERNEL_UNSUPPORTED, why, size,
                   (std::string(kind.name) + " was asked for lse and stores none.").c_str());
    if (p.min_seqlen_q > 0 && !kind.skip_min)
        return say(
            CK_KERNEL_UNSUPPORTED, why, size,
            (std::string(kind.name) + " was asked for sequences of few rows to be skipped and skips none.").c_str());
    if (p.hdim_q % 8)
        return say(CK_KERNEL_UNSUPPORTED, why, size,
                   (std::string(kind.name) + " wants heads of a multiple of 8.").c_str());
    return CK_KERNEL_OK;
}

ck_kernel_status workspace_size(const ck_problem*, const char*, std::uint64_t* bytes, char*, std::size_t) {
    *bytes = 0;
    return CK_KERNEL_OK;
}

ck_kernel_status launch(const ck_problem* problem, const ck_launch_options* options, char* why, std::size_t size) {
    if (const ck_kernel_status status = supports(problem, options->gpu, why, size); status != CK_KERNEL_OK)
        return status;
    ++launches.count;
    launches.problem = fmha(problem);
    const Problem all{fmha(problem)};
    if (is("combine")) combination(all);
    else if (is("appendkv")) addition_of_rows(all);
    else if (is("sink")) sinks(all);
    else if (is("sum")) sums(all);
    else if (is("dot_do_o")) dots(all);
    else if (is("dq_dk_dv")) all_gradients(all);
    else if (is("convert_dq")) conversion(all);
    else attention(all);
    return CK_KERNEL_OK;
}

ck_kernel_status phases(const ck_problem*, const char*, std::uint32_t* bits, char*, std::size_t) {
    *bits = CK_PHASE_COMPUTE;
    return CK_KERNEL_OK;
}

}  // namespace made_up

extern "C" made_up_attentions made_up_take_attentions(void) {
    const made_up_attentions taken = made_up::launches;
    made_up::launches = {};
    return taken;
}
