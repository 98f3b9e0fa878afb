/* SPDX-License-Identifier: MIT
 *
 * Eight threads share a dispatcher: every variant of both families, on the default stream and on one other in turn. Each thread has problems and tensors of its
 * own, with whole numbers that every order of a sum gives the same bits for. CK_RUNS says how often each thread runs.
 */
#include <pthread.h>

#include "tests/dispatcher/support/check.h"

enum { THREADS = 8, MOST_GROUPS = 3, MOST_TENSORS = 3 * MOST_GROUPS, CALLERS = 1 << 22 };

static ckd_device* device;
static void* other_stream;
static void* callers_workspace;
static int runs;

/* What a case is about: which kernels, and the problem of a thread. */
union problem;
typedef struct stress_case {
    const char *name, *manifest, *filter;
    void (*describe)(int thread, union problem* problem);
    int with_callers_workspace;
} stress_case;

typedef union problem {
    ckd_problem base;
    ckd_gemm_problem gemm;
    ckd_grouped_conv_problem conv;
} problem;

/* ---- problems: no two threads have the same, so that workspaces of different sizes meet ---- */

static ckd_gemm_group groups[THREADS][MOST_GROUPS];

static void plain(int thread, problem* p) { p->gemm = fp16_problem(8 + 8 * thread, 40 + 8 * (thread % 3), 64 + 8 * thread); }
static void parts(int thread, problem* p) {
    const int64_t count = 2 + thread % 3;
    p->gemm             = fp16_problem(8 + 8 * thread, 40 + 8 * (thread % 3), 64 * count);
    p->gemm.split_k     = count;
}
static void batch(int thread, problem* p) {
    plain(thread, p);
    p->gemm.batch = 2 + thread % 2;
}
static void bias(int thread, problem* p) {
    plain(thread, p);
    p->gemm.fused_op      = "MultiDAddRelu";
    p->gemm.d_count       = 1;
    p->gemm.has_d_strides = 1;
}
static void weights(int thread, problem* p) {
    p->gemm           = fp16_problem(8 + 8 * thread, 64 * (1 + thread % 2), 128);
    p->gemm.weights_n = 16;
    p->gemm.weights_k = 8;
}
static void grouped(int thread, problem* p) {
    p->gemm = fp16_problem(0, 0, 0);
    for (int i = 0; i < MOST_GROUPS; ++i) {
        const ckd_gemm_group one = {.m = 8 + 8 * i + thread, .n = 40 + 8 * ((thread + i) % 3), .k = 64 + 8 * i};
        groups[thread][i]        = one;
    }
    p->gemm.groups      = groups[thread];
    p->gemm.group_count = 1 + thread % MOST_GROUPS;
}
static void convolution(int thread, problem* p, const char* direction) {
    const ckd_grouped_conv_axis axis = {.input = 6 + thread % 3, .filter = 3, .stride = 1 + thread % 2, .left_pad = 1, .right_pad = 1};
    const ckd_grouped_conv_problem c = {.base      = {.struct_size = sizeof c, .family = CKD_GROUPED_CONV},
                                        .direction = direction, .n = 1 + thread % 2, .g = 1, .c = 16 + 8 * (thread % 3), .k = 24,
                                        .ndim_spatial = 2, .axis = {axis, axis}, .dtype_x = "fp16"};
    p->conv = c;
}
static void forward(int thread, problem* p) { convolution(thread, p, "forward"); }
static void backward_data(int thread, problem* p) { convolution(thread, p, "backward_data"); }
static void backward_weight(int thread, problem* p) {
    convolution(thread, p, "backward_weight");
    p->conv.n       = 4 + thread % 2;
    p->conv.split_k = 2;
    p->conv.axis[0].stride = p->conv.axis[1].stride = 1;
}

static const stress_case cases[] = {
    {"standard", "gemm_fp16_rcr_essential", "{\"variant\": \"standard\"}", plain, 0},
    {"split-K, workspace", "test_gemm_dispatch", "{\"variant\": \"standard\", \"split_k\": \"workspace\"}", parts, 0},
    {"split-K, workspace of the caller", "test_gemm_dispatch", "{\"variant\": \"standard\", \"split_k\": \"workspace\"}", parts, 1},
    {"split-K, atomic", "test_gemm_variants", "{\"variant\": \"standard\", \"split_k\": \"atomic\", \"dtype_c\": \"fp16\"}", parts, 0},
    {"stream-K, workspace", "test_gemm_dispatch", "{\"variant\": \"stream_k\", \"split_k\": \"workspace\"}", plain, 0},
    {"stream-K, atomic", "test_gemm_dispatch", "{\"variant\": \"stream_k\", \"split_k\": \"atomic\"}", plain, 0},
    {"grouped", "test_gemm_dispatch", "{\"variant\": \"grouped\"}", grouped, 0},
    {"batched", "test_gemm_dispatch", "{\"variant\": \"batched\"}", batch, 0},
    {"multi-D", "test_gemm_dispatch", "{\"variant\": \"multi_d\"}", bias, 0},
    {"preshuffle", "test_gemm_dispatch", "{\"variant\": \"preshuffle\"}", weights, 0},
    {"convolution, forward", "grouped_conv_fwd_fp16_2d_essential", "{}", forward, 0},
    {"convolution, backward data", "grouped_conv_bwd_data_fp16_2d_essential", "{}", backward_data, 0},
    {"convolution, backward weight, workspace", "grouped_conv_bwd_weight_fp16_2d_essential", "{\"split_k\": \"workspace\"}", backward_weight, 0},
};

/* ---- tensors ---- */

typedef struct tensors {
    int count;
    int written[MOST_TENSORS];
    size_t bytes[MOST_TENSORS];
    void* address[MOST_TENSORS];
    void* expected[MOST_TENSORS];
} tensors;

static void add(tensors* all, int64_t elements, int written) {
    all->bytes[all->count]   = (size_t)elements * 2;
    all->written[all->count] = written;
    all->count++;
}

static void add_product(tensors* all, int64_t m, int64_t n, int64_t k, int64_t times) {
    add(all, times * m * k, 0);
    add(all, times * k * n, 0);
    add(all, times * m * n, 1);
}

static void count_tensors(const problem* p, tensors* all) {
    memset(all, 0, sizeof *all);
    if (p->base.family == CKD_GROUPED_CONV) {
        const ckd_grouped_conv_problem* c = &p->conv;
        const int64_t out                 = (c->axis[0].input + 2 - 3) / c->axis[0].stride + 1;
        const char last                   = c->direction[strlen(c->direction) - 1];
        add(all, c->n * c->axis[0].input * c->axis[1].input * c->g * c->c, last == 'a');
        add(all, c->g * c->k * 9 * c->c, last == 't');
        add(all, c->n * out * out * c->g * c->k, last == 'd');
        return;
    }
    for (int64_t i = 0; i < p->gemm.group_count; ++i) add_product(all, p->gemm.groups[i].m, p->gemm.groups[i].n, p->gemm.groups[i].k, 1);
    if (p->gemm.group_count == 0) add_product(all, p->gemm.m, p->gemm.n, p->gemm.k, p->gemm.batch ? p->gemm.batch : 1);
    if (p->gemm.d_count) add(all, p->gemm.n, 0);
}

static void fill_tensors(tensors* all, unsigned seed) {
    static const uint16_t numbers[] = {0xbc00, 0, 0x3c00}; /* -1, 0 and 1 as fp16 */
    for (int i = 0; i < all->count; ++i) {
        uint16_t* host = malloc(all->bytes[i]);
        CHECK(host != NULL);
        for (size_t j = 0; j < all->bytes[i] / 2; ++j) {
            seed    = seed * 1103515245u + 12345u;
            host[j] = numbers[(seed >> 16) % 3];
        }
        CHECK_OK(ckd_device_allocate(device, all->bytes[i], &all->address[i]));
        CHECK_OK(ckd_device_copy_in(device, all->address[i], host, all->bytes[i]));
        all->expected[i] = host;
    }
}

static void free_tensors(tensors* all) {
    for (int i = 0; i < all->count; ++i) {
        CHECK_OK(ckd_device_release(device, all->address[i]));
        free(all->expected[i]);
    }
}

/* ---- runs ---- */

typedef struct worker {
    pthread_t id;
    const stress_case* about;
    ckd_dispatcher* dispatcher;
    problem asked;
    tensors all;
    int wrong, failed;
    char why[512];
} worker;

/* Alone, and compared with the CPU's reference: what every run must give. */
static void run_alone(worker* w) {
    char* json = NULL;
    CHECK_OK(ckd_validate(w->dispatcher, &w->asked.base, w->all.address, NULL, &json));
    CHECK_HAS(json, "\"ok\":true");
    ckd_free_text(json);
    for (int i = 0; i < w->all.count; ++i)
        if (w->all.written[i]) CHECK_OK(ckd_device_copy_out(device, w->all.expected[i], w->all.address[i], w->all.bytes[i]));
}

static int is_right(worker* w) {
    int right = 1;
    for (int i = 0; i < w->all.count; ++i) {
        char* found = malloc(w->all.bytes[i]);
        CHECK(found != NULL);
        CHECK_OK(ckd_device_copy_out(device, found, w->all.address[i], w->all.bytes[i]));
        right = right && memcmp(found, w->all.expected[i], w->all.bytes[i]) == 0;
        free(found);
    }
    return right;
}

static void* run_often(void* argument) {
    worker* w      = argument;
    ckd_plan* plan = NULL;
    for (int i = 0; i < runs; ++i) {
        ckd_run_options options = {.struct_size = sizeof options, .stream = i % 2 || w->about->with_callers_workspace ? other_stream : NULL};
        if (w->about->with_callers_workspace) {
            options.workspace      = callers_workspace;
            options.workspace_size = CALLERS;
        }
        for (int t = 0; t < w->all.count; ++t)
            if (w->all.written[t]) CHECK_OK(ckd_device_fill(device, w->all.address[t], 0x5a, w->all.bytes[t], options.stream));
        /* By the problem and by a plan in turn. */
        const ckd_status status = i % 4 < 2 || !plan ? ckd_run(w->dispatcher, &w->asked.base, w->all.address, &options, plan ? NULL : &plan)
                                                     : ckd_plan_run(plan, w->all.address, &options);
        if (status != CKD_OK) {
            w->failed++;
            snprintf(w->why, sizeof w->why, "%s", ckd_last_error());
            continue;
        }
        CHECK_OK(ckd_device_synchronize(device, options.stream));
        w->wrong += !is_right(w);
    }
    ckd_plan_destroy(plan);
    return NULL;
}

static int run_case(const stress_case* about) {
    ckd_registry *declared = NULL, *registry = NULL;
    ckd_dispatcher* dispatcher = NULL;
    static worker workers[THREADS];
    int wrong = 0, failed = 0;
    const char* why = "";
    CHECK_OK(ckd_registry_create("mine", &declared));
    CHECK_OK(ckd_registry_load_manifest(declared, built_file(about->manifest, ".manifest.json"), CKD_REFUSE, 0, NULL));
    CHECK_OK(ckd_registry_filtered(declared, about->filter, &registry));
    CHECK_OK(ckd_dispatcher_create(registry, ckd_device_gpu(device), &dispatcher));
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    memset(workers, 0, sizeof workers);
    for (int t = 0; t < THREADS; ++t) {
        worker* w     = &workers[t];
        w->about      = about;
        w->dispatcher = dispatcher;
        about->describe(t, &w->asked);
        count_tensors(&w->asked, &w->all);
        fill_tensors(&w->all, (unsigned)t + 1);
        run_alone(w);
    }
    /* With nothing of its own yet, so that the first runs meet in all that is made at first use. */
    ckd_dispatcher_destroy(dispatcher);
    CHECK_OK(ckd_dispatcher_create(registry, ckd_device_gpu(device), &dispatcher));
    CHECK_OK(ckd_dispatcher_attach(dispatcher, device));
    for (int t = 0; t < THREADS; ++t) workers[t].dispatcher = dispatcher;
    for (int t = 0; t < THREADS; ++t) CHECK(pthread_create(&workers[t].id, NULL, run_often, &workers[t]) == 0);
    for (int t = 0; t < THREADS; ++t) CHECK(pthread_join(workers[t].id, NULL) == 0);
    for (int t = 0; t < THREADS; ++t) {
        wrong += workers[t].wrong;
        failed += workers[t].failed;
        if (workers[t].failed) why = workers[t].why;
        free_tensors(&workers[t].all);
    }
    printf("%s: %d x %d runs, %d wrong, %d failed%s%s\n", about->name, THREADS, runs, wrong, failed, failed ? ": " : "", why);
    fflush(stdout);
    ckd_dispatcher_destroy(dispatcher);
    ckd_registry_destroy(registry);
    ckd_registry_destroy(declared);
    return wrong + failed;
}

int main(void) {
    const char* wanted = getenv("CKDISPATCH_DEVICE");
    const char* count  = getenv("CK_RUNS");
    int bad            = 0;
    runs               = count ? atoi(count) : 0;
    CHECK(runs > 0);
    CHECK_OK(ckd_device_open(wanted ? wanted : "sim:gfx942", NULL, &device));
    if (strcmp(ckd_device_gpu(device), "gfx942") != 0) {
        printf("The kernels of this test are for gfx942, and the device is a %s.\n", ckd_device_gpu(device));
        return EXIT_SUCCESS;
    }
    CHECK_OK(ckd_device_create_stream(device, &other_stream));
    CHECK_OK(ckd_device_allocate(device, CALLERS, &callers_workspace));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) bad += run_case(&cases[i]);
    CHECK_OK(ckd_device_release(device, callers_workspace));
    CHECK_OK(ckd_device_destroy_stream(device, other_stream));
    ckd_device_close(device);
    CHECK(bad == 0);
    return EXIT_SUCCESS;
}
