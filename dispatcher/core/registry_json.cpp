// SPDX-License-Identifier: MIT
#include "ckdispatch/core/registry_json.hpp"

#include <algorithm>
#include <limits>

#include "ckdispatch/core/files.hpp"

namespace ckdispatch {
namespace {

// Some ten thousand kernels; read as JSON it takes several times as much memory.
constexpr std::uint64_t kMostBytes = std::uint64_t(1) << 28;
constexpr std::size_t kLongestName = 1000;

bool is_digest(const std::string& text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool leaves_its_folder(const std::string& path) {
    if (path.empty() || path[0] == '/' || path.find('\0') != path.npos) return true;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t slash = std::min(path.find('/', at), path.size());
        if (path.compare(at, slash - at, "..") == 0) return true;
        at = slash + 1;
    }
    return false;
}

Resources read_resources(const std::string& gpu, const Json& record, const std::string& what) {
    const auto number = [&](const char* name) {
        return count_member(record, name, what, std::numeric_limits<int>::max());
    };
    Resources resources;
    resources.gpu = gpu;
    resources.vgprs = int(number("vgprs"));
    resources.agprs = int(number("agprs"));
    resources.sgprs = int(number("sgprs"));
    resources.vgpr_spills = int(number("vgpr_spills"));
    resources.sgpr_spills = int(number("sgpr_spills"));
    resources.lds_bytes = number("lds_bytes");
    resources.scratch_bytes = number("scratch_bytes");
    if (record.contains("wave_size")) resources.wave_size = int(number("wave_size"));
    if (record.contains("workgroup_size")) resources.workgroup_size = int(number("workgroup_size"));
    return resources;
}

KernelEntry read_entry(const Json& json, const char* resources, const std::string& what) {
    KernelEntry entry;
    entry.spec = member(json, "spec", what);
    entry.name = text_member(json, "name", what);
    if (entry.name.size() > kLongestName)
        throw DamagedError(what + " has the name of a kernel with " + std::to_string(entry.name.size()) +
                           " letters; it has at most " + std::to_string(kLongestName) + ".");
    entry.file.sha256 = text_member(json, "library_sha256", what);
    if (!is_digest(entry.file.sha256)) throw DamagedError(what + " has a 'library_sha256' that is no SHA-256.");
    if (text_member(entry.spec, "name", what) != entry.name)
        throw DamagedError(what + " names " + entry.name + " and holds the spec of " +
                           text_member(entry.spec, "name", what) + ".");
    const Json& records = member(json, resources, what);
    if (!records.is_object() || records.empty()) throw DamagedError(what + " says of no GPU what the kernel uses.");
    for (const auto& [gpu, record] : records.items()) entry.resources.push_back(read_resources(gpu, record, what));
    return entry;
}

const Json& kernels_of(const Json& document, const std::string& what) {
    if (member(document, "schema_version", what) != 1)
        throw AbiMismatchError(what + " has another schema version than 1, which this runtime reads.");
    const Json& kernels = member(document, "kernels", what);
    if (!kernels.is_array()) throw DamagedError(what + " has 'kernels' that are no list.");
    return kernels;
}

}  // namespace

std::vector<KernelEntry> read_manifest(const std::string& path, int priority) {
    const std::string what = manifest_called(path);
    const auto content = read_file(path, what, kMostBytes);
    const Json document = parse_json({reinterpret_cast<const char*>(content.data()), content.size()}, what);
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == path.npos ? "" : path.substr(0, slash + 1);
    std::vector<KernelEntry> entries;
    for (const Json& json : kernels_of(document, what)) {
        KernelEntry entry = read_entry(json, "summary", what);
        const std::string relative = text_member(json, "path", what);
        if (leaves_its_folder(relative))
            throw DamagedError(what + " names the library " + relative + ", which is outside its folder.");
        entry.file.path = folder + relative;
        entry.priority = priority;
        entries.push_back(std::move(entry));
    }
    if (entries.empty()) throw DamagedError(what + " names no kernel.");
    return entries;
}

std::vector<KernelEntry> read_export(const Json& document, const std::string& what) {
    std::vector<KernelEntry> entries;
    for (const Json& json : kernels_of(document, what)) {
        KernelEntry entry = read_entry(json, "resources", what);
        entry.file.path = text_member(json, "library", what);
        const Json& rank = member(json, "priority", what);
        try {
            fields_detail::decode(rank, entry.priority);
        } catch (const Error& error) {
            throw_error(error.code(), what + " has a wrong 'priority': " + error.what());
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

Json write_entry(const KernelEntry& entry) {
    Json resources = Json::object();
    for (const Resources& used : entry.resources) {
        resources[std::string(used.gpu.text())] = {
            {"vgprs", used.vgprs},
            {"agprs", used.agprs},
            {"sgprs", used.sgprs},
            {"lds_bytes", used.lds_bytes},
            {"wave_size", used.wave_size},
            {"workgroup_size", used.workgroup_size},
            {"vgpr_spills", used.vgpr_spills},
            {"sgpr_spills", used.sgpr_spills},
            {"scratch_bytes", used.scratch_bytes},
        };
    }
    return {
        {"name", entry.name},
        {"family", entry.spec.at("family")},
        {"spec", entry.spec},
        {"library", entry.file.path},
        {"library_sha256", entry.file.sha256},
        {"priority", entry.priority},
        {"resources", std::move(resources)},
    };
}

}  // namespace ckdispatch
