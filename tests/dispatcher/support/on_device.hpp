// SPDX-License-Identifier: MIT
// Tests that run the kernels of gfx942: on the simulator, or on the GPU that --config=rocm names.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/matrices.hpp"

namespace ckdispatch::test {

class OnDevice : public testing::Test {
protected:
    void SetUp() override {
        const char* wanted = std::getenv("CKDISPATCH_DEVICE");
        device = Device::open(wanted ? wanted : "sim:gfx942");
        if (device->gpu() != Name("gfx942"))
            GTEST_SKIP() << "The kernels of this test are for gfx942, and the device is a " << device->gpu().text()
                         << ".";
        registry->load_manifest(built_manifest("gemm_fp16_rcr_essential"));
        registry->load_manifest(built_manifest("test_gemm_variants"));
        dispatcher = std::make_unique<GemmDispatcher>(registry, device);
    }

    static GemmProblemBuilder fp16(std::int64_t m, std::int64_t n, std::int64_t k) {
        return GemmProblemBuilder().sizes(m, n, k).dtype("fp16");
    }

    std::shared_ptr<Device> device;
    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
    std::unique_ptr<GemmDispatcher> dispatcher;
};

}  // namespace ckdispatch::test
