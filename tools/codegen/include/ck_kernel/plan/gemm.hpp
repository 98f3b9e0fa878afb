// SPDX-License-Identifier: MIT
//
// What a GEMM kernel library must know on the host: vector widths, loop variants, argument layout.
//
// CK computes these inside its templates. Repeating them here in a few constexpr functions keeps CK out of the host
// pass altogether (it costs seconds to parse there, and its host answers assume a 64-lane wave). They cannot drift:
// the device pass of every kernel checks each of them against CK by static_assert (device/gemm.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace ck_kernel::gemm {

enum class Pipeline { mem, compv3, compv4, compv5, compv6 };
enum class Epilogue { cshuffle, direct };
enum class Tail { empty, odd, even, one, two, three, four, five, six, seven, full };

struct Extent {
    int m, n, k;
};

struct Operand {
    int bytes;
    bool row_major;
};

struct Config {
    Extent tile, waves, warp_tile;
    Operand a, b, c;
    bool pad_m, pad_n, pad_k;
    Pipeline pipeline;
    Epilogue epilogue;
    int prefetch_stages; // of the mem pipeline; 0 for the others
    bool persistent;     // as many workgroups as the GPU holds at once, each computing several tiles
    bool split_k;        // C is added to, so that several workgroups may share the K of one tile
};

// One device function of the kernel: CK compiles the main loop and its tail separately for each.
struct LoopVariant {
    bool hot;
    Tail tail;
    constexpr bool operator==(const LoopVariant& other) const
    {
        return hot == other.hot && tail == other.tail;
    }
};

// The kernel argument, laid out as ck_tile::UniversalGemmKernelArgs<1, 1, 0>.
struct KernelArgs {
    const void* a;
    const void* b;
    std::uint64_t no_ds; // CK's empty array of D pointers still takes a slot
    void* c;
    std::int32_t m, n, k;
    std::int32_t stride_a, stride_b;
    std::int32_t no_stride_ds;
    std::int32_t stride_c;
    std::int32_t k_batch;
};
static_assert(sizeof(KernelArgs) == 64, "the kernel argument of CK's universal GEMM has 64 bytes");

constexpr int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

constexpr int tile_count(const Config& config, std::int64_t m, std::int64_t n)
{
    return ceil_div(m, config.tile.m) * ceil_div(n, config.tile.n);
}

constexpr int block_size(const Config& config, int wave_size)
{
    return config.waves.m * config.waves.n * config.waves.k * wave_size;
}

// The widest of 16 and 8 bytes that divides both the contiguous extent of the tile and each thread's share.
constexpr int load_vector(const Config& config, const Operand& operand, int outer, int contiguous, int wave_size)
{
    const int per_thread = outer * config.tile.k / block_size(config, wave_size);
    for(const int bytes : {16, 8})
    {
        const int elements = bytes / operand.bytes;
        if(contiguous % elements == 0 && per_thread % elements == 0)
            return elements;
    }
    return 1;
}

constexpr int vector_a(const Config& config, int wave_size)
{
    return load_vector(
        config, config.a, config.tile.m, config.a.row_major ? config.tile.k : config.tile.m, wave_size);
}

constexpr int vector_b(const Config& config, int wave_size)
{
    return load_vector(
        config, config.b, config.tile.n, config.b.row_major ? config.tile.n : config.tile.k, wave_size);
}

// cshuffle stores whole vectors of a row it has gathered in LDS, the direct epilogue what one lane holds.
constexpr int vector_c(const Config& config)
{
    if(config.epilogue == Epilogue::direct)
        return 1;
    const int row   = config.warp_tile.n * config.waves.n;
    const int width = 16 / config.c.bytes;
    return row < width ? row : width;
}

constexpr LoopVariant loop_variant(const Config& config, int loops)
{
    switch(config.pipeline)
    {
    case Pipeline::compv3: return {loops > 2, loops > 2 ? Tail::full : loops == 1 ? Tail::odd : Tail::even};
    case Pipeline::compv4:
        return {loops > 2, loops == 1 ? Tail::one : loops % 2 == 1 ? Tail::three : Tail::two};
    case Pipeline::compv5: return {true, Tail::empty};
    case Pipeline::compv6: return {loops > 3, loops % 2 == 1 ? Tail::odd : Tail::even};
    case Pipeline::mem: break;
    }
    constexpr Tail tails[] = {
        Tail::full, Tail::one, Tail::two, Tail::three, Tail::four, Tail::five, Tail::six, Tail::seven};
    return {loops > config.prefetch_stages, tails[loops % config.prefetch_stages]};
}

// How CK divides K: every part but the last is as deep as the first, a multiple of the warp tile's K.
struct KParts {
    std::int64_t depth, last;
};

constexpr KParts k_parts(const Config& config, std::int64_t k, std::int64_t parts)
{
    const std::int64_t step  = parts * config.warp_tile.k;
    const std::int64_t depth = (k + step - 1) / step * config.warp_tile.k;
    return {depth, k - depth * (parts - 1)};
}

// Without padding, whoever reads K along memory reads on into the next part, or into other rows.
constexpr bool reads_whole_tiles_of_k(const Config& config)
{
    return !config.pad_k && (config.a.row_major || !config.b.row_major);
}

// compv6 always computes three tiles of K unless there are two; those that do not exist must read as zero.
constexpr bool is_too_shallow(const Config& config, std::int64_t k)
{
    return config.pipeline == Pipeline::compv6 && !config.pad_k && k <= config.tile.k;
}

enum class PartsFlaw { none, empty, broken_tiles, too_shallow, different_loops };

// Why K cannot be computed in so many parts by one launch of one device function.
constexpr PartsFlaw parts_flaw(const Config& config, std::int64_t k, std::int64_t parts)
{
    const KParts split = k_parts(config, k, parts);
    if(split.last < 1)
        return PartsFlaw::empty;
    if(parts > 1 && reads_whole_tiles_of_k(config) && split.depth % config.tile.k != 0)
        return PartsFlaw::broken_tiles;
    if(is_too_shallow(config, split.last))
        return PartsFlaw::too_shallow;
    const LoopVariant first = loop_variant(config, ceil_div(split.depth, config.tile.k));
    const LoopVariant last  = loop_variant(config, ceil_div(split.last, config.tile.k));
    return parts > 1 && !(first == last) ? PartsFlaw::different_loops : PartsFlaw::none;
}

} // namespace ck_kernel::gemm
