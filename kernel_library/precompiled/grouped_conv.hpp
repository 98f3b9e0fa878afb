// SPDX-License-Identifier: MIT
//
// What Bazel precompiles once for each GPU, for the device passes of all grouped convolution kernels.
//
// Beside the headers it holds a small kernel. Nobody calls it, so no code is made of it; but the templates that it
// needs are instantiated when this file is precompiled, and every kernel finds those that it shares with it ready-made.
#include "ck_kernel/device/grouped_conv/headers.hpp"

namespace ck_kernel::grouped_conv::sample {

using Type = ck_tile::fp16_t;
using Rows = ck_tile::tensor_layout::gemm::RowMajor;
using Columns = ck_tile::tensor_layout::gemm::ColumnMajor;
using Plain = ck_tile::element_wise::PassThrough;

// The commonest warp tile: that of MFMA, where waves have 64 lanes, or the only one of WMMA.
constexpr int kWarpTile = ck_tile::get_warp_size() == 64 ? 32 : 16;
constexpr int kWaves = 2;
constexpr int kTile = kWaves * kWarpTile;
constexpr int kTileK = 16;
constexpr int kVector = 4;

using Shape = ck_tile::TileGemmShape<ck_tile::sequence<kTile, kTile, kTileK>, ck_tile::sequence<kWaves, kWaves, 1>,
                                     ck_tile::sequence<kWarpTile, kWarpTile, kTileK>>;
using Traits = ck_tile::TileGemmUniversalTraits<true, true, true, false, Rows, Columns, Rows, false, false, false>;

struct Kernel {
    using Partitioner = ck_tile::GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>;
    using Pipeline = ck_tile::GemmPipelineAgBgCrCompV3<ck_tile::UniversalGemmPipelineProblem<
        Type, Type, float, Shape, Traits, ck_tile::GemmPipelineScheduler::Intrawave, true, ck_tile::TailNumber::Full,
        Plain, Plain, Type, true, kVector, kVector>>;
    using Epilogue = ck_tile::CShuffleEpilogue<ck_tile::CShuffleEpilogueProblem<
        Type, Type, ck_tile::tuple<>, float, Type, ck_tile::tuple<>, Rows, Plain, kTile, kTile, kWaves, kWaves,
        kWarpTile, kWarpTile, kTileK, false, ck_tile::memory_operation_enum::set, 1, true, kVector>>;
    static constexpr int kVectorC = kVector;
    static constexpr bool kSplits = false;
    static constexpr bool kBiasOfRows = false;
};

using Sample = Implicit<Direction::forward, 2, Layout::channels_last, Filter::any, kVector, kVector, kVector, 1>;

inline __device__ void run(const Sample::Args& args, void* lds) { compute<Kernel>(args, lds, nullptr); }

}  // namespace ck_kernel::grouped_conv::sample
