// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/registry.hpp"

#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<GroupedConvKey>(const KernelLibrary&, const GroupedConvKey&, const std::string&);
template class BaseRegistry<GroupedConvRegistry, GroupedConvKey>;

std::shared_ptr<FamilyRegistry> make_grouped_conv_registry(const std::string& name) {
    return std::make_shared<GroupedConvRegistry>(name);
}

}  // namespace ckdispatch
