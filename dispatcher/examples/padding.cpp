// SPDX-License-Identifier: MIT
// What happens to a product that no kernel takes as it is: says why not, computes it on copies with zeros around them,
// and checks it:
//     padding MANIFEST [DEVICE]
// A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <cstdint>
#include <vector>

#include "gemms.hpp"

namespace {

constexpr std::int64_t kRows = 37, kColumns = 51;

// Column j of B is a one in row (j + 1) % kColumns: a product with it has the columns of A, moved by one.
std::vector<std::uint16_t> moving() {
    std::vector<std::uint16_t> b(kColumns * kColumns);
    for (std::int64_t j = 0; j < kColumns; ++j) b[std::size_t(j * kColumns + (j + 1) % kColumns)] = 0x3c00;
    return b;
}

int multiply(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device) {
    const auto problem = ckdispatch::GemmProblemBuilder().sizes(kRows, kColumns, kColumns).dtype("fp16").build();
    const auto numbers = whole_numbers(kRows * kColumns, 7);
    const auto a = copied(device, numbers), b = copied(device, moving());
    const ckdispatch::DeviceBuffer c(device, a.size());
    void* const tensors[] = {a.address(), b.address(), c.address()};

    try {
        const auto plan = dispatcher.select(problem);
        std::cout << plan->name() << " computes it as it is\n";
    } catch (const ckdispatch::NoKernelError& error) {
        // The sentence names the kernel that comes nearest, and what it would need.
        std::cout << error.what() << '\n';
    }
    const auto plan = dispatcher.run_padded(problem, tensors);
    device->synchronize();
    std::cout << "padded to " << plan->padded << " with " << plan->name() << '\n';

    std::vector<std::uint16_t> product(numbers.size());
    device->copy_to_host(product.data(), c.address(), c.size());
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < kRows; ++i)
        for (std::int64_t j = 0; j < kColumns; ++j)
            wrong += product[std::size_t(i * kColumns + j)] != numbers[std::size_t(i * kColumns + (j + 1) % kColumns)];
    std::cout << product.size() << " values checked, " << wrong << " wrong\n";
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, "MANIFEST [DEVICE]", multiply); }
