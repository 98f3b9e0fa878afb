# SPDX-License-Identifier: MIT
"""The order in which a tile's elements are visited."""

from __future__ import annotations

from ckfetch.edit import Edit, Insertion

_CURVE = "include/ck_tile/core/algorithm/space_filling_curve.hpp"

# CK derives every index of the curve with lambdas of its own; one constexpr function serves a whole
# curve.
EDITS = (
    Insertion(
        path=_CURVE,
        why="compute an index of the curve in a constexpr function",
        before="""\
    template <index_t AccessIdx1dHead, index_t AccessIdx1dTail>
    static CK_TILE_HOST_DEVICE constexpr auto get_step_between(number<AccessIdx1dHead>,
""",
        text="""\
    static CK_TILE_HOST_DEVICE constexpr Index get_index_of(index_t access)
    {
        index_t lengths[nDim] = {};
        for(index_t i = 0; i < nDim; ++i)
            lengths[i] = ordered_access_lengths[i];

        index_t ids[nDim] = {};
        for(index_t i = nDim - 1, rest = access; i >= 0; --i)
        {
            ids[i] = i > 0 ? rest % lengths[i] : rest;
            rest /= lengths[i];
        }

        // a snake turns round in a dimension whenever one of those before it took an odd step
        Index ordered_idx;
        for(index_t i = 0, outer = 0; i < nDim; ++i)
        {
            const bool forward = !SnakeCurved || i == 0 || outer % 2 == 0;
            ordered_idx(i)     = forward ? ids[i] : lengths[i] - 1 - ids[i];
            outer              = outer * lengths[i] + ids[i];
        }
        return container_reorder_given_old2new(ordered_idx, dim_access_order) * ScalarsPerAccess{};
    }

    template <index_t AccessIdx1d, index_t... Is>
    static CK_TILE_HOST_DEVICE constexpr auto get_index_numbers(sequence<Is...>)
    {
        constexpr auto idx = get_index_of(AccessIdx1d);
        return tuple<number<idx[Is]>...>{};
    }

    template <index_t Head, index_t Tail, index_t... Is>
    static CK_TILE_HOST_DEVICE constexpr auto get_step_numbers(sequence<Is...>)
    {
        constexpr auto head = get_index_of(Head);
        constexpr auto tail = get_index_of(Tail);
        return tuple<number<tail[Is] - head[Is]>...>{};
    }

""",
    ),
    Edit(
        path=_CURVE,
        why="take steps of the curve from that function",
        old="""\
        constexpr auto idx_head = get_index(number<AccessIdx1dHead>{});
        constexpr auto idx_tail = get_index(number<AccessIdx1dTail>{});
        return idx_tail - idx_head;
""",
        new="""\
        return get_step_numbers<AccessIdx1dHead, AccessIdx1dTail>(make_index_sequence<nDim>{});
""",
    ),
    Edit(
        path=_CURVE,
        why="take indices of the curve from that function",
        old="""\
        constexpr auto idx = _get_index(number<AccessIdx1d>{});

        return generate_tuple([&](auto i) { return number<idx[i]>{}; }, number<nDim>{});
""",
        new="""\
        return get_index_numbers<AccessIdx1d>(make_index_sequence<nDim>{});
""",
    ),
)
