// SPDX-License-Identifier: MIT
#include "device_code/bundle.hpp"

namespace ckdispatch::device_code {
namespace {

constexpr std::uint64_t kBundleAlignment = 4096;

}  // namespace

std::vector<BundleEntry> bundle_entries(Bytes bundle) {
    if (!bundle.begins_with(kBundleMagic)) throw std::runtime_error("it is no bundle of code objects");
    std::vector<BundleEntry> entries;
    std::uint64_t at = kBundleMagic.size();
    const std::uint64_t count = bundle.read<std::uint64_t>(at, "number of entries");
    if (count > limits::kBundleEntries)
        throw std::runtime_error("it is a bundle of " + std::to_string(count) + " entries; there can be at most " +
                                 std::to_string(limits::kBundleEntries));
    at += 8;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto offset = bundle.read<std::uint64_t>(at, "entries"),
                   size = bundle.read<std::uint64_t>(at + 8, "entries"),
                   length = bundle.read<std::uint64_t>(at + 16, "entries");
        const Bytes id = bundle.part(at + 24, length, "entries");
        entries.push_back({{id.data, id.data + id.size}, bundle.part(offset, size, "code objects")});
        at += 24 + length;
    }
    return entries;
}

std::vector<Bytes> bundle_places(const ElfFile& host_file) {
    std::vector<Bytes> places;
    for (const ElfSection& section : host_file.sections()) {
        if (section.name != ".hip_fatbin") continue;
        const Bytes content = host_file.content(section);
        for (std::uint64_t at = 0; at < content.size; at += kBundleAlignment)
            places.push_back(content.part(at, content.size - at, "bundles"));
    }
    return places;
}

std::string_view processor_of(std::string_view id) {
    std::string_view name = id.substr(0, id.find(':'));
    const std::size_t dash = name.rfind("-gfx");
    if (dash != std::string_view::npos) name = name.substr(dash + 1);
    return name.substr(0, 3) == "gfx" ? name : std::string_view{};
}

}  // namespace ckdispatch::device_code
