// SPDX-License-Identifier: MIT
//
// Device pass only: what an epilogue applies to the product and the D tensors, in the accumulator's type.
#pragma once

#include "ck_tile/core.hpp"
#include "ck_tile/ops/elementwise/unary_element_wise_operation.hpp"

namespace ck_kernel::gemm {

struct Alone {
    template <typename Sum>
    __device__ static Sum combine(Sum product) {
        return product;
    }
};

struct Added {
    template <typename Sum, typename... Ds>
    __device__ static Sum combine(Sum product, Ds... ds) {
        ((product += ds), ...);
        return product;
    }
};

struct Multiplied {
    template <typename Sum, typename... Ds>
    __device__ static Sum combine(Sum product, Ds... ds) {
        ((product *= ds), ...);
        return product;
    }
};

// CK's epilogues call it with the element to write, the product and the elements of the D tensors.
template <typename Sum, typename Combination, typename Activation>
struct Fused {
    template <typename E, typename C, typename... Ds>
    __device__ void operator()(E& e, const C& product, const Ds&... ds) const {
        const Sum x = Combination::combine(ck_tile::type_convert<Sum>(product), ck_tile::type_convert<Sum>(ds)...);
        Sum y{};
        Activation{}(y, x);
        e = ck_tile::type_convert<E>(y);
    }
};

}  // namespace ck_kernel::gemm
