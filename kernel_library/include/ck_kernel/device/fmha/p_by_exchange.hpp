// SPDX-License-Identifier: MIT
//
// Device pass only: P·V on GPUs whose matrix instructions want an operand twice in a wave (gfx11).
// CK hands the softmax on as it lies in registers, which is right where the result of Q·Kᵀ has the layout of operand A.
// On gfx11 a lane has every other column of its row, the lane 16 away has the rest, and operand A wants all columns in
// both: so they exchange what they have.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ck_tile/core.hpp"
#include "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_qx_ks_vs_custom_policy.hpp"

namespace ck_kernel::fmha {

// The 16 columns of a row from the 8 that this lane has, packed in pairs, and the 8 of the lane in the other half of
// the wave.
template <typename Own, typename All>
__device__ void exchange_columns(const Own& own, All& all, ck_tile::index_t first) {
    const bool odd = (ck_tile::get_lane_id() & 16) != 0;
    // Bytes 0 to 3 of a selector are of the second operand, 4 to 7 of the first.
    const uint32_t low_halves = odd ? 0x01000504u : 0x05040100u;
    const uint32_t high_halves = odd ? 0x03020706u : 0x07060302u;
    ck_tile::static_for<0, 4, 1>{}([&](auto j) {
        const uint32_t mine = own[first * 4 + j];
        const uint32_t theirs = __builtin_amdgcn_permlanex16(mine, mine, 0x76543210u, 0xfedcba98u, true, false);
        all[first * 8 + 2 * j] = __builtin_amdgcn_perm(theirs, mine, low_halves);
        all[first * 8 + 2 * j + 1] = __builtin_amdgcn_perm(theirs, mine, high_halves);
    });
}

// The compiler would read all of operand B before it multiplies, and have no registers left for what a wave keeps: let
// it be two of its tiles ahead.
template <typename BlockGemm>
__device__ void pace() {
    constexpr auto config = BlockGemm::Policy::template GetWarpGemmMWarpNWarp<typename BlockGemm::Problem>();
    using Shape = typename BlockGemm::BlockGemmShape;
    using Warp = ck_tile::remove_cvref_t<decltype(config.template at<0>())>;
    constexpr ck_tile::index_t tiles = (Shape::kN / Warp::kN) * (Shape::kK / Warp::kK);
    constexpr ck_tile::index_t ahead = 2;
    constexpr int reads_of_a_tile = sizeof(typename BlockGemm::BDataType) * Warp::kK / 16;  // 16 bytes each
    constexpr int lds_reads = 0x100, products = 0x8;
    static_assert(tiles >= ahead, "there is nothing to pace");
    __builtin_amdgcn_sched_group_barrier(lds_reads, ahead * reads_of_a_tile, 0);
    ck_tile::static_for<0, tiles - ahead, 1>{}([&](auto) {
        __builtin_amdgcn_sched_group_barrier(products, 1, 0);
        __builtin_amdgcn_sched_group_barrier(lds_reads, reads_of_a_tile, 0);
    });
    __builtin_amdgcn_sched_group_barrier(products, ahead, 0);
}

// CK's block GEMM with A in registers, paced.
template <typename BlockGemm>
struct PacedGemm : BlockGemm {
    template <typename C, typename A, typename BWindow>
    __device__ void operator()(C& c, const A& a, const BWindow& b) const {
        BlockGemm::operator()(c, a, b);
        pace<BlockGemm>();
    }
};

// The same, which takes A as Q·Kᵀ left it.
template <typename BlockGemm>
struct ExchangingGemm : BlockGemm {
    template <typename C, typename P, typename BWindow>
    __device__ void operator()(C& c, const P& p, const BWindow& b) const {
        auto a = ck_tile::make_static_distributed_tensor<typename P::DataType>(BlockGemm::MakeABlockTileDistribution());
        static_assert(sizeof(typename P::DataType) == 2, "two columns to a register");
        constexpr ck_tile::index_t words = P::get_thread_buffer_size() / 2;
        static_assert(decltype(a)::get_thread_buffer_size() == 4 * words, "operand A is there twice");

        uint32_t own[words], all[2 * words];
        ck_tile::static_for<0, words, 1>{}(
            [&](auto i) { own[i] = p.get_thread_buffer().template get_as<uint32_t>(i); });
        ck_tile::static_for<0, words / 4, 1>{}([&](auto i) { exchange_columns(own, all, i); });
        ck_tile::static_for<0, 2 * words, 1>{}(
            [&](auto i) { a.get_thread_buffer().template set_as<uint32_t>(i, all[i]); });
        BlockGemm::operator()(c, a, b);
        pace<BlockGemm>();
    }
};

// CK's policy of a forward pipeline, with P·V as this GPU needs it.
template <typename Policy>
struct ForThisGpu : Policy {
#if defined(__gfx11__)
    // The one of pages has a pace of its own, which is for other GPUs.
    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto GetQKBlockGemm() {
        using Common = ck_tile::BlockFmhaPipelineQXCustomPolicy<true>;
        return PacedGemm<ck_tile::remove_cvref_t<decltype(Common::template GetQKBlockGemm<Problem>())>>{};
    }

    template <typename Problem>
    CK_TILE_HOST_DEVICE static constexpr auto GetKVBlockGemm() {
        return ExchangingGemm<ck_tile::remove_cvref_t<decltype(Policy::template GetKVBlockGemm<Problem>())>>{};
    }
#endif
};

}  // namespace ck_kernel::fmha
