// SPDX-License-Identifier: MIT
#include "gfxsim/check/flow.hpp"

#include <string_view>
#include <unordered_map>

namespace gfxsim {
namespace {

struct Entry {
    std::string_view name;
    Flow flow;
};

// Bitwise scalar instructions, without their "s_" and "_b32" or "_b64".
constexpr Entry kBitwise[] = {
    {"mov", Flow::bit_copy},       {"not", Flow::bit_copy},
    {"and", Flow::bit_and},        {"nand", Flow::bit_and},
    {"or", Flow::bit_or},          {"nor", Flow::bit_or},
    {"xor", Flow::bit_each},       {"xnor", Flow::bit_each},
    {"andn2", Flow::bit_and_not},  {"and_not1", Flow::bit_and_not},
    {"orn2", Flow::bit_or_not},    {"or_not1", Flow::bit_or_not},
    {"andn1", Flow::bit_not_and},  {"and_not0", Flow::bit_not_and},
    {"orn1", Flow::bit_not_or},    {"or_not0", Flow::bit_not_or},
    {"cselect", Flow::bit_select},
};

constexpr Entry kVector[] = {
    {"v_cndmask_b32", Flow::lane_select},
    {"v_cndmask_b16", Flow::lane_select},
    {"v_dual_cndmask_b32", Flow::lane_select},
    {"v_readlane_b32", Flow::read_lane},
    {"v_readfirstlane_b32", Flow::read_first},
    {"v_writelane_b32", Flow::write_lane},
    {"v_mad_u64_u32", Flow::upward},
    {"v_mad_i64_i32", Flow::upward},
    {"v_mad_co_u64_u32", Flow::upward},
    {"v_mad_co_i64_i32", Flow::upward},
    {"v_lshlrev_b64", Flow::upward},
    {"v_lshl_add_u64", Flow::upward},
    {"v_mov_b64", Flow::upward},
    {"v_pk_mov_b32", Flow::pick},
    {"v_pk_add_f32", Flow::halves},
    {"v_pk_mul_f32", Flow::halves},
    {"v_pk_fma_f32", Flow::halves},
    {"v_add_nc_u64", Flow::upward},
    {"s_getpc_b64", Flow::nothing},
    {"s_getreg_b32", Flow::nothing},
};

bool remove_suffix(std::string_view& text, std::string_view suffix) {
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
    text.remove_suffix(suffix.size());
    return true;
}

FlowOf work_out(const Definition& def) {
    std::string_view name = def.name;
    for (const Entry& entry : kVector) {
        if (name == entry.name) return {entry.flow, false};
    }
    if (name.substr(0, 10) == "v_permlane" || name.find("permute_b32") != name.npos || name == "ds_swizzle_b32")
        return {Flow::cross_lanes, false};
    if (name.substr(0, 2) != "s_") return {};
    name.remove_prefix(2);
    if (!remove_suffix(name, "_b32") && !remove_suffix(name, "_b64")) return {};
    const bool with_exec = remove_suffix(name, "_saveexec") || remove_suffix(name, "_wrexec");
    for (const Entry& entry : kBitwise) {
        if (name == entry.name) return {entry.flow, with_exec};
    }
    return {};
}

}  // namespace

const FlowOf& flow_of(const Definition& def) {
    thread_local std::unordered_map<const Definition*, FlowOf> known;
    const auto [place, added] = known.try_emplace(&def);
    if (added) place->second = work_out(def);
    return place->second;
}

}  // namespace gfxsim
