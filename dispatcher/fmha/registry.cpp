// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/registry.hpp"

#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<FmhaKey>(const KernelLibrary&, const FmhaKey&, const std::string&);
template class BaseRegistry<FmhaRegistry, FmhaKey>;

std::shared_ptr<FamilyRegistry> make_fmha_registry(const std::string& name) {
    return std::make_shared<FmhaRegistry>(name);
}

}  // namespace ckdispatch
