// SPDX-License-Identifier: MIT
//
// What Bazel precompiles once for each GPU, for the device passes of all attention kernels.
//
// Beside the headers it holds one small kernel. Nobody calls it, so no code is made of it; but the templates that it
// needs are instantiated when this file is precompiled, and every kernel finds those that it shares with it ready-made.
// A library is the same byte for byte with and without this file.
#include "ck_kernel/device/fmha/headers.hpp"

namespace ck_kernel::fmha::sample {

using Type = ck_tile::fp16_t;

// The commonest warp tile: that of MFMA, where waves have 64 lanes, or the only one of WMMA.
constexpr bool kMfma    = ck_tile::get_warp_size() == 64;
constexpr int kWarpTile = kMfma ? 32 : 16;
constexpr int kWaves    = 4;
constexpr int kHead     = 64;

using Waves    = ck_tile::sequence<kWaves, 1, 1>;
using WarpTile = ck_tile::sequence<kWarpTile, kWarpTile, 16>;
using Shape    = ck_tile::TileFmhaShape<ck_tile::sequence<kWaves * kWarpTile, 64, 32, kHead, 32, kHead>, Waves, WarpTile, Waves, WarpTile, true>;
using Traits   = ck_tile::
    TileFmhaTraits<true, true, false, false, false, ck_tile::BlockAttentionBiasEnum::NO_BIAS, false, true, false, false, 1, false>;
using Problem  = ck_tile::BlockFmhaPipelineProblem<Type,
                                                  Type,
                                                  Type,
                                                  float,
                                                  float,
                                                  Type,
                                                  std::uint8_t,
                                                  float,
                                                  Type,
                                                  float,
                                                  Type,
                                                  Shape,
                                                  false,
                                                  ck_tile::ComposedAttention<0, CK_TILE_FMHA_FWD_FAST_EXP2>,
                                                  ck_tile::SimplifiedGenericAttentionMask<true>,
                                                  false,
                                                  Traits>;
using Epilogue = ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<float, Type, true, false, kRawStores>>;
using Kernel   = ck_tile::FmhaFwdKernel<Qr<Problem>, Epilogue>;

inline __device__ void run(const AttentionArgs& args) { run_forward<Kernel>(args); }

} // namespace ck_kernel::fmha::sample
