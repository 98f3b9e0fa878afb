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

// One of the dimensions in which the places of two regions differ: by step * v for each v from least to most.
struct Differences {
    Wide step = 0, least = 0, most = 0;

    Wide count() const { return most - least + 1; }
};

// Of the lines, matrices and sets of two regions; what both have at the same distance is one dimension.
class Dimensions {
public:
    // False if they are of the same kind and at different distances, so that they alternate in a way that is not looked
    // into.
    bool add(const Region& a, const Region& b) {
        const Level of_a[] = {{a.lines, a.pitch}, {a.matrices, a.matrix_pitch}, {a.sets, a.set_pitch}};
        const Level of_b[] = {{b.lines, b.pitch}, {b.matrices, b.matrix_pitch}, {b.sets, b.set_pitch}};
        bool met[3] = {};
        for (int i = 0; i < 3; ++i) {
            if (of_a[i].count == 1) continue;
            Differences one{Wide(of_a[i].pitch), -(Wide(of_a[i].count) - 1), 0};
            for (int j = 0; j < 3 && one.most == 0; ++j)
                if (of_b[j].count > 1 && !met[j] && of_b[j].pitch == of_a[i].pitch)
                    met[j] = true, one.most = Wide(of_b[j].count) - 1;
            alone_[i] = one.most == 0;
            all_[count_++] = one;
        }
        for (int j = 0; j < 3; ++j) {
            if (of_b[j].count == 1 || met[j]) continue;
            if (alone_[j]) return false;
            all_[count_++] = {Wide(of_b[j].pitch), 0, Wide(of_b[j].count) - 1};
        }
        // The last, which has most places, is not gone through.
        if (count_ > 1)
            std::iter_swap(
                std::max_element(all_, all_ + count_,
                                 [](const Differences& x, const Differences& y) { return x.count() < y.count(); }),
                all_ + count_ - 1);
        return true;
    }

    // Whether above < distance + a difference < below; nothing where there are too many to try.
    std::optional<bool> some_between(Wide distance, Wide above, Wide below) {
        const bool found = search(0, distance, above, below);
        return steps_ > kMostSteps && !found ? std::nullopt : std::optional<bool>(found);
    }

private:
    struct Level {
        std::uint64_t count, pitch;
    };
    static constexpr int kMostSteps = 1 << 16;

    bool search(int at, Wide distance, Wide above, Wide below) {
        if (at == count_) return above < distance && distance < below;
        const Differences& one = all_[at];
        if (at == count_ - 1) {
            const Wide first = std::max(one.least, floor_div(above - distance, one.step) + 1);
            return first <= one.most && distance + first * one.step < below;
        }
        // Only where the other dimensions can make up for the rest.
        Wide lowest = 0, highest = 0;
        for (int i = at + 1; i < count_; ++i)
            lowest += all_[i].least * all_[i].step, highest += all_[i].most * all_[i].step;
        const Wide least = std::max(one.least, floor_div(above - distance - highest, one.step)),
                   most = std::min(one.most, floor_div(below - distance - lowest, one.step) + 1);
        for (Wide v = least; v <= most; ++v) {
            if (++steps_ > kMostSteps) return false;
            if (search(at + 1, distance + v * one.step, above, below)) return true;
        }
        return false;
    }

    Differences all_[6];
    bool alone_[3] = {};
    int count_ = 0, steps_ = 0;
};

enum class Shared { nothing, bytes, unknown };

// Whether a line of one and a line of the other share a byte. Exact where lines, matrices and sets are equally far
// apart in both.
Shared shared(std::uint64_t a_base, const Region& a, std::uint64_t b_base, const Region& b) {
    Dimensions dimensions;
    if (!dimensions.add(a, b)) return Shared::unknown;
    // A line of b begins so far behind one of a; they share bytes if it is less than a's width, and more than b's
    // before it.
    const auto found = dimensions.some_between(Wide(b_base) - Wide(a_base), -Wide(b.width), Wide(a.width));
    return !found ? Shared::unknown : *found ? Shared::bytes : Shared::nothing;
}

}  // namespace

Lines::Bytes Lines::in_bytes() const {
    const arch::DtypeSpec& facts = dtype_facts(dtype, "A tensor");
    return {bytes_of(width, facts),         std::uint64_t(stride ? lines : 1),
            bytes_of(stride, facts),        std::uint64_t(matrix_stride ? matrices : 1),
            bytes_of(matrix_stride, facts), std::uint64_t(set_stride ? sets : 1),
            bytes_of(set_stride, facts)};
}

Region region_of(const Lines& all) {
    const arch::DtypeSpec& facts = dtype_facts(all.dtype, "A tensor");
    std::int64_t width = all.width, lines = all.stride ? all.lines : 1, matrices = all.matrix_stride ? all.matrices : 1,
                 sets = all.set_stride ? all.sets : 1;
    Region region;
    region.reach = bytes_of(
        Wide(sets - 1) * all.set_stride + Wide(matrices - 1) * all.matrix_stride + Wide(lines - 1) * all.stride + width,
        facts);
    // Lines without gaps are one.
    if (all.stride == width) width *= lines, lines = 1;
    if (lines == 1 && all.matrix_stride == width) width *= matrices, matrices = 1;
    if (lines == 1 && matrices == 1 && all.set_stride == width) width *= sets, sets = 1;
    region.width = bytes_of(width, facts);
    region.lines = std::uint64_t(lines);
    region.pitch = lines > 1 ? bytes_of(all.stride, facts) : 0;
    region.matrices = std::uint64_t(matrices);
    region.matrix_pitch = matrices > 1 ? bytes_of(all.matrix_stride, facts) : 0;
    region.sets = std::uint64_t(sets);
    region.set_pitch = sets > 1 ? bytes_of(all.set_stride, facts) : 0;
    region.written = all.written;
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
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return address(tensors[a]) < address(tensors[b]); });
    return order;
}

}  // namespace regions_detail
}  // namespace ckdispatch
