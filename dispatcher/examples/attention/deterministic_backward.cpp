// SPDX-License-Identifier: MIT
// Gradients that have the same bits every time, because sums over keys are made in one order, of an attention with
// slopes, checked:
//     deterministic_backward MANIFEST [DEVICE]
#include <cstdlib>
#include <iostream>

#include "dispatcher/examples/attention/gradients.hpp"

using namespace ckdispatch;

namespace {

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    const std::vector<float> slopes{1 / 4.f, 1 / 16.f, 1 / 64.f, 1 / 256.f};
    const Gradients once = gradients(dispatcher, device, true, slopes),
                    again = gradients(dispatcher, device, true, slopes);
    for (const auto slot : {CK_FMHA_DQ, CK_FMHA_DK, CK_FMHA_DV})
        if (once.operands.read<std::uint16_t>(slot) != again.operands.read<std::uint16_t>(slot)) {
            std::cerr << "two runs differ\n";
            return EXIT_FAILURE;
        }
    return check_gradients(once);
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }
