/* SPDX-License-Identifier: MIT
 *
 * Multiplies two matrices over the C ABI and checks the product. With an operation such as MultiDAddRelu it computes a layer
 * of a network in one launch, C = max(0, A * B + bias), if a kernel of the manifest fuses all of it:
 *     gemm_c MANIFEST [DEVICE [OPERATION]]
 * A simulated device needs CKDISPATCH_SIMULATOR, the path of the simulator's runtime.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ckdispatch/ckdispatch.h"

enum { M = 96, N = 80, K = 64 };

static void need(ckd_status status) {
    if (status == CKD_OK) return;
    fprintf(stderr, "%s: %s\n", ckd_status_name(status), ckd_last_error());
    exit(EXIT_FAILURE);
}

/* fp16 on the device. Whole numbers from -2 to 2, so that the product is exact. */
static void* numbers(ckd_device* device, size_t count, size_t period) {
    static const uint16_t halves[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
    uint16_t* values               = malloc(count * sizeof *values);
    void* address                  = NULL;
    size_t i;
    if (!values) exit(EXIT_FAILURE);
    for (i = 0; i < count; ++i) values[i] = halves[i % period % 5];
    need(ckd_device_allocate(device, count * sizeof *values, &address));
    need(ckd_device_copy_in(device, address, values, count * sizeof *values));
    free(values);
    return address;
}

int main(int argc, char** argv) {
    ckd_registry* registry     = NULL;
    ckd_device* device         = NULL;
    ckd_dispatcher* dispatcher = NULL;
    ckd_plan* plan             = NULL;
    char* checked              = NULL;
    void* tensors[4];
    ckd_gemm_problem problem = {0};
    int ok, i, count = 3;

    if (argc < 2) {
        fprintf(stderr, "usage: gemm_c MANIFEST [DEVICE [OPERATION]]\n");
        return 2;
    }
    problem.base.struct_size = sizeof problem;
    problem.base.family      = CKD_GEMM;
    problem.m                = M;
    problem.n                = N;
    problem.k                = K;
    problem.dtype_a          = "fp16";
    problem.layout           = "rcr";
    if (argc > 3) {
        /* One D tensor, which is a single row that is added to every row of the product; then the activation. */
        problem.fused_op      = argv[3];
        problem.d_count       = 1;
        problem.has_d_strides = 1;
        problem.stride_d[0]   = 0;
    }

    need(ckd_registry_create("example", &registry));
    need(ckd_registry_load_manifest(registry, argv[1], CKD_REFUSE, 0, NULL));
    need(ckd_device_open(argc > 2 ? argv[2] : "sim:gfx942", NULL, &device));
    need(ckd_dispatcher_create(registry, ckd_device_gpu(device), &dispatcher));
    need(ckd_dispatcher_attach(dispatcher, device));

    tensors[0] = numbers(device, M * K, 7);
    tensors[1] = numbers(device, K * N, 11);
    tensors[2] = numbers(device, M * N, 1);
    if (argc > 3) tensors[count++] = numbers(device, N, 9);
    need(ckd_run(dispatcher, &problem.base, tensors, NULL, &plan));
    need(ckd_device_synchronize(device, NULL));
    printf("ran %s\n", ckd_plan_kernel(plan));
    need(ckd_validate(dispatcher, &problem.base, tensors, NULL, &checked));
    printf("%s\n", checked);
    ok = strstr(checked, "\"ok\":true") != NULL;

    ckd_free_text(checked);
    for (i = 0; i < count; ++i) need(ckd_device_release(device, tensors[i]));
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
    ckd_device_close(device);
    ckd_registry_destroy(registry);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
