/* SPDX-License-Identifier: MIT
 *
 * Attention over the C ABI, with made-up kernels that the CPU computes.
 */
#include "tests/dispatcher/support/check.h"

static ckd_device* device;

/* 2 sequences of 5 rows and 70 keys, 4 heads that share 2. */
static ckd_fmha_problem fp32_problem(void) {
    ckd_fmha_problem problem = {.base     = {.struct_size = sizeof(ckd_fmha_problem), .family = CKD_FMHA},
                                .dtype    = "fp32",
                                .batch    = 2,
                                .heads_q  = 4,
                                .heads_k  = 2,
                                .hdim_q   = 16,
                                .seqlen_q = 5,
                                .seqlen_k = 70};
    return problem;
}

static ckd_dispatcher* made_dispatcher(void) {
    static const char* const kinds[] = {"_fwd.so", "_splitkv.so", "_combine.so", "_dot.so", "_gradients.so", "_convert.so", "_sum.so"};
    ckd_registry* registry           = NULL;
    ckd_dispatcher* dispatcher       = NULL;
    size_t i;
    CHECK_OK(ckd_registry_create("mine", &registry));
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) CHECK_OK(ckd_registry_add_library(registry, built_file("made_up_fmha", kinds[i]), NULL, CKD_REFUSE,
        0, NULL));
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &dispatcher));
    ckd_registry_destroy(registry);
    return dispatcher;
}

static void a_plan_tells_its_stages(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_fmha_problem problem   = fp32_problem();
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    problem.split_kv           = 3;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"kernel\":\"fmha_made_up_splitkv\"");
    CHECK_HAS(json, "\"kernel\":\"fmha_made_up_combine\"");
    CHECK_HAS(json, "\"parts\":3");
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"stages\":[\"fmha_made_up_splitkv\",\"fmha_made_up_combine\"]");
    CHECK_HAS(json, "fmha_made_up_dot computes nothing that this problem needs.");
    ckd_free_text(json);
    problem          = fp32_problem();
    problem.backward = 1;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"kernel\":\"fmha_made_up_sum\"");
    CHECK_HAS(json, "\"step\":\"clear\"");
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
}

static void what_makes_no_sense_is_refused(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_fmha_problem problem   = fp32_problem();
    ckd_plan* plan             = NULL;
    problem.dtype              = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention was asked for without a dtype; fp16 is one.", ckd_select(dispatcher, &problem.base, &plan));
    problem      = fp32_problem();
    problem.bias = 3;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention with a bias of the kind 3 was asked for; there are kinds from 0 to 2.",
                  ckd_select(dispatcher, &problem.base, &plan));
    problem        = fp32_problem();
    problem.rotary = -1;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention with a rotation of the kind -1 was asked for; there are kinds from 0 to 2.",
                  ckd_select(dispatcher, &problem.base, &plan));
    problem        = fp32_problem();
    problem.layout = 3;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention with the layout 3 was asked for; it is 0 for bshd, 1 for bhsd, or 2 for strides.",
                  ckd_select(dispatcher, &problem.base, &plan));
    problem                  = fp32_problem();
    problem.base.struct_size = 8;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention was asked for with a structure that is no ckd_fmha_problem of this version.",
                  ckd_select(dispatcher, &problem.base, &plan));
    problem         = fp32_problem();
    problem.heads_k = 3;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention with 4 heads of q and 3 of k was asked for; each head of k serves equally many of q, at least one.",
                  ckd_select(dispatcher, &problem.base, &plan));
    CHECK(plan == NULL);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_run_writes_o(void) {
    ckd_dispatcher* dispatcher      = made_dispatcher();
    ckd_fmha_problem problem        = fp32_problem();
    void* tensors[CKD_FMHA_TENSORS] = {NULL};
    const size_t q_bytes = 2 * 5 * 4 * 16 * 4, k_bytes = 2 * 70 * 2 * 16 * 4;
    float* host = calloc(k_bytes, 1);
    char* json  = NULL;
    size_t i;
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    for (i = 0; i < k_bytes / 4; ++i) host[i] = (float)(i * 7 % 13) / 13;
    CHECK_OK(ckd_device_allocate(device, q_bytes, &tensors[CKD_FMHA_Q]));
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_K]));
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_V]));
    CHECK_OK(ckd_device_allocate(device, q_bytes, &tensors[CKD_FMHA_O]));
    CHECK_OK(ckd_device_copy_in(device, tensors[CKD_FMHA_Q], host, q_bytes));
    CHECK_OK(ckd_device_copy_in(device, tensors[CKD_FMHA_K], host, k_bytes));
    CHECK_OK(ckd_device_copy_in(device, tensors[CKD_FMHA_V], host, k_bytes));
    problem.mask        = CKD_FMHA_MASK_BOTTOM_RIGHT;
    problem.window_left = -1;
    CHECK_OK(ckd_validate(dispatcher, &problem.base, tensors, NULL, &json));
    CHECK_HAS(json, "\"wrong\":0");
    CHECK_HAS(json, "\"checked\":640");
    ckd_free_text(json);
    tensors[CKD_FMHA_O] = tensors[CKD_FMHA_Q];
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention was to be run with o in the memory of q; what is written must not overlap another tensor.",
                  ckd_run(dispatcher, &problem.base, tensors, NULL, NULL));
    tensors[CKD_FMHA_O] = NULL;
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "An attention was to be run with no address for o.", ckd_run(dispatcher, &problem.base, tensors, NULL, NULL));
    free(host);
    ckd_dispatcher_destroy(dispatcher);
}

static void what_has_no_rows_needs_no_kernel(void) {
    ckd_dispatcher* dispatcher      = made_dispatcher();
    ckd_fmha_problem problem        = fp32_problem();
    void* tensors[CKD_FMHA_TENSORS] = {NULL};
    ckd_plan* plan                  = NULL;
    char* json                      = NULL;
    float zeros[70 * 2 * 16];
    const size_t k_bytes = 2 * sizeof zeros;
    size_t i;
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_K]));
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_V]));
    problem.seqlen_q = 0;
    CHECK_OK(ckd_run(dispatcher, &problem.base, tensors, NULL, &plan));
    CHECK_TEXT(ckd_plan_kernel(plan), "");
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"stages\":[]");
    CHECK_HAS(json, "\"launches\":0");
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_rank(dispatcher, &problem.base, &json));
    CHECK_HAS(json, "\"fit\":[]");
    ckd_free_text(json);
    problem.backward = 1;
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_DK]));
    CHECK_OK(ckd_device_allocate(device, k_bytes, &tensors[CKD_FMHA_DV]));
    for (i = 0; i < sizeof zeros / sizeof zeros[0]; ++i) zeros[i] = 7;
    CHECK_OK(ckd_device_copy_in(device, tensors[CKD_FMHA_DK], zeros, sizeof zeros));
    CHECK_OK(ckd_run(dispatcher, &problem.base, tensors, NULL, &plan));
    CHECK_OK(ckd_plan_to_json(plan, &json));
    CHECK_HAS(json, "\"steps\":[{\"bytes\":17920,\"step\":\"clear\",\"to\":\"dk\"},{\"bytes\":17920,\"step\":\"clear\",\"to\":\"dv\"}]");
    ckd_free_text(json);
    ckd_plan_destroy(plan);
    CHECK_OK(ckd_device_copy_out(device, zeros, tensors[CKD_FMHA_DK], sizeof zeros));
    for (i = 0; i < sizeof zeros / sizeof zeros[0]; ++i) CHECK(zeros[i] == 0);
    ckd_dispatcher_destroy(dispatcher);
}

int main(void) {
    CHECK_OK(ckd_device_open("sim:gfx942", NULL, &device));
    a_plan_tells_its_stages();
    what_makes_no_sense_is_refused();
    a_run_writes_o();
    what_has_no_rows_needs_no_kernel();
    ckd_device_close(device);
    return 0;
}
