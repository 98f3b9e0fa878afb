// SPDX-License-Identifier: MIT
// Problems and tensors as kernels take them.
#include <algorithm>
#include <array>

#include "ck_families.h"
#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

// The slots of a caller's tensors, in their order.
constexpr std::array<int, FmhaFamily::kCallersTensors> kCallers = {
    CK_FMHA_Q,          CK_FMHA_K,           CK_FMHA_V,           CK_FMHA_O,          CK_FMHA_BIAS,
    CK_FMHA_LSE,        CK_FMHA_RANDVAL,     CK_FMHA_K_NEW,       CK_FMHA_V_NEW,      CK_FMHA_ROTARY_COS,
    CK_FMHA_ROTARY_SIN, CK_FMHA_SINK,        CK_FMHA_D_O,         CK_FMHA_DQ,         CK_FMHA_DK,
    CK_FMHA_DV,         CK_FMHA_DBIAS,       CK_FMHA_SEQSTART_Q,  CK_FMHA_SEQSTART_K, CK_FMHA_SEQLEN_Q,
    CK_FMHA_SEQLEN_K,   CK_FMHA_BLOCK_TABLE, CK_FMHA_CACHE_INDEX, CK_FMHA_KV_INDPTR,  CK_FMHA_KV_PAGES,
    CK_FMHA_DROP_SEED,  CK_FMHA_DROP_OFFSET};

struct Dimension {
    std::int64_t count, stride;
};

// By heads, rows and sequences, in the order of their distances; what there is one of, or what is repeated, comes last.
std::array<Dimension, 3> dimensions(const FmhaProblem& p, std::size_t slot, const FmhaExtents& of) {
    const FmhaStrides& own = p.strides[slot];
    std::array<Dimension, 3> all = {{{of.heads, own.head}, {of.rows, own.row}, {of.batches, own.batch}}};
    std::stable_sort(all.begin(), all.end(), [](const Dimension& a, const Dimension& b) {
        const bool a_last = a.count <= 1 || !a.stride, b_last = b.count <= 1 || !b.stride;
        return a_last != b_last ? b_last : !a_last && a.stride < b.stride;
    });
    return all;
}

std::int64_t bytes_of(Name dtype) {
    const FmhaWords& words = fmha_words();
    return dtype == words.fp8 || dtype == words.int8 ? 1 : dtype == words.fp32 || dtype == words.int32 ? 4 : 2;
}

// A matrix of heads, whose loads and stores are as wide as its address allows.
bool is_matrix(const FmhaProblem& p, std::size_t slot) {
    switch (slot) {
        case CK_FMHA_Q:
        case CK_FMHA_K:
        case CK_FMHA_V:
        case CK_FMHA_O:
        case CK_FMHA_K_NEW:
        case CK_FMHA_V_NEW:
        case CK_FMHA_ROTARY_COS:
        case CK_FMHA_ROTARY_SIN:
        case CK_FMHA_D_O:
        case CK_FMHA_DQ:
        case CK_FMHA_DK:
        case CK_FMHA_DV:
        case CK_FMHA_DBIAS:
        case CK_FMHA_RANDVAL: return true;
        case CK_FMHA_BIAS: return p.bias == fmha_words().elementwise;
        default: return false;
    }
}

std::uintptr_t least_alignment(const FmhaProblem& p, std::size_t slot) {
    if (is_matrix(p, slot)) return std::uintptr_t(p.alignment);
    switch (slot) {
        case CK_FMHA_O_ACC:
        case CK_FMHA_LSE_ACC:
        case CK_FMHA_D:
        case CK_FMHA_DQ_ACC: return 16;  // memory of the plan
        case CK_FMHA_DROP_SEED:
        case CK_FMHA_DROP_OFFSET: return 8;
        default: return 4;
    }
}

}  // namespace

std::size_t FmhaFamily::slot_of(const FmhaProblem& problem, std::size_t tensor) {
    return problem.whole() ? std::size_t(kCallers[tensor]) : tensor;
}

std::size_t FmhaFamily::tensor_of(std::size_t slot) {
    return std::size_t(std::find(kCallers.begin(), kCallers.end(), int(slot)) - kCallers.begin());
}

FmhaFamily::Bound FmhaFamily::probe(const FmhaProblem& problem, const FmhaWay& way) {
    // supports() looks at an address's alignment and never at what is there.
    std::array<void*, CK_FMHA_TENSORS> tensors{};
    for (std::size_t slot = 0; slot < tensors.size(); ++slot)
        if (problem.has(slot)) tensors[slot] = reinterpret_cast<void*>(least_alignment(problem, slot));
    return bind(problem, way, tensors.data(), 0);
}

FmhaFamily::Bound FmhaFamily::bind(const FmhaProblem& p, const FmhaWay& way, Tensors tensors, std::int64_t) {
    ck_fmha_problem bound{};
    bound.base = {sizeof(ck_fmha_problem), CK_FAMILY_FMHA};
    bound.batch = p.batch;
    bound.heads_q = p.heads_q;
    bound.heads_k = p.heads_k;
    bound.hdim_q = p.hdim_q;
    bound.hdim_v = p.hdim_v;
    bound.seqlen_q = p.seqlen_q;
    bound.seqlen_k = p.seqlen_k;
    bound.total_q = p.total_q;
    bound.total_k = p.total_k;
    bound.seqlen_new = p.seqlen_new;
    bound.scale = p.scale;
    bound.soft_cap = p.soft_cap;
    bound.scale_p = p.scale_p > 0 ? p.scale_p : 1;
    bound.scale_o = p.scale_o > 0 ? p.scale_o : 1;
    bound.mask = p.mask;
    bound.window_left = p.window_left;
    bound.window_right = p.window_right;
    bound.p_drop = p.p_drop;
    bound.min_seqlen_q = std::int32_t(p.skipped_rows);
    bound.drop_seed = p.drop_seed;
    bound.drop_offset = p.drop_offset;
    bound.parts = p.parts;
    bound.page_rows = p.page_rows;
    bound.pages = p.pages;
    bound.rotary_dim = p.rotary_dim;
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot) {
        if (!p.has(slot)) continue;
        const FmhaStrides& own = p.strides[slot];
        bound.strides[slot] = {own.row, own.head, own.batch, own.part};
        bound.tensors[slot] = tensors[slot];
        // No keys need no memory; kernels want an address all the same, and read nothing there.
        if (!tensors[slot] && (slot == CK_FMHA_K || slot == CK_FMHA_V)) bound.tensors[slot] = tensors[CK_FMHA_Q];
    }
    if (!way.lse) bound.tensors[CK_FMHA_LSE] = nullptr;
    return bound;
}

Lines FmhaFamily::lines(const FmhaProblem& p, std::size_t tensor) {
    const std::size_t slot = slot_of(p, tensor);
    if (!p.has(slot)) return {fmha_words().int8, 0};
    const FmhaExtents of = p.extents(slot);
    const auto by = dimensions(p, slot, of);
    return {p.dtype_of(slot), of.width,       by[0].count, by[0].stride, by[1].count,
            by[1].stride,     p.writes(slot), by[2].count, by[2].stride};
}

// As region_of(lines()), with dimensions that go on without a gap as one: heads of packed rows, say, and the rows of
// packed sequences.
Region FmhaFamily::region(const FmhaProblem& p, std::size_t tensor) {
    const std::size_t slot = slot_of(p, tensor);
    Region region;
    if (!p.has(slot)) return region;
    const FmhaExtents of = p.extents(slot);
    const std::int64_t bytes = bytes_of(p.dtype_of(slot));
    if (of.width == 0) return region;  // no element
    std::int64_t width = of.width, reach = of.width - 1;
    Dimension kept[3] = {{1, 0}, {1, 0}, {1, 0}};
    int count = 0;
    for (const Dimension& one : dimensions(p, slot, of)) {
        if (one.count == 0) return region;
        if (one.count == 1 || !one.stride) continue;
        reach += (one.count - 1) * one.stride;
        if (count == 0 && one.stride == width) width *= one.count;
        else if (count > 0 && one.stride == kept[count - 1].count * kept[count - 1].stride)
            kept[count - 1].count *= one.count;
        else kept[count++] = one;
    }
    region.width = std::uint64_t(width * bytes);
    region.lines = std::uint64_t(kept[0].count);
    region.pitch = std::uint64_t(kept[0].stride * bytes);
    region.matrices = std::uint64_t(kept[1].count);
    region.matrix_pitch = std::uint64_t(kept[1].stride * bytes);
    region.sets = std::uint64_t(kept[2].count);
    region.set_pitch = std::uint64_t(kept[2].stride * bytes);
    region.reach = std::uint64_t((reach + 1) * bytes);
    region.written = p.writes(slot);
    return region;
}

FmhaProblem FmhaFamily::aligned(const FmhaProblem& problem, Tensors tensors) {
    std::uintptr_t bits = std::uintptr_t(problem.alignment);
    for (std::size_t i = 0; i < tensor_count(problem); ++i) {
        const std::size_t slot = slot_of(problem, i);
        if (!problem.has(slot)) continue;
        if (!tensors[i]) {
            if (region(problem, i).reach == 0) continue;
            refuse_missing(kAsked, tensor_name(problem, i));
        }
        const auto address = reinterpret_cast<std::uintptr_t>(tensors[i]);
        if (is_matrix(problem, slot)) bits |= address;
        else if (address % least_alignment(problem, slot))
            throw InvalidArgumentError(std::string(kAsked) + " was to be run with an address for " +
                                       tensor_name(problem, i) + " that is no multiple of " +
                                       std::to_string(least_alignment(problem, slot)) + ", the bytes of its elements.");
    }
    FmhaProblem looser = problem;
    looser.alignment = int(lowest_bit(bits));
    return looser;
}

}  // namespace ckdispatch
