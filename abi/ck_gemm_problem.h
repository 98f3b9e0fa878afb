/* SPDX-License-Identifier: MIT
 *
 * The problem of a GEMM kernel library.
 */
#ifndef CK_GEMM_PROBLEM_H_
#define CK_GEMM_PROBLEM_H_

#include "ck_kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most D tensors that a kernel takes. */
#define CK_GEMM_MAX_DS 4

/* C[m,n] = op(A[m,k] * B[k,n], D0[m,n], ...). Strides are leading dimensions in elements; dtypes, layouts, the
 * operation and the number of D tensors are the kernel's. supports() ignores null pointers; with pointers it also
 * checks their alignment. What a kernel has no use for must be 1 (k_batch, batch), or 0 and null (groups), or is
 * ignored. */
typedef struct ck_gemm_problem {
    ck_problem base;
    int64_t m, n, k;
    int64_t stride_a, stride_b, stride_c;
    /* Parts that K is divided into; more than 1 needs a kernel whose spec has split_k. A stream_k kernel is launched
     * with this many workgroups, which share the loops of all tiles evenly: as many as the GPU runs at once is best. */
    int64_t k_batch;
    const void* a;
    const void* b; /* in the order of the kernel's matrix instructions, if its variant is preshuffle */
    void* c;
    /* D tensors of a kernel with fused_op; a leading dimension of 0 repeats one row (d_layout r) or one column (c). */
    const void* d[CK_GEMM_MAX_DS];
    int64_t stride_d[CK_GEMM_MAX_DS];
    /* Products that a batched kernel computes, and the elements from one to the next; 0 shares A or B. */
    int64_t batch;
    int64_t batch_stride_a, batch_stride_b, batch_stride_c;
    /* The products of a grouped kernel, which ignores everything above; each has a group_count of 0. */
    const struct ck_gemm_problem* groups;
    int64_t group_count;
} ck_gemm_problem;

#ifdef __cplusplus
}
#endif

#endif /* CK_GEMM_PROBLEM_H_ */
