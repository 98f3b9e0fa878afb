# SPDX-License-Identifier: MIT
"""Loads and stores of tile windows."""

from __future__ import annotations

from ckfetch.edit import Edit

_BASE = "include/ck_tile/core/tensor/tile_window_base.hpp"
_WINDOW = "include/ck_tile/core/tensor/tile_window.hpp"

# CK works out the vector of a window four times, and each element of each vector with a tuple of
# lambdas.
EDITS = (
    Edit(
        path=_BASE,
        why="work out the vector of a window once",
        old="""\
        static constexpr index_t VectorDimY = get_vector_dim_y_scalar_per_vector().template at<0>();
        static constexpr index_t ScalarPerVector =
            get_vector_dim_y_scalar_per_vector().template at<1>();
""",
        new="""\
        static constexpr auto get_vector_numbers()
        {
            constexpr auto vector = get_vector_dim_y_scalar_per_vector();
            return sequence<vector.template at<0>(), vector.template at<1>()>{};
        }
        using VectorNumbers = decltype(get_vector_numbers());

        static constexpr index_t VectorDimY      = VectorNumbers::at(number<0>{});
        static constexpr index_t ScalarPerVector = VectorNumbers::at(number<1>{});

        template <index_t... Ys>
        CK_TILE_HOST_DEVICE static constexpr auto along_vector(const tuple<number<Ys>...>&,
                                                               index_t step)
        {
            auto ys = make_array<index_t>(Ys...);
            ys(VectorDimY) += step;
            return ys;
        }
""",
    ),
    Edit(
        path=_WINDOW,
        why="compute the indices of a vector's elements in a constexpr function",
        old="""\
 = generate_tuple(
                        [&](auto jj) {
                            return jj == Traits::VectorDimY ? (idx_ys_start[jj] + j)
                                                            : idx_ys_start[jj];
                        },
                        number<Base::NDimY>{});
""",
        new="""\
 = Traits::along_vector(idx_ys_start, j);
""",
        count=7,
    ),
)
