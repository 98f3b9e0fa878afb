// SPDX-License-Identifier: MIT
// Atomic instructions on LDS.
#include <string>

#include "gfxsim/ops/atomics.hpp"
#include "gfxsim/ops/lds_tables.hpp"
#include "gfxsim/ops/vector_memory.hpp"

namespace gfxsim {
namespace {

using namespace atomic;
constexpr int kLds = int(Space::lds);

template <auto F>
void run(Wave& wave, const Instr& instr) {
    using W = Word<F>;
    Reach reach;
    lds_offsets(wave, instr.src[0], u32(instr.mod.offset), reach);
    reach_lds(wave, instr, wave.exec(), {sizeof(W), Use::atomic, &instr.src[1]}, reach);
    // An f64 sum keeps denormals whatever the mode says.
    const Denormals keep = {wave.mode.denorm32, u8(std::is_same_v<Value<F>, f64> ? 3 : wave.mode.denorm64)};
    for_lanes(reach.mask[kLds], [&](int lane) {
        const W first = read_word<W>(wave, instr.src[1].index, lane);
        const W second = operands<F> == 2 ? read_word<W>(wave, instr.src[2].index, lane) : W(0);
        const W old = update<F>(wave.group->lds.data() + reach.at[lane], first, second, keep);
        if (instr.dsts) write_word(wave, instr.dst[0].index, lane, old);
    });
    if (instr.dsts) for_lanes(reach.outside, [&](int lane) { write_word(wave, instr.dst[0].index, lane, W(0)); });
}

// Exchanges two values at offsets that count values, or 64 of them.
template <class W, u32 stride>
void run_exchange2(Wave& wave, const Instr& instr) {
    const u32 offsets[] = {instr.mod.offset0, instr.mod.offset1};
    W old[2][kLanes] = {};
    for (int half = 0; half < 2; ++half) {
        const Operand& data = instr.src[1 + half];
        Reach reach;
        lds_offsets(wave, instr.src[0], offsets[half] * stride * u32(sizeof(W)), reach);
        reach_lds(wave, instr, wave.exec(), {sizeof(W), Use::atomic, &data}, reach);
        for_lanes(reach.mask[kLds], [&](int lane) {
            old[half][lane] = update<exchange<W>>(wave.group->lds.data() + reach.at[lane],
                                                  read_word<W>(wave, data.index, lane), 0, {});
        });
    }
    for (int half = 0; half < 2; ++half) {
        const u16 row = u16(instr.dst[0].index + half * int(sizeof(W)) / 4);
        for_lanes(wave.exec(), [&](int lane) { write_word(wave, row, lane, old[half][lane]); });
    }
}

struct Row {
    RunFn run;
    const char* type;
    const char* old_name;
    const char* name11;
    const char* name12;
};

constexpr Row kAtomics[] = {
    {run<atomic::add<u32>>, "u32", "add", "add", "add"},
    {run<atomic::add<u64>>, "u64", "add", "add", "add"},
    {run<atomic::add<f32>>, "f32", "add", "add", "add"},
    {run<atomic::add<f64>>, "f64", "add", nullptr, nullptr},
    {run<add_pair<f16>>, "f16", "pk_add", nullptr, "pk_add"},
    {run<add_pair<bf16>>, "bf16", "pk_add", nullptr, "pk_add"},
    {run<sub<u32>>, "u32", "sub", "sub", "sub"},
    {run<sub<u64>>, "u64", "sub", "sub", "sub"},
    {run<sub_clamp>, "u32", nullptr, nullptr, "sub_clamp"},
    {run<sub_if_enough>, "u32", nullptr, nullptr, "cond_sub"},
    {run<reverse_sub<u32>>, "u32", "rsub", "rsub", "rsub"},
    {run<reverse_sub<u64>>, "u64", "rsub", "rsub", "rsub"},
    {run<increment<u32>>, "u32", "inc", "inc", "inc"},
    {run<increment<u64>>, "u64", "inc", "inc", "inc"},
    {run<decrement<u32>>, "u32", "dec", "dec", "dec"},
    {run<decrement<u64>>, "u64", "dec", "dec", "dec"},
    {run<atomic::min<i32>>, "i32", "min", "min", "min"},
    {run<atomic::min<i64>>, "i64", "min", "min", "min"},
    {run<atomic::min<u32>>, "u32", "min", "min", "min"},
    {run<atomic::min<u64>>, "u64", "min", "min", "min"},
    {run<atomic::min<f32>>, "f32", "min", "min", nullptr},
    {run<atomic::min<f64>>, "f64", "min", "min", nullptr},
    {run<min_number<f32>>, "f32", nullptr, nullptr, "min_num"},
    {run<min_number<f64>>, "f64", nullptr, nullptr, "min_num"},
    {run<atomic::max<i32>>, "i32", "max", "max", "max"},
    {run<atomic::max<i64>>, "i64", "max", "max", "max"},
    {run<atomic::max<u32>>, "u32", "max", "max", "max"},
    {run<atomic::max<u64>>, "u64", "max", "max", "max"},
    {run<atomic::max<f32>>, "f32", "max", "max", nullptr},
    {run<atomic::max<f64>>, "f64", "max", "max", nullptr},
    {run<max_number<f32>>, "f32", nullptr, nullptr, "max_num"},
    {run<max_number<f64>>, "f64", nullptr, nullptr, "max_num"},
    {run<and_<u32>>, "b32", "and", "and", "and"},
    {run<and_<u64>>, "b64", "and", "and", "and"},
    {run<or_<u32>>, "b32", "or", "or", "or"},
    {run<or_<u64>>, "b64", "or", "or", "or"},
    {run<xor_<u32>>, "b32", "xor", "xor", "xor"},
    {run<xor_<u64>>, "b64", "xor", "xor", "xor"},
    {run<mask_or<u32>>, "b32", "mskor", "mskor", "mskor"},
    {run<mask_or<u64>>, "b64", "mskor", "mskor", "mskor"},
    {run<exchange_compare<u32>>, "b32", "cmpst", nullptr, nullptr},
    {run<exchange_compare<u64>>, "b64", "cmpst", nullptr, nullptr},
    {run<exchange_compare<f32>>, "f32", "cmpst", nullptr, nullptr},
    {run<exchange_compare<f64>>, "f64", "cmpst", nullptr, nullptr},
    {run<compare_exchange<u32>>, "b32", nullptr, "cmpstore", "cmpstore"},
    {run<compare_exchange<u64>>, "b64", nullptr, "cmpstore", "cmpstore"},
    {run<compare_exchange<f32>>, "f32", nullptr, "cmpstore", nullptr},
    {run<compare_exchange<f64>>, "f64", nullptr, "cmpstore", nullptr},
};

// Those that make no sense without their result.
constexpr Row kReturning[] = {
    {run<exchange<u32>>, "b32", "wrxchg", "storexchg", "storexchg"},
    {run<exchange<u64>>, "b64", "wrxchg", "storexchg", "storexchg"},
    {run<wrap>, "b32", "wrap", "wrap", nullptr},
    {run_exchange2<u32, 1>, "b32", "wrxchg2", "storexchg_2addr", "storexchg_2addr"},
    {run_exchange2<u64, 1>, "b64", "wrxchg2", "storexchg_2addr", "storexchg_2addr"},
    {run_exchange2<u32, 64>, "b32", "wrxchg2st64", "storexchg_2addr_stride64", "storexchg_2addr_stride64"},
    {run_exchange2<u64, 64>, "b64", "wrxchg2st64", "storexchg_2addr_stride64", "storexchg_2addr_stride64"},
};

}  // namespace

void add_lds_atomics(Table& table) {
    const auto add = [&](const Row& row, bool returns) {
        Definition def;
        def.src.fill(Type::u32);
        def.run = row.run, def.dsts = returns, def.dst[0] = Type::u32, def.traits = lds_traits();
        const std::string suffix = std::string(returns ? "_rtn_" : "_") + row.type;
        const auto named = [&](const char* name) { return name ? keep_name(name + suffix) : nullptr; };
        add_named(table, def, "ds_", named(row.old_name), named(row.name11), named(row.name12));
    };
    for (const Row& row : kAtomics) add(row, false), add(row, true);
    for (const Row& row : kReturning) add(row, true);
}

}  // namespace gfxsim
