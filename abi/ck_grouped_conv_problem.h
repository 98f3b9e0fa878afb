/* SPDX-License-Identifier: MIT
 *
 * The problem of a grouped convolution kernel library.
 */
#ifndef CK_GROUPED_CONV_PROBLEM_H_
#define CK_GROUPED_CONV_PROBLEM_H_

#include "ck_kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most spatial dimensions that a kernel has. */
#define CK_GROUPED_CONV_MAX_SPATIAL 3

/* The most D tensors that a kernel takes. */
#define CK_GROUPED_CONV_MAX_DS 1

/* One spatial dimension. output = (input + left_pad + right_pad - dilation * (filter - 1) - 1) / stride + 1. */
typedef struct ck_grouped_conv_axis {
    int64_t input, filter, output;
    int64_t stride, dilation;
    int64_t left_pad, right_pad;
} ck_grouped_conv_axis;

/* g independent convolutions of n images, each with c channels in and k channels out:
 *   forward          y = op(x * w, D0)
 *   backward data    x = the gradient of x, from that of y and from w
 *   backward weight  w = the gradient of w, from that of y and from x
 * Direction, number of dimensions, dtypes, layout, operation and number of D tensors are the kernel's. All tensors are
 * packed. supports() ignores null pointers; with pointers it also checks their alignment. */
typedef struct ck_grouped_conv_problem {
    ck_problem base;
    int64_t n, g, c, k;
    /* As many as the kernel has dimensions, the innermost last: w, or h and w, or d, h and w. */
    ck_grouped_conv_axis axis[CK_GROUPED_CONV_MAX_SPATIAL];
    /* Parts that the sum is divided into; more than 1 needs a kernel whose spec has split_k. */
    int64_t k_batch;
    void* x;
    void* w;
    void* y;
    /* Of a kernel with fused_op: a value for each channel of y, shared by all positions. */
    const void* d[CK_GROUPED_CONV_MAX_DS];
} ck_grouped_conv_problem;

#ifdef __cplusplus
}
#endif

#endif /* CK_GROUPED_CONV_PROBLEM_H_ */
