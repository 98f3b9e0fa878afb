// SPDX-License-Identifier: MIT
// What a registry can do, shown with the kernels of a set:
//     registry MANIFEST GPU
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "ckdispatch/families/kernel_registry.hpp"
#include "ckdispatch/gemm/registry.hpp"
#include "program.hpp"

namespace {

using ckdispatch::Duplicates;
using ckdispatch::GemmKey;
using ckdispatch::GemmRegistry;
using ckdispatch::KernelRegistry;

void choose(const GemmRegistry& registry, ckdispatch::Name gpu) {
    // By fields of the key, by a GPU that there is code for, and by anything else that a kernel tells of itself.
    const auto small =
        registry.filtered({{"dtype_a", "fp16"}, {"layout", "rcr"}}, gpu,
                          [](const ckdispatch::Kernel<GemmKey>& kernel) { return kernel.key().tile.m <= 64; });

    // A key has every field of the kernel's spec, and is read back from its own text.
    for (const auto& kernel : small->kernels()) {
        const std::string text = to_text(kernel->key());
        const auto found = registry.find(ckdispatch::from_text<GemmKey>(text));
        std::cout << found->name() << "\n    " << text << '\n';
    }
}

void prefer(const KernelRegistry& registry, const std::string& manifest) {
    // What a kernel of a higher priority computes, none of a lower one is asked for. Those that are there already stay.
    KernelRegistry tuned("tuned");
    tuned.load_manifest(manifest, Duplicates::refuse, /*priority=*/1);
    const std::size_t added = tuned.merge(registry, Duplicates::keep);
    std::cout << added << " added to " << tuned.size() << '\n';
}

void copy(const KernelRegistry& registry, const std::string& gpu) {
    const auto same = KernelRegistry::from_json(registry.to_json());
    const ckdispatch::Statistics counts = same->statistics();
    std::cout << counts.kernels << " kernels, " << counts.gpus.at(gpu) << " for " << gpu << ", " << counts.opened
              << " opened, " << counts.spilling << " spilling\n";
    for (const auto& [pipeline, count] : counts.fields.at("pipeline")) std::cout << pipeline << ": " << count << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 2, "MANIFEST GPU", [&] {
        // Found again by that name from anywhere in the process; std::make_shared<KernelRegistry>("…") makes one that
        // is not.
        const auto registry = KernelRegistry::named("example");
        registry->load_manifest(argv[1]);
        choose(*registry->of<GemmRegistry>(), argv[2]);
        prefer(*registry, argv[1]);
        copy(*registry, argv[2]);
        return EXIT_SUCCESS;
    });
}
