// SPDX-License-Identifier: MIT
// Which memory the tensors of a problem take, and whether two of them share some: a kernel reads its inputs while it
// writes its output.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckdispatch/core/name.hpp"
#include "ckdispatch/core/tensors.hpp"

namespace ckdispatch {

/// Equal sets of equal matrices of equal lines, in bytes from the tensor's address on.
struct Region {
    std::uint64_t width = 0;
    std::uint64_t lines = 1, pitch = 0;
    std::uint64_t matrices = 1, matrix_pitch = 0;
    std::uint64_t sets = 1, set_pitch = 0;
    /// From the first byte to behind the last; more than there are addresses if nothing could hold it.
    std::uint64_t reach = 0;
    bool written = false;
    bool optional = false;  ///< it may be left out, with no address

    friend bool operator==(const Region& a, const Region& b) {
        return a.width == b.width && a.lines == b.lines && a.pitch == b.pitch && a.matrices == b.matrices &&
               a.matrix_pitch == b.matrix_pitch && a.sets == b.sets && a.set_pitch == b.set_pitch;
    }
};

/// Where the elements of a tensor are: `sets` of `matrices` of `lines` of `width` elements. Lines of stride 0 are one
/// line, and so for matrices and sets.
struct Lines {
    Name dtype;
    std::int64_t width = 1, lines = 1, stride = 0, matrices = 1, matrix_stride = 0;
    bool written = false;
    std::int64_t sets = 1, set_stride = 0;

    /// The same in bytes, which hold whole lines.
    struct Bytes {
        std::uint64_t width, lines, pitch, matrices, matrix_pitch, sets, set_pitch;

        friend bool operator==(const Bytes& a, const Bytes& b) {
            return a.width == b.width && a.lines == b.lines && a.pitch == b.pitch && a.matrices == b.matrices &&
                   a.matrix_pitch == b.matrix_pitch && a.sets == b.sets && a.set_pitch == b.set_pitch;
        }
    };
    Bytes in_bytes() const;
};
Region region_of(const Lines& all);

/// Two tensors, the first of which is written, in the order of their addresses.
struct Clash {
    std::size_t written = 0, other = 0;
    /// They are the same memory, element by element.
    bool same = false;
    /// They do share bytes; otherwise their lines alternate at different distances, and are taken for overlapping.
    bool certain = true;
};

/// The first two of which one is written and that share memory, apart from those that `harmless(clash)` allows. Tensors
/// without an address are passed over.
template <class Harmless>
std::optional<Clash> first_clash(const std::vector<Region>& regions, Tensors tensors, Harmless&& harmless);

/// Whether a tensor and so many bytes share memory.
bool touches(const Region& region, const void* tensor, const void* memory, std::uint64_t bytes);

namespace regions_detail {

inline std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Of the two ranges as wholes. The usual case, and so a matter of a few instructions.
inline bool ranges_meet(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
    return a < b ? b - a < a_bytes : a - b < b_bytes;
}

/// Of two whose ranges meet.
std::optional<Clash> clash_of(const std::vector<Region>& regions, Tensors tensors, std::size_t one, std::size_t other);

/// Calls visit(one, other) for the pairs of which one is written and whose ranges meet, until it returns true.
template <class Visit>
void visit_meeting(const std::vector<Region>& regions, Tensors tensors, Visit&& visit) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
        if (!regions[i].written || !tensors[i]) continue;
        for (std::size_t j = 0; j < regions.size(); ++j) {
            if (j == i || !tensors[j] || (regions[j].written && j < i)) continue;
            if (ranges_meet(address(tensors[i]), regions[i].reach, address(tensors[j]), regions[j].reach) &&
                visit(i, j))
                return;
        }
    }
}

/// The same for many tensors, such as those of groups, in the order of their addresses.
template <class Visit>
void visit_meeting_of_many(const std::vector<Region>& regions, Tensors tensors,
                           const std::vector<std::size_t>& by_address, Visit&& visit) {
    // What begins before the next one and may reach it.
    std::vector<std::size_t> open_reads, open_writes;
    for (const std::size_t next : by_address) {
        const auto compare = [&](std::vector<std::size_t>& open) {
            std::size_t kept = 0;
            bool done = false;
            for (const std::size_t before : open) {
                if (!ranges_meet(address(tensors[before]), regions[before].reach, address(tensors[next]), 1)) continue;
                open[kept++] = before;
                done = done || (regions[before].written ? visit(before, next) : visit(next, before));
            }
            open.resize(kept);
            return done;
        };
        if (compare(open_writes)) return;
        if (regions[next].written && compare(open_reads)) return;
        (regions[next].written ? open_writes : open_reads).push_back(next);
    }
}

std::vector<std::size_t> sorted_by_address(const std::vector<Region>& regions, Tensors tensors);

}  // namespace regions_detail

template <class Harmless>
std::optional<Clash> first_clash(const std::vector<Region>& regions, Tensors tensors, Harmless&& harmless) {
    using namespace regions_detail;
    constexpr std::size_t kFew = 9;
    std::optional<Clash> found;
    const auto visit = [&](std::size_t one, std::size_t other) {
        found = clash_of(regions, tensors, one, other);
        if (found && harmless(*found)) found.reset();
        return found.has_value();
    };
    if (regions.size() <= kFew) visit_meeting(regions, tensors, visit);
    else visit_meeting_of_many(regions, tensors, sorted_by_address(regions, tensors), visit);
    return found;
}

}  // namespace ckdispatch
