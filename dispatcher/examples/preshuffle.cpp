// SPDX-License-Identifier: MIT
// Puts weights into the order of the matrix instructions, once, multiplies with them, and checks the product:
//     preshuffle MANIFEST [DEVICE]
// The kernels are of the variant preshuffle. A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's
// runtime.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gemms.hpp"

namespace {

// The order follows from the warp tile and the GPU: it is what the lanes of a wave hold.
ckdispatch::WeightsBlock order_of(ckdispatch::GemmDispatcher& dispatcher) {
    for (const auto& kernel : dispatcher.selector().registry().kernels())
        if (kernel->key().variant == "preshuffle")
            return ckdispatch::WeightsBlock::read_by(kernel->key().warp_tile, dispatcher.device().facts());
    throw std::invalid_argument("The manifest has no kernel that reads preshuffled weights.");
}

int multiply(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    constexpr std::int64_t m = 64, n = 128, k = 256;
    const ckdispatch::WeightsBlock block = order_of(dispatcher);
    std::cout << "blocks of " << block.n << " columns, with " << block.k << " neighbours along k of each\n";

    // As networks have them, [n, k]; of element k, n of B the block knows the place.
    const std::vector<std::uint16_t> weights = whole_numbers(n * k, 11);
    std::vector<std::uint16_t> shuffled(weights.size());
    for (std::int64_t row = 0; row < k; ++row)
        for (std::int64_t column = 0; column < n; ++column)
            shuffled[std::size_t(block.place(row, column, k))] = weights[std::size_t(column * k + row)];

    const auto problem =
        ckdispatch::GemmProblemBuilder().sizes(m, n, k).dtype("fp16").preshuffled(block.n, block.k).build();
    const auto a = whole_numbers(device, m * k, 7), b = copied(device, shuffled);
    const ckdispatch::DeviceBuffer c(device, std::size_t(m * n) * sizeof(std::uint16_t));
    void* const tensors[] = {a.address(), b.address(), c.address()};
    return run_and_check(dispatcher, problem, tensors);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, "MANIFEST [DEVICE]", multiply); }
