// SPDX-License-Identifier: MIT
//
// Host pass only: who speaks in the sentences of supports(), and the names in them.
#pragma once

#include "ck_fmha_problem.h"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

// A kernel by what is known of it.
struct Subject {
    Config config;
    const char* name;
};

inline const char* name_of(int tensor) {
    static constexpr const char* kNames[] = {
        "q",        "k",           "v",           "o",          "bias",       "lse",        "randval",    "o_acc",
        "lse_acc",  "k_new",       "v_new",       "rotary_cos", "rotary_sin", "sink",       "d_o",        "d",
        "dq_acc",   "dq",          "dk",          "dv",         "dbias",      "seqstart_q", "seqstart_k", "seqlen_q",
        "seqlen_k", "block_table", "cache_index", "kv_indptr",  "kv_pages",   "drop_seed",  "drop_offset"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == CK_FMHA_TENSORS, "a name for each tensor");
    return kNames[tensor];
}

}  // namespace ck_kernel::fmha
