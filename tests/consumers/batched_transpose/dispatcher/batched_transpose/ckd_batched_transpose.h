/* SPDX-License-Identifier: MIT
 *
 * What a caller wants of batched transposes; ckdispatch.h includes it.
 */
#ifndef CKD_BATCHED_TRANSPOSE_H_
#define CKD_BATCHED_TRANSPOSE_H_

/* y[i][w][h] = x[i][h][w], for each of `batch` packed matrices. Its tensors are x and y. */
typedef struct ckd_batched_transpose_problem {
    ckd_problem base;
    int64_t batch, height, width;
    const char* dtype; /* such as "fp16" */
    int32_t alignment; /* bytes that every address is a multiple of; 0 is 16 */
    int32_t reserved;
    uint64_t workspace_limit; /* bytes; 0 is no limit */
} ckd_batched_transpose_problem;

#endif /* CKD_BATCHED_TRANSPOSE_H_ */
