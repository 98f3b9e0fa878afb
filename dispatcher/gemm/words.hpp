// SPDX-License-Identifier: MIT
// The words of the generator that this runtime must understand; all others it only compares. For the sources of this
// folder.
#pragma once

#include "ckdispatch/core/name.hpp"

namespace ckdispatch {

struct GemmWords {
    // Of a key's variant.
    Name standard{"standard"}, batched{"batched"}, grouped{"grouped"}, multi_d{"multi_d"}, preshuffle{"preshuffle"},
        stream_k{"stream_k"};
    Name pass_through{"PassThrough"};
    // Of a key's epilogue.
    Name cshuffle{"cshuffle"};

    bool is_variant(Name word) const {
        return word == standard || word == batched || word == grouped || word == multi_d || word == preshuffle ||
               word == stream_k;
    }
};

/// Looked up once: a word is found again by its address.
const GemmWords& gemm_words();

}  // namespace ckdispatch
