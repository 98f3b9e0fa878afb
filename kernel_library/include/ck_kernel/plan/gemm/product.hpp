// SPDX-License-Identifier: MIT
//
// What a GEMM kernel library must know on the host beyond its product's config: argument layout, vector widths, and how
// work is divided. The device pass of every kernel checks it against CK by static_assert (device/gemm/agreement.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "ck_kernel/plan/product/config.hpp"

namespace ck_kernel::gemm {

// The argument of one product, laid out as ck_tile::UniversalGemmKernelArgs<1, 1, Ds>.
template <int Ds>
struct ProductArgs {
    static constexpr int kSlots = Ds > 0 ? Ds : 1;  // CK's empty arrays still take a slot
    const void* a;
    const void* b;
    const void* d[kSlots];
    void* c;
    std::int32_t m, n, k;
    std::int32_t stride_a, stride_b;
    std::int32_t stride_d[kSlots];
    std::int32_t stride_c;
    std::int32_t k_batch;
};

// One of many products, and the first workgroup that computes it.
struct Group {
    ProductArgs<0> product;
    std::int32_t first_workgroup;
    std::int32_t reserved;
};

struct GroupsArgs {
    const Group* groups;  // by first_workgroup
    std::int32_t count;
};

// The widest of 16 and 8 bytes that divides both the contiguous extent of the tile and each thread's share.
constexpr int load_vector(const Config& config, const Operand& operand, int outer, int contiguous, int wave_size) {
    const int per_thread = outer * config.tile.k / block_size(config, wave_size);
    for (const int bytes : {16, 8}) {
        const int elements = bytes / operand.bytes;
        if (contiguous % elements == 0 && per_thread % elements == 0) return elements;
    }
    return 1;
}

constexpr int vector_a(const Config& config, int wave_size) {
    return load_vector(config, config.a, config.tile.m, config.a.row_major ? config.tile.k : config.tile.m, wave_size);
}

constexpr int vector_b(const Config& config, int wave_size) {
    return load_vector(config, config.b, config.tile.n, config.b.row_major ? config.tile.n : config.tile.k, wave_size);
}

// cshuffle stores whole vectors of a row it has gathered in LDS, the direct epilogue what one lane holds.
constexpr int vector_c(const Config& config) {
    if (config.epilogue == Epilogue::direct) return 1;
    const int row = config.warp_tile.n * config.waves.n;
    const int width = 16 / stored_bytes(config);
    return row < width ? row : width;
}

// D tensors by rows are read like C is stored, by the widest vectors of their dtype; by columns one by one.
constexpr int vector_d(const Config& config) {
    if (config.epilogue == Epilogue::direct || !config.d.row_major) return 1;
    const int row = config.warp_tile.n * config.waves.n;
    const int width = 16 / config.d.bytes;
    return row < width ? row : width;
}

// Stream-K: the loops of all tiles, one after the other, are divided evenly among the workgroups.
struct Share {
    std::int64_t begin, end;
};

constexpr Share share_of(std::int64_t loops, std::int64_t workgroups, std::int64_t workgroup) {
    return {loops * workgroup / workgroups, loops * (workgroup + 1) / workgroups};
}

// The workgroup whose share has that loop.
constexpr std::int64_t owner_of(std::int64_t loops, std::int64_t workgroups, std::int64_t loop) {
    return ((loop + 1) * workgroups - 1) / loops;
}

// A workgroup and a tile that follow one another never share a place: of the two at least one is the next.
constexpr std::int64_t stream_places(std::int64_t tiles, std::int64_t workgroups) { return tiles + workgroups; }

// How CK divides K: every part but the last is as deep as the first, a multiple of the warp tile's K.
struct KParts {
    std::int64_t depth, last;
};

constexpr KParts k_parts(const Config& config, std::int64_t k, std::int64_t parts) {
    const std::int64_t step = parts * config.warp_tile.k;
    const std::int64_t depth = (k + step - 1) / step * config.warp_tile.k;
    return {depth, k - depth * (parts - 1)};
}

// Without padding, whoever reads K along memory reads on into the next part, or into other rows.
constexpr bool reads_whole_tiles_of_k(const Config& config) {
    return !config.pad_k && (config.a.row_major || !config.b.row_major);
}

// compv6 always computes three tiles of K unless there are two; those that do not exist must read as zero.
constexpr bool is_too_shallow(const Config& config, std::int64_t k) {
    return config.pipeline == Pipeline::compv6 && !config.pad_k && k <= config.tile.k;
}

enum class PartsFlaw { none, empty, broken_tiles, too_shallow, different_loops };

// Why K cannot be computed in so many parts by one launch of one device function.
constexpr PartsFlaw parts_flaw(const Config& config, std::int64_t k, std::int64_t parts) {
    const KParts split = k_parts(config, k, parts);
    if (split.last < 1) return PartsFlaw::empty;
    if (parts > 1 && reads_whole_tiles_of_k(config) && split.depth % config.tile.k != 0) return PartsFlaw::broken_tiles;
    if (is_too_shallow(config, split.last)) return PartsFlaw::too_shallow;
    const LoopVariant first = loop_variant(config, ceil_div(split.depth, config.tile.k));
    const LoopVariant last = loop_variant(config, ceil_div(split.last, config.tile.k));
    return parts > 1 && !(first == last) ? PartsFlaw::different_loops : PartsFlaw::none;
}

}  // namespace ck_kernel::gemm
