// SPDX-License-Identifier: MIT
// Which kernel each strategy selects for a problem:
//     strategies MANIFEST GPU M N K
// It needs neither a device nor a HIP runtime.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "program.hpp"

namespace {

using ckdispatch::GemmFamily;
using ckdispatch::GemmProblem;
using Candidate = ckdispatch::Candidate<GemmFamily>;

void select(ckdispatch::GemmSelector& selector, const GemmProblem& problem) {
    const auto best = selector.select(problem);
    std::cout << "rules: " << best->name() << '\n';

    selector.use(ckdispatch::Strategy::first_fit);
    std::cout << "first fit: " << selector.select(problem)->name() << '\n';

    // Microseconds in place of the cost model's, from a learned model or a table of measurements.
    selector.use(ckdispatch::Predictor<GemmFamily>(
        [](const GemmProblem&, const Candidate& candidate, const ckdispatch::arch::GpuSpec&) {
            return 1e6 / (candidate.kernel->key().tile.m * candidate.kernel->key().tile.n);
        }));
    std::cout << "model: " << selector.select(problem)->name() << '\n';

    // The caller picks from all that fit; no value takes the first.
    selector.use(ckdispatch::Chooser<GemmFamily>([](const GemmProblem&, const std::vector<Candidate>& fit) {
        return std::optional<std::size_t>(fit.size() - 1);
    }));
    std::cout << "function: " << selector.select(problem)->name() << '\n';

    // One kernel and no other, by its name or its key. It throws the reason if that kernel does not compute the
    // problem.
    selector.use(ckdispatch::Strategy::rules);
    std::cout << "explicit: " << selector.select_explicit(best->name(), problem)->name() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 5, "MANIFEST GPU M N K", [&] {
        const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
        registry->load_manifest(argv[1]);
        ckdispatch::GemmSelector selector(registry, argv[2]);
        select(selector, ckdispatch::GemmProblemBuilder()
                             .sizes(std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5]))
                             .dtype("fp16")
                             .build());
        return EXIT_SUCCESS;
    });
}
