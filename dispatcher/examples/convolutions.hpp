// SPDX-License-Identifier: MIT
// What the examples of convolutions share: running and checking, and main.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>

#include "ckdispatch/grouped_conv/family.hpp"
#include "program.hpp"
#include "tensors.hpp"

/// Runs the best kernel, says which, and compares all of the result with the reference. The tensors are x, w and y, in
/// every direction.
inline int run_and_check(ckdispatch::GroupedConvDispatcher& dispatcher, const ckdispatch::GroupedConvProblem& problem,
                         void* const (&tensors)[3]) {
    const auto plan = dispatcher.run(problem, tensors);
    dispatcher.device().synchronize();
    std::cout << problem.text() << " with " << plan->name() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values of " << "xwy"[problem.result()] << " checked, " << checked.wrong
              << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Opens what the command line names, MANIFEST [DEVICE], and computes.
template <class Convolve>
int example(int argc, char** argv, Convolve&& convolve) {
    return program(argc, argv, 1, "MANIFEST [DEVICE]", [&] {
        const auto registry = std::make_shared<ckdispatch::GroupedConvRegistry>("example");
        load(*registry, argv[1]);
        const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
        ckdispatch::GroupedConvDispatcher dispatcher(registry, device);
        return convolve(dispatcher, device);
    });
}
