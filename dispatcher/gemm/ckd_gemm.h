/* SPDX-License-Identifier: MIT
 *
 * The C ABI of the dispatcher for matrix products; ckdispatch.h includes it.
 */
#ifndef CKD_GEMM_H_
#define CKD_GEMM_H_

#include "../ckdispatch.h"

/* The most D tensors of a problem. */
#define CKD_GEMM_MAX_DS 4

/* One product of a grouped problem. */
typedef struct ckd_gemm_group {
    int64_t m, n, k;
    int64_t stride_a, stride_b, stride_c; /* leading dimensions in elements; 0 is packed */
} ckd_gemm_group;

/* C[m,n] = op(A[m,k] * B[k,n], D...). Its tensors are A, B, C, and then the D tensors; with groups A, B and C of each
 * in turn. */
typedef struct ckd_gemm_problem {
    ckd_problem base;
    int64_t m, n, k;
    int64_t batch;                                          /* 0 is 1 */
    int64_t stride_a, stride_b, stride_c;                   /* leading dimensions in elements; 0 is packed */
    int64_t batch_stride_a, batch_stride_b, batch_stride_c; /* in elements; used if has_batch_strides */
    int32_t has_batch_strides;
    int32_t d_count;
    const char* dtype_a;      /* such as "fp16" */
    const char* dtype_b;      /* null: as A */
    const char* dtype_c;      /* null: the usual one of the pair */
    const char* layout;       /* such as "rcr"; null is "rcr" */
    const char* fused_op;     /* null is "PassThrough" */
    int64_t split_k;          /* parts of K; 0 is 1, -1 lets the dispatcher choose */
    int32_t alignment;        /* bytes that every address is a multiple of; 0 is 16 */
    int32_t deterministic;    /* nonzero: the same bits every time */
    uint64_t workspace_limit; /* bytes; 0 is no limit */
    /* Appended; a program whose structure ends here has none of it. */
    const char* dtype_d;                     /* of all D tensors; null: as C */
    const char* d_layout;                    /* "r" for rows, "c" for columns; null is "r" */
    int64_t stride_d[CKD_GEMM_MAX_DS];       /* used if has_d_strides; 0 repeats one row (d_layout r) or one column (c).
                                                Otherwise packed */
    int64_t batch_stride_d[CKD_GEMM_MAX_DS]; /* used if has_d_strides; 0 shares a D tensor */
    int32_t has_d_strides;
    int32_t weights_n,
        weights_k; /* B is stored in blocks of n columns with k neighbours along K of each; 0 for a plain B */
    int32_t reserved;
    const ckd_gemm_group* groups; /* in place of m, n, k and the leading dimensions, which are then 0 */
    int64_t group_count;
} ckd_gemm_problem;

#endif /* CKD_GEMM_H_ */
