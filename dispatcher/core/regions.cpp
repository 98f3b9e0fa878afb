// SPDX-License-Identifier: MIT
#include "ckdispatch/core/regions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ckdispatch/core/dtypes.hpp"

namespace ckdispatch {
namespace {

// Of sizes with up to 62 bits each nothing is lost in it.
using Wide = __int128;

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

std::uint64_t bytes_of(Wide elements, const arch::DtypeSpec& dtype) {
    // Several elements may share a byte, or some bytes.
    const Wide together = dtype.pack, bytes = Wide(dtype.bytes * dtype.pack);
    const Wide all = (elements + together - 1) / together * bytes;
    return all > Wide(kEverything) ? kEverything : std::uint64_t(all);
}

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0); }

// One of two dimensions in which the places of two regions differ: by step * v for each v from least to most.
struct Differences {
    Wide step, least, most;

    static Differences of(std::uint64_t a_count, std::uint64_t b_count, std::uint64_t step) { return {Wide(step), -(Wide(a_count) - 1), Wide(b_count) - 1}; }
    Wide count() const { return most - least + 1; }
};

// Whether above < distance + u * step < below for a u of the dimension.
bool some_between(Wide distance, const Differences& inner, Wide above, Wide below) {
    if (inner.count() == 1) return above < distance && distance < below;
    const Wide first = std::max(inner.least, floor_div(above - distance, inner.step) + 1);
    return first <= inner.most && distance + first * inner.step < below;
}

enum class Shared { nothing, bytes, unknown };

// Whether a line of one and a line of the other share a byte. Exact where lines, and matrices, are equally far apart in both.
Shared shared(std::uint64_t a_base, const Region& a, std::uint64_t b_base, const Region& b) {
    if ((a.lines > 1 && b.lines > 1 && a.pitch != b.pitch) || (a.matrices > 1 && b.matrices > 1 && a.matrix_pitch != b.matrix_pitch)) return Shared::unknown;
    Differences outer = Differences::of(a.matrices, b.matrices, a.matrices > 1 ? a.matrix_pitch : b.matrix_pitch);
    Differences inner = Differences::of(a.lines, b.lines, a.lines > 1 ? a.pitch : b.pitch);
    if (outer.count() > inner.count()) std::swap(outer, inner);
    // A line of b begins so far behind one of a; they share bytes if it is less than a's width, and more than b's before it.
    const Wide distance = Wide(b_base) - Wide(a_base), above = -Wide(b.width), below = Wide(a.width);
    if (outer.count() > 1) {
        // Only where the inner dimension can make up for the rest.
        outer.least = std::max(outer.least, floor_div(above - distance - inner.most * inner.step, outer.step));
        outer.most  = std::min(outer.most, floor_div(below - distance - inner.least * inner.step, outer.step) + 1);
    }
    constexpr Wide kMostSteps = 1 << 16;
    if (outer.count() > kMostSteps) return Shared::unknown;
    for (Wide v = outer.least; v <= outer.most; ++v)
        if (some_between(distance + v * outer.step, inner, above, below)) return Shared::bytes;
    return Shared::nothing;
}

}  // namespace

Lines::Bytes Lines::in_bytes() const {
    const arch::DtypeSpec& facts = dtype_facts(dtype, "A tensor");
    return {bytes_of(width, facts), std::uint64_t(stride ? lines : 1), bytes_of(stride, facts), std::uint64_t(matrix_stride ? matrices : 1), bytes_of(matrix_stride, facts)};
}

Region region_of(const Lines& all) {
    const arch::DtypeSpec& facts = dtype_facts(all.dtype, "A tensor");
    std::int64_t width = all.width, lines = all.stride ? all.lines : 1, matrices = all.matrix_stride ? all.matrices : 1;
    Region region;
    region.reach = bytes_of(Wide(matrices - 1) * all.matrix_stride + Wide(lines - 1) * all.stride + width, facts);
    // Lines without gaps are one.
    if (all.stride == width) width *= lines, lines = 1;
    if (lines == 1 && all.matrix_stride == width) width *= matrices, matrices = 1;
    region.width        = bytes_of(width, facts);
    region.lines        = std::uint64_t(lines);
    region.pitch        = lines > 1 ? bytes_of(all.stride, facts) : 0;
    region.matrices     = std::uint64_t(matrices);
    region.matrix_pitch = matrices > 1 ? bytes_of(all.matrix_stride, facts) : 0;
    region.written      = all.written;
    return region;
}

bool touches(const Region& region, const void* tensor, const void* memory, std::uint64_t bytes) {
    using namespace regions_detail;
    if (!tensor || !ranges_meet(address(tensor), region.reach, address(memory), bytes)) return false;
    Region whole;
    whole.width = whole.reach = bytes;
    return shared(address(tensor), region, address(memory), whole) != Shared::nothing;
}

namespace regions_detail {

std::optional<Clash> clash_of(const std::vector<Region>& regions, Tensors tensors, std::size_t one, std::size_t other) {
    const Shared how = shared(address(tensors[one]), regions[one], address(tensors[other]), regions[other]);
    if (how == Shared::nothing) return std::nullopt;
    return Clash{one, other, tensors[one] == tensors[other] && regions[one] == regions[other], how == Shared::bytes};
}

std::vector<std::size_t> sorted_by_address(const std::vector<Region>& regions, Tensors tensors) {
    std::vector<std::size_t> order(regions.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t i) { return !tensors[i]; }), order.end());
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return address(tensors[a]) < address(tensors[b]); });
    return order;
}

}  // namespace regions_detail
}  // namespace ckdispatch
