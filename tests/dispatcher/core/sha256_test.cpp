// SPDX-License-Identifier: MIT
#include "ckdispatch/core/sha256.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ckdispatch {
namespace {

std::string digest(std::string_view text) { return sha256(text.data(), text.size()); }

// The examples of FIPS 180-4's test vectors.
TEST(Sha256, IsThatOfTheStandardsExamples) {
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsm"
                     "nopqrstnopqrstu"),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfNothingNeedsNoAddress) { EXPECT_EQ(sha256(nullptr, 0), digest("")); }

// Where the length takes a block of its own, and where it does not.
TEST(Sha256, IsRightAroundTheEndsOfBlocks) {
    const struct {
        std::size_t length;
        const char* digest;
    } expected[] = {
        {55, "16ed9c4697ca11d5f6fb25ea7900252dd4cb97215d7f6d0b2bb3e2a86ac0ec72"},
        {56, "939ada93b2fe1e9c596d767bb408567c83e253667f0b25e5be8e16f35f2cbac9"},
        {57, "ab84281f3b181e6cfc7cf870c7f3e7912be6fd1ac49c7dd6b21f6c25bb9a5eaa"},
        {58, "46084278e607470669555dcbb4927df877d85663b0bed62ee31e769714a77d83"},
        {59, "dbdecd0cd48d8c3dffe97fec1eeec06dd10b4e0c8035cd82f40185aa2d142f83"},
        {60, "c8706e0b5979a41db9094a4a5ff1a19babbcdd4d1204c3e140981faeecc94cf8"},
        {61, "f8a1d57f033ce7e62290870f950025b3396c445c55542480d065f0554dc0eae2"},
        {62, "6e5dc5ee1806926ba4bb9f4fa79276a040a15ac10811b04d80e900741703c6d0"},
        {63, "6073f83b09ae82016cdbe24c18996c48f0eaa08ca675d0f6b90b807fc29e0149"},
        {64, "b337ba9b0c69c391364e985fdcb23a889887e59800832c92fbfa22b8a3c40304"},
        {65, "9d6a3fb113b586b4ab97bc11c993a27bd9b7bbcb756e0646083dc47a679600e6"},
        {119, "9773fbac8194c3d789af101b49b6a26073076895ef6e0f658432849dd477a43f"},
        {120, "070a538f085dd94821d4dc197c5c8b791051891d4fa2a1bf25d3c275236676f7"},
        {121, "05a3caed94d5ee13402c4422abc9fa3ab0dbda743a8480a12cafefe5e5da992c"},
        {122, "7dbb18dee0eb18da9eb73bea2044dca700eeb54302a539ba77c8fade73230c22"},
        {123, "27f27eb488368deb9c8ff2eacc8ce92253aa52d87ef3f22e696134f20dd3c3d6"},
        {124, "9210d7a78f0034aca43b3eed23b133adf55d68e494c5a7d6bcfd60e37ad4dcce"},
        {125, "1efb8d002b76d2a184f6474143648e3d22e80f4078b4fc265cad47ff713a39e8"},
        {126, "432d4ce0fcae1665f79a402d68fe0a88e7053cd2686b92624bc9e993eff99d8d"},
        {127, "5072b7a9a4cda7f6d80f1eff09b8b9653201dba22319daf32c6c05339d57f483"},
        {128, "485a94e53eba9717a5d8b7b4489cad92a752f1c5722e7dfd29dd164b7c438d11"},
        {129, "72b63785704123441e7405a2620b859d1f107604ef5882e2674e82cc40d173a6"},
    };
    for (const auto& [length, right] : expected) {
        std::string bytes;
        for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i * 131 + 7);
        EXPECT_EQ(digest(bytes), right) << length;
    }
}

TEST(Sha256, ChangesWithEveryBit) {
    const std::string original(100, 'x');
    for (std::size_t bit = 0; bit < original.size() * 8; ++bit) {
        std::string flipped = original;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        EXPECT_NE(digest(flipped), digest(original)) << bit;
    }
}

}  // namespace
}  // namespace ckdispatch
