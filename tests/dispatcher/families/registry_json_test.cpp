// SPDX-License-Identifier: MIT
// Registries written as JSON and read back, without opening a library.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "ckdispatch/core/json.hpp"
#include "ckdispatch/families/kernel_registry.hpp"
#include "tests/dispatcher/support/keys.hpp"
#include "tests/dispatcher/support/refusal.hpp"

namespace ckdispatch {
namespace {

using test::key_with_tile;
using test::name_for;
using test::sample_conv_key;
using test::sample_fmha_key;
using test::sample_key;
using test::unopened_kernel;

std::shared_ptr<KernelRegistry> sample_registry() {
    auto registry = std::make_shared<KernelRegistry>("mine");
    const auto gemms = registry->of<GemmRegistry>();
    gemms->add(unopened_kernel(sample_key(), -3, {"gfx942", "gfx950"}));
    gemms->add(unopened_kernel(key_with_tile(16, 16, 16), 7));
    return registry;
}

Json exported() { return parse_json(sample_registry()->to_json(), "It"); }

/// The export with one member of its first kernel changed.
std::string with_entry(const char* member, const Json& value) {
    Json document = exported();
    document["kernels"][0][member] = value;
    return document.dump();
}

std::string without(const char* member) {
    Json document = exported();
    document["kernels"][0].erase(member);
    return document.dump();
}

TEST(RegistryJson, HasEveryKernelAndTheStatistics) {
    const Json document = exported();
    EXPECT_EQ(document["schema_version"], 1);
    EXPECT_EQ(document["registry"], "mine");
    ASSERT_EQ(document["kernels"].size(), 2u);
    const Json& second = document["kernels"][1];
    EXPECT_EQ(second["family"], "gemm");
    EXPECT_EQ(second["name"], name_for(sample_key()));
    EXPECT_EQ(second["spec"]["name"], name_for(sample_key()));
    EXPECT_EQ(second["spec"]["tile"], Json({128, 64, 32}));
    EXPECT_EQ(second["library"], "/nowhere/lib.so");
    EXPECT_EQ(second["library_sha256"], std::string(64, 'a'));
    EXPECT_EQ(second["priority"], -3);
    EXPECT_EQ(second["resources"]["gfx950"]["lds_bytes"], 16384);
    EXPECT_EQ(document["statistics"]["kernels"], 2);
    EXPECT_EQ(document["statistics"]["gpus"], (Json{{"gfx942", 2}, {"gfx950", 1}}));
}

TEST(RegistryJson, IsReadBackToTheSame) {
    const auto original = sample_registry();
    const auto again = KernelRegistry::from_json(original->to_json());
    EXPECT_EQ(again->name(), "mine");
    ASSERT_EQ(again->size(), 2u);
    EXPECT_EQ(again->to_json(), original->to_json());
    const auto kernel = again->of<GemmRegistry>()->find(sample_key());
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->priority(), -3);
    EXPECT_EQ(kernel->file().path, "/nowhere/lib.so");
    EXPECT_EQ(kernel->resources_on("gfx950")->vgprs, 128);
    EXPECT_EQ(kernel->resources_on("gfx950")->workgroup_size, 256);
    EXPECT_FALSE(kernel->opened());
}

TEST(RegistryJson, OfAllFamiliesIsReadBackToTheSame) {
    const auto original = sample_registry();
    original->of<GroupedConvRegistry>()->add(unopened_kernel(sample_conv_key("backward_weight"), 2, {"gfx950"}));
    original->of<FmhaRegistry>()->add(unopened_kernel(sample_fmha_key(), -1));
    const std::string written = original->to_json();
    const auto again = KernelRegistry::from_json(written);
    EXPECT_EQ(again->to_json(), written);
    EXPECT_EQ(again->of<GemmRegistry>()->size(), 2u);
    const auto convolution = again->of<GroupedConvRegistry>()->find(sample_conv_key("backward_weight"));
    ASSERT_NE(convolution, nullptr);
    EXPECT_EQ(convolution->priority(), 2);
    EXPECT_NE(convolution->resources_on("gfx950"), nullptr);
    const auto attention = again->of<FmhaRegistry>()->find(sample_fmha_key());
    ASSERT_NE(attention, nullptr);
    EXPECT_EQ(attention->priority(), -1);
    EXPECT_EQ(attention->name(), name_for(sample_fmha_key()));
}

TEST(RegistryJson, IsTheSameWhateverTheOrderOfAdding) {
    const KernelRegistry one("mine"), other("mine");
    const auto of_one = one.of<GemmRegistry>(), of_other = other.of<GemmRegistry>();
    of_one->add(unopened_kernel(sample_key()));
    of_one->add(unopened_kernel(key_with_tile(1, 1, 1)));
    of_other->add(unopened_kernel(key_with_tile(1, 1, 1)));
    of_other->add(unopened_kernel(sample_key()));
    EXPECT_EQ(one.to_json(), other.to_json());
}

TEST(RegistryJson, OfAnEmptyRegistryIsReadBackEmpty) {
    const KernelRegistry empty("nothing in it");
    const auto again = KernelRegistry::from_json(empty.to_json());
    EXPECT_EQ(again->name(), "nothing in it");
    EXPECT_EQ(again->size(), 0u);
}

TEST(RegistryJson, ThatIsNoneIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry is not valid JSON.",
                   KernelRegistry::from_json("nonsense"));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has no 'registry'.", KernelRegistry::from_json("[]"));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has a 'registry' that is no text.",
                   KernelRegistry::from_json(R"({"registry": 1})"));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has no 'schema_version'.",
                   KernelRegistry::from_json(R"({"registry": "x"})"));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has no 'kernels'.",
                   KernelRegistry::from_json(R"({"registry": "x", "schema_version": 1})"));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has 'kernels' that are no list.",
                   KernelRegistry::from_json(R"({"registry": "x", "schema_version": 1, "kernels": {}})"));
}

TEST(RegistryJson, OfAnotherSchemaIsRefused) {
    Json document = exported();
    document["schema_version"] = 2;
    EXPECT_REFUSED(ErrorCode::abi_mismatch,
                   "The exported registry has another schema version than 1, which this runtime reads.",
                   KernelRegistry::from_json(document.dump()));
}

TEST(RegistryJson, WithoutAMemberOfAKernelIsRefused) {
    for (const char* member : {"name", "spec", "library", "library_sha256", "priority", "resources"})
        EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has no '" + std::string(member) + "'.",
                       KernelRegistry::from_json(without(member)));
}

TEST(RegistryJson, WithAHashThatIsNoneIsRefused) {
    for (const std::string& hash :
         {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'), std::string(64, 'g')})
        EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has a 'library_sha256' that is no SHA-256.",
                       KernelRegistry::from_json(with_entry("library_sha256", hash)));
}

TEST(RegistryJson, WithANameThatIsNotItsSpecsIsRefused) {
    EXPECT_REFUSED(
        ErrorCode::damaged,
        "The exported registry names other and holds the spec of " + name_for(key_with_tile(16, 16, 16)) + ".",
        KernelRegistry::from_json(with_entry("name", "other")));
}

TEST(RegistryJson, WithAPriorityThatIsNoWholeNumberIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The exported registry has a wrong 'priority': a whole number is expected, not \"high\".",
                   KernelRegistry::from_json(with_entry("priority", "high")));
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The exported registry has a wrong 'priority': a whole number is expected, not 4294967296.",
                   KernelRegistry::from_json(with_entry("priority", 4294967296)));
    EXPECT_EQ(KernelRegistry::from_json(with_entry("priority", std::numeric_limits<int>::min()))
                  ->of<GemmRegistry>()
                  ->kernels()[0]
                  ->priority(),
              std::numeric_limits<int>::min());
}

TEST(RegistryJson, WithoutResourcesOfAnyGpuIsRefused) {
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry says of no GPU what the kernel uses.",
                   KernelRegistry::from_json(with_entry("resources", Json::object())));
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry says of no GPU what the kernel uses.",
                   KernelRegistry::from_json(with_entry("resources", nullptr)));
}

TEST(RegistryJson, WithResourcesThatAreNoCountsIsRefused) {
    for (const char* figure : {"vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "lds_bytes", "scratch_bytes"}) {
        Json resources = exported()["kernels"][0]["resources"];
        resources["gfx942"][figure] = -1;
        EXPECT_REFUSED(ErrorCode::damaged,
                       "The exported registry has a '" + std::string(figure) + "' that is no count.",
                       KernelRegistry::from_json(with_entry("resources", resources)));
        resources["gfx942"].erase(figure);
        EXPECT_REFUSED(ErrorCode::damaged, "The exported registry has no '" + std::string(figure) + "'.",
                       KernelRegistry::from_json(with_entry("resources", resources)));
    }
}

TEST(RegistryJson, WithAGpuThatNobodyKnowsIsRefused) {
    Json resources = exported()["kernels"][0]["resources"];
    resources["gfx9999"] = resources["gfx942"];
    EXPECT_REFUSED(ErrorCode::damaged, "The exported registry names the GPU gfx9999, which this runtime does not know.",
                   KernelRegistry::from_json(with_entry("resources", resources)));
}

TEST(RegistryJson, WithWorkgroupsThatNoGpuHasIsRefused) {
    Json spec = exported()["kernels"][0]["spec"];
    spec["waves"] = {65536, 65536, 65536};
    EXPECT_REFUSED(ErrorCode::damaged,
                   "The exported registry has the kernel " + name_for(key_with_tile(16, 16, 16)) +
                       " with workgroups of 18014398509481984 lanes; no GPU has more than 1024.",
                   KernelRegistry::from_json(with_entry("spec", spec)));
}

TEST(RegistryJson, WithAKernelTwiceIsRefused) {
    Json document = exported();
    document["kernels"].push_back(document["kernels"][0]);
    EXPECT_REFUSED_SAYING(ErrorCode::duplicate, "The registry mine already has the kernel ",
                          KernelRegistry::from_json(document.dump()));
}

TEST(RegistryJson, OfAnotherFamilyIsRefused) {
    Json spec = exported()["kernels"][0]["spec"];
    spec["family"] = "cooking";
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The exported registry is of the family cooking; this version has gemm, grouped_conv, fmha.",
                   KernelRegistry::from_json(with_entry("spec", spec)));
}

TEST(RegistryJson, OfOneFamilyAsItWasOnceWrittenIsRead) {
    Json document = exported();
    for (Json& kernel : document["kernels"]) kernel.erase("family");
    document["family"] = "gemm";
    EXPECT_EQ(KernelRegistry::from_json(document.dump())->size(), 2u);
    document["kernels"] = Json::array();
    document["family"] = "cooking";
    EXPECT_REFUSED(ErrorCode::invalid_argument,
                   "The exported registry is of the family cooking; this version has gemm, grouped_conv, fmha.",
                   KernelRegistry::from_json(document.dump()));
}

TEST(RegistryJson, CannotHoldAPathThatIsNoText) {
    const KernelRegistry registry("mine");
    registry.of<GemmRegistry>()->add(
        std::make_shared<Kernel<GemmKey>>(sample_key(), "kernel", LibraryFile{"/\xff.so", std::string(64, 'a')},
                                          std::vector<Resources>{test::sample_resources()}, 0));
    EXPECT_REFUSED(ErrorCode::unsupported,
                   "The registry mine cannot be written as JSON: its name, or the path of a library, is no UTF-8.",
                   registry.to_json());
}

}  // namespace
}  // namespace ckdispatch
