// SPDX-License-Identifier: MIT
// Parts of a registry, and its statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ckdispatch/gemm/registry.hpp"
#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::sample_key;
using test::unopened_kernel;

class RegistryFilter : public testing::Test {
protected:
    void SetUp() override {
        const auto add = [&](auto change, std::initializer_list<const char*> gpus = {"gfx942"}) {
            GemmKey key = sample_key();
            change(key);
            registry.add(unopened_kernel(key, 0, gpus));
        };
        add([](GemmKey&) {}, {"gfx942", "gfx950"});
        add([](GemmKey& key) { key.variant = "preshuffle"; });
        add([](GemmKey& key) { key.dtype_a = "bf16"; });
        add([](GemmKey& key) { key.dtype_b = "bf16"; });
        add([](GemmKey& key) { key.dtype_c = "fp32"; });
        add([](GemmKey& key) { key.layout = "rrr"; });
        add([](GemmKey& key) { key.pipeline = "mem"; }, {"gfx1100"});
    }

    std::size_t count(const FilterWords& filter, Name gpu = {}, const GemmRegistry::Predicate& predicate = {}) const {
        return registry.filtered(filter, gpu, predicate)->size();
    }

    GemmRegistry registry{"mine"};
};

TEST_F(RegistryFilter, ThatIsEmptyKeepsAll) { EXPECT_EQ(count({}), 7u); }

TEST_F(RegistryFilter, KeepsThoseWithTheWord) {
    const std::pair<const char*, const char*> words[] = {{"variant", "preshuffle"}, {"dtype_a", "bf16"},
                                                         {"dtype_b", "bf16"},       {"dtype_c", "fp32"},
                                                         {"layout", "rrr"},         {"pipeline", "mem"}};
    for (const auto& [field, word] : words) EXPECT_EQ(count({{field, word}}), 1u) << field;
    EXPECT_EQ(count({{"dtype_a", "bf16"}, {"layout", "rrr"}}), 0u);
    EXPECT_EQ(count({{"layout", "ccc"}}), 0u);
}

TEST_F(RegistryFilter, KeepsThoseWithCodeForTheGpu) {
    EXPECT_EQ(count({}, "gfx942"), 6u);
    EXPECT_EQ(count({}, "gfx950"), 1u);
    EXPECT_EQ(count({}, "gfx1100"), 1u);
    EXPECT_EQ(count({}, "gfx90a"), 0u);
}

TEST_F(RegistryFilter, KeepsThoseThatSatisfyThePredicate) {
    EXPECT_EQ(count({}, {}, [](const Kernel<GemmKey>& kernel) { return kernel.resources().size() == 2; }), 1u);
    EXPECT_EQ(count({}, "gfx942", [](const Kernel<GemmKey>& kernel) { return kernel.key().layout == Name("rcr"); }),
              5u);
}

TEST_F(RegistryFilter, SharesItsKernelsAndLeavesTheOriginal) {
    const auto chosen = registry.filtered({});
    EXPECT_EQ(chosen->name(), "mine");
    const auto all = registry.kernels(), same = chosen->kernels();
    EXPECT_TRUE(std::equal(all.begin(), all.end(), same.begin(), same.end()));
    chosen->remove(all[0]->name());
    EXPECT_EQ(registry.size(), 7u);
}

TEST_F(RegistryFilter, HasStatisticsOfWhatIsThere) {
    const Statistics counted = registry.statistics();
    EXPECT_EQ(counted.kernels, 7u);
    EXPECT_EQ(counted.opened, 0u);
    EXPECT_EQ(counted.spilling, 0u);
    EXPECT_EQ(counted.gpus, (std::map<std::string, std::size_t>{{"gfx942", 6}, {"gfx950", 1}, {"gfx1100", 1}}));
    EXPECT_EQ(counted.fields.at("pipeline"), (std::map<std::string, std::size_t>{{"compv3", 6}, {"mem", 1}}));
    EXPECT_EQ(counted.fields.at("dtype_a"), (std::map<std::string, std::size_t>{{"fp16", 6}, {"bf16", 1}}));
    EXPECT_EQ(counted.fields.size(), 13u);
}

TEST(RegistryStatistics, CountAKernelThatSpillsOnAnyGpuOnce) {
    GemmRegistry registry("mine");
    std::vector<Resources> resources = {test::sample_resources("gfx942"), test::sample_resources("gfx950"),
                                        test::sample_resources("gfx90a")};
    resources[0].vgpr_spills = 3, resources[1].sgpr_spills = 1;
    registry.add(std::make_shared<Kernel<GemmKey>>(sample_key(), "spilling", LibraryFile{}, resources, 0));
    registry.add(unopened_kernel(key_with_tile(1, 1, 1)));
    EXPECT_EQ(registry.statistics().spilling, 1u);
}

}  // namespace
}  // namespace ckdispatch
