// SPDX-License-Identifier: MIT
#include "gfxsim/loader/target.hpp"

#include <map>
#include <mutex>

#include "device_code/bundle.hpp"
#include "gfxsim/loader/comgr.hpp"

namespace gfxsim {
namespace {

// Code for a generic target runs on all GPUs of a family.
struct Generic {
    std::string_view name;
    std::string_view family;
};
constexpr Generic kGenerics[] = {
    {"gfx9-4-generic", "cdna3"},
    {"gfx9-4-generic", "cdna4"},
    {"gfx11-generic", "rdna3"},
    {"gfx12-generic", "rdna4"},
};

bool same_processor(const std::string& code, const Gpu& gpu) {
    if (code == gpu.name()) return true;
    for (const Generic& generic : kGenerics) {
        if (code == generic.name && gpu.is_family(generic.family)) return true;
    }
    return false;
}

std::string make_target_id(const Gpu& gpu) {
    std::string id(gpu.name());
    const comgr::Metadata isa = comgr::isa_metadata("amdgcn-amd-amdhsa--" + id);
    const comgr::Metadata features = isa.find("Features");
    if (features.find("sramecc")) id += ":sramecc+";
    if (features.find("xnack")) id += ":xnack-";
    return id;
}

bool agrees(char code, char gpu) { return code == 0 || code == gpu; }

}  // namespace

Target parse_target(std::string_view id) {
    Target target;
    const std::size_t colon = id.find(':');
    target.processor = ckdispatch::device_code::processor_of(id);
    if (colon == std::string_view::npos) return target;
    const std::string_view features = id.substr(colon);
    const auto setting = [&](std::string_view feature) {
        const std::size_t at = features.find(feature);
        const std::size_t sign = at + feature.size();
        return at != std::string_view::npos && sign < features.size() ? features[sign] : '\0';
    };
    target.sramecc = setting(":sramecc"), target.xnack = setting(":xnack");
    return target;
}

const std::string& target_id(const Gpu& gpu) {
    static std::mutex mutex;
    static std::map<std::string_view, std::string> known;
    std::lock_guard<std::mutex> lock(mutex);
    std::string& id = known[gpu.name()];
    if (id.empty()) id = make_target_id(gpu);
    return id;
}

bool runs_on(const Target& code, const Gpu& gpu) {
    if (!same_processor(code.processor, gpu)) return false;
    const Target settings = parse_target(target_id(gpu));
    return agrees(code.sramecc, settings.sramecc) && agrees(code.xnack, settings.xnack);
}

}  // namespace gfxsim
