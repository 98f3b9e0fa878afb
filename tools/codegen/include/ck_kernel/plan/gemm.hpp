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

} // namespace ck_kernel::gemm
