// SPDX-License-Identifier: MIT
// Registries of convolution kernels: filters and statistics.
#include "ckdispatch/grouped_conv/registry.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/dispatcher/support/keys.hpp"

namespace ckdispatch {
namespace {

using test::sample_conv_key;
using test::unopened_kernel;

class GroupedConvRegistryTest : public testing::Test {
protected:
    void SetUp() override {
        const auto add = [&](auto change, std::initializer_list<const char*> gpus = {"gfx942"}) {
            GroupedConvKey key = sample_conv_key();
            change(key);
            registry.add(unopened_kernel(key, 0, gpus));
        };
        add([](GroupedConvKey&) {}, {"gfx942", "gfx950"});
        add([](GroupedConvKey& key) { key.variant = "backward_data"; });
        add([](GroupedConvKey& key) { key.dtype_x = "bf16"; });
        add([](GroupedConvKey& key) { key.dtype_w = "bf16"; });
        add([](GroupedConvKey& key) { key.dtype_y = "fp32"; });
        add([](GroupedConvKey& key) { key.layout = "ndhwgc", key.ndim_spatial = 3; });
        add([](GroupedConvKey& key) { key.pipeline = "mem"; }, {"gfx90a"});
        add([](GroupedConvKey& key) { key.specialization = "filter_3x3"; });
        add([](GroupedConvKey& key) { key.split_k = "workspace"; });
        add([](GroupedConvKey& key) { key.fused_op = "Relu"; });
    }

    std::size_t count(const char* field, const char* word) const { return registry.filtered({{field, word}})->size(); }

    GroupedConvRegistry registry{"mine"};
};

TEST_F(GroupedConvRegistryTest, KeepsThoseWithTheWordsOfAFilter) {
    EXPECT_EQ(registry.filtered({})->size(), 10u);
    EXPECT_EQ(count("variant", "backward_data"), 1u);
    EXPECT_EQ(count("variant", "forward"), 9u);
    EXPECT_EQ(count("dtype_x", "bf16"), 1u);
    EXPECT_EQ(count("dtype_w", "bf16"), 1u);
    EXPECT_EQ(count("dtype_y", "fp32"), 1u);
    EXPECT_EQ(count("layout", "ndhwgc"), 1u);
    EXPECT_EQ(count("pipeline", "mem"), 1u);
    EXPECT_EQ(count("specialization", "filter_3x3"), 1u);
    EXPECT_EQ(count("split_k", "workspace"), 1u);
    EXPECT_EQ(count("fused_op", "Relu"), 1u);
    EXPECT_EQ(count("fused_op", "Tanh"), 0u);
    EXPECT_EQ(registry.filtered({{"dtype_x", "bf16"}, {"pipeline", "mem"}})->size(), 0u);
}

TEST_F(GroupedConvRegistryTest, KeepsThoseWithCodeForAGpuThatSatisfyAPredicate) {
    EXPECT_EQ(registry.filtered({}, "gfx950")->size(), 1u);
    EXPECT_EQ(
        registry.filtered({}, {}, [](const Kernel<GroupedConvKey>& kernel) { return kernel.key().ndim_spatial == 3; })
            ->size(),
        1u);
}

TEST_F(GroupedConvRegistryTest, HasStatisticsOfWhatIsThere) {
    const Statistics counted = registry.statistics();
    EXPECT_EQ(counted.kernels, 10u);
    EXPECT_EQ(counted.fields.at("variant"), (std::map<std::string, std::size_t>{{"forward", 9}, {"backward_data", 1}}));
    EXPECT_EQ(counted.fields.at("specialization"),
              (std::map<std::string, std::size_t>{{"default", 9}, {"filter_3x3", 1}}));
    EXPECT_EQ(counted.fields.size(), 12u);
}

}  // namespace
}  // namespace ckdispatch
