// SPDX-License-Identifier: MIT
// What a learned model chooses from more kernels than it corrects at once. They are copies of made-up ones with other
// tiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ckdispatch/gemm/family.hpp"
#include "tests/dispatcher/support/built.hpp"
#include "tests/dispatcher/support/models.hpp"
#include "tests/dispatcher/support/temporary.hpp"

namespace ckdispatch {
namespace {

using test::Stump;

constexpr int kSizes[] = {16, 32, 48, 64, 80, 96};

std::string tile_text(int m, int n) {
    char text[64];
    std::snprintf(text, sizeof text, "\"tile\": [%02d, %02d, 64]", m, n);
    return text;
}

class ManyKernels : public testing::Test {
protected:
    /// Copies of a made-up library, one for each tile with no more than so many columns.
    void add(const std::string& kind, const std::string& name, int least = 16, int most = 96) {
        const test::Bytes original = test::read_bytes(test::built_file("made_up_gemm_" + kind + ".so"));
        for (const int m : kSizes)
            for (const int n : kSizes) {
                if (n < least || n > most) continue;
                test::Bytes copy = original;
                test::exchange(copy, tile_text(64, 64), tile_text(m, n));
                std::string other = std::to_string(m) + std::to_string(n);
                test::exchange(copy, name, name.substr(0, name.size() - other.size()) + other);
                registry->add_library({files.write(kind + other + ".so", copy), ""});
            }
    }

    static std::shared_ptr<const Model> model(const Stump& stump) {
        return test::model_of<GemmFamily>(test::model_document("gemm", "gfx942", stump));
    }

    /// What a model without corrections says, which is what it corrects.
    std::map<std::string, double> uncorrected(const GemmProblem& problem) const {
        GemmSelector selector(registry, "gfx942");
        selector.use(model({"tile_m", 0, 1, 1}));
        std::map<std::string, double> found;
        for (const auto& one : selector.rank(problem).fit) found[one.kernel->name()] = one.microseconds;
        return found;
    }

    static GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
        return GemmProblemBuilder().sizes(m, n, k).dtype("fp16").build();
    }

    test::TemporaryFolder files;
    std::shared_ptr<GemmRegistry> registry = std::make_shared<GemmRegistry>("mine");
};

TEST_F(ManyKernels, AreAllRanked) {
    add("plain", "gemm_made_up");
    EXPECT_EQ(GemmSelector(registry, "gfx942").rank(problem(1024, 1024, 1024)).fit.size(), 36u);
}

// A model that finds everything slower cannot make one that it did not correct the best.
TEST_F(ManyKernels, OfWhichTheBestIsFoundByAModelThatSlowsThem) {
    add("plain", "gemm_made_up");
    GemmSelector selector(registry, "gfx942");
    for (const char* feature : {"tile_m", "tile_n"})
        for (const double threshold : {20.0, 40.0, 60.0, 90.0})
            for (const auto& [below, above] :
                 {std::pair{1.0, 8.0}, std::pair{8.0, 1.0}, std::pair{2.0, 1.0}, std::pair{8.0, 8.0}})
                for (const auto& asked : {problem(1024, 1024, 1024), problem(16, 4096, 512), problem(4096, 64, 64)}) {
                    selector.use(model({feature, threshold, below, above}));
                    const auto plan = selector.select(asked);
                    const auto best = selector.rank(asked).fit.front();
                    EXPECT_EQ(plan->name(), best.kernel->name()) << feature << " " << threshold << " " << asked.text();
                    EXPECT_EQ(plan->microseconds, best.microseconds);
                }
}

TEST_F(ManyKernels, AreNeverPassedOverForOneThatIsSlowerEitherWay) {
    add("plain", "gemm_made_up");
    GemmSelector selector(registry, "gfx942");
    for (const char* feature : {"tile_m", "tile_n"})
        for (const auto& [below, above] :
             {std::pair{0.125, 8.0}, std::pair{8.0, 0.125}, std::pair{1.0, 0.5}, std::pair{0.5, 4.0}})
            for (const auto& asked : {problem(1024, 1024, 1024), problem(16, 4096, 512)}) {
                selector.use(model({feature, 60, below, above}));
                const auto before = uncorrected(asked);
                const auto plan = selector.select(asked);
                for (const auto& one : selector.rank(asked).fit) {
                    EXPECT_LE(plan->microseconds, std::max(one.microseconds, before.at(one.kernel->name())))
                        << one.kernel->name();
                    if (one.kernel->name() == plan->name()) {
                        EXPECT_EQ(plan->microseconds, one.microseconds);
                    }
                }
            }
}

// The best by far refuse what does not suit their vectors, which only their libraries know.
TEST_F(ManyKernels, ThatAllRefuseLeaveTheRestToTheModelToo) {
    add("vectors", "gemm_made_up_vectors", 64);
    add("plain", "gemm_made_up", 16, 48);
    GemmSelector selector(registry, "gfx942");
    selector.use(model({"tile_m", 40, 1, 3}));
    const auto asked = problem(1023, 1023, 1023);
    const auto ranking = selector.rank(asked);
    ASSERT_EQ(ranking.fit.size(), 18u);
    ASSERT_EQ(ranking.refused.size(), 18u);
    for (const auto& one : ranking.fit) EXPECT_EQ(one.basis, Basis::learned);
    const auto plan = selector.select(asked);
    EXPECT_EQ(plan->name(), ranking.fit.front().kernel->name());
    EXPECT_EQ(plan->microseconds, ranking.fit.front().microseconds);
}

}  // namespace
}  // namespace ckdispatch
