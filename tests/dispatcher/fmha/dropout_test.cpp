// SPDX-License-Identifier: MIT
#include "ckdispatch/fmha/dropout.hpp"

#include <gtest/gtest.h>

namespace ckdispatch {
namespace {

// As the NumPy reference has them, which kernels were compared with.
TEST(FmhaDropout, IsTheBytesOfEveryKernel) {
    struct Place {
        std::int64_t head, row, key;
        int byte;
    };
    const FmhaDropout dropout(0.5f, 0x123456789abcdef0, 0xfffffffffffffff0, 5);
    for (const Place& one : {Place{0, 0, 0, 108}, Place{4, 0, 1, 217}, Place{1, 9, 33, 150}, Place{2, 31, 31, 245},
                             Place{3, 40, 99, 127}, Place{4, 69, 64, 173}, Place{0, 17, 5, 195}, Place{2, 24, 32, 239}})
        EXPECT_EQ(dropout.byte(3, one.head, one.row, one.key), one.byte)
            << one.head << " " << one.row << " " << one.key;
}

TEST(FmhaDropout, KeepsBytesUpToItsShareAndMakesUpForTheRest) {
    for (const auto& [p_drop, most] :
         {std::pair{0.1f, 229}, std::pair{0.25f, 191}, std::pair{0.5f, 127}, std::pair{0.9f, 25}}) {
        const FmhaDropout dropout(p_drop, 7, 0, 1);
        for (std::int64_t key = 0; key < 500; ++key) {
            const double factor = dropout.factor(0, 0, 3, key);
            if (dropout.byte(0, 0, 3, key) > most) EXPECT_EQ(factor, 0);
            else EXPECT_NEAR(factor, 1 / (1 - double(p_drop)), 1e-6);
        }
    }
}

}  // namespace
}  // namespace ckdispatch
