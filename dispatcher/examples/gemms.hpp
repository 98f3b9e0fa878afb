// SPDX-License-Identifier: MIT
// What the examples of products share: running and checking, and main.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>

#include "ckdispatch/gemm/family.hpp"
#include "program.hpp"
#include "tensors.hpp"

/// Runs the best plan, says by which kernel and in how many launches, and compares all of the result with the
/// reference.
inline int run_and_check(ckdispatch::GemmDispatcher& dispatcher, const ckdispatch::GemmProblem& problem,
                         ckdispatch::Tensors tensors) {
    const auto plan = dispatcher.run(problem, tensors);
    dispatcher.device().synchronize();
    std::cout << problem.text() << " with " << plan->name() << ", launches: " << plan->launches() << '\n';

    const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
    std::cout << checked.checked << " values checked, " << checked.wrong << " wrong\n";
    return checked.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// Opens what the command line names, MANIFEST [DEVICE …], and computes.
template <class Multiply>
int example(int argc, char** argv, const char* takes, Multiply&& multiply) {
    return program(argc, argv, 1, takes, [&] {
        const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
        load(*registry, argv[1]);
        const auto device = ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942");
        ckdispatch::GemmDispatcher dispatcher(registry, device);
        return multiply(dispatcher, device);
    });
}
