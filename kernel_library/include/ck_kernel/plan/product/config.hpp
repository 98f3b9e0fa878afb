// SPDX-License-Identifier: MIT
//
// What a kernel of any family that computes a matrix product must know on the host: its tiles, and its loop variants.
//
// CK computes these inside its templates. Repeating them here in a few constexpr functions keeps CK out of GEMM's host
// pass altogether (it costs seconds to parse there, and its host answers assume a 64-lane wave). They cannot drift:
// the device pass of every kernel checks each of them against CK by static_assert (device/product/loops.hpp).
//
// The namespace of the product is gemm: names of its templates are part of symbols in code objects.
#pragma once

#include <cstdint>

namespace ck_kernel::gemm {

enum class Variant { standard, batched, grouped, multi_d, preshuffle, stream_k };
enum class Pipeline { mem, compv3, compv4, compv5, compv6, comp_async, preshufflev2 };
enum class Epilogue { cshuffle, direct };
// How the parts of one tile's K are added up: not at all, in C, or by a second launch out of a workspace.
enum class SplitK { none, atomic, workspace };
enum class Tail { empty, odd, even, one, two, three, four, five, six, seven, full };

struct Extent {
    int m, n, k;
};

struct Operand {
    int bytes;
    bool row_major;
};

struct Config {
    Variant variant;
    Extent tile, waves, warp_tile;
    Operand a, b, c, d;
    int d_count;
    int sum_bytes;  // of one accumulator
    bool pad_m, pad_n, pad_k;
    Pipeline pipeline;
    Epilogue epilogue;
    int prefetch_stages;  // of the mem pipeline; 0 for the others
    bool persistent;      // as many workgroups as the GPU holds at once, each computing several tiles
    SplitK split_k;       // whether several workgroups may share the K of one tile
};

// What the epilogue stores: C, or parts of it that are added up later.
constexpr int stored_bytes(const Config& config) {
    return config.split_k == SplitK::workspace ? config.sum_bytes : config.c.bytes;
}

// Whether one device function serves all loop counts, because one launch may need several.
constexpr bool chooses_loops_on_device(const Config& config) {
    return config.variant == Variant::grouped || config.variant == Variant::stream_k;
}

// One device function of the kernel: CK compiles the main loop and its tail separately for each.
struct LoopVariant {
    bool hot;
    Tail tail;
    constexpr bool operator==(const LoopVariant& other) const { return hot == other.hot && tail == other.tail; }
};

// Parts of C that wait in a workspace to be added up: `parts` of them, m x n each, one after the other.
struct AddPartsArgs {
    const void* sums;
    void* c;
    std::int64_t m, n, stride_c;
    std::int64_t parts;
};

constexpr int kAddPartsBlock = 256;

constexpr int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

constexpr std::int64_t tile_count(const Config& config, std::int64_t m, std::int64_t n) {
    return static_cast<std::int64_t>(ceil_div(m, config.tile.m)) * ceil_div(n, config.tile.n);
}

constexpr int block_size(const Config& config, int wave_size) {
    return config.waves.m * config.waves.n * config.waves.k * wave_size;
}

// compv4 and comp_async go once through their main loop whatever the count, and then add two tiles too many to three.
// Their tail alone is right for three, and compiled for them although CK would not call it.
constexpr int kTailAlone = 3;

constexpr bool loops_at_least_once(Pipeline pipeline) {
    return pipeline == Pipeline::compv4 || pipeline == Pipeline::comp_async;
}

constexpr LoopVariant loop_variant(const Config& config, int loops) {
    switch (config.pipeline) {
        case Pipeline::compv3: return {loops > 2, loops > 2 ? Tail::full : loops == 1 ? Tail::odd : Tail::even};
        case Pipeline::compv4:
        case Pipeline::comp_async:
            return {loops > kTailAlone, loops == 1 ? Tail::one : loops % 2 == 1 ? Tail::three : Tail::two};
        case Pipeline::compv5: return {true, Tail::empty};
        case Pipeline::compv6: return {loops > 3, loops % 2 == 1 ? Tail::odd : Tail::even};
        case Pipeline::preshufflev2: return {true, loops % 2 == 1 ? Tail::odd : Tail::even};
        case Pipeline::mem: break;
    }
    constexpr Tail tails[] = {Tail::full, Tail::one,  Tail::two, Tail::three,
                              Tail::four, Tail::five, Tail::six, Tail::seven};
    return {loops > config.prefetch_stages, tails[loops % config.prefetch_stages]};
}

}  // namespace ck_kernel::gemm
