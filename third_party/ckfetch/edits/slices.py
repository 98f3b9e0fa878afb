# SPDX-License-Identifier: MIT
"""Slices of the tiles that threads hold in registers."""

from __future__ import annotations

from ckfetch.edit import Cut, Edit, Insertion

_TENSOR = "include/ck_tile/core/tensor/static_distributed_tensor.hpp"

# CK visits the elements of a slice with nested lambdas, each of which computes two offsets; a table
# has them all.
EDITS = (
    Cut(
        path=_TENSOR,
        why="copy slices out of a tile by a table of places",
        first="        static_ford<sequence<YSliceLengths...>>{}([&](auto idx) {\n",
        last="        });\n",
        sha256="d63a6175c64b00ef6b1cb03ee6492215061620df42ac97bbca95987927a272eb",
        new="""\
        using Slice = y_slice<sequence<YSliceOrigins...>, sequence<YSliceLengths...>>;
        Slice::get(sliced_thread_data, thread_buf_, make_index_sequence<Slice::size>{});
""",
    ),
    Cut(
        path=_TENSOR,
        why="copy slices into a tile by a table of places",
        first="        constexpr auto sliced_thread_tensor_desc =\n",
        last="        });\n",
        sha256="c9ebbbf5fcc97051d7974fc94ee614f943bdfa0b168c1647a26576b0d18dd5de",
        new="""\
        using Slice = y_slice<sequence<YSliceOrigins...>, sequence<YSliceLengths...>>;
        Slice::set(thread_buf_, sliced_thread_data, make_index_sequence<Slice::size>{});
""",
    ),
    Edit(
        path=_TENSOR,
        why="the size of a slice needs no descriptor",
        old="""\
        constexpr auto sliced_thread_tensor_desc =
            make_naive_tensor_descriptor_packed(make_tuple(YSliceLengths...));

        thread_buffer<DataType, sliced_thread_tensor_desc.get_element_space_size()>
            sliced_thread_data;
""",
        new="""\
        thread_buffer<DataType, (YSliceLengths * ...)> sliced_thread_data;
""",
    ),
    Insertion(
        path=_TENSOR,
        why="a table of places",
        before="""\
    template <index_t... YSliceOrigins, index_t... YSliceLengths>
    CK_TILE_HOST_DEVICE auto get_y_sliced_thread_data(sequence<YSliceOrigins...>,
""",
        text="""\
    template <typename Origins, typename Lengths>
    struct y_slice;

    // where the elements of a slice are in the thread buffer, the last dimension first
    template <index_t... Origins, index_t... Lengths>
    struct y_slice<sequence<Origins...>, sequence<Lengths...>>
    {
        static constexpr index_t size = (Lengths * ...);

        CK_TILE_HOST_DEVICE static constexpr array<index_t, size> get_places()
        {
            constexpr index_t ndim      = sizeof...(Lengths);
            constexpr index_t origins[] = {Origins...};
            constexpr index_t lengths[] = {Lengths...};
            index_t strides[ndim]       = {};
            for(index_t i = 0; i < ndim; ++i)
            {
                array<index_t, ndim> ys{};
                ys(i)      = 1;
                strides[i] = ThreadTensorDesc{}.calculate_offset(ys);
            }
            array<index_t, size> places{};
            for(index_t element = 0; element < size; ++element)
            {
                index_t rest = element;
                for(index_t i = ndim - 1; i >= 0; --i)
                {
                    places(element) += (origins[i] + rest % lengths[i]) * strides[i];
                    rest /= lengths[i];
                }
            }
            return places;
        }

        template <typename Sliced, typename Whole, index_t... Is>
        CK_TILE_HOST_DEVICE static void get(Sliced& sliced, const Whole& whole, sequence<Is...>)
        {
            constexpr auto places              = get_places();
            [[maybe_unused]] const bool done[] = {
                (sliced(number<Is / PackedSize>{}) = whole[number<places[Is] / PackedSize>{}], true)...};
        }

        template <typename Sliced, typename Whole, index_t... Is>
        CK_TILE_HOST_DEVICE static void set(Whole& whole, const Sliced& sliced, sequence<Is...>)
        {
            constexpr auto places              = get_places();
            [[maybe_unused]] const bool done[] = {
                (whole(number<places[Is] / PackedSize>{}) = sliced[number<Is / PackedSize>{}], true)...};
        }
    };

""",
    ),
)
