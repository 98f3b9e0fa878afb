// SPDX-License-Identifier: MIT
//
// Both passes: what is known of an attention kernel when it is compiled.
#pragma once

#include <cstdint>

namespace ck_kernel::fmha {

enum class Variant {
    fwd,
    splitkv,
    combine,
    pagedkv,
    appendkv,
    batch_prefill,
    dot_do_o,
    dq_dk_dv,
    convert_dq,
    sum,
    sink
};
enum class Pipeline { none, qr, qr_async, trload, v3, kr, kr_trload, qr_trload };
enum class Bias { none, elementwise, alibi };
enum class Rotary { none, interleaved, half };

// Whether a dimension may be no multiple of the tile; of head sizes in dq_dk_dv, 1 or the elements of a vector.
struct Pads {
    int q, k, hdim_q, hdim_v;
};

struct Config {
    Variant variant;
    Pipeline pipeline;
    bool group;          // sequences are packed one behind the other
    int hdim_q, hdim_v;  // the most that fit
    int bytes;           // of an element of q, k and v
    int o_bytes, bias_bytes;
    bool mask, lse, dropout, soft_cap, scales, paged, merged, skip_min, bias_grad, deterministic;
    Bias bias;
    Rotary rotary;
    int max_splits;
    int tile[9];  // as the spec has it, and zeros
    int waves;    // of a workgroup
    int lanes;    // of each of them; 0 if as many as the GPU has
    Pads pads;

    // Elements that CK moves at a time, as many as have 16 bytes; all pipelines but the asynchronous ones pad head
    // sizes element by element.
    constexpr bool in_vectors() const {
        return pipeline == Pipeline::qr_async || pipeline == Pipeline::trload || pipeline == Pipeline::v3;
    }
    constexpr int vector_q() const { return pads.hdim_q == 1 && !in_vectors() ? 1 : 16 / bytes; }
    constexpr int vector_v() const { return pads.hdim_v == 1 && !in_vectors() ? 1 : 16 / bytes; }
    constexpr int vector_o() const { return pads.hdim_v == 1 && !in_vectors() ? 1 : 16 / o_bytes; }
    constexpr int vector_bias() const { return pads.k ? 1 : 16 / bias_bytes; }
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// CK computes exponentials as powers of two.
constexpr double kLog2E = 1.44269504088896340736;

}  // namespace ck_kernel::fmha
