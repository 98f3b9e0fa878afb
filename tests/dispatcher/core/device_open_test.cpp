// SPDX-License-Identifier: MIT
// Which devices can be opened, each in a process of its own: one process has one runtime.
#include "ckdispatch/core/device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/process.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::in_a_process_of_its_own;

std::string opened(const std::string& name, const std::string& simulator = {}) {
    return "opened " + std::string(Device::open(name, simulator)->gpu().text());
}

TEST(DeviceName, ThatIsNoneIsRefused) {
    for (const char* name : {"", "gpu", "hip", "hip:", "hip:-1", "hip:0x", "hip:1.0", "hip: 1", "hip:99999999999",
                             "HIP:0", "sim", "cuda:0", "auto"})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "The device '" + std::string(name) +
                           "' was asked for; a device is called hip:0 (an AMD GPU) or sim:gfx942 (the simulator).",
                       Device::open(name));
}

TEST(DeviceName, OfAGpuThatIsNotSimulatedIsRefusedWithThoseThatAre) {
    for (const char* name : {"sim:", "sim:gfx000", "sim:GFX942", "sim:gfx942 "}) {
        EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                              "The device " + std::string(name) + " was asked for; the simulator has ",
                              Device::open(name));
        EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument, "gfx942", Device::open(name));
    }
}

TEST(Simulator, ThatNobodyNamedIsRefused) {
    EXPECT_EQ(in_a_process_of_its_own([] {
                  ::unsetenv("CKDISPATCH_SIMULATOR");
                  return opened("sim:gfx942");
              }),
              "not found: The simulator was asked for and its runtime library is not known; set CKDISPATCH_SIMULATOR "
              "to its path (//tools/gfxsim:hip_runtime builds it).");
}

TEST(Simulator, ThatIsMissingIsRefused) {
    EXPECT_EQ(in_a_process_of_its_own([] { return opened("sim:gfx942", "/nowhere/libamdhip64.so"); }),
              "not found: The simulator's runtime cannot be loaded: /nowhere/libamdhip64.so: cannot open shared object "
              "file: No such file or directory.");
}

TEST(Simulator, ThatIsSomethingElseIsRefused) {
    const std::string ordinary = test::built_library("ordinary");
    EXPECT_EQ(in_a_process_of_its_own([&] { return opened("sim:gfx942", ordinary); }),
              "invalid argument: The simulator was asked for, and " + ordinary +
                  " is not its runtime; //tools/gfxsim:hip_runtime builds it.");
}

TEST(Simulator, SimulatesTheGpuThatWasAskedFor) {
    for (const char* gpu : {"gfx942", "gfx950", "gfx1100"})
        EXPECT_EQ(in_a_process_of_its_own([&] { return opened(std::string("sim:") + gpu); }),
                  std::string("opened ") + gpu);
}

TEST(Simulator, SimulatesOneGpuForAProcess) {
    EXPECT_EQ(in_a_process_of_its_own([] {
                  opened("sim:gfx942");
                  return opened("sim:gfx950");
              }),
              "invalid argument: The device sim:gfx950 was asked for, and this process already simulates gfx942; use a "
              "process of its own.");
    EXPECT_EQ(in_a_process_of_its_own([] {
                  opened("sim:gfx950");
                  return opened("sim:gfx950");
              }),
              "opened gfx950");
}

TEST(Simulator, CanBeOpenedAfterAFailure) {
    EXPECT_EQ(in_a_process_of_its_own([] {
                  try {
                      opened("sim:gfx942", "/nowhere/libamdhip64.so");
                  } catch (const Error&) {}
                  return opened("sim:gfx942");
              }),
              "opened gfx942");
}

TEST(Gpu, CannotBeUsedInAProcessWithTheSimulator) {
    EXPECT_EQ(in_a_process_of_its_own([] {
                  opened("sim:gfx942");
                  return opened("hip:0");
              }),
              "invalid argument: An AMD GPU was asked for, and this process already runs on the simulator; use a "
              "process of its own.");
}

TEST(Gpu, ThatIsNotThereIsRefused) {
    const std::string said = in_a_process_of_its_own([] {
        // Also where there is one.
        ::setenv("HIP_VISIBLE_DEVICES", "-1", 1);
        return opened("hip:0");
    });
    const std::string no_runtime = "not found: An AMD GPU was asked for and no HIP runtime can be loaded (";
    if (said.compare(0, no_runtime.size(), no_runtime) == 0)
        EXPECT_NE(said.find("); install ROCm, or use a simulated device such as sim:gfx942."), said.npos) << said;
    else
        EXPECT_EQ(said,
                  "not found: The device hip:0 was asked for, and this machine has 0 AMD GPUs that the HIP runtime can "
                  "use; sim:gfx942 needs none.");
}

}  // namespace
}  // namespace ckdispatch
