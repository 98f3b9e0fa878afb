// SPDX-License-Identifier: MIT
#include "dispatcher/examples/attention/attention.hpp"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "ckdispatch/core/dtypes.hpp"
#include "dispatcher/examples/program.hpp"

using namespace ckdispatch;

Operands::Operands(const std::shared_ptr<Device>& device, const FmhaProblem& problem, const Operands* other)
    : device_(device) {
    for (std::size_t slot = 0; slot < CK_FMHA_TENSORS; ++slot) {
        if (!problem.has(slot)) continue;
        if (other && other->buffers_[slot]) buffers_[slot] = other->buffers_[slot];
        else make(problem, slot);
        // The order of a caller's tensors is that of ckd_fmha_tensor.
        tensors_[FmhaFamily::tensor_of(slot)] = buffers_[slot]->address();
    }
}

void Operands::make(const FmhaProblem& problem, std::size_t slot) {
    const FmhaExtents of = problem.extents(slot);
    const auto count = std::size_t(of.width * of.heads * of.rows * of.batches);
    const Name dtype = problem.dtype_of(slot);
    const std::size_t bytes = count * std::size_t(element_bytes(dtype));
    buffers_[slot] = std::make_shared<DeviceBuffer>(device_, bytes);
    device_->fill(buffers_[slot]->address(), 0, bytes);
    if (problem.writes(slot)) return;
    const auto which = ck_fmha_tensor_index(slot);
    if (dtype.text() == "fp16") put(which, to_halves(sixteenths(count, slot)));
    if (dtype.text() == "fp8") {
        // In the encoding of gfx942 0x30 is a quarter, and 0x40 is 1.
        std::vector<std::uint8_t> bytes_of;
        for (const double value : sixteenths(count, slot))
            bytes_of.push_back(std::uint8_t(value == 0 ? 0 : (value < 0 ? 0xb0 : 0x30) + int(std::fabs(value) * 16)));
        put(which, bytes_of);
    }
}

int report(const FmhaPlan& plan, std::int64_t checked, std::int64_t wrong) {
    std::cout << plan.problem.text();
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
        std::cout << (i ? " + " : " by ") << plan.stages[i].kernel->name();
    std::cout << ": " << checked << " values checked, " << wrong << " wrong\n";
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int run_and_check(FmhaDispatcher& dispatcher, const FmhaProblem& problem, const Operands& operands) {
    const auto plan = dispatcher.run(problem, operands);
    dispatcher.device().synchronize();
    const Validation checked = validate(dispatcher, problem, operands);
    return report(*plan, checked.checked, checked.wrong);
}

int example(int argc, char** argv, int (*attend)(FmhaDispatcher&, const std::shared_ptr<Device>&)) {
    return program(argc, argv, 1, "MANIFEST [DEVICE]", [&] {
        const auto registry = std::make_shared<FmhaRegistry>("example");
        registry->load_manifest(argv[1]);
        const auto device = Device::open(argc > 2 ? argv[2] : "sim:gfx942");
        FmhaDispatcher dispatcher(registry, device);
        return attend(dispatcher, device);
    });
}
