// SPDX-License-Identifier: MIT
// The words of the generator that this runtime must understand; all others it only compares. For the sources of this
// folder.
#pragma once

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

struct FmhaWords {
    // What a caller asks for, which no kernel computes by itself.
    Name forward{"forward"}, backward{"backward"};
    // Of a key's variant.
    Name fwd{"fwd"}, splitkv{"splitkv"}, combine{"combine"}, pagedkv{"pagedkv"}, appendkv{"appendkv"},
        batch_prefill{"batch_prefill"};
    Name dot_do_o{"dot_do_o"}, dq_dk_dv{"dq_dk_dv"}, convert_dq{"convert_dq"}, sum{"sum"}, sink{"sink"};
    // Of its mode.
    Name batch{"batch"}, group{"group"};
    // Of its dtype.
    Name fp16{"fp16"}, bf16{"bf16"}, fp32{"fp32"}, fp8{"fp8"}, fp8bf16{"fp8bf16"}, fp8fp32{"fp8fp32"};
    Name int8{"int8"}, int32{"int32"};
    // Of its bias, and of its rotation.
    Name none{"none"}, elementwise{"elementwise"}, alibi{"alibi"}, interleaved{"interleaved"}, half{"half"};
    // Of its pipeline.
    Name qr{"qr"}, qr_async{"qr_async"}, trload{"trload"}, v3{"v3"}, qr_trload{"qr_trload"}, kr_trload{"kr_trload"};
};

/// Looked up once: a word is found again by its address.
inline const FmhaWords& fmha_words() {
    static const FmhaWords words;
    return words;
}

}  // namespace ckdispatch
