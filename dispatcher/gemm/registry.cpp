// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/registry.hpp"

#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<GemmKey>(const KernelLibrary&, const GemmKey&, const std::string&);
template class BaseRegistry<GemmRegistry, GemmKey>;

std::shared_ptr<FamilyRegistry> make_gemm_registry(const std::string& name) {
    return std::make_shared<GemmRegistry>(name);
}

}  // namespace ckdispatch
