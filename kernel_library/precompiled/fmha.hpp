// SPDX-License-Identifier: MIT
//
// What Bazel precompiles once for each GPU, for the device passes of all attention kernels.
//
// Beside the headers it holds kernels of the head sizes and pipelines that most have. Nobody calls them, so no code is
// made of them; but the templates that they need are instantiated when this file is precompiled, and every kernel finds
// those that it shares with them ready-made. A library is the same byte for byte with and without this file.
#include "ck_kernel/device/fmha/headers.hpp"

namespace ck_kernel::fmha::sample {

using Type = ck_tile::fp16_t;

// The commonest warp tile: that of MFMA, where waves have 64 lanes, or the only one of WMMA.
constexpr bool kMfma = ck_tile::get_warp_size() == 64;
constexpr int kWarpTile = kMfma ? 32 : 16;
constexpr int kWaves = 4;

using Waves = ck_tile::sequence<kWaves, 1, 1>;
using WarpTile = ck_tile::sequence<kWarpTile, kWarpTile, 16>;

template <bool kPadHead>
using Traits = ck_tile::TileFmhaTraits<true, true, kPadHead, kPadHead, false, ck_tile::BlockAttentionBiasEnum::NO_BIAS,
                                       false, true, false, false, 1, false>;

template <bool kPadHead>
using Epilogue = ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<float, Type, true, kPadHead, kRawStores>>;

template <int kHead>
using Shape = ck_tile::TileFmhaShape<ck_tile::sequence<kWaves * kWarpTile, kHead, 32, kHead, 32, kHead>, Waves,
                                     WarpTile, Waves, WarpTile, true>;

template <int kHead, bool kPadHead>
using Problem =
    ck_tile::BlockFmhaPipelineProblem<Type, Type, Type, float, float, Type, std::uint8_t, float, Type, float, Type,
                                      Shape<kHead>, false, ck_tile::ComposedAttention<0, CK_TILE_FMHA_FWD_FAST_EXP2>,
                                      ck_tile::SimplifiedGenericAttentionMask<true>, false, Traits<kPadHead>>;

template <int kHead>
__device__ void run_qr(const AttentionArgs& args) {
    run_forward<ck_tile::FmhaFwdKernel<Qr<Problem<kHead, false>>, Epilogue<false>>>(args);
}

// Its loads go from memory straight to LDS, for which only GPUs with MFMA have instructions.
template <int kHead>
__device__ void run_qr_async(const AttentionArgs& args) {
    if constexpr (kMfma)
        run_forward<
            ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVSAsync<Problem<kHead, true>>, Epilogue<true>>>(args);
}

inline __device__ void run(const AttentionArgs& args) {
    run_qr<64>(args);
    run_qr<128>(args);
    run_qr_async<128>(args);
}

}  // namespace ck_kernel::fmha::sample
