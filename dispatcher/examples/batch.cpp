// SPDX-License-Identifier: MIT
// Multiplies a batch of matrices with weights that they share, and checks them:
//     batch MANIFEST [DEVICE]
// With a kernel of the variant batched it is one launch, with others one for each matrix. A simulated device needs
// CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>

#include "gemms.hpp"

namespace {

int multiply(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    constexpr std::int64_t count = 3, m = 48, n = 80, k = 64;
    // From one A to the next there are m * k elements, from one C to the next m * n; B is the same for all.
    const auto problem =
        ckdispatch::GemmProblemBuilder().sizes(m, n, k).dtype("fp16").batch(count, m * k, 0, m * n).build();
    const auto a = whole_numbers(device, count * m * k, 7), b = whole_numbers(device, k * n, 11);
    const ckdispatch::DeviceBuffer c(device, std::size_t(count * m * n) * sizeof(std::uint16_t));
    void* const tensors[] = {a.address(), b.address(), c.address()};
    return run_and_check(dispatcher, problem, tensors);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, "MANIFEST [DEVICE]", multiply); }
