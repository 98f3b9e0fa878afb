// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/fmha/key.hpp"

namespace ckdispatch {

class FmhaRegistry final : public BaseRegistry<FmhaRegistry, FmhaKey> {
public:
    static constexpr const char* kPlural = "attention kernels";
    using BaseRegistry::BaseRegistry;
};

extern template void check_identity<FmhaKey>(const KernelLibrary&, const FmhaKey&, const std::string&);
extern template class BaseRegistry<FmhaRegistry, FmhaKey>;

}  // namespace ckdispatch
