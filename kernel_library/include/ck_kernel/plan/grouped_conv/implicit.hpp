// SPDX-License-Identifier: MIT
//
// The implicit GEMM of a convolution: CK's descriptors of its operands, and the arguments of the kernel, in both
// passes.
//
// CK builds descriptors on the host, because they hold magic numbers for divisions, and the kernel takes them as they
// are.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ck_kernel/plan/grouped_conv/channels_first.hpp"
#include "ck_kernel/plan/grouped_conv/config.hpp"
#include "ck_kernel/plan/grouped_conv/sizes.hpp"
#include "ck_tile/core.hpp"
#include "ck_tile/ops/common/tensor_layout.hpp"
#include "ck_tile/ops/grouped_convolution/utils/transform_conv_bwd_data_to_gemm.hpp"
#include "ck_tile/ops/grouped_convolution/utils/transform_conv_bwd_weight_to_gemm.hpp"
#include "ck_tile/ops/grouped_convolution/utils/transform_conv_fwd_to_gemm.hpp"

namespace ck_kernel::grouped_conv {

constexpr ck_tile::ConvolutionSpecialization to_ck(Filter filter) {
    switch (filter) {
        case Filter::unit: return ck_tile::ConvolutionSpecialization::Filter1x1Pad0;
        case Filter::unit_stride_1: return ck_tile::ConvolutionSpecialization::Filter1x1Stride1Pad0;
        case Filter::three: return ck_tile::ConvolutionSpecialization::Filter3x3;
        case Filter::any: break;
    }
    return ck_tile::ConvolutionSpecialization::Default;
}

// Images with their channels innermost.
template <int Spatial>
struct Layouts {
    using X = ck_tile::tensor_layout::convolution::NWGC;
    using W = ck_tile::tensor_layout::convolution::GKXC;
    using Y = ck_tile::tensor_layout::convolution::NWGK;
};
template <>
struct Layouts<2> {
    using X = ck_tile::tensor_layout::convolution::NHWGC;
    using W = ck_tile::tensor_layout::convolution::GKYXC;
    using Y = ck_tile::tensor_layout::convolution::NHWGK;
};
template <>
struct Layouts<3> {
    using X = ck_tile::tensor_layout::convolution::NDHWGC;
    using W = ck_tile::tensor_layout::convolution::GKZYXC;
    using Y = ck_tile::tensor_layout::convolution::NDHWGK;
};

template <Direction, int Spatial, ck_tile::ConvolutionSpecialization Filter, int A, int B, int C, int Groups>
struct Transform;

template <int Spatial, ck_tile::ConvolutionSpecialization Filter, int A, int B, int C, int Groups>
struct Transform<Direction::forward, Spatial, Filter, A, B, C, Groups> {
    CK_TILE_HOST static auto descriptors(const Sizes<Spatial>& s, const Residue<Spatial>&) {
        const ck_tile::TransformConvFwdToGemm<Spatial, Filter, A, B, C, Groups> transform{
            s.x, s.w, s.y, s.stride, s.dilation, s.left_pad, s.right_pad};
        return ck_tile::make_tuple(transform.template MakeADescriptor_M_K<typename Layouts<Spatial>::X>(),
                                   transform.template MakeBDescriptor_N_K<typename Layouts<Spatial>::W>(),
                                   transform.template MakeCDescriptor_M_N<typename Layouts<Spatial>::Y>());
    }
};

template <int Spatial, ck_tile::ConvolutionSpecialization Filter, int A, int B, int C>
struct Transform<Direction::backward_data, Spatial, Filter, A, B, C, 1> {
    CK_TILE_HOST static auto descriptors(const Sizes<Spatial>& s, const Residue<Spatial>& residue) {
        const ck_tile::TransformConvBwdDataToGemm<Spatial, Filter, A, B, C> transform{
            s.x, s.w, s.y, s.stride, s.dilation, s.left_pad, s.right_pad, residue};
        return transform.template MakeABCGridDescriptor_A_K0_M_K1_B_K0_N_K1_C_M_N<Spatial>(1);
    }
};

template <int Spatial, ck_tile::ConvolutionSpecialization Filter, int A, int B, int C, int Groups>
struct Transform<Direction::backward_weight, Spatial, Filter, A, B, C, Groups> {
    CK_TILE_HOST static auto descriptors(const Sizes<Spatial>& s, const Residue<Spatial>&) {
        const ck_tile::TransformConvBwdWeightToGemm<Spatial, Filter, A, B, C, Groups> transform{
            s.x, s.w, s.y, s.stride, s.dilation, s.left_pad, s.right_pad};
        return transform.template MakeABCGridDescriptor_A_K0_M_K1_B_K0_N_K1_C_M_N<Spatial>();
    }
};

// CK lays the images of one dimension across: K by outputs, where it reads outputs by K. They are images of one row.
template <ck_tile::ConvolutionSpecialization Filter, int A, int B, int C, int Groups>
struct Transform<Direction::backward_weight, 1, Filter, A, B, C, Groups> {
    CK_TILE_HOST static auto descriptors(const Sizes<1>& s, const Residue<1>&) {
        const auto lengths = [](const auto& of) {
            return ck_tile::array<ck_tile::index_t, 5>{of[0], of[1], of[2], 1, of[3]};
        };
        const auto pair = [](int row, int along) { return ck_tile::array<ck_tile::index_t, 2>{row, along}; };
        return Transform<Direction::backward_weight, 2, Filter, A, B, C, Groups>::descriptors(
            {lengths(s.x), lengths(s.w), lengths(s.y), pair(1, s.stride[0]), pair(1, s.dilation[0]),
             pair(0, s.left_pad[0]), pair(0, s.right_pad[0])},
            {});
    }
};

// Rows and columns of C, depth of the sum, and where the operands are.
template <typename Descriptors>
struct Product {
    Descriptors descriptors;
    std::int32_t m, n, k;
    std::int32_t first_workgroup;
};

// What one launch computes: one product for each group, and for each of the z layers of workgroups.
template <typename Descriptors, int Products>
struct Args {
    const void* a;
    const void* b;
    const void* d;
    void* c;
    std::int64_t group_a, group_b, group_c, group_d;  // elements from one group of the grid to the next
    std::int64_t layer_a, layer_b, layer_c;           // elements from one layer of the grid to the next
    std::int32_t k_batch;
    std::int32_t count;
    Product<Descriptors> products[Products];
};

// Backward data takes a product for each residue, and this many at most in one launch: all of a stride of 2.
constexpr int most_products(Direction direction, int spatial) {
    return direction == Direction::backward_data ? 1 << spatial : 1;
}

template <Direction D, int Spatial_, Layout L, Filter F, int A, int B, int C, int Groups>
struct Implicit {
    static constexpr Direction kDirection = D;
    static constexpr int kSpatial = Spatial_;
    static constexpr int kProducts = most_products(D, Spatial_);

    using Transform = std::conditional_t<L == Layout::channels_first, ChannelsFirst<Spatial_, F, A, B, C>,
                                         grouped_conv::Transform<D, Spatial_, to_ck(F), A, B, C, Groups>>;
    using Descriptors = ck_tile::remove_cvref_t<decltype(Transform::descriptors({}, {}))>;
    using Args = grouped_conv::Args<Descriptors, kProducts>;
};

}  // namespace ck_kernel::grouped_conv
