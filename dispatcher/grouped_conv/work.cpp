// SPDX-License-Identifier: MIT
// What a convolution tells the cost model, as the implicit GEMM of its direction; docs/dispatcher.md has the table.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/product/split_k.hpp"
#include "ckdispatch/product/tiles.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/residues.hpp"
#include "ckdispatch/grouped_conv/words.hpp"

namespace ckdispatch {
namespace {

// Backward data: a GEMM for each combination of the classes of all dimensions.
void add_classes(const GroupedConvProblem& p, const std::array<Residues, CK_GROUPED_CONV_MAX_SPATIAL>& residues, double merged, TiledProducts& tiles) {
    for (const Residues::Class& d : residues[0].classes)
        for (const Residues::Class& h : residues[1].classes)
            for (const Residues::Class& w : residues[2].classes)
                tiles.add(double(p.n) * d.inputs * h.inputs * w.inputs * merged, double(p.c) * merged, double(p.k) * d.filters * h.filters * w.filters, double(p.g) / merged * d.count * h.count * w.count);
}

// Loads of a lane move up to 16 bytes; narrower ones are more instructions, each with a position to find.
double narrowness(int vector, double bytes) { return 1 - 0.04 * std::log2(16 / std::clamp(vector * bytes, 1.0, 16.0)); }

double compute_share(const GroupedConvKey& key, double a_bytes, double b_bytes) {
    const GroupedConvWords& words = grouped_conv_words();
    double share                  = tile_share(key.tile, key.waves, key.pipeline);
    if (key.specialization == words.by_default) share *= 0.94;       // every load finds its position in image and filter, and checks it
    if (key.specialization == words.filter_3x3) share *= 0.96;       // the filter's sizes are known
    if (key.specialization == words.filter_1x1_pad0) share *= 0.98;  // only strides are left
    return share * narrowness(key.vector_a, a_bytes) * narrowness(key.vector_b, b_bytes);
}

// What a lane moves for one element: at least four bytes at a time go through L2.
double moved(double bytes, int vector) { return std::max(bytes, 4.0 / std::max(1, vector)); }

}  // namespace

Work GroupedConvFamily::work(const GroupedConvKey& key, const GroupedConvProblem& p, const GroupedConvWay& way) {
    const GroupedConvWords& words = grouped_conv_words();
    const SplitK& split           = SplitK::words();
    std::array<Residues, CK_GROUPED_CONV_MAX_SPATIAL> residues;
    std::transform(p.axes.begin(), p.axes.end(), residues.begin(), residues_of);

    // Merged groups share a tile, of which each needs a diagonal part.
    const double parts = double(way.parts), merged = double(key.merged_groups), groups = double(p.g) / merged;
    const double n = double(p.n), c = double(p.c), k = double(p.k), filters = double(p.filters()), outputs = double(p.outputs());
    TiledProducts tiles(key.tile, parts);
    // Channels first: the product transposed, so that columns are positions, which lie side by side.
    const bool transposed = GroupedConvLayout::find(p.layout).channels_first;
    if (p.direction == words.forward && !transposed) tiles.add(n * outputs * merged, k * merged, c * filters, groups);
    if (p.direction == words.forward && transposed) tiles.add(k * merged, n * outputs * merged, c * filters, groups);
    if (p.direction == words.backward_weight) tiles.add(k * merged, c * filters * merged, n * outputs, groups);
    if (p.direction == words.backward_data) add_classes(p, residues, merged, tiles);

    const double bytes[] = {element_bytes(p.dtype_x), element_bytes(p.dtype_w), element_bytes(p.dtype_y)}, partial_bytes = element_bytes(key.dtype_acc);
    // A, B and C among x, w and y.
    const std::size_t result = p.result();
    std::size_t first = result == 2 ? 0 : 2, second = result == 1 ? 0 : 1;
    if (transposed) std::swap(first, second);
    const bool apart     = key.split_k == split.workspace;  // parts are kept in the accumulator's dtype until they are added up
    Work work            = tiles.work(moved(bytes[first], key.vector_a), moved(bytes[second], key.vector_b), moved(bytes[result], key.vector_c));
    work.element_bytes   = std::max(bytes[first], bytes[second]);
    work.tiles_in_flight = tiles_in_flight(key.pipeline);
    work.compute_share   = compute_share(key, bytes[first], bytes[second]);

    double read = n * double(p.g) * c;  // of x, whose positions may not all meet a filter
    for (const Residues& one : residues) read *= one.read;
    const double sizes[] = {p.direction == words.backward_data ? double(p.elements(0)) : read, double(p.elements(1)), double(p.elements(2))};
    work.memory_bytes    = sizes[first] * bytes[first] + sizes[second] * bytes[second] + sizes[result] * (apart ? partial_bytes : bytes[result]) * parts + double(p.d_count * p.elements(3)) * bytes[2];

    bool cleared = key.split_k == split.atomic;  // parts are added to zero
    if (p.direction == words.backward_data)
        for (const Residues& one : residues) cleared = cleared || !one.all_met;  // what meets no filter is zero
    if (cleared) work.extra_passes = sizes[result] * bytes[result];
    if (apart) {
        work.extra_passes   = sizes[result] * (partial_bytes * parts + bytes[result]);
        work.extra_launches = 1;
    }
    return work;
}

}  // namespace ckdispatch
