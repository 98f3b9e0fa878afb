// SPDX-License-Identifier: MIT
// Transposing LDS reads of gfx950. Sixteen lanes read a matrix row by row, each lane a part of a row; afterwards each
// lane holds a column.
#include "gfxsim/ops/isas.hpp"
#include "gfxsim/ops/lds_tables.hpp"

namespace gfxsim {
namespace {

constexpr int kGroup = 16;  // lanes that exchange values, and the columns of their matrix

// Copies one value of less than a byte.
inline void copy_bits(u8* to, int to_bit, const u8* from, int from_bit, int count) {
    for (int bit = 0; bit < count; ++bit)
        to[(to_bit + bit) / 8] |=
            u8((from[(from_bit + bit) / 8] >> ((from_bit + bit) % 8) & 1) << ((to_bit + bit) % 8));
}

// A lane reads `values` values of `bits` bits; `kGroup / values` lanes share a row.
template <int bits, Form form>
void run_transposed(Wave& wave, const Instr& instr) {
    constexpr int values = int(bytes_of(form)) * 8 / bits;
    constexpr int lanes_per_row = kGroup / values;
    const u64 exec = wave.exec();
    for (int group = 0; group < wave.size; group += kGroup) {
        const u64 on = exec >> group & 0xffff;
        if (on != 0 && on != 0xffff)
            throw Fault(FaultKind::unsupported,
                        "is a transposing read with some of 16 lanes switched off, which is not defined");
    }
    Reach reach;
    lds_offsets(wave, instr.src[0], u32(instr.mod.offset), reach);
    reach_lds(wave, instr, exec, {bytes_of(form), Use::read, &instr.dst[0]}, reach);
    u8 in[kLanes][bytes_of(form)] = {};
    for_lanes(reach.mask[int(Space::lds)],
              [&](int lane) { std::memcpy(in[lane], wave.group->lds.data() + reach.at[lane], bytes_of(form)); });
    for_lanes(exec, [&](int lane) {
        const int group = lane & ~(kGroup - 1), column = lane & (kGroup - 1);
        u8 out[bytes_of(form)] = {};
        for (int row = 0; row < values; ++row) {
            const int from = group + row * lanes_per_row + column / values;
            if constexpr (bits >= 8) std::memcpy(out + row * bits / 8, in[from] + column % values * bits / 8, bits / 8);
            else copy_bits(out, row * bits, in[from], column % values * bits, bits);
        }
        load_lane<form>(wave.v[instr.dst[0].index], lane, out);
    });
}

}  // namespace

void add_lds_transpose(Table& table) {
    const auto add = [&](const char* name, RunFn run) {
        Definition def;
        def.src.fill(Type::u32);
        def.name = name, def.run = run, def.dsts = 1, def.dst[0] = Type::u32, def.traits = lds_traits(),
        def.isas = kGfx9;
        table.push_back(def);
    };
    add("ds_read_b64_tr_b16", run_transposed<16, Form::b64>);
    add("ds_read_b64_tr_b8", run_transposed<8, Form::b64>);
    add("ds_read_b64_tr_b4", run_transposed<4, Form::b64>);
    add("ds_read_b96_tr_b6", run_transposed<6, Form::b96>);
}

}  // namespace gfxsim
