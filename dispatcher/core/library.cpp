// SPDX-License-Identifier: MIT
#include "ckdispatch/core/library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>

#include "ckdispatch/core/files.hpp"
#include "ckdispatch/core/image.hpp"
#include "ckdispatch/core/json.hpp"
#include "ckdispatch/core/sha256.hpp"

namespace ckdispatch {
namespace {

using GetApi = const ck_kernel_api* (*)();

// A hundred times what a library has that holds code for every GPU.
constexpr std::uint64_t kMostBytes = std::uint64_t(1) << 29;

[[noreturn]] void disagree(const std::string& path, const std::string& why) {
    throw DamagedError("The library " + path + " contradicts itself: " + why + "; build it again.");
}

// Of the library with these bytes, and no other: what was looked at is what is loaded, and a file that was built anew
// is another library. The same bytes are loaded once, from whichever files they come.
const ck_kernel_api* load_api(const std::vector<std::uint8_t>& content, const std::string& sha256,
                              const std::string& path) {
    static auto& mutex = *new std::mutex;
    static auto& loaded = *new std::map<std::string, const ck_kernel_api*>;
    std::lock_guard<std::mutex> lock(mutex);
    if (const auto known = loaded.find(sha256); known != loaded.end()) return known->second;
    void* const handle = load_image(content, path);
    const auto get_api = reinterpret_cast<GetApi>(::dlsym(handle, "ck_kernel_get_api"));
    if (!get_api) {
        (void)::dlclose(handle);
        throw DamagedError("The library " + path + " is no kernel library: it exports no ck_kernel_get_api.");
    }
    return loaded[sha256] = get_api();
}

// "gfx942:64,gfx1100:32": what the library says it holds code for, against what its code objects are.
void check_targets(const std::string& path, const std::string& targets, const std::vector<Resources>& held) {
    std::size_t said = 0;
    for (std::size_t at = 0; at < targets.size();) {
        const std::size_t comma = std::min(targets.find(',', at), targets.size());
        const std::string target = targets.substr(at, comma - at);
        bool found = false;
        for (const Resources& resources : held)
            found = found || target == std::string(resources.gpu.text()) + ":" + std::to_string(resources.wave_size);
        if (!found)
            disagree(path, "it describes code for " + target + ", and holds none (or for waves of another size)");
        ++said;
        at = comma + 1;
    }
    if (said != held.size())
        disagree(path,
                 "it holds code for " + std::to_string(held.size()) + " GPUs and describes " + std::to_string(said));
}

void check_recorded(const std::string& path, const Json& recorded, const std::vector<Resources>& held) {
    if (recorded.is_null()) return;
    const std::string what = "The resource record of " + path;
    for (const Resources& resources : held) {
        if (member(member(recorded, resources.gpu.c_str(), what), "lds_bytes", what) != resources.lds_bytes)
            disagree(path, "its record of LDS for " + std::string(resources.gpu.text()) +
                               " is not what its code object uses");
    }
}

}  // namespace

ErrorCode code_of(ck_kernel_status status) {
    switch (status) {
        case CK_KERNEL_OK: return ErrorCode::ok;
        case CK_KERNEL_UNSUPPORTED: return ErrorCode::unsupported;
        case CK_KERNEL_INVALID: return ErrorCode::invalid_argument;
        case CK_KERNEL_WRONG_GPU: return ErrorCode::wrong_gpu;
        case CK_KERNEL_DEVICE_FAILED: return ErrorCode::device_failed;
    }
    return ErrorCode::internal;
}

std::shared_ptr<const KernelLibrary> KernelLibrary::open(const LibraryFile& file) {
    const auto content = read_file(file.path, "The library " + file.path, kMostBytes);
    auto library = std::make_shared<KernelLibrary>();
    library->path_ = file.path;
    library->sha256_ = ckdispatch::sha256(content.data(), content.size());
    if (!file.sha256.empty() && library->sha256_ != file.sha256)
        throw DamagedError("The library " + file.path + " is not the one that was built: its SHA-256 is " +
                           library->sha256_ + ", not " + file.sha256 + "; build it again.");
    // Before any code of it runs.
    library->resources_ = read_code_objects(content, file.path);
    library->api_ = load_api(content, library->sha256_, file.path);
    library->read_description();
    return library;
}

void check_resources(const KernelLibrary& library, const std::vector<Resources>& registered) {
    for (const Resources& said : registered) {
        const auto held = std::find_if(
            library.resources().begin(), library.resources().end(),
            [&](const Resources& used) { return used.gpu == said.gpu && used.lds_bytes == said.lds_bytes; });
        if (held == library.resources().end())
            throw DamagedError("The library " + library.path() + " was registered with code for " +
                               std::string(said.gpu.text()) + " that uses " + std::to_string(said.lds_bytes) +
                               " bytes of LDS, and holds none.");
    }
}

void KernelLibrary::read_description() {
    if (!api_ || api_->abi_version != CK_KERNEL_ABI_VERSION || api_->struct_size < offsetof(ck_kernel_api, phases)) {
        const std::string version = api_ ? std::to_string(api_->abi_version) : "none";
        throw AbiMismatchError("The library " + path_ + " has the kernel ABI version " + version +
                               ", and this runtime needs " + std::to_string(CK_KERNEL_ABI_VERSION) +
                               "; build it again with this version.");
    }
    const std::string what = "The description of " + path_;
    const Json description = parse_json(api_->describe(), what);
    const Json& spec = member(description, "spec", what);
    family_ = text_member(spec, "family", what);
    name_ = text_member(spec, "name", what);
    spec_ = spec.dump();
    check_targets(path_, text_member(description, "targets", what), resources_);
    check_recorded(path_, member(description, "resources", what), resources_);
}

}  // namespace ckdispatch
