// SPDX-License-Identifier: MIT
// What an attention tells the cost model; docs/dispatcher.md has the table.
#include <algorithm>
#include <cmath>

#include "ckdispatch/fmha/family.hpp"
#include "ckdispatch/fmha/words.hpp"

namespace ckdispatch {
namespace {

constexpr double kLoadBytes = 16;

double ceil_div(double a, double b) { return std::ceil(a / b); }

double bytes_of(Name dtype) {
    const FmhaWords& words = fmha_words();
    return dtype == words.fp32 ? 4 : dtype == words.fp16 || dtype == words.bf16 ? 2 : 1;
}
double output_bytes(Name dtype) {
    const FmhaWords& words = fmha_words();
    return dtype == words.fp32 || dtype == words.fp8fp32 ? 4 : dtype == words.fp8 ? 1 : 2;
}

// The share of the tiles that a mask leaves: at the borders whole tiles are computed.
double kept_tiles(const FmhaProblem& p, double tile_rows, double tile_keys) {
    const double rows = p.mean_rows_q(), keys = p.mean_rows_k();
    if (!p.masked() || rows < 1 || keys < 1) return 1;
    const double kept = p.scores() / (double(p.batch) * double(p.heads_q) * rows * keys);
    // Half a tile more at each border, on average, along both directions.
    return std::min(1.0,
                    kept + (tile_rows + tile_keys) / 2 / keys * (p.window_left >= 0 && p.window_right >= 0 ? 2 : 1));
}

// Nothing of this was measured: it decides between kernels that are alike in all else.
double effort(const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    double effort = 1;
    if (key.pipeline == words.qr_async || key.pipeline == words.kr_trload)
        effort *= 0.9;  // loads go to LDS by themselves
    if (key.pipeline == words.trload) effort *= 0.85;
    if (key.pipeline == words.v3) effort *= 0.7;
    if (key.pads[FmhaKey::rows] || key.pads[FmhaKey::keys]) effort *= 1.03;  // bounds are checked in every load
    if (key.mask) effort *= 1.02;
    if (key.lse) effort *= 1.001;
    if (key.dropout) effort *= p.p_drop > 0 ? 1.3 : 1.4;
    if (key.bias != words.none) effort *= 1.1;
    if (key.soft_cap) effort *= 1.1;
    if (key.scales || key.skip_min) effort *= 1.001;
    return effort;
}

// Loads of a lane move single elements where a kernel cannot rely on the head's size.
double load_bytes(const FmhaKey& key, double element) {
    const bool by_element =
        (key.pads[FmhaKey::head_q] == 1 || key.pads[FmhaKey::head_v] == 1) && key.pipeline == fmha_words().qr;
    return by_element ? element : kLoadBytes;
}

void set_products(Work& work, const FmhaKey& key, double element) {
    work.waves = double(key.wave_count());
    work.element_bytes = element;
    const FmhaWords& words = fmha_words();
    const bool fp8 = key.dtype == words.fp8 || key.dtype == words.fp8bf16 || key.dtype == words.fp8fp32;
    work.dtype = fp8 ? words.fp8 : key.dtype;
    work.warp_tile = {key.warp_tile[0], key.warp_tile[1], key.warp_tile[2]};
    work.effort = 1;
}

// Tiles of so many rows in all sequences; where decodes are left to another stage, in the others.
double row_tiles(const FmhaProblem& p, double tile_rows, double merged) {
    const double all = double(p.batch), prefills = p.prefills();
    if (prefills >= all) return all * ceil_div(p.mean_rows_q() * merged, tile_rows);
    return prefills * ceil_div(double(p.seqlen_q), tile_rows) +
           (p.skipped_rows ? 0 : (all - prefills) * ceil_div(double(p.decode_rows), tile_rows));
}

// fwd, splitkv, pagedkv and batch_prefill: workgroups have some rows of q, and go through tiles of keys.
Work forward_work(const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const double element = bytes_of(p.dtype), bm = std::max(1, key.tile[0]), bn = std::max(1, key.tile[1]),
                 dq = std::max<double>(key.tile[5], 1), dv = std::max<double>(key.tile[3], 1);
    const bool splits = p.variant == words.splitkv;
    const double parts = splits ? double(p.parts) : 1, merged = key.merged ? double(p.heads_q) / double(p.heads_k) : 1;
    const double keys = p.mean_rows_k(), columns = ceil_div(double(p.hdim_v), dv);
    Work work;
    set_products(work, key, element);
    work.workgroups = double(p.heads_q) / merged * row_tiles(p, bm, merged) * columns * parts;
    work.trips = std::max(1.0, ceil_div(keys / parts, bn) * kept_tiles(p, bm, bn));
    work.flops = 2 * bm * bn * (dq + dv);
    work.tile_bytes = bn * (dq + dv) * element;
    const double width = load_bytes(key, element);
    work.loads_b = work.tile_bytes / width;
    work.loads_a = bm * dq * element / width / work.trips;
    work.lds_reads = work.waves * work.tile_bytes / kLoadBytes;
    work.outputs = bm * dv;
    work.effort = effort(key, p);
    const double rows = double(p.batch) * p.mean_rows_q() * double(p.heads_q);
    work.memory_bytes = rows * double(p.hdim_q) * element +
                        double(p.batch) * keys * double(p.heads_k) * double(p.hdim_q + p.hdim_v) * element +
                        rows * double(p.hdim_v) * (splits ? 4 * parts : output_bytes(p.dtype));
    if (p.bias == words.elementwise) work.memory_bytes += p.scores() * element;
    return work;
}

// Workgroups have some keys, and go through tiles of rows.
Work gradient_work(const FmhaKey& key, const FmhaProblem& p) {
    const double element = bytes_of(p.dtype), bm = std::max(1, key.tile[0]), bn = std::max(1, key.tile[1]),
                 dq = key.hdim_q, dv = key.hdim_v;
    const double heads = double(p.batch) * double(p.heads_q), rows = p.mean_rows_q(), keys = p.mean_rows_k();
    const bool small = key.pipeline == fmha_words().qr_trload;
    Work work;
    set_products(work, key, element);
    work.workgroups = heads * (small ? 1 : std::max(1.0, ceil_div(keys, bn)));
    work.trips = std::max(1.0, (small ? ceil_div(keys, bn) : ceil_div(rows, bm)) * kept_tiles(p, bm, bn));
    work.flops = 2 * bm * bn * (3 * dq + 2 * dv);
    work.tile_bytes = bm * (dq + dv) * element + bm * dq * 4;
    work.loads_b = work.tile_bytes / kLoadBytes;
    work.loads_a = bn * (dq + dv) * element / kLoadBytes / work.trips;
    work.lds_reads = work.waves * (bm * (dq + dv) + bn * (dq + dv)) * element / kLoadBytes;
    work.outputs = bn * (dq + dv);
    work.effort = effort(key, p);
    work.memory_bytes = heads * (rows * ((dq + dv) * element + 8) + keys * 2 * (dq + dv) * element +
                                 rows * dq * 4 * (p.deterministic ? double(p.parts) : 2));
    return work;
}

// All others read and write once: workgroups of so many rows of a head.
Work pass_work(const FmhaKey& key, const FmhaProblem& p) {
    const FmhaWords& words = fmha_words();
    const double element = bytes_of(p.dtype), out = output_bytes(p.dtype), heads = double(p.batch) * double(p.heads_q),
                 rows = p.mean_rows_q();
    const double dq = double(p.hdim_q), dv = double(p.hdim_v), parts = double(p.parts),
                 group = double(p.heads_q) / double(p.heads_k);
    double tile = std::max(1, key.tile[0]), bytes = 0, columns = 1;
    if (p.variant == words.combine) {
        columns = ceil_div(dv, tile), tile = 8;
        bytes = heads * rows * (parts * (dv * 4 + 4) + dv * out);
    } else if (p.variant == words.appendkv) {
        const double added = double(p.batch) * double(p.heads_k) * double(p.seqlen_new) * (dq + dv) * element;
        bytes = 2 * added * group + (p.rotary_dim ? 2 * heads * rows * dq * element : 0);
    } else if (p.variant == words.dot_do_o) {
        bytes = heads * rows * (2 * dv * element + 4);
    } else if (p.variant == words.convert_dq) {
        bytes = heads * rows * dq * (4 * parts + element);
    } else if (p.variant == words.sum) {
        bytes = heads * rows * dq * element * (1 + 1 / group);
    } else {
        bytes = heads * rows * (2 * dv * out + 8);
    }
    Work work;
    work.waves = double(key.wave_count());
    work.element_bytes = element;
    work.dtype = element == 1 ? words.fp8 : p.dtype;
    work.workgroups =
        heads *
        std::max(1.0, ceil_div(p.variant == words.appendkv ? std::max(rows, double(p.seqlen_new)) : rows, tile)) *
        columns;
    // As many reads behind each other as the most parts that the kernel is made for: of two, the smaller one.
    work.trips = p.variant == words.combine ? std::max(1.0, double(key.max_splits) / 8) : 1;
    work.outputs = tile * std::max(dq, dv);
    work.memory_bytes = bytes;
    work.effort = key.lse ? 1.001 : 1;
    return work;
}

}  // namespace

Work FmhaFamily::work(const FmhaKey& key, const FmhaProblem& p, const FmhaWay&) {
    const FmhaWords& words = fmha_words();
    if (p.variant == words.dq_dk_dv) return gradient_work(key, p);
    if (p.variant == words.fwd || p.variant == words.splitkv || p.variant == words.pagedkv ||
        p.variant == words.batch_prefill)
        return forward_work(key, p);
    return pass_work(key, p);
}

}  // namespace ckdispatch
