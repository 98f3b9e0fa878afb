/* SPDX-License-Identifier: MIT
 *
 * A table of what was tried on the C ABI: each is refused with a code and one sentence, and what was given to it stays usable.
 */
#include <math.h>
#include <stddef.h>

#include "tests/dispatcher/support/check.h"

static ckd_registry* registry;
static ckd_registry* convolutions;
static ckd_dispatcher* dispatcher;
static ckd_dispatcher* conv_dispatcher;
static ckd_device* device;
static ckd_plan* plan;
static void* a_tensor;

/* One line of the table: what was tried, the code, the beginning of the sentence, and the call. */
#define TRIED(what, status, sentence, call) tried((what), (status), (sentence), (call), __LINE__)

static void tried(const char* what, ckd_status expected, const char* sentence, ckd_status status, int line) {
    printf("%s | %s | %s\n", what, ckd_status_name(status), status == CKD_OK ? "" : ckd_last_error());
    if (status == expected && (status == CKD_OK || strncmp(ckd_last_error(), sentence, strlen(sentence)) == 0) && strlen(ckd_last_error()) < 5000) return;
    fprintf(stderr, "line %d: expected was '%s': %s\n", line, ckd_status_name(expected), sentence);
    exit(EXIT_FAILURE);
}

static ckd_status selected(ckd_gemm_problem problem) {
    ckd_plan* chosen        = NULL;
    const ckd_status status = ckd_select(dispatcher, &problem.base, &chosen);
    ckd_plan_destroy(chosen);
    return status;
}

static ckd_status conv_selected(ckd_grouped_conv_problem problem) {
    ckd_plan* chosen        = NULL;
    const ckd_status status = ckd_select(conv_dispatcher, &problem.base, &chosen);
    ckd_plan_destroy(chosen);
    return status;
}

/* A good problem with one field changed. */
#define GEMM(field, value) gemm_with_##field(value)
#define FIELD(type, field)                                   \
    static ckd_status gemm_with_##field(type value) {        \
        ckd_gemm_problem problem = fp16_problem(64, 64, 64); \
        problem.field            = value;                    \
        return selected(problem);                            \
    }
FIELD(int64_t, m)
FIELD(int64_t, batch)
FIELD(int64_t, stride_a)
FIELD(int64_t, split_k)
FIELD(int64_t, group_count)
FIELD(int32_t, d_count)
FIELD(int32_t, alignment)
FIELD(int32_t, weights_n)
FIELD(const char*, dtype_a)
FIELD(const char*, layout)
FIELD(const char*, fused_op)

static ckd_status with_base(uint32_t struct_size, uint32_t family) {
    ckd_gemm_problem problem = fp16_problem(64, 64, 64);
    problem.base.struct_size = struct_size;
    problem.base.family      = family;
    return selected(problem);
}

static ckd_status with_batch_strides(int64_t stride) {
    ckd_gemm_problem problem  = fp16_problem(64, 64, 64);
    problem.batch             = 2;
    problem.has_batch_strides = 1;
    problem.batch_stride_a = problem.batch_stride_b = problem.batch_stride_c = stride;
    return selected(problem);
}

static ckd_status with_groups(int64_t m) {
    const ckd_gemm_group groups[] = {{.m = 8, .n = 8, .k = 8}, {.m = m, .n = 8, .k = 8}};
    ckd_gemm_problem problem      = fp16_problem(0, 0, 0);
    problem.groups                = groups;
    problem.group_count           = 2;
    return selected(problem);
}

static const char* without_end(void) {
    static char* text;
    if (!text) text = malloc(2000000);
    CHECK(text != NULL);
    memset(text, 'x', 2000000);
    text[1999999] = '\0';
    return text;
}

static void problems(void) {
#define GEMM_STRUCTURE "A GEMM was asked for with a structure that is no ckd_gemm_problem of this version."
    TRIED("no problem", CKD_INVALID_ARGUMENT, "A call was made without a problem.", ckd_select(dispatcher, NULL, &plan));
    TRIED("a structure of size 0", CKD_INVALID_ARGUMENT, GEMM_STRUCTURE, with_base(0, CKD_GEMM));
    TRIED("a structure of size 8", CKD_INVALID_ARGUMENT, GEMM_STRUCTURE, with_base(8, CKD_GEMM));
    TRIED("a structure that is one byte short", CKD_INVALID_ARGUMENT, GEMM_STRUCTURE, with_base(sizeof(ckd_gemm_problem) - 1, CKD_GEMM));
    TRIED("a structure of 4 GiB", CKD_INVALID_ARGUMENT, GEMM_STRUCTURE, with_base(UINT32_MAX, CKD_GEMM));
    TRIED("a structure of a later version", CKD_OK, "", with_base(sizeof(ckd_gemm_problem) + 64, CKD_GEMM));
    TRIED("another family", CKD_INVALID_ARGUMENT, "A grouped convolution was asked for with a structure that is no ckd_grouped_conv_problem of this version.", with_base(sizeof(ckd_gemm_problem), CKD_GROUPED_CONV));
    TRIED("a family that nobody knows", CKD_INVALID_ARGUMENT, "A problem of the kernel family 77 was given; this version has 1 (gemm), 2 (grouped_conv), 3 (fmha).", with_base(sizeof(ckd_gemm_problem), 77));
    TRIED("a size below zero", CKD_INVALID_ARGUMENT, "A GEMM of M x N x K = -1 x 64 x 64 was asked for; each must be from 1 to 2^31-1.", GEMM(m, -1));
    TRIED("the least number", CKD_INVALID_ARGUMENT, "A GEMM of M x N x K = -9223372036854775808 x 64 x 64 was asked for", GEMM(m, INT64_MIN));
    TRIED("the largest number", CKD_INVALID_ARGUMENT, "A GEMM of M x N x K = 9223372036854775807 x 64 x 64 was asked for", GEMM(m, INT64_MAX));
    TRIED("a batch below zero", CKD_INVALID_ARGUMENT, "A GEMM with a batch of -1 was asked for; it must be from 1 to 2^31-1.", GEMM(batch, -1));
    TRIED("a batch of 2^62", CKD_INVALID_ARGUMENT, "A GEMM with a batch of 4611686018427387904 was asked for", GEMM(batch, INT64_C(1) << 62));
    TRIED("matrices of a batch far apart", CKD_INVALID_ARGUMENT,
          "A GEMM was asked for with a batch of 2 whose A is 9223372036854775807 elements from one matrix to the next",
          with_batch_strides(INT64_MAX));
    TRIED("matrices of a batch in reverse", CKD_INVALID_ARGUMENT,
          "A GEMM was asked for with a batch stride of A of -2; it must not be negative.", with_batch_strides(-2));
    TRIED("outputs on each other", CKD_INVALID_ARGUMENT,
          "A GEMM was asked for with a batch stride of C of 8; the matrices of an output must not overlap: at least 4096.", with_batch_strides(8));
    TRIED("rows on each other", CKD_INVALID_ARGUMENT,
          "A GEMM was asked for with A of leading dimension 63; it must be at least 64", GEMM(stride_a, 63));
    TRIED("parts below zero", CKD_INVALID_ARGUMENT, "A GEMM with K = 64 split into -2 parts was asked for", GEMM(split_k, -2));
    TRIED("groups below zero", CKD_INVALID_ARGUMENT, "A GEMM of -1 groups was asked for, and there are none.", GEMM(group_count, -1));
    TRIED("groups that are nowhere", CKD_INVALID_ARGUMENT, "A GEMM of 1 groups was asked for, and there are none.", GEMM(group_count, 1));
    TRIED("2^60 groups", CKD_INVALID_ARGUMENT,
          "A GEMM of 1152921504606846976 groups was asked for; there may be up to 65536.", GEMM(group_count, INT64_C(1) << 60));
    TRIED("a group of nothing", CKD_INVALID_ARGUMENT, "A GEMM of M x N x K = 0 x 8 x 8 was asked for", with_groups(0));
    TRIED("D tensors below zero", CKD_INVALID_ARGUMENT, "A GEMM with -1 D tensors was asked for; there may be up to 4.", GEMM(d_count, -1));
    TRIED("2^31-1 D tensors", CKD_INVALID_ARGUMENT,
          "A GEMM with 2147483647 D tensors was asked for; there may be up to 4.", GEMM(d_count, INT32_MAX));
    TRIED("an alignment of 3", CKD_INVALID_ARGUMENT,
          "A GEMM with addresses aligned to 3 bytes was asked for; an alignment is 1, 2, 4, 8 or 16.", GEMM(alignment, 3));
    TRIED("an alignment below zero", CKD_INVALID_ARGUMENT,
          "A GEMM with addresses aligned to -2147483648 bytes was asked for", GEMM(alignment, INT32_MIN));
    TRIED("weights below zero", CKD_INVALID_ARGUMENT, "A GEMM with weights preshuffled as '-5x0' was asked for", GEMM(weights_n, -5));
    TRIED("no dtype", CKD_INVALID_ARGUMENT, "A GEMM was asked for without the dtype of A; fp16 is one.", GEMM(dtype_a, NULL));
    TRIED("a dtype that nobody knows", CKD_INVALID_ARGUMENT, "A GEMM of the dtype 'fp17' was asked for; the dtypes are ", GEMM(dtype_a, "fp17"));
    TRIED("a dtype that is no UTF-8", CKD_INVALID_ARGUMENT,
          "A GEMM of the dtype '\xef\xbf\xbd\xef\xbf\xbd' was asked for; the dtypes are ", GEMM(dtype_a, "\xff\xfe"));
    TRIED("a dtype of 2 MB", CKD_INVALID_ARGUMENT,
          "A problem was given with a word that does not end within 1000 bytes.", GEMM(dtype_a, without_end()));
    TRIED("a layout of 2 MB", CKD_INVALID_ARGUMENT,
          "A problem was given with a word that does not end within 1000 bytes.", GEMM(layout, without_end()));
    TRIED("a layout that nobody knows", CKD_INVALID_ARGUMENT, "A GEMM of the layout 'xyz' was asked for", GEMM(layout, "xyz"));
    TRIED("an operation of 2 MB", CKD_INVALID_ARGUMENT,
          "A problem was given with a word that does not end within 1000 bytes.", GEMM(fused_op, without_end()));
    TRIED("an operation that nobody knows", CKD_NO_KERNEL,
          "No kernel of the registry mine computes gemm 64x64x64 fp16 rcr Evil on gfx942", GEMM(fused_op, "Evil"));
}

static void conv_problems(void) {
    ckd_grouped_conv_problem good = {.base = {.struct_size = sizeof good, .family = CKD_GROUPED_CONV},
                                     .n = 1, .g = 1, .c = 16, .k = 16, .ndim_spatial = 2, .dtype_x = "fp16"};
    ckd_grouped_conv_problem bad;
    good.axis[0].input = good.axis[1].input = 8;
    good.axis[0].filter = good.axis[1].filter = 3;
    bad                  = good;
    bad.base.struct_size = 16;
    TRIED("a convolution of size 16", CKD_INVALID_ARGUMENT,
          "A grouped convolution was asked for with a structure that is no ckd_grouped_conv_problem of this version.", conv_selected(bad));
    bad              = good;
    bad.ndim_spatial = 1000000;
    TRIED("a million dimensions", CKD_INVALID_ARGUMENT,
          "A grouped convolution of 1000000 spatial dimensions was asked for; there are from one to three.", conv_selected(bad));
    bad              = good;
    bad.ndim_spatial = -1;
    TRIED("dimensions below zero", CKD_INVALID_ARGUMENT, "A grouped convolution of -1 spatial dimensions was asked for", conv_selected(bad));
    bad                = good;
    bad.axis[0].stride = INT64_MIN;
    TRIED("a stride below zero", CKD_INVALID_ARGUMENT,
          "A grouped convolution was asked for with the strides -9223372036854775808x1; each must be from 1 to 2^31-1.", conv_selected(bad));
    bad                  = good;
    bad.axis[1].left_pad = INT64_MAX;
    TRIED("pads without end", CKD_INVALID_ARGUMENT,
          "A grouped convolution was asked for with the left pads 0x9223372036854775807; each must be from 0 to 2^31-1.", conv_selected(bad));
    bad   = good;
    bad.n = INT32_MAX, bad.g = INT32_MAX;
    TRIED("more images than addresses", CKD_INVALID_ARGUMENT,
          "A grouped convolution was asked for with x of more than 256 TiB, which no GPU addresses", conv_selected(bad));
    bad           = good;
    bad.direction = "sideways";
    TRIED("a direction that is none", CKD_INVALID_ARGUMENT, "A grouped convolution of the direction 'sideways' was asked for", conv_selected(bad));
    bad         = good;
    bad.dtype_x = NULL;
    TRIED("a convolution without a dtype", CKD_INVALID_ARGUMENT,
          "A grouped convolution was asked for without the dtype of x; fp16 is one.", conv_selected(bad));
    bad        = good;
    bad.layout = without_end();
    TRIED("a layout without end", CKD_INVALID_ARGUMENT, "A problem was given with a word that does not end within 1000 bytes.", conv_selected(bad));
}

static double no_number(void* user, const ckd_problem* problem, const char* kernel, int64_t parts) {
    (void)user, (void)problem, (void)kernel, (void)parts;
    return NAN;
}
static size_t far_away(void* user, const ckd_problem* problem, const char* const* kernels, size_t count) {
    (void)user, (void)problem, (void)kernels, (void)count;
    return SIZE_MAX;
}

static void registries(void) {
    ckd_registry* made = NULL;
    char* text         = NULL;
    TRIED("no name", CKD_INVALID_ARGUMENT, "A call was made without a name.", ckd_registry_create(NULL, &made));
    TRIED("no place", CKD_INVALID_ARGUMENT, "A call was made without a place for the registry.", ckd_registry_create("a", NULL));
    TRIED("a name without end", CKD_INVALID_ARGUMENT,
          "A call was made with a name that does not end within 65536 bytes.", ckd_registry_create(without_end(), &made));
    TRIED("a path without end", CKD_INVALID_ARGUMENT,
          "A call was made with a path that does not end within 65536 bytes.",
          ckd_registry_load_manifest(registry, without_end(), CKD_REFUSE, 0, NULL));
    TRIED("a policy that is none", CKD_INVALID_ARGUMENT,
          "The policy 9 for duplicates was asked for", ckd_registry_load_manifest(registry, "a", (ckd_duplicates)9, 0, NULL));
    TRIED("a hash that is none", CKD_DAMAGED,
          "The library ",
          ckd_registry_add_library(registry, built_file("True_False_64x64x64_2x2x1_32x32x16", ".so"), "'; rm -rf /", CKD_REFUSE, 0, NULL));
    TRIED("no JSON", CKD_INVALID_ARGUMENT, "The filter is not valid JSON.", ckd_registry_filtered(registry, "{", &made));
    TRIED("a filter without end", CKD_INVALID_ARGUMENT,
          "A call was made with a filter that does not end within 65536 bytes.", ckd_registry_filtered(registry, without_end(), &made));
    TRIED("a filter by what is no field", CKD_INVALID_ARGUMENT,
          "A filter by '__proto__' was asked for", ckd_registry_filtered(registry, "{\"__proto__\": \"x\"}", &made));
    TRIED("an export that is none", CKD_DAMAGED, "The exported registry has no 'registry'.", ckd_registry_from_json("{}", &made));
    TRIED("a key that ends early", CKD_INVALID_ARGUMENT,
          "A kernel key has 'gemm{' where a key of the form gemm{", ckd_registry_find(registry, "gemm{", &text));
    TRIED("a key of a family that nobody knows", CKD_INVALID_ARGUMENT,
          "The key cooking{} is of the family cooking; this version has gemm, grouped_conv, fmha.", ckd_registry_find(registry, "cooking{}", &text));
    CHECK(made == NULL && text == NULL);
}

static void selections(void) {
    ckd_gemm_problem problem = fp16_problem(64, 64, 64);
    ckd_plan* chosen         = NULL;
    ckd_dispatcher* own      = NULL;
    TRIED("a GPU that nobody made", CKD_INVALID_ARGUMENT, "", ckd_dispatcher_create(registry, "gfx000", &own));
    TRIED("a strategy that is none", CKD_INVALID_ARGUMENT,
          "The strategy 7 was asked for; there are 0 (rules), 1 (first fit) and 2 (model).",
          ckd_dispatcher_use_strategy(dispatcher, (ckd_strategy)7));
    TRIED("a model that is not there", CKD_INVALID_ARGUMENT,
          "The strategy 'model' was asked for, and there is no model for this GPU; give one, or a predictor.", ckd_dispatcher_use_strategy(dispatcher, CKD_MODEL));
    TRIED("a model without a path", CKD_INVALID_ARGUMENT, "A call was made without the path of a model.", ckd_dispatcher_use_model(dispatcher, NULL));
    TRIED("a model that is nowhere", CKD_NOT_FOUND, "The model /nowhere/model.json ", ckd_dispatcher_use_model(dispatcher, "/nowhere/model.json"));
    TRIED("a model that is a folder", CKD_IO_FAILED, "The model /", ckd_dispatcher_use_model(dispatcher, "/"));
    TRIED("constants that are none", CKD_INVALID_ARGUMENT, "The cost model was given 0 constants; it has ", ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, NULL, 0));
    TRIED("more constants than there is memory", CKD_INVALID_ARGUMENT,
          "The cost model was given 18446744073709551615 constants; it has ", ckd_dispatcher_use_constants(dispatcher, CKD_GEMM, NULL, (size_t)-1));
    TRIED("costs of nothing", CKD_INVALID_ARGUMENT, "A call was made without a place for the text.", ckd_costs(dispatcher, NULL, NULL));
    TRIED("no predictor", CKD_INVALID_ARGUMENT, "A call was made without a predictor.", ckd_dispatcher_use_predictor(dispatcher, NULL, NULL));
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &own));
    CHECK_OK(ckd_dispatcher_use_predictor(own, no_number, NULL));
    TRIED("a prediction that is no number", CKD_INVALID_ARGUMENT, "The model's prediction for gemm_", ckd_select(own, &problem.base, &chosen));
    CHECK_OK(ckd_dispatcher_use_chooser(own, far_away, NULL));
    TRIED("a choice that is none", CKD_INVALID_ARGUMENT,
          "The function that chooses kernels returned candidate 18446744073709551615 of ", ckd_select(own, &problem.base, &chosen));
    TRIED("a run without a device", CKD_INVALID_ARGUMENT,
          "A plan was to be run, and its dispatcher has no device; attach one first.", ckd_run(own, &problem.base, &a_tensor, NULL, NULL));
    CHECK(chosen == NULL);
    ckd_dispatcher_destroy(own);
}

static void running(void) {
    ckd_gemm_problem problem      = fp16_problem(64, 64, 64);
    ckd_run_options options       = {.struct_size = 3};
    ckd_benchmark_options timing  = {.struct_size = sizeof timing, .repeat = -1};
    void* const nothing[]         = {NULL, NULL, NULL};
    void* const same[]            = {a_tensor, a_tensor, a_tensor};
    char* text                    = NULL;
    void* address                 = NULL;
    ckd_device* opened            = NULL;
    TRIED("tensors that are nowhere", CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_run(dispatcher, &problem.base, NULL, NULL, NULL));
    TRIED("null tensors", CKD_INVALID_ARGUMENT,
          "A GEMM was to be run with no address for A.", ckd_run(dispatcher, &problem.base, nothing, NULL, NULL));
    TRIED("no launch", CKD_INVALID_ARGUMENT, "A call was made without a launch.", ckd_plan_launch(NULL));
    TRIED("a launch without a size", CKD_INVALID_ARGUMENT, "Options were given whose struct_size is 0, not 32.", ckd_plan_launch(&(ckd_launch){0, 3, plan, NULL, same}));
    TRIED("null tensors of a plan", CKD_INVALID_ARGUMENT, "A GEMM was to be run with no address for A.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, nothing}));
    TRIED("no tensors of a plan", CKD_INVALID_ARGUMENT, "A call was made without tensors.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 3, plan, NULL, NULL}));
    TRIED("too few tensors of a plan", CKD_INVALID_ARGUMENT, "A plan was launched with 2 tensors; it has 3.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 2, plan, NULL, same}));
    TRIED("too many tensors of a plan", CKD_INVALID_ARGUMENT,
          "A plan was launched with 4294967295 tensors; it has 3.", ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), UINT32_MAX, plan, NULL, same}));
    TRIED("an output on its input", CKD_INVALID_ARGUMENT,
          "A GEMM was to be run with C in the memory of A; what is written must not overlap another tensor.",
          ckd_run(dispatcher, &problem.base, same, NULL, NULL));
    TRIED("the same of a plan", CKD_INVALID_ARGUMENT,
          "A GEMM was to be run with C in the memory of A; what is written must not overlap another tensor.", ckd_plan_run(plan, same, NULL));
    TRIED("options of size 3", CKD_INVALID_ARGUMENT, "Options were given whose struct_size is 3, not 32.", ckd_plan_run(plan, same, &options));
    options.struct_size = UINT32_MAX;
    TRIED("options of 4 GiB", CKD_INVALID_ARGUMENT,
          "Options were given whose struct_size is 4294967295, not 32.", ckd_plan_run(plan, same, &options));
    TRIED("a benchmark of -1 runs", CKD_INVALID_ARGUMENT,
          "A benchmark was asked for with warmup = 0, repeat = -1 and rotating_buffers = 1;", ckd_plan_benchmark(plan, same, &timing, &text));
    timing.repeat = 1, timing.rotating_buffers = INT32_MAX;
    TRIED("a benchmark with 2^31-1 copies", CKD_INVALID_ARGUMENT,
          "A benchmark was asked for with warmup = 0, repeat = 1 and rotating_buffers = 2147483647;",
          ckd_plan_benchmark(plan, same, &timing, &text));
    TRIED("all of the memory", CKD_OUT_OF_MEMORY,
          "hipMalloc failed on sim:gfx942 with hipErrorOutOfMemory", ckd_device_allocate(device, SIZE_MAX / 2, &address));
    TRIED("an address that nobody has", CKD_DEVICE_FAILED,
          "hipFree failed on sim:gfx942 with hipErrorInvalid", ckd_device_release(device, (char*)a_tensor + 1));
    TRIED("a copy to nowhere", CKD_DEVICE_FAILED,
          "hipMemcpy failed on sim:gfx942 with hipErrorInvalidValue", ckd_device_copy_in(device, NULL, &problem, 8));
    TRIED("a stream that is none", CKD_DEVICE_FAILED, "hipStreamSynchronize failed on sim:gfx942 with ", ckd_device_synchronize(device, &problem));
    TRIED("a device of 2 MB", CKD_INVALID_ARGUMENT,
          "A call was made with the name of a device that does not end within 65536 bytes.", ckd_device_open(without_end(), NULL, &opened));
    TRIED("a device that is none", CKD_INVALID_ARGUMENT, "The device 'hip:-1' was asked for", ckd_device_open("hip:-1", NULL, &opened));
    CHECK(text == NULL && address == NULL && opened == NULL);
}

static void handles(void) {
    ckd_gemm_problem problem = fp16_problem(64, 64, 64);
    ckd_registry* gone       = NULL;
    ckd_plan* gone_plan      = NULL;
    ckd_plan* chosen         = NULL;
    CHECK_OK(ckd_registry_create("gone", &gone));
    CHECK_OK(ckd_select(dispatcher, &problem.base, &gone_plan));
    ckd_registry_destroy(gone);
    ckd_plan_destroy(gone_plan);
    TRIED("a registry that was destroyed", CKD_INVALID_ARGUMENT,
          "A call was made with a handle that is not a registry, or not any more.", ckd_registry_load_manifest(gone, "a", CKD_REFUSE, 0, NULL));
    TRIED("a plan that was destroyed", CKD_INVALID_ARGUMENT,
          "A call was made with a handle that is not a plan, or not any more.",
          ckd_plan_launch(&(ckd_launch){sizeof(ckd_launch), 1, gone_plan, NULL, &a_tensor}));
    TRIED("a device as a registry", CKD_INVALID_ARGUMENT,
          "A call was made with a handle that is not a registry, or not any more.", ckd_registry_remove((ckd_registry*)(void*)device, "a"));
    TRIED("a registry as a dispatcher", CKD_INVALID_ARGUMENT,
          "A call was made with a handle that is not a dispatcher, or not any more.",
          ckd_select((ckd_dispatcher*)(void*)registry, &problem.base, &chosen));
    CHECK(ckd_registry_size(gone) == 0);
    CHECK_TEXT(ckd_plan_kernel(gone_plan), "");
    /* Twice, of another kind, and of none. */
    ckd_registry_destroy(gone);
    CHECK_TEXT(ckd_last_error(), "A call was made with a handle that is not a registry, or not any more.");
    ckd_plan_destroy(gone_plan);
    ckd_plan_destroy((ckd_plan*)(void*)device);
    CHECK_TEXT(ckd_last_error(), "A call was made with a handle that is not a plan, or not any more.");
    ckd_plan_destroy(NULL);
    CHECK(chosen == NULL && strcmp(ckd_device_gpu(device), "gfx942") == 0);
    TRIED("no handle", CKD_INVALID_ARGUMENT, "A call was made without a registry.", ckd_registry_remove(NULL, "a"));
}

int main(void) {
    ckd_gemm_problem problem = fp16_problem(64, 64, 64);
    CHECK_OK(ckd_registry_create("mine", &registry));
    CHECK_OK(ckd_registry_create("mine", &convolutions));
    CHECK_OK(ckd_registry_load_manifest(registry, built_file("gemm_fp16_rcr_essential", ".manifest.json"), CKD_REFUSE, 0, NULL));
    CHECK_OK(ckd_device_open("sim:gfx942", NULL, &device));
    CHECK_OK(ckd_device_allocate(device, 64 * 64 * 2, &a_tensor));
    CHECK_OK(ckd_dispatcher_create(registry, "gfx942", &dispatcher));
    CHECK_OK(ckd_dispatcher_create(convolutions, "gfx942", &conv_dispatcher));
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    CHECK_OK(ckd_select(dispatcher, &problem.base, &plan));
    problems();
    conv_problems();
    registries();
    selections();
    running();
    handles();
    /* All of it is as it was. */
    CHECK(ckd_registry_size(registry) > 0);
    CHECK_OK(selected(problem));
    ckd_plan_destroy(plan);
    ckd_dispatcher_destroy(dispatcher);
    ckd_dispatcher_destroy(conv_dispatcher);
    CHECK_OK(ckd_device_release(device, a_tensor));
    ckd_device_close(device);
    ckd_registry_destroy(convolutions);
    ckd_registry_destroy(registry);
    return EXIT_SUCCESS;
}
