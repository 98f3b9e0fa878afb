// SPDX-License-Identifier: MIT
#include "ckdispatch/capi/families.hpp"

#include "ckdispatch/core/error.hpp"

namespace ckdispatch::capi {
namespace {

const FamilyEntry& entry_of(ckd_family family) {
    static const FamilyEntry entries[] = {gemm_entry(), grouped_conv_entry()};
    std::string known;
    for (const FamilyEntry& entry : entries) {
        if (entry.family == family) return entry;
        known += (known.empty() ? "" : ", ") + std::to_string(int(entry.family)) + " (" + entry.name + ")";
    }
    throw Error(ErrorCode::invalid_argument, "The kernel family " + std::to_string(int(family)) + " was asked for; this version has " + known + ".");
}

}  // namespace

std::unique_ptr<AnyRegistry> make_registry(ckd_family family, const std::string& name) { return entry_of(family).make(name); }
std::unique_ptr<AnyRegistry> named_registry(ckd_family family, const std::string& name) { return entry_of(family).named(name); }
std::unique_ptr<AnyRegistry> registry_from_json(ckd_family family, const std::string& text) { return entry_of(family).from_json(text); }

}  // namespace ckdispatch::capi
