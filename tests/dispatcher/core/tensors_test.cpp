// SPDX-License-Identifier: MIT
#include "ckdispatch/core/tensors.hpp"

#include <gtest/gtest.h>

#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

std::string letter(std::size_t tensor) { return std::string(1, char('p' + tensor)); }

TEST(Alignment, IsAPowerOfTwoUpTo16) {
    for (const int bytes : {1, 2, 4, 8, 16}) EXPECT_NO_THROW(check_alignment(bytes, "A test"));
    for (const int bytes : {-1, 0, 3, 12, 32})
        EXPECT_REFUSED(ErrorCode::invalid_argument,
                       "A test with addresses aligned to " + std::to_string(bytes) +
                           " bytes was asked for; an alignment is 1, 2, 4, 8 or 16.",
                       check_alignment(bytes, "A test"));
}

TEST(Alignment, OfTensorsIsThatOfTheLeastAlignedAndNoMoreThanStated) {
    void* const tensors[] = {address(0x1000), address(0x1008), address(0x1004)};
    EXPECT_EQ(alignment_of(tensors, 1, 16, "A test", letter), 16);
    EXPECT_EQ(alignment_of(tensors, 1, 2, "A test", letter), 2);
    EXPECT_EQ(alignment_of(tensors, 2, 16, "A test", letter), 8);
    EXPECT_EQ(alignment_of(tensors, 3, 16, "A test", letter), 4);
}

TEST(Alignment, OfATensorThatIsNotThereIsRefusedByItsName) {
    void* const tensors[] = {address(0x1000), nullptr};
    EXPECT_EQ(alignment_of(tensors, 1, 16, "A test", letter), 16);
    EXPECT_REFUSED(ErrorCode::invalid_argument, "A test was to be run with no address for q.",
                   alignment_of(tensors, 2, 16, "A test", letter));
}

}  // namespace
}  // namespace ckdispatch
