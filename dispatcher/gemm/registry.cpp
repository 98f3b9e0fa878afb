// SPDX-License-Identifier: MIT
#include "ckdispatch/gemm/registry.hpp"

#include "ckdispatch/core/registry_family.hpp"

namespace ckdispatch {

template void check_identity<GemmKey>(const KernelLibrary&, const GemmKey&, const std::string&);

bool GemmRegistry::matches(const GemmKey& key, const GemmFilter& filter) {
    const auto passes = [](Name wanted, Name has) { return wanted.empty() || wanted == has; };
    return passes(filter.variant, key.variant) && passes(filter.dtype_a, key.dtype_a) && passes(filter.dtype_b, key.dtype_b) && passes(filter.dtype_c, key.dtype_c) &&
           passes(filter.layout, key.layout) && passes(filter.pipeline, key.pipeline) && passes(filter.split_k, key.split_k) && passes(filter.fused_op, key.fused_op);
}

GemmRegistry::KernelPtr GemmRegistry::describe(std::shared_ptr<const KernelLibrary> library, int priority) {
    return described_kernel<GemmRegistry>(std::move(library), priority);
}

std::vector<GemmRegistry::KernelPtr> GemmRegistry::read_manifest(const std::string& path, int priority) {
    std::vector<KernelEntry> entries = ckdispatch::read_manifest(path);
    for (KernelEntry& entry : entries) entry.priority = priority;
    return kernels_of_entries<GemmRegistry>(std::move(entries), "The manifest " + path);
}

std::string GemmRegistry::write_json(const GemmRegistry& registry) { return registry_json(registry); }
std::shared_ptr<GemmRegistry> GemmRegistry::read_json(const std::string& text) { return registry_from_json<GemmRegistry>(text); }

}  // namespace ckdispatch
