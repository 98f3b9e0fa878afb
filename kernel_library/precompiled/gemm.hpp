// SPDX-License-Identifier: MIT
//
// What Bazel precompiles once for each GPU, for the device passes of all GEMM kernels.
//
// Beside the headers it holds one small kernel. Nobody calls it, so no code is made of it; but the templates that it
// needs are instantiated when this file is precompiled, and every kernel finds those that it shares with it ready-made.
// A library is the same byte for byte with and without this file.
#include "ck_kernel/device/gemm/headers.hpp"

namespace ck_kernel::gemm::sample {

using Type = ck_tile::fp16_t;
using Rows = ck_tile::tensor_layout::gemm::RowMajor;
using Columns = ck_tile::tensor_layout::gemm::ColumnMajor;

// The commonest warp tile: that of MFMA, where waves have 64 lanes, or the only one of WMMA.
constexpr int kWarpTile = ck_tile::get_warp_size() == 64 ? 32 : 16;
constexpr int kWaves = 2;
constexpr int kTile = kWaves * kWarpTile;
constexpr int kTileK = 16;
constexpr bool kPad = false;
constexpr bool kDoubleLds = false;

using Shape = ck_tile::TileGemmShape<ck_tile::sequence<kTile, kTile, kTileK>, ck_tile::sequence<kWaves, kWaves, 1>,
                                     ck_tile::sequence<kWarpTile, kWarpTile, kTileK>>;
using Traits = ck_tile::TileGemmUniversalTraits<kPad, kPad, kPad, kDoubleLds, Rows, Columns, Rows, false, false, false>;
using Pipeline = ck_tile::GemmPipelineAgBgCrCompV3<ck_tile::UniversalGemmPipelineProblem<
    Type, Type, float, Shape, Traits, ck_tile::GemmPipelineScheduler::Intrawave, true, ck_tile::TailNumber::Full>>;
using Epilogue = ck_tile::CShuffleEpilogue<ck_tile::CShuffleEpilogueProblem<
    Type, Type, ck_tile::tuple<>, float, Type, ck_tile::tuple<>, Rows, ck_tile::element_wise::PassThrough, kTile, kTile,
    kWaves, kWaves, kWarpTile, kWarpTile, kTileK, false, ck_tile::memory_operation_enum::set>>;
using Kernel = ck_tile::GemmKernel<ck_tile::GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>, Pipeline, Epilogue>;

inline __device__ void run(Kernel::UniversalGemmKernel::KernelArgs args) { Kernel{}(args); }

}  // namespace ck_kernel::gemm::sample
