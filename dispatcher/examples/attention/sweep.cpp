// SPDX-License-Identifier: MIT
// Causal attention of several lengths, each checked, with a plot of the times: measured on a GPU, predicted for a
// simulated one:
//     sweep MANIFEST [DEVICE]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "dispatcher/examples/attention/attention.hpp"

using namespace ckdispatch;

namespace {

double microseconds(FmhaDispatcher& dispatcher, const FmhaPlan& plan, const Operands& operands) {
    return dispatcher.device().simulated() ? plan.microseconds : 1000 * dispatcher.benchmark(plan, operands).median();
}

int attend(FmhaDispatcher& dispatcher, const std::shared_ptr<Device>& device) {
    std::vector<std::pair<std::int64_t, double>> times;
    double most = 0;
    for (const std::int64_t length : {1, 17, 64, 100, 128, 190}) {
        const auto problem = FmhaProblemBuilder()
                                 .dtype("fp16")
                                 .sizes(1, 2)
                                 .lengths(length, length)
                                 .head_sizes(64)
                                 .mask(FmhaProblemBuilder::Mask::bottom_right, -1, 0)
                                 .build();
        const Operands operands(device, problem);
        const auto checked = validate(dispatcher, problem, operands);
        if (!checked.ok()) return report(*dispatcher.select(problem), checked.checked, checked.wrong);
        times.emplace_back(length, microseconds(dispatcher, *dispatcher.select(problem), operands));
        most = std::max(most, times.back().second);
    }
    for (const auto& [length, time] : times)
        std::cout << length << '\t' << std::string(std::size_t(1 + 60 * time / most), '#') << ' ' << time << " us\n";
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return example(argc, argv, attend); }
