# SPDX-License-Identifier: MIT
"""Dimensions and transforms of a tensor adaptor."""

from __future__ import annotations

from ckfetch.edit import Cut, Edit, Insertion

_ADAPTOR = "include/ck_tile/core/tensor/tensor_adaptor.hpp"
_COORDINATE = "include/ck_tile/core/tensor/tensor_adaptor_coordinate.hpp"

# CK looks for a dimension among the transforms, and counts dimensions, with a lambda for each of
# them.
EDITS = (
    Insertion(
        path=_ADAPTOR,
        why="functions that look into sequences",
        before="""\
// Transforms: Tuple<transforms...>
// LowerDimensionHiddenIdss : Tuple<Sequence<...>, ...>
""",
        text="""\
namespace detail {

template <index_t... Ids>
CK_TILE_HOST_DEVICE constexpr index_t find_in_sequence(sequence<Ids...>, index_t wanted)
{
    index_t place = 0;
    index_t found = -1;
    ((found = Ids == wanted ? place : found, ++place), ...);
    return found;
}

// which sequence has the wanted element, where in it, and whether there is one
template <typename... Idss>
CK_TILE_HOST_DEVICE constexpr auto find_in_sequences(const tuple<Idss...>&, index_t wanted)
{
    const index_t places[] = {find_in_sequence(Idss{}, wanted)..., -1};
    index_t which          = 0;
    index_t where          = 0;
    bool found             = false;
    for(index_t i = 0; i < static_cast<index_t>(sizeof...(Idss)); ++i)
    {
        if(places[i] >= 0)
        {
            which = i;
            where = places[i];
            found = true;
        }
    }
    return make_tuple(which, where, found);
}

template <index_t... Ids>
CK_TILE_HOST_DEVICE constexpr void
add_distinct(sequence<Ids...>, index_t* distinct, index_t& count)
{
    constexpr index_t ids[] = {Ids..., 0};
    for(index_t i = 0; i < static_cast<index_t>(sizeof...(Ids)); ++i)
    {
        bool is_new = true;
        for(index_t j = 0; j < count; ++j)
            is_new = is_new && distinct[j] != ids[i];
        if(is_new)
            distinct[count++] = ids[i];
    }
}

template <typename... Xs, typename... Ys>
CK_TILE_HOST_DEVICE constexpr index_t count_distinct(const tuple<Xs...>&, const tuple<Ys...>&)
{
    index_t distinct[(Xs::size() + ... + 1) + (Ys::size() + ... + 0)] = {};
    index_t count = 0;
    (add_distinct(Xs{}, distinct, count), ...);
    (add_distinct(Ys{}, distinct, count), ...);
    return count;
}

} // namespace detail

""",
    ),
    Cut(
        path=_ADAPTOR,
        why="find a dimension's transform in a constexpr function",
        first="        index_t itran_found   = 0;\n",
        last="        return make_tuple(itran_found, idim_up_found, found);\n",
        sha256="a98db6524af0ec0146ceefe9294f57b8cea37b8ccc28b6c7bf8cc8f57bbe0a0c",
        new="""\
        return detail::find_in_sequences(UpperDimensionHiddenIdss{}, IDimHidden);
""",
    ),
    Cut(
        path=_ADAPTOR,
        why="count dimensions in a constexpr function",
        first="        constexpr auto all_low_dim_ids =\n",
        last="    constexpr static index_t ntransform_  = get_num_of_transform();\n",
        sha256="8ac41f56dc70d25ec5f818b479ac435b4358b3184482745328c3c6e4556fc834",
        new="""\
        return detail::count_distinct(LowerDimensionHiddenIdss{}, UpperDimensionHiddenIdss{});
    }

    constexpr static index_t ntransform_  = get_num_of_transform();
""",
    ),
    Insertion(
        path=_COORDINATE,
        why="a function that looks for a step in any dimension",
        before="""\
template <bool JudgeDoTransforms = true,
          typename Adaptor,
          typename AdaptorCoord,
          typename TopIndex,
          typename BottomIndex>
""",
        text="""\
namespace detail {

template <typename Picked, index_t... Is>
CK_TILE_HOST_DEVICE constexpr bool has_non_zero_at(const Picked& picked, sequence<Is...>)
{
    return (static_cast<bool>(picked[Is]) || ...);
}

template <typename Picked, index_t... Dims>
CK_TILE_HOST_DEVICE constexpr bool has_non_zero(const Picked& picked, sequence<Dims...>)
{
    return has_non_zero_at(picked, make_index_sequence<sizeof...(Dims)>{});
}

} // namespace detail

""",
    ),
    Edit(
        path=_COORDINATE,
        why="look for a step in any dimension without a recursion of templates",
        old="""\
            const bool idx_diff_up_has_non_zero = container_reduce(
                non_zero_diff_pick_up, [](auto a, auto b) constexpr { return a or b; }, false);
""",
        new="""\
            const bool idx_diff_up_has_non_zero =
                detail::has_non_zero(non_zero_diff_pick_up, dims_up);
""",
    ),
)
