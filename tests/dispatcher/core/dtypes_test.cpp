// SPDX-License-Identifier: MIT
#include "ckdispatch/core/dtypes.hpp"

#include <gtest/gtest.h>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

TEST(Dtypes, HaveTheBytesOfArch) {
    EXPECT_EQ(element_bytes("fp16"), 2);
    EXPECT_EQ(element_bytes("fp64"), 8);
    EXPECT_EQ(element_bytes("int4"), 0.5);
    EXPECT_EQ(dtype_facts("fp8", "A test").bytes, 1);
}

TEST(Dtypes, AreStoredAsUsual) {
    EXPECT_EQ(usual_output("bf16", "bf16", "A test").text(), "bf16");
    EXPECT_EQ(usual_output("int8", "int8", "A test").text(), "int32");
}

TEST(Dtypes, ThatNobodyKnowsAreRefusedInTheNameOfWhoAsks) {
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                          "A test of the dtype 'half' was asked for; the dtypes are fp16, ",
                          dtype_facts("half", "A test"));
    EXPECT_REFUSED_SAYING(ErrorCode::invalid_argument,
                          "An element of the dtype 'half' was asked for; the dtypes are fp16, ", element_bytes("half"));
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A test of fp16 and int8 was asked for; no GPU multiplies that pair.",
                   usual_output("fp16", "int8", "A test"));
}

}  // namespace
}  // namespace ckdispatch
