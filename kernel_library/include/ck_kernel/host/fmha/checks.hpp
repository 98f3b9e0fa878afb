// SPDX-License-Identifier: MIT
//
// Host pass only: what every variant asks of a problem's sizes, of a tensor and of a grid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ck_fmha_problem.h"
#include "ck_kernel/host/fmha/subject.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"
#include "ck_kernel/plan/fmha/config.hpp"

namespace ck_kernel::fmha {

// CK counts in signed numbers of 32 bits, and goes up to a tile beyond what there is.
constexpr std::int64_t kLimit = INT64_C(1) << 31;
constexpr std::int64_t kBeyond = 256;
constexpr std::int64_t kMostRows = INT64_C(1) << 30;

struct Grid {
    std::int64_t x, y, z;
};

inline ck_kernel_status check_grid(const Subject& kernel, const Grid& grid, int workgroup, const Reason& reason) {
    constexpr std::int64_t most = 65535;  // along y and z
    if (grid.y > most || grid.z > most || grid.x * workgroup > INT64_C(0xffffffff))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for a problem of %lld x %lld x %lld workgroups; the most are %lld x %lld x %lld.",
                      kernel.name, static_cast<long long>(grid.x), static_cast<long long>(grid.y),
                      static_cast<long long>(grid.z), static_cast<long long>(INT64_C(0xffffffff) / workgroup),
                      static_cast<long long>(most), static_cast<long long>(most));
    return CK_KERNEL_OK;
}

// Sizes that mean something. Those that a variant has no use for are checked as well: a problem has them all.
inline ck_kernel_status check_sizes(const Subject& kernel, const ck_fmha_problem& p, const Reason& reason) {
    const auto counts = [](std::int64_t value) { return value >= 1 && value < kLimit; };
    if (!counts(p.batch) || !counts(p.heads_q) || !counts(p.heads_k) || !counts(p.hdim_q) || !counts(p.hdim_v))
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for %lld sequences, %lld and %lld heads of %lld and %lld elements; each must be "
                      "from 1 to 2^31-1.",
                      kernel.name, static_cast<long long>(p.batch), static_cast<long long>(p.heads_q),
                      static_cast<long long>(p.heads_k), static_cast<long long>(p.hdim_q),
                      static_cast<long long>(p.hdim_v));
    if (p.seqlen_q < 1 || p.seqlen_k < 0 || p.seqlen_q > kMostRows || p.seqlen_k > kMostRows)
        return reason(
            CK_KERNEL_INVALID,
            "%s was asked for %lld rows over %lld keys; there must be from 1 to 2^30 rows and from 0 to 2^30 keys.",
            kernel.name, static_cast<long long>(p.seqlen_q), static_cast<long long>(p.seqlen_k));
    if (p.heads_q % p.heads_k != 0)
        return reason(
            CK_KERNEL_INVALID,
            "%s was asked for %lld heads over %lld heads of keys; the first must be a multiple of the second.",
            kernel.name, static_cast<long long>(p.heads_q), static_cast<long long>(p.heads_k));
    return CK_KERNEL_OK;
}

// A head size that the kernel was made for, or a smaller one if it pads.
inline ck_kernel_status check_head(const Subject& kernel, const char* what, std::int64_t size, int bucket, int pad,
                                   int vector, const Reason& reason) {
    const long long asked = size;
    if (size > bucket || (pad == 0 && size != bucket))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for %s = %lld and computes %s%d.", kernel.name, what, asked,
                      pad == 0 ? "exactly " : "up to ", bucket);
    if (size % vector != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %s = %lld and moves %d elements at a time: it must be a multiple of them.",
                      kernel.name, what, asked, vector);
    return CK_KERNEL_OK;
}

// Rows of a tile that is not padded.
inline ck_kernel_status check_multiple(const Subject& kernel, const char* what, std::int64_t count, int tile,
                                       bool padded, const Reason& reason) {
    if (!padded && count % tile != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %lld %s and needs a multiple of %d, because it does not pad them.", kernel.name,
                      static_cast<long long>(count), what, tile);
    return CK_KERNEL_OK;
}

// A tensor as a kernel moves it: `rows` of `width` contiguous elements, in so many heads, sequences and parts.
struct Operand {
    int index;
    int bytes, vector;
    std::int64_t rows, width, heads, batches, parts;
    bool written;
};

inline ck_kernel_status check_operand(const Subject& kernel, const ck_fmha_problem& p, const Operand& o,
                                      const Reason& reason) {
    const ck_fmha_strides& s = p.strides[o.index];
    const struct {
        const char* what;
        std::int64_t stride, count;
    } steps[] = {
        {"row", s.row, o.rows}, {"head", s.head, o.heads}, {"sequence", s.batch, o.batches}, {"part", s.part, o.parts}};
    for (const auto& step : steps) {
        if (step.count <= 1) continue;
        if (step.stride < 0 || step.stride >= kLimit)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for %s whose stride by %s is %lld; it must be from 0 to 2^31-1.", kernel.name,
                          name_of(o.index), step.what, static_cast<long long>(step.stride));
        if (o.written && step.stride == 0)
            return reason(CK_KERNEL_INVALID,
                          "%s was asked to write %s whose stride by %s is 0, where each needs a place of its own.",
                          kernel.name, name_of(o.index), step.what);
        if (step.stride % o.vector != 0)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s was asked for %s whose stride by %s is %lld, and moves %d elements at a time: it must be "
                          "a multiple of them.",
                          kernel.name, name_of(o.index), step.what, static_cast<long long>(step.stride), o.vector);
    }
    if (o.rows > 1 && o.written && s.row < o.width)
        return reason(CK_KERNEL_INVALID, "%s was asked to write %s whose rows of %lld elements are %lld apart.",
                      kernel.name, name_of(o.index), static_cast<long long>(o.width), static_cast<long long>(s.row));
    const std::int64_t stride = o.rows > 1 ? s.row : o.width;
    if (!fits_descriptor(o.rows + kBeyond, stride > o.width ? stride : o.width, o.bytes))
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s was asked for %s of %lld rows that are %lld elements apart, which is 2 GiB or more for one head.",
            kernel.name, name_of(o.index), static_cast<long long>(o.rows), static_cast<long long>(stride));
    if (o.parts > 1 && !fits_descriptor(o.parts, s.part, o.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %s in %lld parts that are %lld elements apart, which is 2 GiB or more.",
                      kernel.name, name_of(o.index), static_cast<long long>(o.parts), static_cast<long long>(s.part));
    if (misaligned(p.tensors[o.index], o.vector * o.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %s at an address that is not a multiple of %d bytes, what it moves at a time.",
                      kernel.name, name_of(o.index), o.vector * o.bytes);
    return CK_KERNEL_OK;
}

// Tensors that a kernel would not look at, although they change what is asked for.
template <std::size_t Count>
ck_kernel_status check_unread(const Subject& kernel, const ck_fmha_problem& p, const int (&tensors)[Count],
                              const Reason& reason) {
    for (const int index : tensors)
        if (index >= 0 && p.tensors[index] != nullptr)
            return reason(CK_KERNEL_UNSUPPORTED, "%s was given %s, which it does not know.", kernel.name,
                          name_of(index));
    return CK_KERNEL_OK;
}

}  // namespace ck_kernel::fmha
