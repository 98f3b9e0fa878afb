// SPDX-License-Identifier: MIT
#include "ckdispatch/grouped_conv/registry.hpp"

#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<GroupedConvKey>(const KernelLibrary&, const GroupedConvKey&, const std::string&);
template class BaseRegistry<GroupedConvRegistry, GroupedConvKey>;

}  // namespace ckdispatch
