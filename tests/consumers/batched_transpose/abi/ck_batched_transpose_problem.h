/* SPDX-License-Identifier: MIT
 *
 * The problem of a batched transpose kernel library.
 */
#ifndef CK_BATCHED_TRANSPOSE_PROBLEM_H_
#define CK_BATCHED_TRANSPOSE_PROBLEM_H_

#include "ck_kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* y[i][w][h] = x[i][h][w], for each of `batch` packed matrices; the dtype is the kernel's. */
typedef struct ck_batched_transpose_problem {
    ck_problem base;
    int64_t batch, height, width;
    const void* x;
    void* y;
} ck_batched_transpose_problem;

#ifdef __cplusplus
}
#endif

#endif /* CK_BATCHED_TRANSPOSE_PROBLEM_H_ */
