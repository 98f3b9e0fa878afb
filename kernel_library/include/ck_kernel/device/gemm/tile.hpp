// SPDX-License-Identifier: MIT
//
// Device pass only: one tile of one product, wherever its operands begin, with CK's own views, pipeline and epilogue.
// CK's kernel does the same for the tile that its workgroup number stands for; variants that divide the work otherwise
// (grouped, stream-K, D tensors by columns) are built on this.
#pragma once

#include "ck_kernel/plan/gemm/product.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/gemm/kernel/universal_gemm_kernel.hpp"

namespace ck_kernel::gemm {

// Where a tile lies in C, in elements.
struct TilePlace {
    ck_tile::index_t row, column;
};

template <typename Kernel>
__device__ TilePlace place_of(ck_tile::index_t m, ck_tile::index_t n, ck_tile::index_t tile) {
    using Partitioner = typename Kernel::TilePartitioner;
    const auto [row, col] = Partitioner{m, n}.GetOutputTileIndex(tile);
    return {ck_tile::amd_wave_read_first_lane(row * Partitioner::MPerBlock),
            ck_tile::amd_wave_read_first_lane(col * Partitioner::NPerBlock)};
}

// Where C is stored: in its place, as CK does it.
struct InPlace {
    template <typename Kernel, typename Window>
    __device__ static auto window(const Window& window, const TilePlace&) {
        return window;
    }
};

// Or in a tile of its own, all of which may be written.
template <typename Sum>
struct InWorkspace {
    Sum* sums;

    template <typename Kernel, typename Window>
    __device__ auto window(const Window&, const TilePlace&) const {
        using Partitioner = typename Kernel::TilePartitioner;
        constexpr ck_tile::number<Partitioner::MPerBlock> m{};
        constexpr ck_tile::number<Partitioner::NPerBlock> n{};
        // CK's views of memory take lengths that are known at run time alone.
        const auto lengths = ck_tile::make_tuple<ck_tile::index_t, ck_tile::index_t>(m, n);
        const auto strides = ck_tile::make_tuple<ck_tile::index_t, ck_tile::number<1>>(n, {});
        const auto view = ck_tile::make_naive_tensor_view<ck_tile::address_space_enum::global>(
            sums, lengths, strides, ck_tile::number<Kernel::EpiloguePipeline::GetVectorSizeC()>{},
            ck_tile::number<1>{});
        return ck_tile::make_tile_window(view, ck_tile::make_tuple(m, n), {0, 0});
    }
};

// How D tensors are read: by rows, as CK does it.
struct DsByRows {
    template <typename Kernel, typename Args, typename Windows>
    __device__ static auto windows(const Args&, const Windows& windows, const TilePlace&) {
        return windows;
    }
};

// Or by columns, where CK would lay the window of a tile across the tile. A leading dimension of 0 repeats one column.
struct DsByColumns {
    template <typename Kernel, typename Args, typename Windows>
    __device__ static auto windows(const Args& args, const Windows&, const TilePlace& place) {
        using Partitioner = typename Kernel::TilePartitioner;
        using Types = typename Kernel::EpiloguePipeline::DsDataType;
        constexpr ck_tile::number<Partitioner::MPerBlock> m{};
        constexpr ck_tile::number<Partitioner::NPerBlock> n{};
        return ck_tile::generate_tuple(
            [&](auto i) {
                using Type = ck_tile::remove_cvref_t<std::tuple_element_t<i.value, Types>>;
                const auto view = ck_tile::make_naive_tensor_view<ck_tile::address_space_enum::global>(
                    static_cast<const Type*>(args.ds_ptr[i]), ck_tile::make_tuple(args.M, args.N),
                    ck_tile::make_tuple(ck_tile::number<1>{}, args.stride_Ds[i]), ck_tile::number<1>{},
                    ck_tile::number<1>{});
                const auto padded =
                    ck_tile::pad_tensor_view(view, ck_tile::make_tuple(m, n), ck_tile::sequence<true, true>{});
                return ck_tile::make_tile_window(padded, ck_tile::make_tuple(m, n), {place.row, place.column});
            },
            ck_tile::number<Types::size()>{});
    }
};

// Computes a tile over the first k elements from a and b.
template <typename Kernel, typename Ds, typename Store, typename Args>
__device__ void compute_tile(const Args& args, const typename Kernel::ADataType* a, const typename Kernel::BDataType* b,
                             ck_tile::index_t k, const TilePlace& place, const Store& store, void* lds_0,
                             [[maybe_unused]] void* lds_1) {
    using Universal = typename Kernel::UniversalGemmKernel;
    using Pipeline = typename Kernel::GemmPipeline;
    using Epilogue = typename Kernel::EpiloguePipeline;

    auto* const c = static_cast<typename Kernel::EDataType*>(args.e_ptr);
    const auto views =
        Universal::template MakeGemmTensorViews<Epilogue::MemoryOperation>({a}, {b}, args.ds_ptr, c, args, k);
    const auto padded = Universal::MakeGemmPadViews(views);
    const auto windows = Universal::MakeGemmTileWindows(padded, place.row, place.column);
    const auto loops = ck_tile::amd_wave_read_first_lane(Kernel::TilePartitioner::GetLoopNum(k));

    const typename Universal::AElementWise a_as_it_is{};
    const typename Universal::BElementWise b_as_it_is{};
    auto c_window = store.template window<Kernel>(windows.at(ck_tile::number<3>{}), place);
    const auto d_windows = Ds::template windows<Kernel>(args, windows.at(ck_tile::number<2>{}), place);
    const auto& a_window = windows.at(ck_tile::number<0>{});
    const auto& b_window = windows.at(ck_tile::number<1>{});
    if constexpr (Pipeline::DoubleSmemBuffer)
        Epilogue{}(c_window, Pipeline{}(a_window, a_as_it_is, b_window, b_as_it_is, loops, lds_0, lds_1), d_windows,
                   lds_0);
    else Epilogue{}(c_window, Pipeline{}(a_window, a_as_it_is, b_window, b_as_it_is, loops, lds_0), d_windows, lds_0);
}

// A device function of the kernel that serves the loops of one variant.
template <typename Kernel_, bool Hot, Tail Tail_>
struct Loops {
    using Kernel = Kernel_;
    static constexpr LoopVariant kVariant{Hot, Tail_};
};

// The same, with the device function that the loop count needs: the branch is the same for a whole workgroup.
template <typename Ds, typename... Variants>
struct AnyLoops {
    template <typename Args, typename A, typename B, typename Store>
    __device__ static void compute_tile(const Config& config, const Args& args, const A* a, const B* b,
                                        ck_tile::index_t k, const TilePlace& place, const Store& store, void* lds_0,
                                        void* lds_1) {
        const LoopVariant wanted = loop_variant(config, ceil_div(k, config.tile.k));
        const auto attempt = [&](auto variant) {
            using Variant = decltype(variant);
            if (!(wanted == Variant::kVariant)) return false;
            gemm::compute_tile<typename Variant::Kernel, Ds>(args, a, b, k, place, store, lds_0, lds_1);
            return true;
        };
        (void)(attempt(Variants{}) || ...);
    }
};

}  // namespace ck_kernel::gemm
