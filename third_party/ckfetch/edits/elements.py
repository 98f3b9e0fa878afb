# SPDX-License-Identifier: MIT
"""Functions that are applied to each element of a tile."""

from __future__ import annotations

from ckfetch.edit import Edit, Insertion

_ELEMENTWISE = "include/ck_tile/core/tensor/tile_elementwise.hpp"

# CK instantiates a lambda for each element; one function serves them all.
EDITS = (
    Insertion(
        path=_ELEMENTWISE,
        why="a function that is applied to the element of an index",
        after="namespace ck_tile {\n\n",
        text="""\
namespace detail {

template <typename InOutElementFunc, typename... InOutDstrTensors>
CK_TILE_DEVICE void tile_elementwise_inout_at(index_t i,
                                              const InOutElementFunc& inout_element_func,
                                              InOutDstrTensors&... inout_dstr_tensors)
{
    inout_element_func(inout_dstr_tensors.get_thread_buffer().at(i)...);
}

template <index_t... Is, typename InOutElementFunc, typename... InOutDstrTensors>
CK_TILE_DEVICE void tile_elementwise_inout_each(sequence<Is...>,
                                                const InOutElementFunc& inout_element_func,
                                                InOutDstrTensors&... inout_dstr_tensors)
{
    (tile_elementwise_inout_at(Is, inout_element_func, inout_dstr_tensors...), ...);
}

} // namespace detail

""",
    ),
    Edit(
        path=_ELEMENTWISE,
        why="apply it to each element",
        old="""\
    static_for<0, thread_buffer_size, 1>{}(
        [&](auto i) { inout_element_func(inout_dstr_tensors.get_thread_buffer().at(i)...); });
}
""",
        new="""\
    detail::tile_elementwise_inout_each(
        make_index_sequence<thread_buffer_size>{}, inout_element_func, inout_dstr_tensors...);
}
""",
    ),
)
