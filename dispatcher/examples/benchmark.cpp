// SPDX-License-Identifier: MIT
// Checks and times every kernel of a set that computes a product, and lists them by what they took:
//     benchmark MANIFEST [DEVICE [M N K]]
// On the simulator the times say nothing about a GPU, unless GFXSIM_TIMING=1 asks for those of a model of it. A
// simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gemms.hpp"

namespace {

using Chooser = ckdispatch::Chooser<ckdispatch::GemmFamily>;

const char* name_of(ckdispatch::TimesOf times) {
    if (times == ckdispatch::TimesOf::gpu) return "a GPU";
    return times == ckdispatch::TimesOf::simulator ? "the simulator" : "the simulated GPU";
}

int benchmark(ckdispatch::GemmDispatcher& dispatcher, const std::shared_ptr<ckdispatch::Device>& device,
              const ckdispatch::GemmProblem& problem) {
    const auto a = whole_numbers(device, problem.m * problem.k, 7),
               b = whole_numbers(device, problem.k * problem.n, 11);
    const ckdispatch::DeviceBuffer c(device, std::size_t(problem.m * problem.n) * sizeof(std::uint16_t));
    void* const tensors[] = {a.address(), b.address(), c.address()};

    // An error with the reason if no kernel computes it.
    (void)dispatcher.select(problem);
    std::vector<std::tuple<double, double, std::string>> rows;
    auto times = ckdispatch::TimesOf::gpu;
    const auto ranking = dispatcher.selector().rank(problem);
    for (std::size_t i = 0; i < ranking.fit.size(); ++i) {
        // What is run, checked and timed is this one.
        dispatcher.selector().use(Chooser([i](const auto&, const auto&) { return std::optional<std::size_t>(i); }));
        const ckdispatch::Validation checked = ckdispatch::validate(dispatcher, problem, tensors);
        if (!checked.ok()) {
            std::cerr << checked.wrong << " values of " << checked.kernel << " are wrong\n";
            return EXIT_FAILURE;
        }
        ckdispatch::BenchmarkOptions options;
        options.warmup = 1;
        options.repeat = 3;
        const auto timed = dispatcher.benchmark(*dispatcher.select(problem), tensors, options);
        times = timed.times;
        rows.emplace_back(1000 * timed.median(), ranking.fit[i].microseconds, timed.kernel);
    }
    std::sort(rows.begin(), rows.end());
    std::cout << problem.text() << " on " << device->name() << ", times of " << name_of(times) << '\n';
    for (const auto& [took, predicted, kernel] : rows)
        std::cout << took << " us, predicted " << predicted << " us: " << kernel << '\n';
    std::cout << rows.size() << " kernels, all right\n";
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    return example(argc, argv, "MANIFEST [DEVICE [M N K]]", [&](auto& dispatcher, const auto& device) {
        const auto extent = [&](int place, std::int64_t otherwise) {
            return argc > place ? std::atoll(argv[place]) : otherwise;
        };
        return benchmark(dispatcher, device,
                         ckdispatch::GemmProblemBuilder()
                             .sizes(extent(3, 256), extent(4, 128), extent(5, 64))
                             .dtype("fp16")
                             .build());
    });
}
