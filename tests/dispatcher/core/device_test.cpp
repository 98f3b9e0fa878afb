// SPDX-License-Identifier: MIT
// Memory, streams and timers of a device.
#include "ckdispatch/core/device.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

class SimulatedDevice : public testing::Test {
protected:
    const std::shared_ptr<Device> device = Device::open("sim:gfx942");
};

TEST_F(SimulatedDevice, SaysWhatItIs) {
    EXPECT_EQ(device->name(), "sim:gfx942");
    EXPECT_EQ(device->gpu().text(), "gfx942");
    EXPECT_EQ(device->facts().name, "gfx942");
    EXPECT_TRUE(device->simulated());
}

TEST_F(SimulatedDevice, CopiesInOutAndWithin) {
    std::vector<int> numbers(1000), back(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    const DeviceBuffer one(device, 4000), other(device, 4000);
    device->copy_to_device(one.address(), numbers.data(), 4000);
    device->copy_on_device(other.address(), one.address(), 4000);
    device->copy_to_host(back.data(), other.address(), 4000);
    EXPECT_EQ(back, numbers);
}

TEST_F(SimulatedDevice, CopiesRowsFromOnePitchToAnother) {
    std::vector<char> from(5 * 10), to(5 * 6, 'x');
    std::iota(from.begin(), from.end(), char(0));
    const DeviceBuffer source(device, from.size()), target(device, to.size());
    device->copy_to_device(source.address(), from.data(), from.size());
    device->copy_to_device(target.address(), to.data(), to.size());
    device->copy_rows(target.address(), 6, source.address(), 10, 4, 5);
    device->synchronize();
    device->copy_to_host(to.data(), target.address(), to.size());
    for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 6; ++column)
            EXPECT_EQ(to[row * 6 + column], column < 4 ? char(row * 10 + column) : 'x') << row << " " << column;
}

TEST_F(SimulatedDevice, FillsMemory) {
    std::vector<unsigned char> back(100);
    const DeviceBuffer buffer(device, 100);
    device->fill(buffer.address(), 0xab, 60);
    device->fill(static_cast<char*>(buffer.address()) + 60, 0xcd, 40);
    device->copy_to_host(back.data(), buffer.address(), 100);
    EXPECT_EQ(back[59], 0xab);
    EXPECT_EQ(back[60], 0xcd);
    EXPECT_EQ(back[99], 0xcd);
}

TEST_F(SimulatedDevice, OrdersWorkOnAStream) {
    void* const stream = device->create_stream();
    std::vector<char> back(8);
    const DeviceBuffer buffer(device, 8);
    device->fill(buffer.address(), 1, 8, stream);
    device->fill(buffer.address(), 2, 4, stream);
    device->synchronize(stream);
    device->copy_to_host(back.data(), buffer.address(), 8);
    EXPECT_EQ(back, (std::vector<char>{2, 2, 2, 2, 1, 1, 1, 1}));
    device->destroy_stream(stream);
}

TEST_F(SimulatedDevice, SaysWhyACallFailed) {
    int back = 0;
    EXPECT_REFUSED_SAYING(ErrorCode::device_failed,
                          "hipFree failed on sim:gfx942 with hipErrorInvalidValue: ", device->release(&back));
    EXPECT_REFUSED_SAYING(ErrorCode::device_failed, "the pointer is not the beginning of an allocation",
                          device->release(&back));
}

TEST_F(SimulatedDevice, SaysThatThereIsTooLittleMemory) {
    EXPECT_REFUSED_SAYING(ErrorCode::out_of_memory, "hipMalloc failed on sim:gfx942 with hipErrorOutOfMemory",
                          device->allocate(std::numeric_limits<std::size_t>::max() / 4));
}

TEST_F(SimulatedDevice, ReleasesNothingAtAll) { EXPECT_NO_THROW(device->release(nullptr)); }

TEST_F(SimulatedDevice, TimesWorkOnAStream) {
    const DeviceBuffer buffer(device, 1000);
    GpuTimer timer(device, nullptr);
    for (int i = 0; i < 2; ++i) {
        timer.start();
        device->fill(buffer.address(), 0, 1000);
        EXPECT_GE(timer.stop(), 0);
    }
}

TEST_F(SimulatedDevice, HasBuffersThatCanBeMoved) {
    DeviceBuffer one(device, 100), two(device, 200), none;
    void* const address = one.address();
    DeviceBuffer moved(std::move(one));
    EXPECT_EQ(moved.address(), address);
    EXPECT_EQ(moved.size(), 100u);
    EXPECT_EQ(one.address(), nullptr);
    EXPECT_EQ(one.size(), 0u);
    two = std::move(moved);
    EXPECT_EQ(two.address(), address);
    EXPECT_EQ(none.address(), nullptr);
    EXPECT_EQ(DeviceBuffer(device, 0).address(), nullptr);
}

}  // namespace
}  // namespace ckdispatch
