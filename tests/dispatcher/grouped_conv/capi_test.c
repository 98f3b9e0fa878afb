/* SPDX-License-Identifier: MIT
 *
 * Convolutions over the C ABI, with made-up kernels that the CPU computes.
 */
#include "tests/dispatcher/support/check.h"

static ckd_device* device;

/* 4 images of 2 groups of 3 channels, 6 x 5 positions, a filter of 3 x 2. */
static ckd_grouped_conv_problem fp32_problem(const char* direction) {
    ckd_grouped_conv_problem problem = {.base      = {.struct_size = sizeof(ckd_grouped_conv_problem), .family = CKD_GROUPED_CONV},
                                        .direction = direction,
                                        .n         = 4,
                                        .g         = 2,
                                        .c         = 3,
                                        .k         = 5,
                                        .axis      = {{.input = 6, .filter = 3, .stride = 2, .left_pad = 1, .right_pad = 1}, {.input = 5, .filter = 2, .dilation = 2, .right_pad = 1}},
                                        .dtype_x   = "fp32",
                                        .layout    = "nhwgc"};
    return problem;
}

static ckd_registry* made(void) {
    static const char* const kinds[] = {"_forward.so", "_data.so", "_weight.so", "_weight_split.so", "_bias.so"};
    ckd_registry* registry           = NULL;
    size_t i;
    CHECK_OK(ckd_registry_create("mine", &registry));
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) CHECK_OK(ckd_registry_add_library(registry, built_file("made_up_grouped_conv", kinds[i]), NULL, CKD_REFUSE, 0, NULL));
    return registry;
}

static ckd_dispatcher* made_dispatcher(void) {
    ckd_registry* registry     = made();
    ckd_dispatcher* dispatcher = NULL;
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &dispatcher));
    ckd_registry_destroy(registry);
    return dispatcher;
}

static void one_registry_and_one_dispatcher_serve_all_families(void) {
    ckd_registry *registry = made(), *all = NULL, *chosen = NULL;
    ckd_dispatcher* dispatcher       = NULL;
    ckd_gemm_problem product         = fp16_problem(64, 64, 64);
    ckd_grouped_conv_problem problem = fp32_problem(NULL);
    ckd_plan* plan                   = NULL;
    char* json                       = NULL;
    size_t count                     = 0;
    CHECK_OK(ckd_registry_create("all", &all));
    CHECK_OK(ckd_registry_add_library(all, built_file("made_up_gemm", "_plain.so"), NULL, CKD_REFUSE, 0, NULL));
    CHECK_OK(ckd_registry_merge(all, registry, CKD_REFUSE, &count));
    CHECK(count == 5 && ckd_registry_size(all) == 6);
    CHECK_OK(ckd_registry_to_json(all, &json));
    CHECK_HAS(json, "\"family\": \"gemm\"");
    CHECK_HAS(json, "\"family\": \"grouped_conv\"");
    CHECK_OK(ckd_registry_from_json(json, &chosen));
    CHECK(ckd_registry_size(chosen) == 6);
    ckd_registry_destroy(chosen);
    ckd_free_text(json);
    CHECK_OK(ckd_registry_filtered(all, "{\"family\": \"grouped_conv\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 5);
    ckd_registry_destroy(chosen);
    /* What only one family has is asked of that one. */
    CHECK_OK(ckd_registry_filtered(all, "{\"dtype_a\": \"fp16\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 1);
    ckd_registry_destroy(chosen);

    CHECK_OK(ckd_dispatcher_create(all, "gfx942", &dispatcher));
    CHECK_OK(ckd_select(dispatcher, &product.base, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), "gemm_made_up");
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), "conv_made_up");
    ckd_plan_destroy(plan);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A kernel key has 'gemm{}' where a key of the form grouped_conv{field=value,\xe2\x80\xa6} is expected.",
                  ckd_select_explicit(dispatcher, "gemm{}", &problem.base, &plan));
    ckd_dispatcher_destroy(dispatcher);
    ckd_registry_destroy(registry);
    ckd_registry_destroy(all);
}

static void a_registry_is_filtered(void) {
    ckd_registry *registry = made(), *chosen = NULL;
    CHECK_OK(ckd_registry_filtered(registry, "{\"variant\": \"backward_weight\", \"gpu\": \"gfx942\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 2);
    ckd_registry_destroy(chosen);
    CHECK_OK(ckd_registry_filtered(registry, "{\"fused_op\": \"MultiDAddRelu\", \"dtype_x\": \"fp32\", \"dtype_w\": \"fp32\", \"dtype_y\": \"fp32\", \"layout\": \"nhwgc\", \"specialization\": \"default\"}", &chosen));
    CHECK(ckd_registry_size(chosen) == 1);
    ckd_registry_destroy(chosen);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT,
                  "A filter by 'dtype_a' was asked for; grouped convolutions are filtered by variant, dtype_x, dtype_w, dtype_y, dtype_acc, layout, pipeline, epilogue, scheduler, specialization, split_k, fused_op, family and gpu.",
                  ckd_registry_filtered(registry, "{\"dtype_a\": \"fp16\"}", &chosen));
    ckd_registry_destroy(registry);
}

/* What the dispatcher makes of the structure. */
static void expect_read(ckd_dispatcher* dispatcher, const ckd_grouped_conv_problem* problem, const char* text) {
    char* json = NULL;
    char expected[512];
    CHECK_OK(ckd_rank(dispatcher, &problem->base, &json));
    snprintf(expected, sizeof expected, "\"problem\":\"%s\"", text);
    CHECK_HAS(json, expected);
    ckd_free_text(json);
}

static void every_field_of_a_problem_counts(void) {
    ckd_dispatcher* dispatcher       = made_dispatcher();
    ckd_grouped_conv_problem problem = fp32_problem(NULL);
    expect_read(dispatcher, &problem, "grouped_conv forward n4 g2 c3 k5 6x5 3x2 stride 2x1 dilation 1x2 pad 1x0+1 fp32 nhwgc");
    problem.layout = "ngchw";
    expect_read(dispatcher, &problem, "grouped_conv forward n4 g2 c3 k5 6x5 3x2 stride 2x1 dilation 1x2 pad 1x0+1 fp32 ngchw");
    problem.base.struct_size = sizeof problem + 16; /* of a later version */
    problem.layout           = NULL;
    problem.ndim_spatial     = 3;
    problem.axis[2].input    = 4;
    problem.axis[2].filter   = 1;
    problem.g                = 0;
    problem.dtype_x          = "fp8";
    problem.dtype_w          = "bf8";
    problem.fused_op         = "MultiDAdd";
    problem.d_count          = 1;
    expect_read(dispatcher, &problem, "grouped_conv forward n4 g1 c3 k5 6x5x4 3x2x1 stride 2x1x1 dilation 1x2x1 pad 1x0+1x0 fp8*bf8->fp16 ndhwgc MultiDAdd of a bias");
    problem         = fp32_problem("backward_weight");
    problem.dtype_y = "fp16";
    problem.split_k = -1;
    expect_read(dispatcher, &problem, "grouped_conv backward_weight n4 g2 c3 k5 6x5 3x2 stride 2x1 dilation 1x2 pad 1x0+1 fp32->fp16 nhwgc split-K auto");
    problem.split_k       = 3;
    problem.deterministic = 1;
    problem.alignment     = 8;
    expect_read(dispatcher, &problem, "grouped_conv backward_weight n4 g2 c3 k5 6x5 3x2 stride 2x1 dilation 1x2 pad 1x0+1 fp32->fp16 nhwgc split-K 3");
    ckd_dispatcher_destroy(dispatcher);
}

static void a_problem_is_checked(void) {
    ckd_dispatcher* dispatcher       = made_dispatcher();
    ckd_grouped_conv_problem problem = fp32_problem(NULL);
    ckd_plan* plan                   = NULL;
    problem.base.struct_size         = sizeof problem - 8;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with a structure that is no ckd_grouped_conv_problem of this version.", ckd_select(dispatcher, &problem.base, &plan));
    problem         = fp32_problem(NULL);
    problem.dtype_x = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for without the dtype of x; fp16 is one.", ckd_select(dispatcher, &problem.base, &plan));
    problem        = fp32_problem(NULL);
    problem.layout = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution of 0 spatial dimensions was asked for; there are from one to three.", ckd_select(dispatcher, &problem.base, &plan));
    problem.ndim_spatial = 4;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution of 4 spatial dimensions was asked for; there are from one to three.", ckd_select(dispatcher, &problem.base, &plan));
    problem              = fp32_problem(NULL);
    problem.ndim_spatial = 1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution of 1 spatial dimension was asked for in the layout nhwgc, which has 2.", ckd_select(dispatcher, &problem.base, &plan));
    problem                = fp32_problem(NULL);
    problem.axis[0].output = 3;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with the output 3x0; from its input, filter, strides, dilations and pads follows 3x4.", ckd_select(dispatcher, &problem.base, &plan));
    problem.axis[1].output = 4;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    ckd_plan_destroy(plan);
    problem                = fp32_problem(NULL);
    problem.axis[0].stride = -1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with the strides -1x1; each must be from 1 to 2^31-1.", ckd_select(dispatcher, &problem.base, &plan));
    problem                  = fp32_problem(NULL);
    problem.axis[1].left_pad = -1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with the left pads 1x-1; each must be from 0 to 2^31-1.", ckd_select(dispatcher, &problem.base, &plan));
    problem   = fp32_problem(NULL);
    problem.c = 0;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution of n, g, c and k = 4, 2, 0 and 5 was asked for; each must be from 1 to 2^31-1.", ckd_select(dispatcher, &problem.base, &plan));
    problem               = fp32_problem(NULL);
    problem.axis[0].input = INT64_C(1) << 31;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with the input 2147483648x5; each must be from 1 to 2^31-1.", ckd_select(dispatcher, &problem.base, &plan));
    problem        = fp32_problem(NULL);
    problem.layout = "nchw";
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "nchw");
    problem           = fp32_problem("sideways");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution of the direction 'sideways' was asked for; there are forward, backward_data and backward_weight.", ckd_select(dispatcher, &problem.base, &plan));
    problem                 = fp32_problem("backward_weight");
    problem.split_k         = 4;
    problem.workspace_limit = 1;
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_NO_KERNEL);
    CHECK_HAS(ckd_last_error(), "conv_made_up_weight_split needs a workspace of 2880 bytes, and the limit is 1.");
    ckd_dispatcher_destroy(dispatcher);
}

static void* tensor(size_t count) {
    float* values = calloc(count, sizeof *values);
    void* address = NULL;
    size_t i;
    CHECK(values != NULL);
    for (i = 0; i < count; ++i) values[i] = (float)(i % 5) - 2;
    CHECK_OK(ckd_device_allocate(device, count * sizeof *values, &address));
    CHECK_OK(ckd_device_copy_in(device, address, values, count * sizeof *values));
    free(values);
    return address;
}

static void every_direction_is_run_and_validated(void) {
    static const char* const directions[] = {"forward", "backward_data", "backward_weight"};
    static const char* const kernels[]    = {"conv_made_up", "conv_made_up_data", "conv_made_up_weight"};
    static const char* const checked[]    = {"\"checked\":480,", "\"checked\":720,", "\"checked\":180,"};
    ckd_dispatcher* dispatcher            = made_dispatcher();
    void* tensors[4];
    size_t i;
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    tensors[0] = tensor(4 * 6 * 5 * 2 * 3);
    tensors[1] = tensor(2 * 5 * 3 * 2 * 3);
    tensors[2] = tensor(4 * 3 * 4 * 2 * 5);
    tensors[3] = tensor(2 * 5);
    for (i = 0; i < 3; ++i) {
        ckd_grouped_conv_problem problem = fp32_problem(directions[i]);
        ckd_plan* plan                   = NULL;
        char* json                       = NULL;
        CHECK_OK(ckd_run(dispatcher, &problem.base, tensors, NULL, &plan));
        CHECK_TEXT(ckd_plan_kernel(plan), kernels[i]);
        CHECK_OK(ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, tensors}));
        ckd_plan_destroy(plan);
        CHECK_OK(ckd_validate(dispatcher, &problem.base, tensors, NULL, &json));
        CHECK_HAS(json, "\"ok\":true");
        CHECK_HAS(json, checked[i]);
        CHECK_HAS(json, "\"worst\":[]");
        ckd_free_text(json);
    }
    {
        ckd_grouped_conv_problem problem = fp32_problem(NULL);
        ckd_plan* plan                   = NULL;
        char* json                       = NULL;
        problem.fused_op                 = "MultiDAddRelu";
        problem.d_count                  = 1;
        CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
        CHECK_OK(ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 4, plan, NULL, tensors}));
        ckd_plan_destroy(plan);
        CHECK_OK(ckd_validate(dispatcher, &problem.base, tensors, NULL, &json));
        CHECK_HAS(json, "\"ok\":true");
        CHECK_HAS(json, "\"kernel\":\"conv_made_up_bias\"");
        ckd_free_text(json);
    }
    for (i = 0; i < 4; ++i) CHECK_OK(ckd_device_release(device, tensors[i]));
    ckd_dispatcher_destroy(dispatcher);
}

/* 3 channels in and 5 out, where the only kernel takes them by fours. */
static void channels_that_no_kernel_takes_are_padded(void) {
    ckd_dispatcher *plain = made_dispatcher(), *padding = NULL;
    ckd_registry* registry           = NULL;
    ckd_grouped_conv_problem problem = fp32_problem(NULL);
    ckd_plan* plan                   = NULL;
    char* json                       = NULL;
    float results[2][4 * 3 * 4 * 2 * 5];
    void* tensors[3];
    size_t i;
    CHECK_OK(ckd_registry_create("vectors", &registry));
    CHECK_OK(ckd_registry_add_library(registry, built_file("made_up_grouped_conv", "conv_vectors.so"), NULL, CKD_REFUSE, 0, NULL));
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &padding));
    CHECK_OK(ckd_dispatcher_attach(plain, device));
    CHECK_OK(ckd_dispatcher_attach(padding, device));
    tensors[0] = tensor(4 * 6 * 5 * 2 * 3);
    tensors[1] = tensor(2 * 5 * 3 * 2 * 3);
    tensors[2] = tensor(4 * 3 * 4 * 2 * 5);
    CHECK(ckd_select(padding, &problem.base, &plan) == CKD_NO_KERNEL);
    CHECK_OK(ckd_select_padded(padding, &problem.base, &plan));
    CHECK(ckd_plan_workspace_size(plan) > 0);
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"padded\":\"grouped_conv forward n4 g2 c4 k8 ");
    CHECK_HAS(json, "\"problem\":\"grouped_conv forward n4 g2 c3 k5 ");
    CHECK_HAS(json, "{\"bytes\":2880,\"from\":\"x\",\"step\":\"copy\",\"to\":\"temporary 0\"}");
    CHECK_HAS(json, "{\"arguments\":[\"temporary 0\",\"temporary 1\",\"temporary 2\"],\"kernel\":\"conv_made_up_vectors\",\"step\":\"launch\"}");
    ckd_free_text(json);
    for (i = 0; i < 2; ++i) {
        if (i == 0) {
            CHECK_OK(ckd_run(plain, &problem.base, tensors, NULL, NULL));
        } else {
            CHECK_OK(ckd_device_fill(device, tensors[2], 0x7f, sizeof results[0], NULL));
            CHECK_OK(ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, tensors}));
        }
        CHECK_OK(ckd_device_synchronize(device, NULL));
        CHECK_OK(ckd_device_copy_out(device, results[i], tensors[2], sizeof results[0]));
    }
    CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0);
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_run_padded(padding, &problem.base, tensors, NULL, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), "conv_made_up_vectors");
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_run_padded(plain, &problem.base, tensors, NULL, &plan));
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"padded\":null");
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    plan              = NULL;
    problem.direction = "backward_data";
    CHECK(ckd_run_padded(padding, &problem.base, tensors, NULL, &plan) == CKD_NO_KERNEL);
    CHECK_HAS(ckd_last_error(), "computes grouped_conv backward_data n4 g2 c3 k5 ");
    CHECK(plan == NULL);
    for (i = 0; i < 3; ++i) CHECK_OK(ckd_device_release(device, tensors[i]));
    ckd_dispatcher_destroy(plain);
    ckd_dispatcher_destroy(padding);
    ckd_registry_destroy(registry);
}

static double predict(void* user, const ckd_problem* problem, const char* kernel, int64_t parts) {
    const ckd_grouped_conv_problem* conv = (const ckd_grouped_conv_problem*)problem;
    CHECK(conv->base.family == CKD_GROUPED_CONV && conv->c == 3);
    ++*(int*)user;
    return strcmp(kernel, "conv_made_up_weight_split") == 0 ? (double)parts : 100.0;
}

static void a_predictor_is_told_the_parts(void) {
    ckd_dispatcher* dispatcher       = made_dispatcher();
    ckd_grouped_conv_problem problem = fp32_problem("backward_weight");
    ckd_plan* plan                   = NULL;
    char* json                       = NULL;
    int predictions                  = 0;
    problem.n                        = 100;
    problem.split_k                  = -1;
    CHECK_OK(ckd_dispatcher_use_predictor(dispatcher, predict, &predictions));
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), "conv_made_up_weight_split");
    /* The sum is over 1200 outputs, of which a tile has 64: 2, 4, 8 and 16 parts, or the whole. */
    CHECK(predictions == 5);
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"parts\":2");
    CHECK(ckd_plan_workspace_size(plan) == 2 * 180 * 4);
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
}

int main(void) {
    CHECK_OK(ckd_device_open("sim:gfx942", NULL, &device));
    one_registry_and_one_dispatcher_serve_all_families();
    a_registry_is_filtered();
    every_field_of_a_problem_counts();
    a_problem_is_checked();
    every_direction_is_run_and_validated();
    channels_that_no_kernel_takes_are_padded();
    a_predictor_is_told_the_parts();
    ckd_device_close(device);
    return 0;
}
