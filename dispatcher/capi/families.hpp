// SPDX-License-Identifier: MIT
// Each family's way into the C ABI, defined in its own folder.
#pragma once

#include "ckdispatch/capi/handles.hpp"

namespace ckdispatch::capi {

/// How registries of a family come to be.
struct FamilyEntry {
    ckd_family family;
    const char* name;
    std::unique_ptr<AnyRegistry> (*make)(const std::string& name);
    std::unique_ptr<AnyRegistry> (*named)(const std::string& name);
    std::unique_ptr<AnyRegistry> (*from_json)(const std::string& text);
};

template <template <class> class Handle, class Binding>
FamilyEntry family_entry(ckd_family family, const char* name) {
    using Registry = typename Binding::Family::Registry;
    return {family, name, [](const std::string& name) -> std::unique_ptr<AnyRegistry> { return std::make_unique<Handle<Binding>>(std::make_shared<Registry>(name)); },
            [](const std::string& name) -> std::unique_ptr<AnyRegistry> { return std::make_unique<Handle<Binding>>(Registry::named(name)); },
            [](const std::string& text) -> std::unique_ptr<AnyRegistry> { return std::make_unique<Handle<Binding>>(Registry::from_json(text)); }};
}

FamilyEntry gemm_entry();
FamilyEntry grouped_conv_entry();

}  // namespace ckdispatch::capi
