/* SPDX-License-Identifier: MIT
 *
 * What the made-up kernel libraries tell a test beyond the ABI of kernels: those of GEMM, of convolution and of
 * attention.
 */
#ifndef TESTS_DISPATCHER_MADE_UP_LAUNCHES_H_
#define TESTS_DISPATCHER_MADE_UP_LAUNCHES_H_

#include "ck_fmha_problem.h"
#include "ck_gemm_problem.h"
#include "ck_grouped_conv_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct made_up_launches {
    int count;
    ck_gemm_problem problem;   /* of the last */
    ck_gemm_problem groups[4]; /* of that, the first of them */
    ck_launch_options options; /* of the last */
} made_up_launches;

typedef struct made_up_convolutions {
    int count;
    ck_grouped_conv_problem problem; /* of the last */
    ck_launch_options options;       /* of the last */
} made_up_convolutions;

typedef struct made_up_attentions {
    int count;
    ck_fmha_problem problem; /* of the last */
} made_up_attentions;

/* Since the last call. */
made_up_launches made_up_take_launches(void);
made_up_convolutions made_up_take_convolutions(void);
made_up_attentions made_up_take_attentions(void);

#ifdef __cplusplus
}
#endif

#endif /* TESTS_DISPATCHER_MADE_UP_LAUNCHES_H_ */
