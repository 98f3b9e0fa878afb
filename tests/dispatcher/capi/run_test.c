/* SPDX-License-Identifier: MIT
 *
 * Devices and runs over the C ABI, from two threads.
 */
#include <pthread.h>

#include "tests/dispatcher/support/check.h"

/* A single tile: 64 x 64 x 64, all ones, so that every element of the product is 64. */
enum { SIZE = 64, COUNT = SIZE * SIZE, BYTES = COUNT * 2 };
static const uint16_t one = 0x3c00, sixty_four = 0x5400;

static ckd_registry* registry;
static ckd_device* device;

static void* tensor(uint16_t value) {
    uint16_t values[COUNT];
    void* address = NULL;
    size_t i;
    for (i = 0; i < COUNT; ++i) values[i] = value;
    CHECK_OK(ckd_device_allocate(device, BYTES, &address));
    CHECK_OK(ckd_device_copy_in(device, address, values, BYTES));
    return address;
}

static void expect_everywhere(const void* address, uint16_t value) {
    uint16_t values[COUNT];
    size_t i;
    CHECK_OK(ckd_device_synchronize(device, NULL));
    CHECK_OK(ckd_device_copy_out(device, values, address, BYTES));
    for (i = 0; i < COUNT; ++i) CHECK(values[i] == value);
}

struct operands {
    void* tensors[3];
};

static struct operands made_operands(void) {
    struct operands made = {{tensor(one), tensor(one), tensor(0)}};
    return made;
}

static void expect_product(struct operands* operands) {
    size_t i;
    expect_everywhere(operands->tensors[2], sixty_four);
    for (i = 0; i < 3; ++i) CHECK_OK(ckd_device_release(device, operands->tensors[i]));
}

static ckd_dispatcher* made_dispatcher(void) {
    ckd_dispatcher* dispatcher = NULL;
    CHECK_OK(ckd_dispatcher_create(registry, ckd_device_gpu(device), &dispatcher));
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    return dispatcher;
}

static void memory_of_a_device_is_copied_and_filled(void) {
    unsigned char bytes[24], expected[24];
    void *one_buffer = NULL, *other = NULL, *stream = NULL;
    size_t i;
    CHECK_OK(ckd_device_allocate(device, 24, &one_buffer));
    CHECK_OK(ckd_device_allocate(device, 24, &other));
    CHECK_OK(ckd_device_create_stream(device, &stream));
    for (i = 0; i < 24; ++i) bytes[i] = (unsigned char)i;
    CHECK_OK(ckd_device_copy_in(device, one_buffer, bytes, 24));
    CHECK_OK(ckd_device_fill(device, other, 0xee, 24, stream));
    CHECK_OK(ckd_device_copy_rows(device, other, 8, one_buffer, 6, 4, 3, stream));
    CHECK_OK(ckd_device_synchronize(device, stream));
    CHECK_OK(ckd_device_copy_out(device, bytes, other, 24));
    for (i = 0; i < 24; ++i) expected[i] = (unsigned char)(i % 8 < 4 ? i / 8 * 6 + i % 8 : 0xee);
    CHECK(memcmp(bytes, expected, 24) == 0);
    CHECK_OK(ckd_device_destroy_stream(device, stream));
    CHECK_OK(ckd_device_release(device, one_buffer));
    CHECK_OK(ckd_device_release(device, other));
}

static void a_problem_is_run(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    struct operands operands   = made_operands();
    ckd_plan* plan             = NULL;
    CHECK_OK(ckd_run(dispatcher, &problem.base, operands.tensors, NULL, &plan));
    CHECK(strlen(ckd_plan_kernel(plan)) > 0);
    expect_product(&operands);
    ckd_plan_destroy(plan);

    operands = made_operands();
    CHECK_OK(ckd_run(dispatcher, &problem.base, operands.tensors, NULL, NULL));
    expect_product(&operands);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_plan_is_run(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    ckd_run_options options    = {.struct_size = sizeof options};
    struct operands operands   = made_operands();
    ckd_plan* plan             = NULL;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_device_create_stream(device, &options.stream));
    CHECK_OK(ckd_plan_run(plan, operands.tensors, &options));
    CHECK_OK(ckd_device_synchronize(device, options.stream));
    expect_product(&operands);

    operands = made_operands();
    CHECK_OK(ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, options.stream, operands.tensors}));
    CHECK_OK(ckd_device_synchronize(device, options.stream));
    CHECK_OK(ckd_device_destroy_stream(device, options.stream));
    expect_product(&operands);

    /* Also when nobody has the dispatcher any more. */
    ckd_dispatcher_destroy(dispatcher);
    operands = made_operands();
    CHECK_OK(ckd_plan_run(plan, operands.tensors, NULL));
    expect_product(&operands);
    ckd_plan_destroy(plan);
}

static void a_plan_is_timed(void) {
    ckd_dispatcher* dispatcher    = made_dispatcher();
    ckd_gemm_problem problem      = fp16_problem(SIZE, SIZE, SIZE);
    ckd_benchmark_options options = {.struct_size = sizeof options, .warmup = 1, .repeat = 3, .rotating_buffers = 2, .cpu_timer = 1};
    struct operands operands      = made_operands();
    ckd_plan* plan                = NULL;
    char* json                    = NULL;
    const char* at;
    int commas = 0;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_plan_benchmark(plan, operands.tensors, &options, &json));
    CHECK_HAS(json, "\"device\":\"");
    CHECK_HAS(json, ckd_plan_kernel(plan));
    CHECK_HAS(json, "\"mean\":");
    CHECK_HAS(json, "\"median\":");
    CHECK_HAS(json, "\"minimum\":");
    CHECK_HAS(json, "\"milliseconds\":[");
    for (at = strstr(json, "\"milliseconds\":["); *at != ']'; ++at) commas += *at == ',';
    CHECK(commas == 2);
    ckd_free_text(json);
    CHECK_OK(ckd_plan_benchmark(plan, operands.tensors, NULL, &json));
    for (commas = 0, at = strstr(json, "\"milliseconds\":["); *at != ']'; ++at) commas += *at == ',';
    CHECK(commas == 9);
    ckd_free_text(json);

    options.repeat = -1;
    CHECK(ckd_plan_benchmark(plan, operands.tensors, &options, &json) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "A benchmark was asked for with warmup = 1, repeat = -1");
    options.repeat      = 1;
    options.struct_size = 4;
    CHECK(ckd_plan_benchmark(plan, operands.tensors, &options, &json) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "Options were given whose struct_size is 4, not ");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a plan.", ckd_plan_benchmark(NULL, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_plan_benchmark(plan, NULL, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_plan_benchmark(plan, operands.tensors, NULL, NULL));
    expect_product(&operands);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_result_is_validated(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    struct operands operands   = made_operands();
    char* json                 = NULL;
    CHECK_OK(ckd_validate(dispatcher, &problem.base, operands.tensors, NULL, &json));
    CHECK_HAS(json, "\"ok\":true");
    CHECK_HAS(json, "\"checked\":4096");
    CHECK_HAS(json, "\"wrong\":0");
    CHECK_HAS(json, "\"max_abs\":0.0");
    ckd_free_text(json);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_validate(NULL, &problem.base, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_validate(dispatcher, NULL, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_validate(dispatcher, &problem.base, NULL, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_validate(dispatcher, &problem.base, operands.tensors, NULL, NULL));
    expect_product(&operands);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_plan_is_validated(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    struct operands operands   = made_operands();
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_OK(ckd_plan_validate(plan, operands.tensors, NULL, &json));
    CHECK_HAS(json, "\"ok\":true");
    CHECK_HAS(json, "\"checked\":4096");
    CHECK_HAS(json, ckd_plan_kernel(plan));
    ckd_free_text(json);
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a plan.", ckd_plan_validate(NULL, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_plan_validate(plan, NULL, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_plan_validate(plan, operands.tensors, NULL, NULL));
    expect_product(&operands);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
}

static void a_dispatcher_needs_one_device_of_its_gpu(void) {
    ckd_dispatcher *dispatcher = NULL, *other = NULL;
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    struct operands operands   = made_operands();
    ckd_plan* plan             = NULL;
    char* json                 = NULL;
    const char* no_device      = "A plan was to be run, and its dispatcher has no device; attach one first.";
    CHECK_OK(ckd_dispatcher_create(registry, ckd_device_gpu(device), &dispatcher));
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_run(dispatcher, &problem.base, operands.tensors, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_plan_run(plan, operands.tensors, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, operands.tensors}));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_plan_benchmark(plan, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_validate(dispatcher, &problem.base, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, no_device, ckd_plan_validate(plan, operands.tensors, NULL, &json));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_dispatcher_attach(dispatcher, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_dispatcher_attach(NULL, device));
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A second device was to be attached to a dispatcher; make another dispatcher.", ckd_dispatcher_attach(dispatcher, device));
    CHECK_OK(ckd_dispatcher_create(registry, "gfx950", &other));
    CHECK(ckd_dispatcher_attach(other, device) == CKD_WRONG_GPU);
    CHECK_HAS(ckd_last_error(), " is a gfx942, and the dispatcher selects for gfx950.");
    /* What was selected before there was a device runs on it. */
    CHECK_OK(ckd_plan_run(plan, operands.tensors, NULL));
    expect_product(&operands);
    CHECK(json == NULL);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
    ckd_dispatcher_destroy(other);
}

static void wrong_arguments_are_refused(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    ckd_gemm_problem problem   = fp16_problem(SIZE, SIZE, SIZE);
    struct operands operands   = made_operands();
    ckd_run_options options    = {.struct_size = sizeof options - 1};
    void* nothing[3]           = {NULL, NULL, NULL};
    ckd_device* out            = NULL;
    ckd_plan* plan             = NULL;

    CHECK(ckd_device_open("nonsense", NULL, &out) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "The device 'nonsense' was asked for; a device is called hip:0");
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without the name of a device.", ckd_device_open(NULL, NULL, &out));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the device.", ckd_device_open("sim:gfx942", NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_allocate(NULL, 8, nothing));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the address.", ckd_device_allocate(device, 8, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_release(NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_copy_in(NULL, NULL, NULL, 0));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_copy_out(NULL, NULL, NULL, 0));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_copy_rows(NULL, NULL, 0, NULL, 0, 0, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_fill(NULL, NULL, 0, 0, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_synchronize(NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_create_stream(NULL, nothing));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a place for the stream.", ckd_device_create_stream(device, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a device.", ckd_device_destroy_stream(NULL, NULL));
    CHECK(ckd_device_allocate(device, (size_t)1 << 62, nothing) == CKD_OUT_OF_MEMORY);
    CHECK_TEXT(ckd_device_gpu(NULL), "");
    ckd_device_close(NULL);

    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a dispatcher.", ckd_run(NULL, &problem.base, operands.tensors, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_run(dispatcher, NULL, operands.tensors, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_run(dispatcher, &problem.base, NULL, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A GEMM was to be run with no address for A.", ckd_run(dispatcher, &problem.base, nothing, NULL, NULL));
    CHECK(ckd_run(dispatcher, &problem.base, operands.tensors, &options, &plan) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "Options were given whose struct_size is ");
    CHECK(out == NULL && plan == NULL && nothing[0] == NULL);

    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a plan.", ckd_plan_run(NULL, operands.tensors, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_plan_run(plan, NULL, NULL));
    CHECK_REFUSED(CKD_INVALID_ARGUMENT, "A call was made without a plan.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, NULL, NULL, nothing}));
    CHECK(ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, nothing}) == CKD_INVALID_ARGUMENT);
    CHECK_HAS(ckd_last_error(), "A GEMM was to be run with no address for A.");
    CHECK_OK(ckd_plan_run(plan, operands.tensors, NULL));
    expect_product(&operands);
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
}

/* The same dispatcher from two threads, each with errors of its own. */
struct work {
    ckd_dispatcher* dispatcher;
    const char* asked_for;
    char sentence[256];
};

static void* run_and_fail(void* argument) {
    struct work* work = argument;
    int i;
    for (i = 0; i < 10; ++i) {
        ckd_gemm_problem problem = fp16_problem(SIZE, SIZE, SIZE);
        struct operands operands = made_operands();
        ckd_plan* plan           = NULL;
        CHECK_OK(ckd_run(work->dispatcher, &problem.base, operands.tensors, NULL, &plan));
        CHECK(ckd_select_explicit(work->dispatcher, work->asked_for, &problem.base, &plan) == CKD_NOT_FOUND);
        expect_product(&operands);
        /* Calls that succeed leave the sentence. */
        CHECK_TEXT(ckd_last_error(), work->sentence);
        ckd_plan_destroy(plan);
    }
    return NULL;
}

static void two_threads_share_a_dispatcher_and_no_error(void) {
    ckd_dispatcher* dispatcher = made_dispatcher();
    struct work works[2]       = {{dispatcher, "gemm_a", ""}, {dispatcher, "gemm_b", ""}};
    pthread_t threads[2];
    size_t i;
    for (i = 0; i < 2; ++i) {
        snprintf(works[i].sentence, sizeof works[i].sentence, "The kernel %s was asked for, and the registry mine does not have it.", works[i].asked_for);
        CHECK(pthread_create(&threads[i], NULL, run_and_fail, &works[i]) == 0);
    }
    for (i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    ckd_dispatcher_destroy(dispatcher);
}

int main(void) {
    const char* name = getenv("CKDISPATCH_DEVICE");
    CHECK_TEXT(ckd_last_error(), "");
    CHECK_OK(ckd_device_open(name ? name : "sim:gfx942", NULL, &device));
    if (strcmp(ckd_device_gpu(device), "gfx942") != 0) {
        printf("The kernels of this test are for gfx942, and the device is a %s.\n", ckd_device_gpu(device));
        return 0;
    }
    CHECK_OK(ckd_registry_create("mine", &registry));
    CHECK_OK(ckd_registry_load_manifest(registry, built_file("gemm_fp16_rcr_essential", ".manifest.json"), CKD_REFUSE, 0, NULL));
    memory_of_a_device_is_copied_and_filled();
    a_problem_is_run();
    a_plan_is_run();
    a_plan_is_timed();
    a_result_is_validated();
    a_plan_is_validated();
    a_dispatcher_needs_one_device_of_its_gpu();
    wrong_arguments_are_refused();
    two_threads_share_a_dispatcher_and_no_error();
    ckd_registry_destroy(registry);
    ckd_device_close(device);
    return 0;
}
