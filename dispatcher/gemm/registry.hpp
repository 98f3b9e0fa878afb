// SPDX-License-Identifier: MIT
#pragma once

#include "ckdispatch/core/registry.hpp"
#include "ckdispatch/gemm/key.hpp"

namespace ckdispatch {

/// An empty word is not filtered by.
struct GemmFilter {
    Name variant, dtype_a, dtype_b, dtype_c, layout, pipeline, split_k, fused_op;
};

class GemmRegistry : public BaseRegistry<GemmRegistry, GemmKey> {
public:
    using Filter = GemmFilter;
    using BaseRegistry::BaseRegistry;

    static bool matches(const GemmKey& key, const GemmFilter& filter);

private:
    friend BaseRegistry;
    static KernelPtr describe(std::shared_ptr<const KernelLibrary> library, int priority);
    static std::vector<KernelPtr> read_manifest(const std::string& path, int priority);
    static std::string write_json(const GemmRegistry& registry);
    static std::shared_ptr<GemmRegistry> read_json(const std::string& text);
};

extern template void check_identity<GemmKey>(const KernelLibrary&, const GemmKey&, const std::string&);

}  // namespace ckdispatch
