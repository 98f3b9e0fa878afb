// SPDX-License-Identifier: MIT
// Prints which kernels of a set compute a problem, the best first, and why the others do not:
//     rank MANIFEST GPU M N K [DTYPE [LAYOUT]]
// It needs neither a device nor a HIP runtime.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "ckdispatch/gemm/family.hpp"
#include "program.hpp"

namespace {

void rank(int argc, char** argv) {
    const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
    registry->load_manifest(argv[1]);
    const ckdispatch::GemmSelector selector(registry, argv[2]);
    const ckdispatch::GemmProblem problem = ckdispatch::GemmProblemBuilder()
                                                .sizes(std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5]))
                                                .dtype(argc > 6 ? argv[6] : "fp16")
                                                .layout(argc > 7 ? argv[7] : "rcr")
                                                .build();

    const auto ranking = selector.rank(problem);
    std::cout << problem.text() << " on " << argv[2] << '\n';
    for (const auto& candidate : ranking.fit)
        std::cout << "fits: " << candidate.kernel->name() << ", predicted " << candidate.microseconds << " us\n";
    for (const auto& other : ranking.refused)
        std::cout << "refused (" << ckdispatch::name_of(other.code) << "): " << other.reason << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 5, "MANIFEST GPU M N K [DTYPE [LAYOUT]]", [&] {
        rank(argc, argv);
        return EXIT_SUCCESS;
    });
}
