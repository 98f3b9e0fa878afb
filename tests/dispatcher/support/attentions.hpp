// SPDX-License-Identifier: MIT
// Attention kernels that the CPU computes, and tensors for them in the memory of the simulator.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ckdispatch/fmha/family.hpp"
#include "tests/dispatcher/support/built.hpp"

namespace ckdispatch::test {

using Builder = FmhaProblemBuilder;

/// All tensors of a caller's problem: numbers between -1 and 1, and whole numbers that a test sets.
class FmhaTensors {
public:
    FmhaTensors(const std::shared_ptr<Device>& device, const FmhaProblem& problem)
        : device_(device), problem_(problem) {
        std::uint32_t random = 12345;
        for (std::size_t i = 0; i < FmhaFamily::kCallersTensors; ++i) {
            const std::size_t slot = FmhaFamily::slot_of(problem, i);
            if (!problem.has(slot)) continue;
            buffers_[i] = DeviceBuffer(device, std::max<std::size_t>(4, FmhaFamily::region(problem, i).reach));
            addresses[i] = buffers_[i].address();
            std::vector<float> values(buffers_[i].size() / 4);
            for (float& value : values)
                random = random * 1664525 + 1013904223, value = float(random >> 8) / float(1 << 23) - 1;
            device->copy_to_device(addresses[i], values.data(), values.size() * 4);
        }
    }

    void set(std::size_t slot, const std::vector<std::int32_t>& values) {
        device_->copy_to_device(addresses[FmhaFamily::tensor_of(slot)], values.data(), values.size() * 4);
    }
    void set(std::size_t slot, const std::vector<float>& values) {
        device_->copy_to_device(addresses[FmhaFamily::tensor_of(slot)], values.data(), values.size() * 4);
    }
    std::vector<float> read(std::size_t slot) const {
        const DeviceBuffer& buffer = buffers_[FmhaFamily::tensor_of(slot)];
        std::vector<float> values(buffer.size() / 4);
        device_->copy_to_host(values.data(), buffer.address(), values.size() * 4);
        return values;
    }
    void fill(std::size_t slot, float value) {
        set(slot, std::vector<float>(buffers_[FmhaFamily::tensor_of(slot)].size() / 4, value));
    }

    std::array<void*, FmhaFamily::kCallersTensors> addresses{};

private:
    std::shared_ptr<Device> device_;
    FmhaProblem problem_;
    std::array<DeviceBuffer, FmhaFamily::kCallersTensors> buffers_;
};

class MadeUpAttentions : public testing::Test {
protected:
    void SetUp() override {
        device = Device::open("sim:gfx942");
        dispatcher = std::make_unique<FmhaDispatcher>(registry, device);
    }

    void add(std::initializer_list<const char*> kinds) {
        for (const char* kind : kinds)
            registry->add_library({built_file("made_up_fmha_" + std::string(kind) + ".so"), ""});
    }

    static Builder fp32(std::int64_t batch, std::int64_t heads_q, std::int64_t heads_k, std::int64_t rows,
                        std::int64_t keys, std::int64_t head = 16) {
        return Builder().dtype("fp32").sizes(batch, heads_q, heads_k).lengths(rows, keys).head_sizes(head);
    }

    /// The kernels of a plan, in their order.
    static std::vector<std::string> kernels(const FmhaPlan& plan) {
        std::vector<std::string> names;
        for (const auto& stage : plan.stages)
            names.push_back(stage.kernel->name().substr(std::strlen("fmha_made_up_")));
        return names;
    }
    std::vector<std::string> selected(const FmhaProblem& problem) { return kernels(*dispatcher->select(problem)); }

    void expect_right(const FmhaProblem& problem, FmhaTensors& tensors) {
        tensors.fill(CK_FMHA_O, -77);
        const Validation result = validate(*dispatcher, problem, tensors.addresses.data());
        EXPECT_TRUE(result.ok()) << problem.text() << ": " << result.wrong << " of " << result.checked << ", "
                                 << result.actual << " for " << result.expected;
        EXPECT_GT(result.checked, 0);
    }
    void expect_right(const FmhaProblem& problem) {
        FmhaTensors tensors(device, problem);
        expect_right(problem, tensors);
    }

    std::shared_ptr<Device> device;
    std::shared_ptr<FmhaRegistry> registry = std::make_shared<FmhaRegistry>("mine");
    std::unique_ptr<FmhaDispatcher> dispatcher;
};

}  // namespace ckdispatch::test
