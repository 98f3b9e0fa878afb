// SPDX-License-Identifier: MIT
// Registries of convolution kernels: filters, statistics, and JSON.
#include "ckdispatch/grouped_conv/registry.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ckdispatch/core/json.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

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

    std::size_t count(Name GroupedConvFilter::*field, const char* word) const {
        GroupedConvFilter filter;
        filter.*field = word;
        return registry.filtered(filter)->size();
    }

    GroupedConvRegistry registry{"mine"};
};

TEST_F(GroupedConvRegistryTest, KeepsThoseWithTheWordsOfAFilter) {
    EXPECT_EQ(registry.filtered(GroupedConvFilter{})->size(), 10u);
    EXPECT_EQ(count(&GroupedConvFilter::variant, "backward_data"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::variant, "forward"), 9u);
    EXPECT_EQ(count(&GroupedConvFilter::dtype_x, "bf16"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::dtype_w, "bf16"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::dtype_y, "fp32"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::layout, "ndhwgc"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::pipeline, "mem"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::specialization, "filter_3x3"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::split_k, "workspace"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::fused_op, "Relu"), 1u);
    EXPECT_EQ(count(&GroupedConvFilter::fused_op, "Tanh"), 0u);
    GroupedConvFilter both;
    both.dtype_x = "bf16", both.pipeline = "mem";
    EXPECT_EQ(registry.filtered(both)->size(), 0u);
}

TEST_F(GroupedConvRegistryTest, KeepsThoseWithCodeForAGpuThatSatisfyAPredicate) {
    EXPECT_EQ(registry.filtered(GroupedConvFilter{}, "gfx950")->size(), 1u);
    EXPECT_EQ(registry.filtered(GroupedConvFilter{}, {}, [](const Kernel<GroupedConvKey>& kernel) { return kernel.key().ndim_spatial == 3; })->size(), 1u);
}

TEST_F(GroupedConvRegistryTest, HasStatisticsOfWhatIsThere) {
    const Statistics counted = registry.statistics();
    EXPECT_EQ(counted.kernels, 10u);
    EXPECT_EQ(counted.fields.at("variant"), (std::map<std::string, std::size_t>{{"forward", 9}, {"backward_data", 1}}));
    EXPECT_EQ(counted.fields.at("specialization"), (std::map<std::string, std::size_t>{{"default", 9}, {"filter_3x3", 1}}));
    EXPECT_EQ(counted.fields.size(), 12u);
}

}  // namespace
}  // namespace ckdispatch
