# SPDX-License-Identifier: MIT
"""Gradients of attention."""

from __future__ import annotations

from ckfetch.edit import Edit

_POLICY = "include/ck_tile/ops/fmha/pipeline/block_fmha_bwd_pipeline_default_policy.hpp"

EDITS = (
    # Every wave loads all of LSE and D of a step and writes them to the same places of LDS: the
    # same values, and a race all the same.
    Edit(
        path=_POLICY,
        why="let each wave load and store its own rows of LSE and D",
        old="""\
        constexpr auto config   = BlockGemm::Policy::template GetWarpGemmMWarpNWarp<Problem>();
        constexpr index_t MWarp = config.template at<1>();
        constexpr index_t NWarp = config.template at<2>();

        constexpr index_t kMPerBlock = Problem::BlockFmhaShape::kM0;

        // Duplicate dimension
        constexpr index_t N0 = NWarp;
        constexpr index_t N1 =
            (get_warp_size() / kMPerBlock) > 1 ? (get_warp_size() / kMPerBlock) : 1;

        constexpr index_t M0 = MWarp;
        constexpr index_t M1 = (get_warp_size() / kMPerBlock) > 1 ? kMPerBlock : get_warp_size();
        constexpr index_t M2 =
            (get_warp_size() / kMPerBlock) > 1 ? 1 : (kMPerBlock / get_warp_size());

        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<N0, N1>,
                                       tuple<sequence<M0, M1, M2>>,
                                       tuple<sequence<0, 1>, sequence<0, 1>>,
                                       tuple<sequence<0, 0>, sequence<1, 1>>,
                                       sequence<1>,
                                       sequence<2>>{});
""",
        new="""\
        constexpr index_t kMPerBlock = Problem::BlockFmhaShape::kM0;

        constexpr index_t M0 = Problem::kBlockSize / get_warp_size();
        static_assert(kMPerBlock % M0 == 0, "a wave has no whole rows");
        constexpr index_t kMPerWave = kMPerBlock / M0;
        constexpr index_t M1 = kMPerWave < get_warp_size() ? kMPerWave : get_warp_size();
        constexpr index_t M2 = kMPerWave / M1;
        constexpr index_t N1 = get_warp_size() / M1; // lanes that have the same row

        return make_static_tile_distribution(
            tile_distribution_encoding<sequence<N1>,
                                       tuple<sequence<M0, M1, M2>>,
                                       tuple<sequence<1>, sequence<0, 1>>,
                                       tuple<sequence<0>, sequence<0, 1>>,
                                       sequence<1>,
                                       sequence<2>>{});
""",
    ),
)
