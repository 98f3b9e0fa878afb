// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/grouped_conv/key.hpp"

namespace ckdispatch {

class GroupedConvRegistry final : public BaseRegistry<GroupedConvRegistry, GroupedConvKey> {
public:
    static constexpr const char* kPlural = "grouped convolutions";
    using BaseRegistry::BaseRegistry;
};

extern template void check_identity<GroupedConvKey>(const KernelLibrary&, const GroupedConvKey&, const std::string&);
extern template class BaseRegistry<GroupedConvRegistry, GroupedConvKey>;

}  // namespace ckdispatch
