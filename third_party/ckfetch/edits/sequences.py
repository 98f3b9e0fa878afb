# SPDX-License-Identifier: MIT
"""Sorting integer sequences."""

from __future__ import annotations

from ckfetch.edit import Edit

_SEQUENCE = "include/ck_tile/core/container/sequence.hpp"

# CK merges recursive templates; ranking the elements in a constexpr function gives the same order
# in a fraction of the time. Equal elements keep CK's order, the later one first.
EDITS = (
    Edit(
        path=_SEQUENCE,
        why="sort sequences in a constexpr function",
        old="""\
    using unsorted_ids = typename arithmetic_sequence_gen<0, Values::size(), 1>::type;
    using sort         = sequence_sort_impl<Values, unsorted_ids, Compare>;
""",
        new="""\
    static constexpr index_t count = Values::size();
    struct Ranked
    {
        index_t values[count + 1];
        index_t ids[count + 1];
    };
    static constexpr Ranked rank()
    {
        Ranked ranked{};
        for(index_t i = 0; i < count; ++i)
        {
            index_t before = 0;
            for(index_t j = 0; j < count; ++j)
            {
                if(Compare{}(Values::at(j), Values::at(i)) ||
                   (j > i && !Compare{}(Values::at(i), Values::at(j))))
                    ++before;
            }
            ranked.values[before] = Values::at(i);
            ranked.ids[before]    = i;
        }
        return ranked;
    }
    template <typename Ids>
    struct pick;
    template <index_t... Is>
    struct pick<sequence<Is...>>
    {
        static constexpr Ranked ranked = rank();
        using sorted_values            = sequence<ranked.values[Is]...>;
        using sorted_ids               = sequence<ranked.ids[Is]...>;
    };
    using sort = pick<typename arithmetic_sequence_gen<0, Values::size(), 1>::type>;
""",
    ),
)
