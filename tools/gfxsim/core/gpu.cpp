// SPDX-License-Identifier: MIT
#include "gfxsim/core/gpu.hpp"

#include <string>
#include <vector>

#include "arch/arch_specs.hpp"

namespace gfxsim {
namespace {

Isa isa_of(std::string_view name) {
    // gfx90a has three characters after "gfx", gfx1100 four: the last two are minor version and stepping.
    const std::string_view major = name.substr(3, name.size() - 5);
    if (major == "12") return Isa::gfx12;
    if (major == "11") return Isa::gfx11;
    return Isa::gfx9;
}

const std::vector<Gpu>& all_gpus() {
    static const std::vector<Gpu> gpus = [] {
        std::vector<Gpu> made;
        for (const auto& spec : ckdispatch::arch::gpus) made.push_back(Gpu{&spec, isa_of(spec.name)});
        return made;
    }();
    return gpus;
}

}  // namespace

const Gpu* find_gpu(std::string_view name) {
    for (const Gpu& gpu : all_gpus()) {
        if (gpu.name() == name) return &gpu;
    }
    return nullptr;
}

std::string_view known_gpus() {
    static const std::string names = [] {
        std::string joined;
        for (const Gpu& gpu : all_gpus()) joined += (joined.empty() ? "" : ", ") + std::string(gpu.name());
        return joined;
    }();
    return names;
}

}  // namespace gfxsim
