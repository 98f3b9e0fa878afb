// SPDX-License-Identifier: MIT
// What a convolution tells the cost model, as the implicit GEMM of its direction; docs/dispatcher.md has the table.
#include <algorithm>
#include <iterator>
#include <utility>

#include "ckdispatch/core/dtypes.hpp"
#include "ckdispatch/grouped_conv/family.hpp"
#include "ckdispatch/grouped_conv/layouts.hpp"
#include "ckdispatch/grouped_conv/residues.hpp"
#include "ckdispatch/grouped_conv/words.hpp"
#include "ckdispatch/product/split_k.hpp"
#include "ckdispatch/product/tiles.hpp"

namespace ckdispatch {
namespace {

// Backward data: a GEMM for each combination of the classes of all dimensions.
void add_classes(const GroupedConvProblem& p, const std::array<Residues, CK_GROUPED_CONV_MAX_SPATIAL>& residues,
                 double merged, TiledProducts& tiles) {
    for (const Residues::Class& d : residues[0].classes)
        for (const Residues::Class& h : residues[1].classes)
            for (const Residues::Class& w : residues[2].classes)
                tiles.add(double(p.n) * d.inputs * h.inputs * w.inputs * merged, double(p.c) * merged,
                          double(p.k) * d.filters * h.filters * w.filters,
                          double(p.g) / merged * d.count * h.count * w.count);
}

// What a load takes against one that finds its position in image and filter, and checks it. None but the first was
// measured.
double addressing(Name specialization) {
    const GroupedConvWords& words = grouped_conv_words();
    if (specialization == words.by_default) return 1;
    if (specialization == words.filter_3x3) return 0.96;      // the filter's sizes are known
    if (specialization == words.filter_1x1_pad0) return 0.9;  // only strides are left
    return 0.85;
}

// What storing outputs takes against 16 bytes at a time: an assumption.
double storing(int vector, double bytes) { return 1 + (16 / std::clamp(vector * bytes, 1.0, 16.0) - 1) / 8; }

}  // namespace

std::vector<std::string> GroupedConvFamily::details() {
    return {std::begin(TiledProducts::kDetails), std::end(TiledProducts::kDetails)};
}

Work GroupedConvFamily::work(const GroupedConvKey& key, const GroupedConvProblem& p, const GroupedConvWay& way) {
    const GroupedConvWords& words = grouped_conv_words();
    const SplitK& split = SplitK::words();
    std::array<Residues, CK_GROUPED_CONV_MAX_SPATIAL> residues;
    std::transform(p.axes.begin(), p.axes.end(), residues.begin(), residues_of);

    // Merged groups share a tile, of which each needs a diagonal part.
    const double parts = double(way.parts), merged = double(key.merged_groups), groups = double(p.g) / merged;
    const double n = double(p.n), c = double(p.c), k = double(p.k), filters = double(p.filters()),
                 outputs = double(p.outputs());
    const double bytes[] = {element_bytes(p.dtype_x), element_bytes(p.dtype_w), element_bytes(p.dtype_y)},
                 partial_bytes = element_bytes(key.dtype_acc);
    // A, B and C among x, w and y.
    const std::size_t result = p.result();
    std::size_t first = result == 2 ? 0 : 2, second = result == 1 ? 0 : 1;
    const bool transposed = GroupedConvLayout::find(p.layout).channels_first;
    if (transposed) std::swap(first, second);
    const Name dtypes[] = {p.dtype_x, p.dtype_w, p.dtype_y};
    TiledProducts tiles({key.tile, key.waves, key.warp_tile, key.pipeline, dtypes[first], dtypes[second], bytes[first],
                         bytes[second], double(key.vector_a), double(key.vector_b)},
                        parts);
    // Channels first: the product transposed, so that columns are positions, which lie side by side.
    if (p.direction == words.forward && !transposed) tiles.add(n * outputs * merged, k * merged, c * filters, groups);
    if (p.direction == words.forward && transposed) tiles.add(k * merged, n * outputs * merged, c * filters, groups);
    if (p.direction == words.backward_weight) tiles.add(k * merged, c * filters * merged, n * outputs, groups);
    if (p.direction == words.backward_data) add_classes(p, residues, merged, tiles);

    const bool apart =
        key.split_k == split.workspace;  // parts are kept in the accumulator's dtype until they are added up
    Work work = tiles.work();
    work.loads_a *= addressing(key.specialization);
    work.loads_b *= addressing(key.specialization);
    work.outputs *= storing(key.vector_c, bytes[result]);

    double read = n * double(p.g) * c;  // of x, whose positions may not all meet a filter
    for (const Residues& one : residues) read *= one.read;
    const double sizes[] = {p.direction == words.backward_data ? double(p.elements(0)) : read, double(p.elements(1)),
                            double(p.elements(2))};
    work.memory_bytes = sizes[first] * bytes[first] + sizes[second] * bytes[second] +
                        sizes[result] * (apart ? partial_bytes : bytes[result]) * parts +
                        double(p.d_count * p.elements(3)) * bytes[2];

    bool cleared = key.split_k == split.atomic;  // parts are added to zero
    if (p.direction == words.backward_data)
        for (const Residues& one : residues) cleared = cleared || !one.all_met;  // what meets no filter is zero
    if (cleared) work.extra_passes = sizes[result] * bytes[result];
    if (apart) {
        work.extra_passes = sizes[result] * (partial_bytes * parts + bytes[result]);
        work.extra_launches = 1;
    }
    return work;
}

}  // namespace ckdispatch
