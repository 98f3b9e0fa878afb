// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/gemm/key.hpp"

namespace ckdispatch {

/// An empty word is not filtered by.
struct GemmFilter {
    Name variant, dtype_a, dtype_b, dtype_c, layout, pipeline, split_k, fused_op;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("variant", &GemmFilter::variant, &GemmKey::variant);
        visit("dtype_a", &GemmFilter::dtype_a, &GemmKey::dtype_a);
        visit("dtype_b", &GemmFilter::dtype_b, &GemmKey::dtype_b);
        visit("dtype_c", &GemmFilter::dtype_c, &GemmKey::dtype_c);
        visit("layout", &GemmFilter::layout, &GemmKey::layout);
        visit("pipeline", &GemmFilter::pipeline, &GemmKey::pipeline);
        visit("split_k", &GemmFilter::split_k, &GemmKey::split_k);
        visit("fused_op", &GemmFilter::fused_op, &GemmKey::fused_op);
    }
};

class GemmRegistry final : public BaseRegistry<GemmRegistry, GemmKey> {
public:
    using Filter = GemmFilter;
    static constexpr const char* kPlural = "GEMMs";
    using BaseRegistry::BaseRegistry;
};

extern template void check_identity<GemmKey>(const KernelLibrary&, const GemmKey&, const std::string&);

}  // namespace ckdispatch
