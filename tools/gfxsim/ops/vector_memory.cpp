// SPDX-License-Identifier: MIT
#include "gfxsim/ops/vector_memory.hpp"

#include <deque>
#include <string_view>

namespace gfxsim {

const char* keep_name(std::string name) {
    static std::deque<std::string> names;
    names.push_back(std::move(name));
    return names.back().c_str();
}

void add_named(Table& table, Definition def, const char* prefix, const char* old_name, const char* name11,
               const char* name12) {
    const auto add = [&](const char* name, u8 isas) {
        if (!name) return;
        def.name = keep_name(std::string(prefix) + name), def.isas = isas;
        table.push_back(def);
    };
    add(old_name, kGfx9);
    if (name11 && name12 && std::string_view(name11) == name12) return add(name11, kGfx11And12);
    add(name11, kGfx11);
    add(name12, kGfx12);
}

atomic::Denormals memory_denormals(const Wave& wave) {
    const bool flushes = wave.gpu->flushes_in_atomics();
    return flushes ? atomic::Denormals{0, 3} : atomic::Denormals{3, 3};
}

void throw_misaligned(u64 address) {
    char text[80];
    std::snprintf(text, sizeof(text), "atomically updates the misaligned address 0x%llx",
                  static_cast<unsigned long long>(address));
    throw Fault(FaultKind::memory, text);
}

}  // namespace gfxsim
