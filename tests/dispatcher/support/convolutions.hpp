// SPDX-License-Identifier: MIT
// Made-up convolution kernels, and tensors of fp32 for them in the memory of the simulator.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ckdispatch/grouped_conv/family.hpp"
#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/symbols.hpp"

namespace ckdispatch::test {

class MadeUpConvolutions : public testing::Test {
protected:
    using Kinds = std::initializer_list<const char*>;

    void SetUp() override {
        device = Device::open("sim:gfx942");
        dispatcher = std::make_unique<GroupedConvDispatcher>(registry, device);
    }

    void add(Kinds kinds) {
        for (const char* kind : kinds) {
            const std::string path = built_file("made_up_grouped_conv_" + std::string(kind) + ".so");
            const auto kernel = registry->add_library({path, ""});
            take[kernel->name()] =
                symbol_of<made_up_convolutions (*)()>(kernel->library(), "made_up_take_convolutions");
            (void)take[kernel->name()]();
        }
    }

    /// Small enough for a CPU, and with strides, dilations and pads that differ between dimensions and sides.
    static GroupedConvProblemBuilder fp32(const char* direction = "forward", int dims = 2) {
        const auto first = [&](std::initializer_list<std::int64_t> all) {
            return std::vector<std::int64_t>(all.begin(), all.begin() + dims);
        };
        return GroupedConvProblemBuilder()
            .direction(direction)
            .sizes(2, 2, 3, 5)
            .input(first({7, 6, 5}))
            .filter(first({3, 2, 2}))
            .stride(first({2, 1, 3}))
            .dilation(first({1, 2, 1}))
            .pads(first({1, 0, 2}), first({0, 3, 1}))
            .dtype("fp32");
    }

    /// The same in a layout that has channels first.
    static GroupedConvProblemBuilder first(int dims = 2) {
        const char* const words[] = {"ngcw", "ngchw", "ngcdhw"};
        return fp32("forward", dims).layout(words[dims - 1]);
    }

    std::shared_ptr<Device> device;
    std::shared_ptr<GroupedConvRegistry> registry = std::make_shared<GroupedConvRegistry>("mine");
    std::unique_ptr<GroupedConvDispatcher> dispatcher;
    std::map<std::string, made_up_convolutions (*)()> take;
};

/// The tensors of a problem, with whole numbers from -2 to 2 in all of them, so that sums are exact.
struct ConvTensors {
    ConvTensors(const std::shared_ptr<Device>& device, const GroupedConvProblem& problem, unsigned seed = 1)
        : device(device) {
        std::minstd_rand random(seed);
        for (std::size_t i = 0; i < GroupedConvFamily::tensor_count(problem); ++i) {
            std::vector<float> numbers(std::size_t(problem.elements(i)));
            for (float& one : numbers) one = float(int(random() % 5) - 2);
            buffers.emplace_back(device, numbers.size() * sizeof(float));
            device->copy_to_device(buffers.back().address(), numbers.data(), buffers.back().size());
            addresses.push_back(buffers.back().address());
        }
    }

    std::vector<float> read(std::size_t tensor) const {
        std::vector<float> numbers(buffers[tensor].size() / sizeof(float));
        device->copy_to_host(numbers.data(), addresses[tensor], buffers[tensor].size());
        return numbers;
    }
    void write(std::size_t tensor, const std::vector<float>& numbers) const {
        device->copy_to_device(addresses[tensor], numbers.data(), buffers[tensor].size());
    }

    std::shared_ptr<Device> device;
    std::vector<DeviceBuffer> buffers;
    std::vector<void*> addresses;
};

}  // namespace ckdispatch::test
