# SPDX-License-Identifier: MIT
"""What attention kernels of gfx11 get wrong: dropout."""

from __future__ import annotations

from ckfetch.edit import Edit

EDITS = (
    Edit(
        path="include/ck_tile/ops/fmha/block/block_dropout.hpp",
        why="a lane's random bytes are eight rows one below the other on every GPU, also where its "
        "results are every other row",
        old="""                                        IsWG32>::CWarpDstrEncoding{};

        constexpr auto randval_block_part_dstr_encode =
            detail::make_embed_tile_distribution_encoding(randval_block_outer_part_dstr_encoding,
                                                          randval_block_inner_part_dstr_encoding);
""",
        new="""                                        IsWG32>::CWarpDstrEncoding{};

        constexpr auto randval_block_part_dstr_encode =
            detail::make_embed_tile_distribution_encoding(randval_block_outer_part_dstr_encoding,
#if defined(__gfx11__)
                                                          tile_distribution_encoding<
                                                              sequence<>,
                                                              tuple<sequence<1, 2, 8>, sequence<16>>,
                                                              tuple<sequence<1, 2>>,
                                                              tuple<sequence<1, 0>>,
                                                              sequence<1, 1>,
                                                              sequence<0, 2>>{});
#else
                                                          randval_block_inner_part_dstr_encoding);
#endif
""",
    ),
)
