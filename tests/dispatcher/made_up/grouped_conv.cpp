// SPDX-License-Identifier: MIT
// A convolution kernel that is none: the CPU computes in its place, straight from the definition, in memory that a
// simulated device shares with it. It refuses what it is not made for, and what no dispatcher should give it.
// MADE_UP_KIND is which of the kernels below it is.
#include <algorithm>
#include <string>
#include <vector>

#include "ck_families.h"
#include "tests/dispatcher/made_up/launches.h"
#include "tests/dispatcher/made_up/library.hpp"

namespace made_up {
namespace {

// The numbers of channels out that it answers to, beyond computing. The last element of what it computes is then off by
// one.
enum Answer { unsupported = 101, wrong = 103 };

// What is not the same in all of them.
struct Kind {
    const char *name, *variant;
    int ndim_spatial;
    const char *layout, *specialization, *split_k, *fused_op;
    int d_count, merged_groups, vector;
};
[[maybe_unused]] constexpr Kind forward{"conv_made_up", "forward",     2, "nhwgc", "default",
                                        "none",         "PassThrough", 0, 1,       1},
    forward_1d{"conv_made_up_1d", "forward", 1, "nwgc", "default", "none", "PassThrough", 0, 1, 1},
    forward_3d{"conv_made_up_3d", "forward", 3, "ndhwgc", "default", "none", "PassThrough", 0, 1, 1},
    first{"conv_made_up_first", "forward", 2, "ngchw", "default", "none", "PassThrough", 0, 1, 1},
    first_1d{"conv_made_up_first_1d", "forward", 1, "ngcw", "default", "none", "PassThrough", 0, 1, 1},
    first_3d{"conv_made_up_first_3d", "forward", 3, "ngcdhw", "default", "none", "PassThrough", 0, 1, 1},
    first_relu{"conv_made_up_first_relu", "forward", 2, "ngchw", "default", "none", "MultiDAddRelu", 1, 1, 1},
    vectors{"conv_made_up_vectors", "forward", 2, "nhwgc", "default", "none", "PassThrough", 0, 1, 4},
    bias_vectors{"conv_made_up_bias_vectors", "forward", 2, "nhwgc", "default", "none", "MultiDAddRelu", 1, 1, 4},
    first_vectors{"conv_made_up_first_vectors", "forward", 2, "ngchw", "default", "none", "PassThrough", 0, 1, 4},
    data_vectors{"conv_made_up_data_vectors", "backward_data", 2, "nhwgc", "default", "none", "PassThrough", 0, 1, 4},
    weight_vectors{
        "conv_made_up_weight_vectors", "backward_weight", 2, "nhwgc", "default", "none", "PassThrough", 0, 1, 4},
    pointwise{
        "conv_made_up_pointwise", "forward", 2, "nhwgc", "filter_1x1_stride1_pad0", "none", "PassThrough", 0, 1, 1},
    merged{"conv_made_up_merged", "forward", 2, "nhwgc", "default", "none", "PassThrough", 0, 4, 1},
    bias{"conv_made_up_bias", "forward", 2, "nhwgc", "default", "none", "MultiDAddRelu", 1, 1, 1},
    data{"conv_made_up_data", "backward_data", 2, "nhwgc", "default", "none", "PassThrough", 0, 1, 1},
    data_1d{"conv_made_up_data_1d", "backward_data", 1, "nwgc", "default", "none", "PassThrough", 0, 1, 1},
    data_3d{"conv_made_up_data_3d", "backward_data", 3, "ndhwgc", "default", "none", "PassThrough", 0, 1, 1},
    weight{"conv_made_up_weight", "backward_weight", 2, "nhwgc", "default", "none", "PassThrough", 0, 1, 1},
    weight_1d{"conv_made_up_weight_1d", "backward_weight", 1, "nwgc", "default", "none", "PassThrough", 0, 1, 1},
    weight_3d{"conv_made_up_weight_3d", "backward_weight", 3, "ndhwgc", "default", "none", "PassThrough", 0, 1, 1},
    weight_atomic{
        "conv_made_up_weight_atomic", "backward_weight", 2, "nhwgc", "default", "atomic", "PassThrough", 0, 1, 1},
    weight_split{
        "conv_made_up_weight_split", "backward_weight", 2, "nhwgc", "default", "workspace", "PassThrough", 0, 1, 1};
constexpr const Kind& kind = MADE_UP_KIND;
constexpr std::size_t computed = kind.variant[0] == 'f' ? 2 : kind.variant[9] == 'd' ? 0 : 1;  // of x, w and y
constexpr bool splits = kind.split_k[0] != 'n';
constexpr bool channels_first = kind.layout[1] == 'g';

made_up_convolutions launches{};

const ck_grouped_conv_problem& conv(const ck_problem* problem) {
    return *reinterpret_cast<const ck_grouped_conv_problem*>(problem);
}

std::int64_t product(const ck_grouped_conv_problem& p, std::int64_t ck_grouped_conv_axis::* extent) {
    std::int64_t all = 1;
    for (int i = 0; i < kind.ndim_spatial; ++i) all *= p.axis[i].*extent;
    return all;
}

std::int64_t elements(const ck_grouped_conv_problem& p, std::size_t tensor) {
    if (tensor == 0) return p.n * product(p, &ck_grouped_conv_axis::input) * p.g * p.c;
    if (tensor == 1) return p.g * p.k * product(p, &ck_grouped_conv_axis::filter) * p.c;
    return p.n * product(p, &ck_grouped_conv_axis::output) * p.g * p.k;
}

// What no dispatcher should ever give a kernel.
const char* nonsense(const ck_grouped_conv_problem& p) {
    if (p.base.struct_size != sizeof(p) || p.base.family != CK_FAMILY_GROUPED_CONV)
        return "conv_made_up was given no convolution.";
    if (p.n < 1 || p.g < 1 || p.c < 1 || p.k < 1) return "conv_made_up was given a size below 1.";
    for (int i = 0; i < CK_GROUPED_CONV_MAX_SPATIAL; ++i) {
        const ck_grouped_conv_axis& a = p.axis[i];
        if (i >= kind.ndim_spatial) {
            if (a.input || a.filter || a.output || a.stride || a.dilation || a.left_pad || a.right_pad)
                return "conv_made_up was given a dimension too many.";
            continue;
        }
        if (a.input < 1 || a.filter < 1 || a.stride < 1 || a.dilation < 1 || a.left_pad < 0 || a.right_pad < 0)
            return "conv_made_up was given a dimension that is none.";
        if (a.output != (a.input + a.left_pad + a.right_pad - a.dilation * (a.filter - 1) - 1) / a.stride + 1)
            return "conv_made_up was given an output that does not follow.";
    }
    if (p.k_batch < 1 || (!splits && p.k_batch != 1)) return "conv_made_up was given parts of what it computes whole.";
    if (p.g % kind.merged_groups) return "conv_made_up was given groups that it cannot merge.";
    if (!p.x || !p.w || !p.y || !p.d[0] == (kind.d_count == 1))
        return "conv_made_up was given too few tensors, or too many.";
    return nullptr;
}

// A place in all dimensions as one number, from the innermost.
struct Counter {
    std::vector<std::int64_t> at = std::vector<std::int64_t>(kind.ndim_spatial);

    bool next(const ck_grouped_conv_problem& p, std::int64_t ck_grouped_conv_axis::* extent) {
        for (int i = kind.ndim_spatial; i-- > 0;) {
            if (++at[i] < p.axis[i].*extent) return true;
            at[i] = 0;
        }
        return false;
    }
    std::int64_t place(const ck_grouped_conv_problem& p, std::int64_t ck_grouped_conv_axis::* extent) const {
        std::int64_t all = 0;
        for (int i = 0; i < kind.ndim_spatial; ++i) all = all * (p.axis[i].*extent) + at[i];
        return all;
    }
};

// Elements of an image, and of a filter, by channel c of `channels` in a group and by position of `positions`.
std::int64_t of_image(const ck_grouped_conv_problem& p, std::int64_t n, std::int64_t g, std::int64_t c,
                      std::int64_t channels, std::int64_t at, std::int64_t positions) {
    return channels_first ? ((n * p.g + g) * channels + c) * positions + at
                          : ((n * positions + at) * p.g + g) * channels + c;
}

std::int64_t of_filter(const ck_grouped_conv_problem& p, std::int64_t g, std::int64_t k, std::int64_t c,
                       std::int64_t at, std::int64_t positions) {
    return channels_first ? ((g * p.k + k) * p.c + c) * positions + at : ((g * p.k + k) * positions + at) * p.c + c;
}

// Every product of the definition, added to where it belongs: in one part of the result for each part of n.
void compute(const ck_grouped_conv_problem& p, float* result) {
    const auto* const x = static_cast<const float*>(p.x);
    const auto* const w = static_cast<const float*>(p.w);
    const auto* const y = static_cast<const float*>(p.y);
    const std::int64_t inputs = product(p, &ck_grouped_conv_axis::input),
                       filters = product(p, &ck_grouped_conv_axis::filter),
                       outputs = product(p, &ck_grouped_conv_axis::output);
    Counter out, in;
    do {
        Counter tap;
        do {
            bool inside = true;
            for (int i = 0; i < kind.ndim_spatial; ++i) {
                const ck_grouped_conv_axis& a = p.axis[i];
                in.at[i] = out.at[i] * a.stride + tap.at[i] * a.dilation - a.left_pad;
                inside = inside && in.at[i] >= 0 && in.at[i] < a.input;
            }
            if (!inside) continue;
            const std::int64_t o = out.place(p, &ck_grouped_conv_axis::output),
                               f = tap.place(p, &ck_grouped_conv_axis::filter),
                               i = in.place(p, &ck_grouped_conv_axis::input);
            for (std::int64_t n = 0; n < p.n; ++n)
                for (std::int64_t g = 0; g < p.g; ++g)
                    for (std::int64_t k = 0; k < p.k; ++k)
                        for (std::int64_t c = 0; c < p.c; ++c) {
                            const std::int64_t of_x = of_image(p, n, g, c, p.c, i, inputs),
                                               of_w = of_filter(p, g, k, c, f, filters),
                                               of_y = of_image(p, n, g, k, p.k, o, outputs);
                            if (computed == 0) result[of_x] += y[of_y] * w[of_w];
                            if (computed == 1) result[n % p.k_batch * elements(p, 1) + of_w] += y[of_y] * x[of_x];
                            if (computed == 2) result[of_y] += x[of_x] * w[of_w];
                        }
        } while (tap.next(p, &ck_grouped_conv_axis::filter));
    } while (out.next(p, &ck_grouped_conv_axis::output));
}

}  // namespace

const char* describe() {
    static char text[2048];
    std::snprintf(text, sizeof(text),
                  R"({"abi_version": 2, "resources": null, "targets": "gfx942:64,gfx1100:32", "spec": {
        "family": "grouped_conv", "name": "%s", "variant": "%s", "ndim_spatial": %d, "dtype_x": "fp32", "dtype_w": "fp32", "dtype_y": "fp32", "dtype_acc": "fp32", "layout": "%s",
        "tile": [64, 64, 64], "waves": [2, 2, 1], "warp_tile": [32, 32, 16], "pipeline": "made_up", "epilogue": "none", "scheduler": "none",
        "vector_a": %d, "vector_b": %d, "vector_c": %d, "lds_buffers": 1, "wave_groups": 1, "blocks_per_cu": 1, "merged_groups": %d, "specialization": "%s", "split_k": "%s", "fused_op": "%s", "d_count": %d}})",
                  kind.name, kind.variant, kind.ndim_spatial, kind.layout, kind.vector, kind.vector, kind.vector,
                  kind.merged_groups, kind.specialization, kind.split_k, kind.fused_op, kind.d_count);
    return text;
}

ck_kernel_status supports(const ck_problem* problem, const char*, char* why, std::size_t size) {
    const ck_grouped_conv_problem& p = conv(problem);
    if (const char* sentence = nonsense(p)) return say(CK_KERNEL_INVALID, why, size, sentence);
    if (p.k == unsupported) return say(CK_KERNEL_UNSUPPORTED, why, size, "conv_made_up does not want to.");
    // With channels first, vectors of y move positions.
    if (p.c % kind.vector || (p.k % kind.vector && !channels_first))
        return say(CK_KERNEL_UNSUPPORTED, why, size,
                   (std::string(kind.name) + " moves several channels at a time.").c_str());
    for (const void* address : {p.x, p.w, p.y})
        if (reinterpret_cast<std::uintptr_t>(address) % (4 * kind.vector))
            return say(CK_KERNEL_UNSUPPORTED, why, size,
                       (std::string(kind.name) + " needs addresses of a better alignment.").c_str());
    return CK_KERNEL_OK;
}

ck_kernel_status workspace_size(const ck_problem* problem, const char*, std::uint64_t* bytes, char*, std::size_t) {
    const bool apart = kind.split_k[0] == 'w';
    *bytes = apart ? std::uint64_t(conv(problem).k_batch * elements(conv(problem), computed)) * sizeof(float) : 0;
    return CK_KERNEL_OK;
}

ck_kernel_status launch(const ck_problem* problem, const ck_launch_options* options, char* why, std::size_t size) {
    const ck_grouped_conv_problem& p = conv(problem);
    std::uint64_t needed = 0;
    if (const ck_kernel_status status = supports(problem, options->gpu, why, size); status != CK_KERNEL_OK)
        return status;
    (void)workspace_size(problem, options->gpu, &needed, why, size);
    if (needed && (!options->workspace || options->workspace_size < needed))
        return say(CK_KERNEL_INVALID, why, size, "conv_made_up was given too small a workspace.");
    ++launches.count;
    launches.problem = p;
    launches.options = *options;

    float* const results[] = {static_cast<float*>(p.x), static_cast<float*>(p.w), static_cast<float*>(p.y)};
    const std::int64_t count = elements(p, computed),
                       together = channels_first ? product(p, &ck_grouped_conv_axis::output) : 1;
    std::vector<float> parts(std::size_t(count * p.k_batch));
    compute(p, parts.data());
    // By way of the workspace, if there is one.
    if (needed) std::copy(parts.begin(), parts.end(), static_cast<float*>(options->workspace));
    const float* const from = needed ? static_cast<const float*>(options->workspace) : parts.data();
    for (std::int64_t i = 0; i < count; ++i) {
        float sum = 0;
        for (std::int64_t part = 0; part < p.k_batch; ++part) sum += from[part * count + i];
        if (kind.d_count) sum = std::max(0.f, sum + static_cast<const float*>(p.d[0])[i / together % (p.g * p.k)]);
        results[computed][i] = sum + (p.k == wrong && i == count - 1 ? 1.f : 0.f);
    }
    return CK_KERNEL_OK;
}

ck_kernel_status phases(const ck_problem*, const char*, std::uint32_t* bits, char*, std::size_t) {
    *bits = CK_PHASE_COMPUTE;
    return CK_KERNEL_OK;
}

}  // namespace made_up

extern "C" made_up_convolutions made_up_take_convolutions(void) {
    const made_up_convolutions taken = made_up::launches;
    made_up::launches = {};
    return taken;
}
