// SPDX-License-Identifier: MIT
//
// Host pass only: which problems a grouped convolution kernel library computes, from what was known when it was
// compiled.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ck_kernel/host/grouped_conv/library.hpp"
#include "ck_kernel/host/grouped_conv/residues.hpp"
#include "ck_kernel/host/memory.hpp"
#include "ck_kernel/host/reason.hpp"

namespace ck_kernel::grouped_conv {

constexpr std::int64_t kMost = (INT64_C(1) << 31) - 1;  // of any size, as CK counts in signed numbers of 32 bits
constexpr std::int64_t kMostLayers = 65535;             // of workgroups along y and z of the grid

inline ck_kernel_status check_axis(const Library& library, const ck_grouped_conv_axis& axis, int index,
                                   const Reason& reason) {
    const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
    for (const std::int64_t size : {axis.input, axis.filter, axis.output, axis.stride, axis.dilation})
        if (size < 1 || size > kMost)
            return reason(
                CK_KERNEL_INVALID,
                "%s was asked for input %lld, filter %lld, output %lld, stride %lld and dilation %lld along spatial "
                "dimension %d; each must be from 1 to 2^31-1.",
                library.name, number(axis.input), number(axis.filter), number(axis.output), number(axis.stride),
                number(axis.dilation), index);
    if (axis.left_pad < 0 || axis.right_pad < 0 || axis.left_pad > kMost || axis.right_pad > kMost)
        return reason(
            CK_KERNEL_INVALID,
            "%s was asked for pads of %lld and %lld along spatial dimension %d; each must be from 0 to 2^31-1.",
            library.name, number(axis.left_pad), number(axis.right_pad), index);
    const std::int64_t padded = axis.input + axis.left_pad + axis.right_pad,
                       reach = axis.dilation * (axis.filter - 1) + 1;
    if (padded > kMost || reach > kMost)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for a padded input of %lld and a filter that reaches over %lld along spatial "
                      "dimension %d; neither may be more than 2^31-1.",
                      library.name, number(padded), number(reach), index);
    if (reach > padded || axis.output != (padded - reach) / axis.stride + 1)
        return reason(CK_KERNEL_INVALID,
                      "%s was asked for an output of %lld along spatial dimension %d, where a padded input of %lld "
                      "under a filter that reaches over %lld with stride %lld gives %lld.",
                      library.name, number(axis.output), index, number(padded), number(reach), number(axis.stride),
                      number(reach > padded ? 0 : (padded - reach) / axis.stride + 1));
    return CK_KERNEL_OK;
}

// A kernel for some filters alone.
inline ck_kernel_status check_filter(const Library& library, const ck_grouped_conv_problem& p, const Reason& reason) {
    const Filter filter = library.config.filter;
    for (int i = 0; i < library.config.spatial; ++i) {
        const ck_grouped_conv_axis& axis = p.axis[i];
        if ((filter == Filter::unit || filter == Filter::unit_stride_1) &&
            (axis.filter != 1 || axis.left_pad != 0 || axis.right_pad != 0))
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s computes with filters of 1 without pads, and was asked for a filter of %lld with pads of "
                          "%lld and %lld along spatial dimension %d.",
                          library.name, static_cast<long long>(axis.filter), static_cast<long long>(axis.left_pad),
                          static_cast<long long>(axis.right_pad), i);
        if (filter == Filter::unit_stride_1 && axis.stride != 1)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s computes with a stride of 1, and was asked for %lld along spatial dimension %d.",
                          library.name, static_cast<long long>(axis.stride), i);
        if (filter == Filter::three && axis.filter != 3)
            return reason(CK_KERNEL_UNSUPPORTED,
                          "%s computes with filters of 3, and was asked for %lld along spatial dimension %d.",
                          library.name, static_cast<long long>(axis.filter), i);
    }
    if (filter == Filter::three && p.c != 1)
        return reason(CK_KERNEL_UNSUPPORTED, "%s computes one channel for each group, and was asked for C = %lld.",
                      library.name, static_cast<long long>(p.c));
    return CK_KERNEL_OK;
}

// One operand: what lies along its vectors, and where it begins.
struct Side {
    char letter;
    const char* what;
    std::int64_t along;
    int vector, bytes;
    const void* pointer;
};

inline ck_kernel_status check_side(const Library& library, const Side& side, const Reason& reason) {
    if (side.along % side.vector != 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %s = %lld and moves %c in vectors of %d elements: %s must be a multiple of %d.",
                      library.name, side.what, static_cast<long long>(side.along), side.letter, side.vector, side.what,
                      side.vector);
    if (misaligned(side.pointer, side.vector * side.bytes))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %c at an address that is not a multiple of %d bytes, its vector width.",
                      library.name, side.letter, side.vector * side.bytes);
    return CK_KERNEL_OK;
}

inline ck_kernel_status check_vectors(const Library& library, const ck_grouped_conv_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const int va = c.vector_a, vb = c.vector_b, vc = c.vector_c;
    // What goes through a workspace lies there in whole rows, and is stored one by one.
    const void* const w = c.gemm.split_k == gemm::SplitK::workspace ? nullptr : p.w;
    Side sides[3];
    switch (c.direction) {
        case Direction::forward:
            if (c.layout == Layout::channels_first) {
                const Extents extents(c, p);
                sides[0] = {'w', "C times the size of the filter", product({p.c, extents.filters}), va, bytes_w(c),
                            p.w};
                sides[1] = {'x', "the size of an image of x", extents.inputs, vb, bytes_x(c), p.x};
                sides[2] = {'y', "the size of an image of y", extents.outputs, vc, bytes_y(c), p.y};
                break;
            }
            sides[0] = {'x', "C", p.c, va, bytes_x(c), p.x};
            sides[1] = {'w', "C", p.c, vb, bytes_w(c), p.w};
            sides[2] = {'y', "K", p.k, vc, bytes_y(c), p.y};
            break;
        case Direction::backward_data:
            sides[0] = {'y', "K", p.k, va, bytes_y(c), p.y};
            sides[1] = {'w', "C", p.c, vb, bytes_w(c), p.w};
            sides[2] = {'x', "C", p.c, vc, bytes_x(c), p.x};
            break;
        case Direction::backward_weight:
            sides[0] = {'y', "K", p.k, va, bytes_y(c), p.y};
            sides[1] = {'x', "C", p.c, vb, bytes_x(c), p.x};
            sides[2] = {'w', "C", p.c, vc, bytes_w(c), w};
            break;
    }
    for (const Side& side : sides)
        if (const auto status = check_side(library, side, reason)) return status;
    const int width_d =
        c.gemm.d.bytes * (c.layout == Layout::channels_first ? 1 : vc);  // a value is for a whole row of positions
    if (c.gemm.d_count > 0 && misaligned(p.d[0], width_d))
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for D at an address that is not a multiple of %d bytes, its vector width.",
                      library.name, width_d);
    return CK_KERNEL_OK;
}

// What CK counts in 32 bits: offsets in tensors, and the sizes of the implicit GEMM.
inline ck_kernel_status check_counts(const Library& library, const ck_grouped_conv_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const Extents extents(c, p);
    if (!fits_descriptor(1, extents.group_w, bytes_w(c)))
        return reason(CK_KERNEL_UNSUPPORTED, "%s was asked for filters of one group of 2 GiB or more.", library.name);
    const std::int64_t at_once = images_at_once(c, p);
    if (at_once == 0 && rows_at_once(c, p) == 0)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for an image of 2 GiB or more, which it cannot divide, because %s.", library.name,
                      c.direction == Direction::backward_weight ? "it adds up over all of it"
                      : c.layout == Layout::channels_first      ? "each channel has all of its rows"
                                                                : "so much of it is met by the filter at once");
    if (c.direction == Direction::backward_weight && at_once < p.n)
        return reason(
            CK_KERNEL_UNSUPPORTED,
            "%s adds up over all of %lld images at once, and was asked for 2 GiB or more of them; %lld would work.",
            library.name, static_cast<long long>(p.n), static_cast<long long>(at_once));
    const std::int64_t layers = at_once == 0 ? p.n : p.n / at_once;
    if (p.g / c.merged_groups > kMostLayers || layers > kMostLayers)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked for %lld groups and %lld images, which are more layers of workgroups than the %lld "
                      "of a grid.",
                      library.name, static_cast<long long>(p.g), static_cast<long long>(p.n),
                      static_cast<long long>(kMostLayers));
    return CK_KERNEL_OK;
}

inline std::int64_t loops_of_sum(const Config& config, const ck_grouped_conv_problem& p) {
    return gemm::ceil_div(p.n * Extents(config, p).outputs, config.gemm.tile.k);
}

inline ck_kernel_status check_parts(const Library& library, const ck_grouped_conv_problem& p, const Reason& reason) {
    const Config& c = library.config;
    const auto parts = static_cast<long long>(p.k_batch);
    if (parts < 1 || (parts > 1 && c.gemm.split_k == gemm::SplitK::none))
        return reason(parts < 1 ? CK_KERNEL_INVALID : CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split its sum into %lld parts; it computes it whole (k_batch = 1)%s.",
                      library.name, parts, c.gemm.split_k == gemm::SplitK::none ? "" : " or in several");
    if (parts == 1) return CK_KERNEL_OK;
    // compv6 computes three tiles of a part that has one, and so what belongs to the next parts.
    const std::int64_t loops = loops_of_sum(c, p) - (c.gemm.pipeline == gemm::Pipeline::compv6 ? 1 : 0);
    const std::int64_t most = loops < 1 ? 1 : loops < kMostLayers ? loops : kMostLayers;
    if (parts > most)
        return reason(CK_KERNEL_UNSUPPORTED,
                      "%s was asked to split its sum into %lld parts; from 1 to %lld would work.", library.name, parts,
                      static_cast<long long>(most));
    return CK_KERNEL_OK;
}

inline ck_kernel_status check(const Library& library, const ck_grouped_conv_problem& p, int, const Reason& reason) {
    const Config& c = library.config;
    for (const std::int64_t size : {p.n, p.g, p.c, p.k})
        if (size < 1 || size > kMost)
            return reason(CK_KERNEL_INVALID,
                          "%s was asked for N, G, C, K = %lld, %lld, %lld, %lld; each must be from 1 to 2^31-1.",
                          library.name, static_cast<long long>(p.n), static_cast<long long>(p.g),
                          static_cast<long long>(p.c), static_cast<long long>(p.k));
    for (int i = 0; i < c.spatial; ++i)
        if (const auto status = check_axis(library, p.axis[i], i, reason)) return status;
    if (const auto status = check_filter(library, p, reason)) return status;
    if (p.g % c.merged_groups != 0)
        return reason(CK_KERNEL_UNSUPPORTED, "%s computes %d groups at once, and was asked for %lld.", library.name,
                      c.merged_groups, static_cast<long long>(p.g));
    if (const auto status = check_vectors(library, p, reason)) return status;
    if (const auto status = check_counts(library, p, reason)) return status;
    return check_parts(library, p, reason);
}

// Every part of the weights is kept apart until all are added up.
inline std::uint64_t workspace_bytes(const Library& library, const ck_grouped_conv_problem& p) {
    const Config& c = library.config;
    if (c.gemm.split_k != gemm::SplitK::workspace) return 0;
    return static_cast<std::uint64_t>(p.k_batch * p.g * Extents(c, p).group_w) *
           static_cast<std::uint64_t>(c.gemm.sum_bytes);
}

// Backward data is a product for each residue of the strides, and by bands; inputs that none of them writes are zero.
inline std::uint32_t phases(const Library& library, const ck_grouped_conv_problem& p) {
    const Config& c = library.config;
    const bool unwritten = c.direction == Direction::backward_data &&
                           (images_at_once(c, p) == 0 || !all_inputs_written(p.axis, c.spatial));
    return gemm::phases_of(c.gemm.split_k) | (unwritten ? CK_PHASE_CLEAR : 0u);
}

inline bool has_null(const Library& library, const ck_grouped_conv_problem& p) {
    return p.x == nullptr || p.w == nullptr || p.y == nullptr || (library.config.gemm.d_count > 0 && p.d[0] == nullptr);
}

}  // namespace ck_kernel::grouped_conv
