// SPDX-License-Identifier: MIT
// Multiplies matrices of different sizes, such as those of the experts of a network, and checks them:
//     groups MANIFEST [DEVICE]
// With a kernel of the variant grouped it is one launch, with others one for each product. A simulated device needs
// CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>
#include <vector>

#include "gemms.hpp"

namespace {

int multiply(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    constexpr std::int64_t n = 64, k = 72;
    ckdispatch::GemmProblemBuilder builder;
    builder.dtype("fp16").layout("rcr");
    // Tensors are A, B and C of each in turn.
    std::vector<ckdispatch::DeviceBuffer> buffers;
    for (const std::int64_t rows : {40, 8, 104}) {
        builder.group(rows, n, k);
        buffers.push_back(whole_numbers(device, rows * k, 7));
        buffers.push_back(whole_numbers(device, k * n, 11));
        buffers.emplace_back(device, std::size_t(rows * n) * sizeof(std::uint16_t));
    }
    std::vector<void*> tensors;
    for (const auto& buffer : buffers) tensors.push_back(buffer.address());
    return run_and_check(dispatcher, builder.build(), tensors.data());
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, "MANIFEST [DEVICE]", multiply); }
