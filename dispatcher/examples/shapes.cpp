// SPDX-License-Identifier: MIT
// Multiplies matrices of many shapes, each with the kernel that should be the fastest for it, and checks them:
//     shapes MANIFEST [DEVICE [MxNxK...]]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "gemms.hpp"

namespace {

ckdispatch::GemmProblem product_of(const std::string& shape) {
    long long m = 0, n = 0, k = 0;
    char more = 0;
    if (std::sscanf(shape.c_str(), "%lldx%lldx%lld%c", &m, &n, &k, &more) != 3)
        throw std::invalid_argument("The shape " + shape + " was given; write M, N and K as 200x136x72.");
    return ckdispatch::GemmProblemBuilder().sizes(m, n, k).dtype("fp16").build();
}

int multiply(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device,
             const std::vector<std::string>& shapes) {
    std::int64_t wrong = 0;
    for (const std::string& shape : shapes) {
        const auto problem = product_of(shape);
        const auto a = whole_numbers(device, problem.m * problem.k, 7),
                   b = whole_numbers(device, problem.k * problem.n, 11);
        const ckdispatch::DeviceBuffer c(device, std::size_t(problem.m * problem.n) * sizeof(std::uint16_t));
        void* const tensors[] = {a.address(), b.address(), c.address()};

        // It runs the problem; the second time the plan is found by its problem, and nothing is chosen anew.
        const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
        const auto plan = dispatcher.select(problem);
        const auto& tile = plan->stages[0].kernel->key().tile;
        std::cout << shape << ": tiles of " << tile.m << 'x' << tile.n << 'x' << tile.k << ", predicted "
                  << plan->microseconds << " us, " << checked.wrong << " of " << checked.checked << " values wrong\n";
        wrong += checked.wrong;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    return example(argc, argv, "MANIFEST [DEVICE [MxNxK...]]", [&](auto& dispatcher, const auto& device) {
        std::vector<std::string> shapes(argv + std::min(argc, 3), argv + argc);
        if (shapes.empty()) shapes = {"1x256x64", "16x128x256", "64x64x64", "200x136x72", "256x128x64"};
        return multiply(dispatcher, device, shapes);
    });
}
