/* SPDX-License-Identifier: MIT
 *
 * Selection over the C ABI: it needs no device.
 */
#include <math.h>
#include <stddef.h>

#include "tests/dispatcher/support/check.h"

#define PADDED "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
#define LARGE "gemm_fp16_rcr_compv4_cshuffle_intrawave_False_False_False_False_256x128x32_2x2x1_32x32x16"

/* Part of the name of every kernel with large tiles, one of which the cost model takes for a large problem. */
#define LARGE_TILE "x128x"

static ckd_registry* registry;

static ckd_dispatcher* made(void) {
    ckd_dispatcher* dispatcher = NULL;
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &dispatcher));
    return dispatcher;
}

/* The name of the kernel that is selected, for a problem with room for everything. */
static const char* selected(ckd_dispatcher* dispatcher) {
    static char name[256];
    ckd_gemm_problem problem = fp16_problem(8192, 8192, 8192);
    ckd_plan* plan           = NULL;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    snprintf(name, sizeof name, "%s", ckd_plan_kernel(plan));
    ckd_plan_destroy(plan);
    return name;
}

static void a_plan_says_what_it_is(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(8192, 8192, 8192);
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    char name[256], entry[300];
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_HAS(ckd_plan_kernel(plan), LARGE_TILE);
    snprintf(name, sizeof name, "%s", ckd_plan_kernel(plan));
    snprintf(entry, sizeof entry, "\"kernel\":\"%s\"", name);
    CHECK(ckd_plan_workspace_size(plan) == 0);
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"problem\":\"gemm 8192x8192x8192 fp16 rcr\"");
    CHECK_HAS(json, "\"gpu\":\"gfx942\"");
    CHECK_HAS(json, entry);
    CHECK_HAS(json, "\"launches\":1");
    CHECK_HAS(json, "\"parts\":1");
    CHECK_HAS(json, "\"key\":\"gemm{");
    CHECK_HAS(json, "\"predicted_microseconds\":");
    ckd_free_text(json);
    /* A plan lasts as long as its handle. */
    ckd_dispatcher_destroy(dispatcher);
    CHECK_TEXT(ckd_plan_kernel(plan), name);
    ckd_plan_destroy(plan);
}

static void a_kernel_can_be_asked_for(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(70, 72, 104);
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    char key[512]              = "";
    CHECK_OK(ckd_select_explicit(dispatcher, PADDED, &problem.base, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), PADDED);
    CHECK_OK(ckd_plan_to_json(plan, &json));
    snprintf(key, sizeof key, "%s", strstr(json, "gemm{"));
    CHECK(strchr(key, '}') != NULL);
    strchr(key, '}')[1] = '\0';
    ckd_free_text(json);
    ckd_plan_destroy(plan);

    CHECK_OK(ckd_select_explicit(dispatcher, key, &problem.base, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), PADDED);
    ckd_plan_destroy(plan);

    plan = NULL;
    CHECK_REFUSED(CKD_NOT_FOUND, "The kernel gemm_none was asked for, and the registry mine does not have it.", ckd_select_explicit(dispatcher, "gemm_none", &problem.base, &plan));
    CHECK_REFUSED(CKD_UNSUPPORTED, LARGE " was asked for K = 104 and needs a multiple of 32, because it does not pad K.", ckd_select_explicit(dispatcher, LARGE, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A kernel key has '{' where a key of the form gemm{field=value,\xe2\x80\xa6} is expected.", ckd_select_explicit(dispatcher, "{", &problem.base, &plan));
    CHECK(plan == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_ranking_has_scores_and_reasons(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(70, 72, 104);
    char* json                 = NULL;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"problem\":\"gemm 70x72x104 fp16 rcr\"");
    CHECK_HAS(json, "\"gpu\":\"gfx942\"");
    CHECK_HAS(json, "\"kernel\":\"" PADDED "\",\"microseconds\":");
    CHECK_HAS(json, "{\"code\":4,\"kernel\":\"" LARGE "\",\"reason\":\"" LARGE " was asked for K = 104 and needs a multiple of 32, because it does not pad K.\"}");
    ckd_free_text(json);
    /* Words that are no text are shown all the same. */
    problem.fused_op = "\xff";
    problem.d_count  = 1;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"fit\":[]");
    ckd_free_text(json);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_problem_that_no_kernel_computes_is_refused(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(64, 64, 64);
    ckd_plan* plan             = NULL;
    problem.dtype_a            = "bf16";
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_NO_KERNEL);
    CHECK_HAS(ckd_last_error(), "No kernel of the registry mine computes gemm 64x64x64 bf16 rcr on gfx942 (6 refuse). The nearest: ");
    CHECK(plan == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

static double predict(void* user, const ckd_problem* problem, const char* kernel, int64_t parts) {
    const ckd_gemm_problem* gemm = (const ckd_gemm_problem*)problem;
    CHECK(gemm->m == 8192 && gemm->base.family == CKD_GEMM && parts == 1);
    ++*(int*)user;
    return strcmp(kernel, PADDED) == 0 ? 1.0 : 2.0;
}

static double predict_nothing(void* user, const ckd_problem* problem, const char* kernel, int64_t parts) {
    (void)user, (void)problem, (void)kernel, (void)parts;
    return NAN;
}

static size_t choose(void* user, const ckd_problem* problem, const char* const* kernels, size_t count) {
    size_t i;
    CHECK(problem->family == CKD_GEMM && count == 6);
    for (i = 0; i < count; ++i)
        if (strcmp(kernels[i], PADDED) == 0) return i + *(size_t*)user;
    return 0;
}

static void every_strategy_can_be_used(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(8192, 8192, 8192);
    ckd_plan* plan             = NULL;
    int predictions            = 0;
    size_t beyond              = 0;
    CHECK_HAS(selected(dispatcher), LARGE_TILE);
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_FIRST_FIT));
    CHECK_HAS(selected(dispatcher), "16x64x128");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "The strategy 'model' was asked for, and there is no model for this GPU; give one, or a predictor.", ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    CHECK_OK(ckd_dispatcher_use_predictor(dispatcher, predict, &predictions));
    CHECK_TEXT(selected(dispatcher), PADDED);
    CHECK(predictions == 6);
    CHECK_TEXT(selected(dispatcher), PADDED);
    CHECK(predictions == 6);
    CHECK_OK(ckd_dispatcher_use_chooser(dispatcher, choose, &beyond));
    CHECK_TEXT(selected(dispatcher), PADDED);
    beyond = 1000;
    CHECK_OK(ckd_dispatcher_use_chooser(dispatcher, choose, &beyond));
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "The function that chooses kernels returned candidate 100");
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    CHECK_TEXT(selected(dispatcher), PADDED);
    CHECK_OK(ckd_dispatcher_use_predictor(dispatcher, predict_nothing, NULL));
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), " is no number.");
    CHECK_OK(ckd_dispatcher_use_strategy(dispatcher, CKD_RULES));
    CHECK_HAS(selected(dispatcher), LARGE_TILE);
    CHECK(ckd_dispatcher_use_strategy(dispatcher, (ckd_strategy)9) == CKD_INVALID_ARGUMENT);
    CHECK(plan == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

/* The smallest change to a good problem that makes it a bad one. */
static void a_problem_is_checked(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(64, 64, 64);
    ckd_plan* plan             = NULL;
    const char* no_problem     = "A GEMM was asked for with a structure that is no ckd_gemm_problem of this version.";

    problem.base.struct_size = sizeof problem - 8;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_problem, ckd_select(dispatcher, &problem.base, &plan));
    problem                  = fp16_problem(64, 64, 64);
    problem.base.struct_size = 0;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_problem, ckd_select(dispatcher, &problem.base, &plan));
    problem             = fp16_problem(64, 64, 64);
    problem.base.family = CKD_GROUPED_CONV;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with a structure that is no ckd_grouped_conv_problem of this version.", ckd_select(dispatcher, &problem.base, &plan));
    problem         = fp16_problem(64, 64, 64);
    problem.dtype_a = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A GEMM was asked for without the dtype of A; fp16 is one.", ckd_select(dispatcher, &problem.base, &plan));
    problem   = fp16_problem(64, 64, 64);
    problem.m = 0;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A GEMM of M x N x K = 0 x 64 x 64 was asked for; each must be from 1 to 2^31-1.", ckd_select(dispatcher, &problem.base, &plan));
    problem        = fp16_problem(64, 64, 64);
    problem.layout = "xyz";
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    problem          = fp16_problem(64, 64, 64);
    problem.stride_a = 63;
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    problem         = fp16_problem(64, 64, 64);
    problem.split_k = 65;
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    problem           = fp16_problem(64, 64, 64);
    problem.alignment = 3;
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_INVALID_ARGUMENT);
    CHECK(plan == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

/* Zero is the default of every field, and every field is read. */
static void every_field_of_a_problem_counts(void) {
    ckd_dispatcher* dispatcher = made();
    ckd_gemm_problem problem   = fp16_problem(64, 64, 64);
    char* json                 = NULL;
    problem.batch              = 3;
    problem.dtype_b            = "fp16";
    problem.dtype_c            = "fp32";
    problem.layout             = "rcc";
    problem.fused_op           = "MultiDAdd";
    problem.d_count            = 2;
    problem.split_k            = -1;
    problem.alignment          = 8;
    problem.deterministic      = 1;
    problem.workspace_limit    = 1;
    problem.has_batch_strides  = 1;
    problem.batch_stride_c     = 64 * 64;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"problem\":\"gemm 64x64x64 fp16->fp32 rcc batch 3 split-K auto MultiDAdd of 2 D\"");
    ckd_free_text(json);
    /* A structure of a later version has more behind its end. */
    problem                  = fp16_problem(64, 64, 64);
    problem.base.struct_size = sizeof problem + 16;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    ckd_free_text(json);
    /* An older one ends before the D tensors, and what is behind it is not looked at. */
    problem                  = fp16_problem(64, 64, 64);
    problem.base.struct_size = offsetof(ckd_gemm_problem, dtype_d);
    problem.weights_n        = 77;
    problem.dtype_d          = (const char*)1;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"problem\":\"gemm 64x64x64 fp16 rcr\"");
    ckd_free_text(json);
    ckd_dispatcher_destroy(dispatcher);
}

static void what_was_appended_is_read(void) {
    const ckd_gemm_group groups[2] = {{.m = 64, .n = 32, .k = 16}, {.m = 8, .n = 8, .k = 8, .stride_a = 16}};
    ckd_dispatcher* dispatcher     = made();
    ckd_gemm_problem problem       = fp16_problem(64, 64, 64);
    ckd_plan* plan                 = NULL;
    char* json                     = NULL;
    problem.fused_op               = "MultiDAddRelu";
    problem.d_count                = 2;
    problem.dtype_d                = "fp32";
    problem.d_layout               = "c";
    problem.has_d_strides          = 1;
    problem.stride_d[1]            = 63;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A GEMM was asked for with D1 of leading dimension 63; it must be at least 64 and less than 2^31.", ckd_rank(dispatcher, &problem.base, &json));
    problem.stride_d[1] = 72;
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"problem\":\"gemm 64x64x64 fp16 rcr MultiDAddRelu of 2 fp32 D in columns\"");
    ckd_free_text(json);

    problem           = fp16_problem(64, 64, 64);
    problem.weights_n = 16;
    problem.weights_k = 8;
    CHECK(ckd_select(dispatcher, &problem.base, &plan) == CKD_NO_KERNEL);
    CHECK_HAS(ckd_last_error(), "reads B plain, and it is preshuffled as 16x8.");

    problem             = fp16_problem(0, 0, 0);
    problem.groups      = groups;
    problem.group_count = 2;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"problem\":\"gemm of 2 groups (64x32x16, 8x8x8) fp16 rcr\"");
    CHECK_HAS(json, "\"problem\":\"gemm 8x8x8 fp16 rcr\"");
    CHECK_HAS(json, "\"launches\":2");
    ckd_free_text(json);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A plan was launched with 4 tensors; it has 6.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 4, plan, NULL, NULL}));
    ckd_plan_destroy(plan);
    problem.groups = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A GEMM of 2 groups was asked for, and there are none.", ckd_rank(dispatcher, &problem.base, &json));
    ckd_dispatcher_destroy(dispatcher);
}

static void wrong_arguments_are_refused(void) {
    ckd_dispatcher *dispatcher = made(), *out = NULL;
    ckd_gemm_problem problem   = fp16_problem(64, 64, 64);
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    CHECK(ckd_dispatcher_create(registry, "gfx000", &out) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "The GPU 'gfx000' was asked for; the known ones are ");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_dispatcher_create(NULL, "gfx942", &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without the name of a GPU.", ckd_dispatcher_create(registry, NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the dispatcher.", ckd_dispatcher_create(registry, "gfx942", NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_use_strategy(NULL, CKD_RULES));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_use_predictor(NULL, predict, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a predictor.", ckd_dispatcher_use_predictor(dispatcher, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_use_chooser(NULL, choose, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a chooser.", ckd_dispatcher_use_chooser(dispatcher, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_select(NULL, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_select(dispatcher, NULL, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the plan.", ckd_select(dispatcher, &problem.base, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_select_explicit(NULL, PADDED, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a name or a key.", ckd_select_explicit(dispatcher, NULL, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_select_explicit(dispatcher, PADDED, NULL, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the plan.", ckd_select_explicit(dispatcher, PADDED, &problem.base, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_rank(NULL, &problem.base, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_rank(dispatcher, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_rank(dispatcher, &problem.base, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a plan.", ckd_plan_to_json(NULL, &json));
    CHECK_TEXT(ckd_plan_kernel(NULL), "");
    CHECK(ckd_plan_workspace_size(NULL) == 0);
    ckd_plan_destroy(NULL);
    ckd_dispatcher_destroy(NULL);
    CHECK(out == NULL && plan == NULL && json == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

int main(void) {
    CHECK_OK(ckd_registry_create("mine", &registry));
    CHECK_OK(ckd_registry_load_manifest(registry, built_file("gemm_fp16_rcr_essential", ".manifest.json"), CKD_REFUSE, 0, NULL));
    a_plan_says_what_it_is();
    a_kernel_can_be_asked_for();
    a_ranking_has_scores_and_reasons();
    a_problem_that_no_kernel_computes_is_refused();
    every_strategy_can_be_used();
    a_problem_is_checked();
    every_field_of_a_problem_counts();
    what_was_appended_is_read();
    wrong_arguments_are_refused();
    ckd_registry_destroy(registry);
    return 0;
}
