# SPDX-License-Identifier: MIT
"""How the elements of a tile are distributed over threads."""

from __future__ import annotations

from ckfetch.edit import Edit

_DISTRIBUTION = "include/ck_tile/core/tensor/tile_distribution.hpp"

# All of a static distribution is in its type, so that its computation need not be repeated for each
# value of it.
EDITS = (
    Edit(
        path=_DISTRIBUTION,
        why="compute the type of a static distribution once",
        old="""\
// this returns a static tile_distribution
template <typename StaticTileDistributionEncoding_>
CK_TILE_HOST_DEVICE constexpr auto make_static_tile_distribution(StaticTileDistributionEncoding_)
{
""",
        new="""\
template <typename StaticTileDistributionEncoding_>
CK_TILE_HOST_DEVICE constexpr auto compute_static_tile_distribution(StaticTileDistributionEncoding_);

// this returns a static tile_distribution
template <typename StaticTileDistributionEncoding_>
CK_TILE_HOST_DEVICE constexpr auto make_static_tile_distribution(StaticTileDistributionEncoding_)
{
    using Distribution =
        decltype(compute_static_tile_distribution(StaticTileDistributionEncoding_{}));
    static_assert(Distribution::is_static(), "a static distribution is its type");
    return Distribution{};
}

template <typename StaticTileDistributionEncoding_>
CK_TILE_HOST_DEVICE constexpr auto compute_static_tile_distribution(StaticTileDistributionEncoding_)
{
""",
    ),
)
