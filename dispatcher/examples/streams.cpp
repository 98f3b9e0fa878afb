// SPDX-License-Identifier: MIT
// Runs one plan from several threads, each on a stream of its own, and checks what each has:
//     streams MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "program.hpp"

namespace {

constexpr std::int64_t kSize = 128;
constexpr std::uint16_t kSizeAsHalf = 0x5800;

// The product of two matrices of ones, whose every element is the depth of the sum: the first of them.
std::uint16_t run(ckdispatch::GemmDispatcher& dispatcher, const ckdispatch::GemmPlan& plan) {
    const auto& device = dispatcher.shared_device();
    const std::vector<std::uint16_t> ones(kSize * kSize, 0x3c00);
    const ckdispatch::DeviceBuffer operand(device, 2 * ones.size()), product(device, 2 * ones.size());
    device->copy_to_device(operand.address(), ones.data(), operand.size());
    void* const tensors[] = {operand.address(), operand.address(), product.address()};

    ckdispatch::RunOptions options;
    options.stream = device->create_stream();
    // Without this the dispatcher keeps some memory of its own for each stream, if a plan needs any.
    const ckdispatch::DeviceBuffer workspace(device, plan.workspace_bytes);
    options.workspace = workspace.address();
    options.workspace_size = workspace.size();
    dispatcher.run_plan(plan, tensors, options);
    device->synchronize(options.stream);
    device->destroy_stream(options.stream);

    std::uint16_t first = 0;
    device->copy_to_host(&first, product.address(), sizeof(first));
    return first;
}

}  // namespace

int main(int argc, char** argv) {
    return program(argc, argv, 1, "MANIFEST [DEVICE]", [&] {
        const auto registry = std::make_shared<ckdispatch::GemmRegistry>("example");
        registry->load_manifest(argv[1]);
        ckdispatch::GemmDispatcher dispatcher(registry, ckdispatch::Device::open(argc > 2 ? argv[2] : "sim:gfx942"));
        const auto plan =
            dispatcher.select(ckdispatch::GemmProblemBuilder().sizes(kSize, kSize, kSize).dtype("fp16").build());

        std::vector<std::future<std::uint16_t>> running;
        for (int i = 0; i < 4; ++i)
            running.push_back(std::async(std::launch::async, [&] { return run(dispatcher, *plan); }));
        int wrong = 0;
        for (auto& one : running) {
            const std::uint16_t first = one.get();
            std::cout << std::hex << first << '\n';
            wrong += first != kSizeAsHalf;
        }
        return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
    });
}
