// SPDX-License-Identifier: MIT
//
// Plain kernels that check the others: a lane adds up one element of a result in double precision, and beside it the
// magnitudes of what it adds, from which the error of another sum follows. What they read may have any format.

#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

// How the bits of an element are a number. Those of floats are a sign, `exponent_bits` and `mantissa_bits`.
struct Format {
    std::int32_t bits;
    std::int32_t is_float;
    std::int32_t exponent_bits, mantissa_bits, bias;
    std::int32_t specials;  // Specials
};

enum Specials : std::int32_t {
    kNone = 0,          // all are numbers
    kIeee = 1,          // the largest exponent is infinity or NaN
    kAllOnes = 2,       // NaN is all ones but the sign
    kNegativeZero = 3,  // NaN is what would be negative zero
};

struct Elements {
    const void* data;
    Format format;
};

using Index = std::int64_t;

constexpr int kLanes = 256;  // of a workgroup

__device__ std::uint64_t pattern(const Elements& elements, Index at) {
    switch (elements.format.bits) {
        case 4: return static_cast<const std::uint8_t*>(elements.data)[at >> 1] >> (at & 1 ? 4 : 0) & 15;
        case 8: return static_cast<const std::uint8_t*>(elements.data)[at];
        case 16: return static_cast<const std::uint16_t*>(elements.data)[at];
        case 32: return static_cast<const std::uint32_t*>(elements.data)[at];
        default: return static_cast<const std::uint64_t*>(elements.data)[at];
    }
}

__device__ double number(const Elements& elements, Index at) {
    const Format& format = elements.format;
    const std::uint64_t bits = pattern(elements, at);
    if (!format.is_float) {
        const int unused = 64 - format.bits;
        return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    const std::uint64_t mantissa_mask = (std::uint64_t(1) << format.mantissa_bits) - 1;
    const std::uint64_t exponent_mask = (std::uint64_t(1) << format.exponent_bits) - 1;
    const std::uint64_t magnitude_mask = (std::uint64_t(1) << (format.bits - 1)) - 1;
    const bool negative = bits >> (format.bits - 1) & 1;
    const std::uint64_t mantissa = bits & mantissa_mask, exponent = bits >> format.mantissa_bits & exponent_mask;
    const bool not_a_number = format.specials == kIeee       ? exponent == exponent_mask && mantissa != 0
                              : format.specials == kAllOnes  ? (bits & magnitude_mask) == magnitude_mask
                              : format.specials == kNegativeZero ? negative && (bits & magnitude_mask) == 0
                                                                 : false;
    if (not_a_number) return __builtin_nan("");
    double magnitude;
    if (format.specials == kIeee && exponent == exponent_mask) magnitude = __builtin_huge_val();
    else {
        const std::uint64_t significand = exponent ? mantissa | (mantissa_mask + 1) : mantissa;
        const int place = static_cast<int>(exponent ? exponent : 1) - format.bias - format.mantissa_bits;
        magnitude = __builtin_ldexp(static_cast<double>(significand), place);
    }
    return negative ? -magnitude : magnitude;
}

struct Sum {
    double value = 0, magnitude = 0;
    __device__ void add(double a, double b) {
        value += a * b;
        magnitude += __builtin_fabs(a) * __builtin_fabs(b);
    }
};

__device__ Index place_of_lane() {
    return static_cast<Index>(__builtin_amdgcn_workgroup_id_x()) * kLanes + __builtin_amdgcn_workitem_id_x();
}

// The last index of `at`, and what is left of the others.
__device__ Index taken(Index& at, Index extent) {
    const Index index = at % extent;
    at /= extent;
    return index;
}

}  // namespace

// Sums and magnitudes, packed [batch, m, n], of A[batch, m, k] * B[batch, k, n] over the k from `begin` to `end`.
struct ProductArguments {
    double *sums, *magnitudes;
    Elements a, b;
    Index batch, m, n, begin, end;
    Index a_batch, a_m, a_k, b_batch, b_k, b_n;  // strides
};

extern "C" __global__ __launch_bounds__(kLanes) void ck_reference_product(ProductArguments arguments) {
    const Index lane = place_of_lane();
    if (lane >= arguments.batch * arguments.m * arguments.n) return;
    Index rest = lane;
    const Index n = taken(rest, arguments.n), m = taken(rest, arguments.m), batch = rest;
    Index a = batch * arguments.a_batch + m * arguments.a_m + arguments.begin * arguments.a_k;
    Index b = batch * arguments.b_batch + n * arguments.b_n + arguments.begin * arguments.b_k;
    Sum sum;
    for (Index k = arguments.begin; k < arguments.end; ++k, a += arguments.a_k, b += arguments.b_k)
        sum.add(number(arguments.a, a), number(arguments.b, b));
    arguments.sums[lane] = sum.value;
    arguments.magnitudes[lane] = sum.magnitude;
}

// One axis of an image.
struct Axis {
    Index input, filter, output, stride, dilation, left_pad;
};

enum Direction : std::int32_t { kForward = 0, kBackwardData = 1, kBackwardWeight = 2 };

// Sums and magnitudes, packed, of a grouped convolution in one of its directions, of three axes. The sum runs through
// taps and channels, or for weights through images and their outputs, of which it takes those from `begin` to `end`.
// What lies beside an image is a zero that is multiplied too.
struct ConvolutionArguments {
    double *sums, *magnitudes;
    Elements x, w, y;  // that which is computed has no data
    Axis axes[3];
    Index n, g, c, k;  // channels are those of a group
    Index begin, end;
    Index x_strides[6];  // n, three axes, g, c
    Index w_strides[6];  // g, k, three axes, c
    Index y_strides[6];  // n, three axes, g, k
    Index direction;
    Index outputs;  // elements that are computed
};

namespace {

__device__ double element(const Elements& elements, const Index (&strides)[6], Index i, Index j, Index k, Index l,
                          Index m, Index n) {
    return number(elements, i * strides[0] + j * strides[1] + k * strides[2] + l * strides[3] + m * strides[4] +
                                n * strides[5]);
}

// The input that a tap reads for an output, or one outside.
__device__ Index input_of(const Axis& axis, Index output, Index tap) {
    return output * axis.stride + tap * axis.dilation - axis.left_pad;
}

__device__ bool inside(Index place, Index extent) { return place >= 0 && place < extent; }

__device__ Sum forward(const ConvolutionArguments& of, Index at) {
    const Index k = taken(at, of.k), g = taken(at, of.g);
    Index output[3];
    for (int axis = 2; axis >= 0; --axis) output[axis] = taken(at, of.axes[axis].output);
    Sum sum;
    for (Index term = of.begin; term < of.end; ++term) {
        Index rest = term;
        const Index c = taken(rest, of.c);
        Index tap[3], place[3];
        bool in_image = true;
        for (int axis = 2; axis >= 0; --axis) {
            tap[axis] = taken(rest, of.axes[axis].filter);
            place[axis] = input_of(of.axes[axis], output[axis], tap[axis]);
            in_image &= inside(place[axis], of.axes[axis].input);
        }
        sum.add(in_image ? element(of.x, of.x_strides, at, place[0], place[1], place[2], g, c) : 0.0,
                element(of.w, of.w_strides, g, k, tap[0], tap[1], tap[2], c));
    }
    return sum;
}

__device__ Sum backward_data(const ConvolutionArguments& of, Index at) {
    const Index c = taken(at, of.c), g = taken(at, of.g);
    Index input[3];
    for (int axis = 2; axis >= 0; --axis) input[axis] = taken(at, of.axes[axis].input);
    Sum sum;
    for (Index term = of.begin; term < of.end; ++term) {
        Index rest = term;
        const Index k = taken(rest, of.k);
        Index tap[3], place[3];
        bool met = true, in_image = true;
        for (int axis = 2; axis >= 0; --axis) {
            const Axis& one = of.axes[axis];
            tap[axis] = taken(rest, one.filter);
            const Index distance = input[axis] + one.left_pad - tap[axis] * one.dilation;
            met &= distance % one.stride == 0;
            place[axis] = distance / one.stride;
            in_image &= distance >= 0 && inside(place[axis], one.output);
        }
        if (!met) continue;
        sum.add(in_image ? element(of.y, of.y_strides, at, place[0], place[1], place[2], g, k) : 0.0,
                element(of.w, of.w_strides, g, k, tap[0], tap[1], tap[2], c));
    }
    return sum;
}

__device__ Sum backward_weight(const ConvolutionArguments& of, Index at) {
    const Index c = taken(at, of.c);
    Index tap[3];
    for (int axis = 2; axis >= 0; --axis) tap[axis] = taken(at, of.axes[axis].filter);
    const Index k = taken(at, of.k);
    Sum sum;
    for (Index term = of.begin; term < of.end; ++term) {
        Index rest = term, output[3], place[3];
        bool in_image = true;
        for (int axis = 2; axis >= 0; --axis) {
            output[axis] = taken(rest, of.axes[axis].output);
            place[axis] = input_of(of.axes[axis], output[axis], tap[axis]);
            in_image &= inside(place[axis], of.axes[axis].input);
        }
        sum.add(element(of.y, of.y_strides, rest, output[0], output[1], output[2], at, k),
                in_image ? element(of.x, of.x_strides, rest, place[0], place[1], place[2], at, c) : 0.0);
    }
    return sum;
}

}  // namespace

extern "C" __global__ __launch_bounds__(kLanes) void ck_reference_convolution(ConvolutionArguments arguments) {
    const Index lane = place_of_lane();
    if (lane >= arguments.outputs) return;
    const Sum sum = arguments.direction == kForward        ? forward(arguments, lane)
                    : arguments.direction == kBackwardData ? backward_data(arguments, lane)
                                                           : backward_weight(arguments, lane);
    arguments.sums[lane] = sum.value;
    arguments.magnitudes[lane] = sum.magnitude;
}
