// SPDX-License-Identifier: MIT
//
// Host pass only: what a grouped convolution kernel library consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "ck_grouped_conv_problem.h"
#include "ck_kernel/host/grouped_conv/bands.hpp"
#include "ck_kernel/host/product/entries.hpp"
#include "ck_kernel/plan/grouped_conv/config.hpp"

namespace ck_kernel::grouped_conv {

struct Library {
    using Problem = ck_grouped_conv_problem;

    static constexpr char kComputes[] = "a grouped convolution";
    static constexpr char kProblem[] = "ck_grouped_conv_problem";

    Config config;
    const char* name;
    const gemm::Entry* entries;
    std::size_t entry_count;
    const void* add_parts;  // the device function that adds up what waits in a workspace, or null
};

// The product, or more than anything that fits memory.
inline std::int64_t product(std::initializer_list<std::int64_t> factors) {
    std::int64_t result = 1;
    for (const std::int64_t factor : factors)
        if (__builtin_mul_overflow(result, factor, &result))
            return INT64_MAX / 64;  // times the bytes of an element there is no overflow either
    return result;
}

// What the tensors of a problem hold, in elements.
struct Extents {
    std::int64_t filters = 1, inputs = 1, outputs = 1;  // positions of the filter and of one image
    std::int64_t image_x, image_y, group_w;

    Extents(const Config& config, const ck_grouped_conv_problem& p) {
        for (int i = 0; i < config.spatial; ++i) {
            filters = product({filters, p.axis[i].filter});
            inputs = product({inputs, p.axis[i].input});
            outputs = product({outputs, p.axis[i].output});
        }
        image_x = product({inputs, p.g, p.c});
        image_y = product({outputs, p.g, p.k});
        group_w = product({filters, p.k, p.c});
    }
};

// A tensor's elements, by the operand of the product that it is: A and B are read, C is written.
inline int bytes_x(const Config& c) {
    switch (c.direction) {
        case Direction::forward: return (c.layout == Layout::channels_first ? c.gemm.b : c.gemm.a).bytes;
        case Direction::backward_data: return c.gemm.c.bytes;
        case Direction::backward_weight: break;
    }
    return c.gemm.b.bytes;
}

inline int bytes_y(const Config& c) { return c.direction == Direction::forward ? c.gemm.c.bytes : c.gemm.a.bytes; }

inline int bytes_w(const Config& c) {
    if (c.direction == Direction::backward_weight) return c.gemm.c.bytes;
    return (c.layout == Layout::channels_first ? c.gemm.a : c.gemm.b).bytes;
}

// Bytes of a tensor that CK can address: by 32-bit offsets, from its beginning.
constexpr std::int64_t kAddressable = (INT64_C(1) << 31) - 1;

// Images that can be addressed together; 0 if not even one can.
inline std::int64_t images_at_once(const Config& config, const ck_grouped_conv_problem& p) {
    const Extents extents(config, p);
    const std::int64_t x = extents.image_x * bytes_x(config), y = extents.image_y * bytes_y(config);
    const std::int64_t most = kAddressable / (x > y ? x : y);
    return most < p.n ? most : p.n;
}

// Of an image that cannot be addressed, how much can along its outermost dimension: outputs forward, and inputs in
// backward data. 0 if there is no such part, because a row is too large, or each channel has all rows, or all images
// are added up.
inline std::int64_t rows_at_once(const Config& config, const ck_grouped_conv_problem& p) {
    if (config.layout == Layout::channels_first || config.direction == Direction::backward_weight) return 0;
    const Extents extents(config, p);
    const ck_grouped_conv_axis& rows = p.axis[0];
    const std::int64_t inputs = kAddressable / (extents.image_x / rows.input * bytes_x(config));
    const std::int64_t outputs = kAddressable / (extents.image_y / rows.output * bytes_y(config));
    return config.direction == Direction::forward ? outputs_at_once(rows, inputs, outputs)
                                                  : inputs_at_once(rows, inputs, outputs);
}

}  // namespace ck_kernel::grouped_conv
