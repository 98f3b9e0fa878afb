// SPDX-License-Identifier: MIT
#include "gfxsim/loader/comgr.hpp"

#include <cinttypes>
#include <cstdio>

namespace gfxsim::comgr {
namespace {

bool good(amd_comgr_status_t status) { return status == AMD_COMGR_STATUS_SUCCESS; }

void check(amd_comgr_status_t status) {
    if (good(status)) return;
    const char* text = "unknown error";
    amd_comgr_status_string(status, &text);
    throw std::runtime_error("it cannot be unpacked (the code object manager reports " + std::string(text) + ")");
}

class Data {
public:
    Data(amd_comgr_data_kind_t kind, Bytes bytes) {
        check(amd_comgr_create_data(kind, &handle));
        if (!good(amd_comgr_set_data(handle, bytes.size, reinterpret_cast<const char*>(bytes.data)))) {
            amd_comgr_release_data(handle);
            throw std::bad_alloc();
        }
    }
    explicit Data(amd_comgr_data_t taken) : handle(taken) {}
    ~Data() { amd_comgr_release_data(handle); }
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;

    amd_comgr_data_t handle{};
};

struct DataSet {
    DataSet() { check(amd_comgr_create_data_set(&handle)); }
    ~DataSet() { amd_comgr_destroy_data_set(handle); }
    DataSet(const DataSet&) = delete;
    DataSet& operator=(const DataSet&) = delete;
    amd_comgr_data_set_t handle{};
};

struct ActionInfo {
    ActionInfo() { check(amd_comgr_create_action_info(&handle)); }
    ~ActionInfo() { amd_comgr_destroy_action_info(handle); }
    ActionInfo(const ActionInfo&) = delete;
    ActionInfo& operator=(const ActionInfo&) = delete;
    amd_comgr_action_info_t handle{};
};

std::string fingerprint(Bytes bytes) {
    u64 hash = 0xcbf29ce484222325;
    for (u64 i = 0; i < bytes.size; ++i) hash = (hash ^ bytes.data[i]) * 0x100000001b3;
    char text[24];
    std::snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return text;
}

}  // namespace

Metadata::Metadata(amd_comgr_metadata_node_t node)
    : node_(new amd_comgr_metadata_node_t(node), [](amd_comgr_metadata_node_t* owned) {
          amd_comgr_destroy_metadata(*owned);
          delete owned;
      }) {}

Metadata Metadata::find(const char* key) const {
    amd_comgr_metadata_node_t found;
    if (!node_ || !good(amd_comgr_metadata_lookup(*node_, key, &found))) return {};
    return Metadata(found);
}

Metadata isa_metadata(const std::string& isa) {
    amd_comgr_metadata_node_t node;
    return good(amd_comgr_get_isa_metadata(isa.c_str(), &node)) ? Metadata(node) : Metadata();
}

std::string isa_name(Bytes elf) {
    const Data data(AMD_COMGR_DATA_KIND_EXECUTABLE, elf);
    std::size_t size = 0;
    if (!good(amd_comgr_get_data_isa_name(data.handle, &size, nullptr)) || size == 0) return "";
    std::string name(size, '\0');
    if (!good(amd_comgr_get_data_isa_name(data.handle, &size, name.data()))) return "";
    name.resize(size - 1);
    return name;
}

std::vector<std::vector<u8>> unbundle(Bytes bundle, const std::vector<std::string>& ids) {
    const Data data(AMD_COMGR_DATA_KIND_OBJ_BUNDLE, bundle);
    check(amd_comgr_set_data_name(data.handle, "bundle.o"));
    const DataSet input, output;
    check(amd_comgr_data_set_add(input.handle, data.handle));

    // The code object manager keeps results in a cache on disk under a key that two compressed bundles can share.
    // An entry that no bundle has, named after the content, keeps them apart.
    std::vector<std::string> asked = ids;
    asked.push_back("hipv4-amdgcn-amd-amdhsa--" + fingerprint(bundle));
    std::vector<const char*> names;
    names.reserve(asked.size());
    for (const std::string& id : asked) names.push_back(id.c_str());
    const ActionInfo action;
    check(amd_comgr_action_info_set_bundle_entry_ids(action.handle, names.data(), names.size()));
    check(amd_comgr_do_action(AMD_COMGR_ACTION_UNBUNDLE, action.handle, input.handle, output.handle));

    std::vector<std::vector<u8>> found;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        amd_comgr_data_t handle;
        check(amd_comgr_action_data_get_data(output.handle, AMD_COMGR_DATA_KIND_EXECUTABLE, i, &handle));
        const Data code(handle);
        std::size_t size = 0;
        check(amd_comgr_get_data(code.handle, &size, nullptr));
        found.emplace_back(size);
        if (size) check(amd_comgr_get_data(code.handle, &size, reinterpret_cast<char*>(found.back().data())));
    }
    return found;
}

}  // namespace gfxsim::comgr
