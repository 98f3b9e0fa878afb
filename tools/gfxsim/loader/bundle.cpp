// SPDX-License-Identifier: MIT
#include "gfxsim/loader/bundle.hpp"

#include <set>

#include "arch/arch_specs.hpp"
#include "device_code/bundle.hpp"
#include "gfxsim/loader/comgr.hpp"
#include "gfxsim/loader/decompress.hpp"

namespace gfxsim {

namespace device_code = ckdispatch::device_code;

namespace {

constexpr std::string_view kCompressed = "CCOB";

// The wrapper that the compiler puts around a fat binary; it begins with 'HIPF'.
struct Wrapper {
    u32 magic;
    u32 version;
    const void* image;
    const void* unused;
};
constexpr u32 kWrapperMagic = 0x48495046;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw std::runtime_error(file + ": " + why + ".");
}

using Owner = std::shared_ptr<const std::vector<u8>>;

std::vector<DeviceCode> plain_entries(Bytes bundle, const Owner& unpacked = nullptr) {
    std::vector<DeviceCode> entries;
    for (const device_code::BundleEntry& found : device_code::bundle_entries(bundle)) {
        DeviceCode entry{parse_target(found.id), shortened(found.id), found.code, unpacked};
        if (entry.target.processor.empty() || !found.code.size) continue;
        entries.push_back(std::move(entry));
    }
    return entries;
}

// A compressed bundle says how long it is from its second version on.
struct Compressed {
    Bytes whole;  ///< with its header
    Bytes data;
    u16 method = 0;  ///< 0: zlib, 1: zstd
    u64 size = 0;    ///< decompressed
};

Compressed read_compressed(Bytes image) {
    const u16 version = image.read<u16>(4, "version");
    if (version != 2 && version != 3)
        throw std::runtime_error("it is a compressed bundle of version " + std::to_string(version) +
                                 "; versions 2 and 3 can be read");
    const bool wide = version == 3;
    const u64 header = wide ? 32 : 24;
    Compressed bundle;
    bundle.whole = image.part(0, wide ? image.read<u64>(8, "size") : image.read<u32>(8, "size"), "stated size");
    bundle.size = wide ? image.read<u64>(16, "size") : image.read<u32>(12, "size");
    bundle.method = image.read<u16>(6, "method");
    if (bundle.method > 1)
        throw std::runtime_error("it is compressed by an unknown method, " + std::to_string(bundle.method));
    bundle.data =
        bundle.whole.part(header, bundle.whole.size < header ? 0 : bundle.whole.size - header, "compressed code");
    return bundle;
}

// `room` is what the bundles of the file may still unpack to.
std::vector<DeviceCode> compressed_entries(Bytes image, u64& room) {
    const Compressed bundle = read_compressed(image);
    if (bundle.size > room)
        throw std::runtime_error("its compressed code is to unpack to " + std::to_string(bundle.size) +
                                 " bytes, which is too much for its size");
    room -= bundle.size;
    auto content =
        bundle.method == 1 ? decompress_zstd(bundle.data, bundle.size) : decompress_zlib(bundle.data, bundle.size);
    if (content) {
        if (!bytes_of(*content).begins_with(device_code::kBundleMagic))
            throw std::runtime_error("its compressed code is no bundle");
        const Owner owner = std::make_shared<const std::vector<u8>>(std::move(*content));
        return plain_entries(bytes_of(*owner), owner);
    }

    std::vector<DeviceCode> entries;
    std::vector<std::string> ids;
    for (const auto& spec : ckdispatch::arch::gpus) {
        DeviceCode entry;
        entry.id = "hipv4-amdgcn-amd-amdhsa--" + target_id(*find_gpu(spec.name));
        entry.target = parse_target(entry.id);
        ids.push_back(entry.id);
        entries.push_back(std::move(entry));
    }
    auto codes = comgr::unbundle(bundle.whole, ids);
    std::vector<DeviceCode> found;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (codes[i].empty()) continue;
        entries[i].unpacked = std::make_shared<const std::vector<u8>>(std::move(codes[i]));
        entries[i].code = bytes_of(*entries[i].unpacked);
        found.push_back(std::move(entries[i]));
    }
    return found;
}

bool is_bundle(Bytes image) { return image.begins_with(device_code::kBundleMagic) || image.begins_with(kCompressed); }

std::vector<DeviceCode> entries_of(Bytes image, u64& room) {
    if (image.begins_with(device_code::kBundleMagic)) return plain_entries(image);
    if (image.begins_with(kCompressed)) return compressed_entries(image, room);
    const device_code::ElfFile elf(image);
    DeviceCode only;
    only.id = comgr::isa_name(elf.bytes());
    only.target = parse_target(only.id);
    only.code = elf.bytes();
    std::vector<DeviceCode> entries;
    entries.push_back(std::move(only));
    return entries;
}

std::string names_of(const std::vector<DeviceCode>& entries) {
    std::set<std::string> names;
    for (const DeviceCode& entry : entries) {
        std::string name = entry.target.processor;
        if (entry.target.sramecc) name += std::string(":sramecc") + entry.target.sramecc;
        if (entry.target.xnack) name += std::string(":xnack") + entry.target.xnack;
        names.insert(std::move(name));
    }
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + shortened(name);
    return joined.empty() ? "no GPU that is known" : joined;
}

std::vector<DeviceCode> device_code_of_host_file(const device_code::ElfFile& elf, u64& room) {
    std::vector<DeviceCode> all;
    for (const Bytes& place : device_code::bundle_places(elf)) {
        if (!is_bundle(place)) continue;
        for (DeviceCode& entry : entries_of(place, room)) all.push_back(std::move(entry));
        if (all.size() > limits::kAllEntries)
            throw std::runtime_error("its bundles have more than " + std::to_string(limits::kAllEntries) + " entries");
    }
    return all;
}

}  // namespace

DeviceCode find_code_object(const Image& image, const Gpu& gpu) {
    try {
        if (!is_bundle(image.bytes) && !device_code::ElfFile::is_elf(image.bytes))
            throw std::runtime_error("it is neither a bundle of code objects nor a code object");
        u64 room = limits::unpacked(image.bytes.size);
        std::vector<DeviceCode> entries = entries_of(image.bytes, room);
        for (DeviceCode& entry : entries) {
            if (entry.target.processor == gpu.name() && runs_on(entry.target, gpu)) return std::move(entry);
        }
        for (DeviceCode& entry : entries) {
            if (runs_on(entry.target, gpu)) return std::move(entry);
        }
        throw NoCodeForGpu(image.file + ": it has no code for " + target_id(gpu) + ", only for " + names_of(entries) +
                           ".");
    } catch (const NoCodeForGpu&) {
        throw;
    } catch (const std::runtime_error& error) {
        refuse(image.file, error.what());
    }
}

std::vector<DeviceCode> all_device_code(const Image& image) {
    try {
        u64 room = limits::unpacked(image.bytes.size);
        if (is_bundle(image.bytes)) return entries_of(image.bytes, room);
        const device_code::ElfFile elf(image.bytes);
        if (elf.header().e_machine == EM_AMDGPU) return entries_of(image.bytes, room);
        return device_code_of_host_file(elf, room);
    } catch (const std::runtime_error& error) {
        refuse(image.file, error.what());
    }
}

Image registered_image(const void* wrapper) {
    Wrapper content{};
    const Image around = readable_from(wrapper);
    content = around.bytes.read<Wrapper>(0, "fat binary's wrapper");
    if (content.magic != kWrapperMagic || content.version != 1)
        refuse(around.file, "what it registers is no fat binary");
    return readable_from(content.image);
}

}  // namespace gfxsim
