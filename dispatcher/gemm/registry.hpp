// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/gemm/key.hpp"

namespace ckdispatch {

class GemmRegistry final : public BaseRegistry<GemmRegistry, GemmKey> {
public:
    static constexpr const char* kPlural = "GEMMs";
    using BaseRegistry::BaseRegistry;
};

extern template void check_identity<GemmKey>(const KernelLibrary&, const GemmKey&, const std::string&);
extern template class BaseRegistry<GemmRegistry, GemmKey>;

}  // namespace ckdispatch
