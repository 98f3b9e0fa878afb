// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/grouped_conv/key.hpp"

namespace ckdispatch {

/// An empty word is not filtered by. The layout has the number of dimensions.
struct GroupedConvFilter {
    Name variant, dtype_x, dtype_w, dtype_y, layout, pipeline, specialization, split_k, fused_op;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("variant", &GroupedConvFilter::variant, &GroupedConvKey::variant);
        visit("dtype_x", &GroupedConvFilter::dtype_x, &GroupedConvKey::dtype_x);
        visit("dtype_w", &GroupedConvFilter::dtype_w, &GroupedConvKey::dtype_w);
        visit("dtype_y", &GroupedConvFilter::dtype_y, &GroupedConvKey::dtype_y);
        visit("layout", &GroupedConvFilter::layout, &GroupedConvKey::layout);
        visit("pipeline", &GroupedConvFilter::pipeline, &GroupedConvKey::pipeline);
        visit("specialization", &GroupedConvFilter::specialization, &GroupedConvKey::specialization);
        visit("split_k", &GroupedConvFilter::split_k, &GroupedConvKey::split_k);
        visit("fused_op", &GroupedConvFilter::fused_op, &GroupedConvKey::fused_op);
    }
};

class GroupedConvRegistry final : public BaseRegistry<GroupedConvRegistry, GroupedConvKey> {
public:
    using Filter = GroupedConvFilter;
    static constexpr const char* kPlural = "grouped convolutions";
    using BaseRegistry::BaseRegistry;
};

extern template void check_identity<GroupedConvKey>(const KernelLibrary&, const GroupedConvKey&, const std::string&);

}  // namespace ckdispatch
