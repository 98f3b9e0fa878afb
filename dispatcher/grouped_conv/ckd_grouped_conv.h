/* SPDX-License-Identifier: MIT
 *
 * The C ABI of the dispatcher for grouped convolutions; ckdispatch.h includes it.
 */
#ifndef CKD_GROUPED_CONV_H_
#define CKD_GROUPED_CONV_H_

#include "../ckdispatch.h"

/* The most spatial dimensions of a problem. */
#define CKD_GROUPED_CONV_MAX_SPATIAL 3

/* One spatial dimension. */
typedef struct ckd_grouped_conv_axis {
    int64_t input, filter;
    int64_t output; /* (input + left_pad + right_pad - dilation * (filter - 1) - 1) / stride + 1; 0 in all dimensions:
                       not checked */
    int64_t stride, dilation; /* 0 is 1 */
    int64_t left_pad, right_pad;
} ckd_grouped_conv_axis;

/* g convolutions of n images, each with c channels in and k channels out. Its tensors are x, w, y, and then the bias,
 * all packed; the direction says which is written: y (forward), x (backward_data) or w (backward_weight). */
typedef struct ckd_grouped_conv_problem {
    ckd_problem base;
    const char* direction; /* "forward", "backward_data" or "backward_weight"; null is "forward" */
    int64_t n, g, c, k;    /* c and k of one group; a g of 0 is 1 */
    int32_t ndim_spatial;  /* 1, 2 or 3; 0 is that of the layout */
    int32_t d_count;       /* 1: a bias of g * k values of y's dtype; forward alone */
    ckd_grouped_conv_axis axis[CKD_GROUPED_CONV_MAX_SPATIAL]; /* as many as there are dimensions, the innermost last */
    const char* dtype_x;                                      /* such as "fp16" */
    const char* dtype_w;                                      /* null: as x */
    const char* dtype_y;                                      /* null: the usual one of the pair */
    const char* layout; /* "nwgc", "nhwgc" or "ndhwgc", forward also "ngcw", "ngchw" or "ngcdhw"; null: the first kind,
                           of ndim_spatial */
    const char* fused_op;     /* null is "PassThrough"; others in forward alone */
    int64_t split_k;          /* parts of the sum of backward_weight; 0 is 1, -1 lets the dispatcher choose */
    int32_t alignment;        /* bytes that every address is a multiple of; 0 is 16 */
    int32_t deterministic;    /* nonzero: the same bits every time */
    uint64_t workspace_limit; /* bytes; 0 is no limit */
} ckd_grouped_conv_problem;

#endif /* CKD_GROUPED_CONV_H_ */
