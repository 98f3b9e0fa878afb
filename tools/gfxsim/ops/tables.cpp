// SPDX-License-Identifier: MIT
#include "gfxsim/ops/tables.hpp"

#include <stdexcept>
#include <string>
#include <unordered_map>

namespace gfxsim {

const char* class_name(Class klass) {
    constexpr const char* kNames[kClasses] = {"salu",          "valu",   "matrix",  "lds",  "global", "scratch",
                                              "scalar_memory", "branch", "barrier", "wait", "control"};
    return kNames[int(klass)];
}

const Table& all_definitions() {
    static const Table definitions = [] {
        Table all;
        for (auto table : {scalar_table, control_table, scalar_memory_table, vector_integer_table, vector_float_table,
                           vector_convert_table, vector_compare_table, vector_packed_table, vector_move_table,
                           lds_table, buffer_table, flat_table, mfma_table, wmma_table, dual_table}) {
            for (const Definition& def : table()) all.push_back(def);
        }
        return all;
    }();
    return definitions;
}

const Definition* find_definition(std::string_view mnemonic, Isa isa) {
    using Index = std::unordered_map<std::string_view, const Definition*>;
    static const std::vector<Index> indices = [] {
        std::vector<Index> made(3);
        for (const Definition& def : all_definitions()) {
            for (int i = 0; i < 3; ++i) {
                if (!(def.isas >> i & 1)) continue;
                if (!made[std::size_t(i)].emplace(def.name, &def).second)
                    throw std::logic_error(std::string(def.name) + " is defined twice");
            }
        }
        return made;
    }();
    const Index& index = indices[std::size_t(isa)];
    const auto found = index.find(mnemonic);
    return found == index.end() ? nullptr : found->second;
}

}  // namespace gfxsim
