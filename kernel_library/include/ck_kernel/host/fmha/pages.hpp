// SPDX-License-Identifier: MIT
//
// Host pass only: keys in pages that a table lists.
#pragma once

#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/checks.hpp"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/reason.hpp"

namespace ck_kernel::fmha {

// A tile of keys lies in one page.
inline ck_kernel_status check_table(const Subject& kernel, const ck_fmha_problem& p, int tile_keys,
                                    const Reason& reason) {
    const std::int64_t row = p.strides[CK_FMHA_BLOCK_TABLE].batch;
    if (p.page_rows < 1 || p.page_rows > kMostRows || p.page_rows % tile_keys != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for pages of %lld keys and takes %d at a time: pages must have a multiple of them.",
                      kernel.name, static_cast<long long>(p.page_rows), tile_keys);
    if (p.pages < 1 || p.pages >= kLimit || row < 0 || row >= kLimit || row * p.batch >= kLimit)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %lld pages in a table of %lld rows of %lld; it counts them in 32 bits.",
                      kernel.name, static_cast<long long>(p.pages), static_cast<long long>(p.batch),
                      static_cast<long long>(row));
    if (row * p.page_rows < p.seqlen_k)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for %lld keys, and a row of the block table has %lld pages of %lld.", kernel.name,
                      static_cast<long long>(p.seqlen_k), static_cast<long long>(row),
                      static_cast<long long>(p.page_rows));
    return CK_KERNEL_OK;
}

inline ck_kernel_status check_no_pages(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    if (p.page_rows != 0)
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for keys in pages of %lld, and takes whole sequences.",
                      kernel.name, static_cast<long long>(p.page_rows));
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel::fmha
