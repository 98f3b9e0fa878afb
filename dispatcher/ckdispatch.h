/* SPDX-License-Identifier: MIT
 *
 * The C ABI of the dispatcher: registries of kernels, devices, selection and launches, for C and for other languages.
 *
 * A function returns a ckd_status. After any but CKD_OK, ckd_last_error() has the sentence that says what was asked,
 * what is wrong and what would work; it belongs to the calling thread and lasts until its next failing call. No
 * exception crosses this border. Text that a function allocates is freed with ckd_free_text(). A structure begins with
 * its own size, so that a later version may append fields; zero is the default of every field. Handles may be used from
 * any thread; destroying one in use by another is not allowed. What a run writes must not overlap another of its
 * tensors (but where the family and the kernel allow it): such a run is refused. The problems of each family are in a
 * header of its own, <family>/ckd_<family>.h; this one includes them all.
 */
#ifndef CKDISPATCH_H_
#define CKDISPATCH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CKD_BUILDING)
#define CKD_API __attribute__((visibility("default")))
#else
#define CKD_API
#endif

#define CKD_ABI_VERSION 2u

/* A caller may give any number, and the dispatcher refuses the wrong ones: in C++ they must be values of the type for
 * that. */
#if defined(__cplusplus)
#define CKD_ENUM(name) enum name : unsigned
#else
#define CKD_ENUM(name) enum name
#endif

typedef CKD_ENUM(ckd_status){
    CKD_OK = 0,
    CKD_INVALID_ARGUMENT = 1, /* a problem, an option or a name that makes no sense */
    CKD_NOT_FOUND = 2,        /* a kernel, a device or a file that is not there */
    CKD_DUPLICATE = 3,        /* the registry already has that kernel */
    CKD_UNSUPPORTED = 4,      /* a valid problem that the kernel asked for cannot compute */
    CKD_NO_KERNEL = 5,        /* no kernel of the registry computes the problem */
    CKD_WRONG_GPU = 6,        /* the library holds no code for the device's GPU */
    CKD_ABI_MISMATCH = 7,     /* a library of another ABI version */
    CKD_DAMAGED = 8,          /* a file that is not what its hash, its manifest or its own description says */
    CKD_DEVICE_FAILED = 9,    /* the HIP runtime reported an error */
    CKD_OUT_OF_MEMORY = 10,   /* the device, or the machine, has too little memory */
    CKD_IO_FAILED = 11,       /* a file could not be read or written */
    CKD_MISMATCH = 12,        /* a result differs from the reference by more than its tolerance */
    CKD_INTERNAL = 13} ckd_status;

typedef CKD_ENUM(ckd_duplicates){CKD_REFUSE = 0, CKD_REPLACE = 1, CKD_KEEP = 2} ckd_duplicates;

typedef CKD_ENUM(ckd_strategy){CKD_RULES = 0, CKD_FIRST_FIT = 1, CKD_MODEL = 2} ckd_strategy;

typedef struct ckd_registry ckd_registry;     /* kernels of all families */
typedef struct ckd_device ckd_device;         /* an AMD GPU or the simulator */
typedef struct ckd_code ckd_code;             /* kernels that are no kernel libraries, on a device */
typedef struct ckd_dispatcher ckd_dispatcher; /* selects from a registry for a GPU, and runs on a device */
typedef struct ckd_plan ckd_plan;             /* what was selected for a problem */

/* The first member of every family's problem. */
typedef struct ckd_problem {
    uint32_t struct_size;
    uint32_t family; /* ckd_family */
} ckd_problem;

typedef struct ckd_run_options {
    uint32_t struct_size;
    uint32_t reserved;
    void* stream;    /* hipStream_t; null for the default stream */
    void* workspace; /* device memory, aligned to 16 bytes, for one stream at a time, that overlaps no tensor; or null
                        for the dispatcher's own */
    uint64_t workspace_size;
} ckd_run_options;

typedef struct ckd_benchmark_options {
    uint32_t struct_size;
    int32_t warmup;           /* untimed runs before the measured ones */
    int32_t repeat;           /* measured runs; 0 is 10 */
    int32_t flush_cache;      /* nonzero: overwrite the GPU's caches before each measured run */
    int32_t rotating_buffers; /* copies of the tensors that runs take in turn; 0 is 1 */
    int32_t cpu_timer;        /* nonzero: the CPU's clock instead of the GPU's */
    void* stream;
} ckd_benchmark_options;

/* A launch in one argument, because callers in other languages pay for each. */
typedef struct ckd_launch {
    uint32_t struct_size;
    uint32_t count; /* of the tensors, which must be the plan's */
    const ckd_plan* plan;
    void* stream; /* hipStream_t; null for the default stream */
    void* const* tensors;
} ckd_launch;

/* ---- the library ---- */

CKD_API uint32_t ckd_abi_version(void);
CKD_API const char* ckd_last_error(void);
CKD_API const char* ckd_status_name(ckd_status status);
CKD_API void ckd_free_text(char* text);

/* ---- registries ---- */

CKD_API ckd_status ckd_registry_create(const char* name, ckd_registry** registry);
/* The registry of that name in this process, made at the first ask; destroying the handle leaves it. */
CKD_API ckd_status ckd_registry_named(const char* name, ckd_registry** registry);
CKD_API void ckd_registry_destroy(ckd_registry* registry);
/* Adds the kernels of <set>.manifest.json, of whichever families, without opening their libraries; all or none. count
 * may be null. */
CKD_API ckd_status ckd_registry_load_manifest(ckd_registry* registry, const char* path, ckd_duplicates duplicates,
                                              int32_t priority, size_t* count);
/* Opens a library and adds its kernel. sha256 is what it must hash to, or null. name may be null. */
CKD_API ckd_status ckd_registry_add_library(ckd_registry* registry, const char* path, const char* sha256,
                                            ckd_duplicates duplicates, int32_t priority, char** name);
CKD_API ckd_status ckd_registry_remove(ckd_registry* registry, const char* name);
CKD_API ckd_status ckd_registry_merge(ckd_registry* registry, const ckd_registry* other, ckd_duplicates duplicates,
                                      size_t* count);
/* filter: a JSON object of field and word, such as {"dtype_a": "fp16", "layout": "rcr"}, of a GPU ("gpu") and a family
 * ("family"); an empty one keeps all. A family whose kernels have no such field has none that pass. */
CKD_API ckd_status ckd_registry_filtered(const ckd_registry* registry, const char* filter, ckd_registry** chosen);
CKD_API size_t ckd_registry_size(const ckd_registry* registry);
/* Changes with every kernel that is added, replaced or removed. */
CKD_API uint64_t ckd_registry_version(const ckd_registry* registry);
/* A kernel as JSON: name, family, key, spec, library, resources. By its name, or by its key as text. */
CKD_API ckd_status ckd_registry_find(const ckd_registry* registry, const char* name_or_key, char** json);
CKD_API ckd_status ckd_registry_to_json(const ckd_registry* registry, char** json);
CKD_API ckd_status ckd_registry_from_json(const char* json, ckd_registry** registry);

/* ---- devices ---- */

/* name: "hip:0" or "sim:gfx942". simulator: the path of the simulator's runtime, or null for CKDISPATCH_SIMULATOR. */
CKD_API ckd_status ckd_device_open(const char* name, const char* simulator, ckd_device** device);
CKD_API void ckd_device_close(ckd_device* device);
CKD_API const char* ckd_device_gpu(const ckd_device* device);
CKD_API ckd_status ckd_device_allocate(ckd_device* device, size_t bytes, void** address);
CKD_API ckd_status ckd_device_release(ckd_device* device, void* address);
CKD_API ckd_status ckd_device_copy_in(ckd_device* device, void* to, const void* from_host, size_t bytes);
CKD_API ckd_status ckd_device_copy_out(ckd_device* device, void* to_host, const void* from, size_t bytes);
/* Copies rows of `width` bytes on the device, `pitch` bytes from one to the next. */
CKD_API ckd_status ckd_device_copy_rows(ckd_device* device, void* to, size_t to_pitch, const void* from,
                                        size_t from_pitch, size_t width, size_t rows, void* stream);
CKD_API ckd_status ckd_device_fill(ckd_device* device, void* address, int byte, size_t bytes, void* stream);
CKD_API ckd_status ckd_device_synchronize(ckd_device* device, void* stream);
CKD_API ckd_status ckd_device_create_stream(ckd_device* device, void** stream);
CKD_API ckd_status ckd_device_destroy_stream(ckd_device* device, void* stream);
/* A code object of kernels that are no kernel libraries: the bytes of its file. Closing it ends what it has on the
 * device, so wait for its launches before. */
CKD_API ckd_status ckd_device_load(ckd_device* device, const void* file, ckd_code** code);
CKD_API void ckd_code_close(ckd_code* code);
/* Enqueues one of its kernels; arguments are as they lie in memory. */
CKD_API ckd_status ckd_code_launch(ckd_code* code, const char* kernel, uint32_t workgroups, uint32_t lanes,
                                   void* arguments, size_t bytes, void* stream);

/* ---- selection: needs no device, and loads no HIP runtime ---- */

CKD_API ckd_status ckd_dispatcher_create(ckd_registry* registry, const char* gpu, ckd_dispatcher** dispatcher);
CKD_API void ckd_dispatcher_destroy(ckd_dispatcher* dispatcher);
/* Not while another thread selects. CKD_MODEL is the default where there is a model; families that have none are chosen
 * for by CKD_RULES. */
CKD_API ckd_status ckd_dispatcher_use_strategy(ckd_dispatcher* dispatcher, ckd_strategy strategy);
/* Constants of the cost model of a family in place of the dispatcher's own, in the order that ckd_costs names them in.
 */
CKD_API ckd_status ckd_dispatcher_use_constants(ckd_dispatcher* dispatcher, uint32_t family, const double* constants,
                                                size_t count);
/* Chooses by a learned model from a file (docs/models.md), in place of one for the same kernels; other kernels are
 * chosen as before. */
CKD_API ckd_status ckd_dispatcher_use_model(ckd_dispatcher* dispatcher, const char* path);
/* A prediction of the caller's own, in microseconds, in place of the cost model. parts: of a sum that the kernel
 * splits, or 1. */
typedef double (*ckd_predictor)(void* user, const ckd_problem* problem, const char* kernel, int64_t parts);
CKD_API ckd_status ckd_dispatcher_use_predictor(ckd_dispatcher* dispatcher, ckd_predictor predictor, void* user);
/* Chooses among the kernels that compute the problem, the best first; an index out of range fails the selection. */
typedef size_t (*ckd_chooser)(void* user, const ckd_problem* problem, const char* const* kernels, size_t count);
CKD_API ckd_status ckd_dispatcher_use_chooser(ckd_dispatcher* dispatcher, ckd_chooser chooser, void* user);
CKD_API ckd_status ckd_select(ckd_dispatcher* dispatcher, const ckd_problem* problem, ckd_plan** plan);
/* As ckd_select. If no kernel takes the problem as it is, a plan for a larger one: it copies the tensors into its
 * workspace, with zeros around them, runs there and copies the result back, all on the stream. CKD_NO_KERNEL is about
 * the problem itself. */
CKD_API ckd_status ckd_select_padded(ckd_dispatcher* dispatcher, const ckd_problem* problem, ckd_plan** plan);
/* With that kernel and no other, by its name or by its key as text. */
CKD_API ckd_status ckd_select_explicit(ckd_dispatcher* dispatcher, const char* name_or_key, const ckd_problem* problem,
                                       ckd_plan** plan);
/* JSON: {"problem", "gpu", "costs", "models", "fit": [{"kernel", "microseconds", "basis", …}], "refused": [{"kernel",
 * "code", "reason"}]}. Of a problem with several pieces: for one launch of all; where that takes several kernels,
 * "stages" has all of a plan and "problem" what "kernel" computes of it. */
CKD_API ckd_status ckd_rank(ckd_dispatcher* dispatcher, const ckd_problem* problem, char** json);
/* JSON: {"problem", "gpu", "terms": [names], "constants": […], "features": [names],
 * "fit": [{"kernel", "parts", "microseconds", "terms": […], "features": […]}]}: what the cost model and learned models
 * see of a problem on each kernel that computes it. */
CKD_API ckd_status ckd_costs(ckd_dispatcher* dispatcher, const ckd_problem* problem, char** json);
CKD_API void ckd_plan_destroy(ckd_plan* plan);
CKD_API const char* ckd_plan_kernel(const ckd_plan* plan);
CKD_API uint64_t ckd_plan_workspace_size(const ckd_plan* plan);
/* {"problem", "padded": the larger problem or null, "gpu", "stages": [{"kernel", …}], "steps": [{"step": "launch",
 * "combine", "copy" or "clear", …}], "launches", …} */
CKD_API ckd_status ckd_plan_to_json(const ckd_plan* plan, char** json);

/* ---- running: tensors are device addresses in the family's order ---- */

CKD_API ckd_status ckd_dispatcher_attach(ckd_dispatcher* dispatcher, ckd_device* device);
/* Selects and enqueues. options and plan may be null. */
CKD_API ckd_status ckd_run(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                           const ckd_run_options* options, ckd_plan** plan);
/* The same with ckd_select_padded. */
CKD_API ckd_status ckd_run_padded(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                                  const ckd_run_options* options, ckd_plan** plan);
/* Enqueues what was selected before; the addresses must be aligned as the problem says. */
CKD_API ckd_status ckd_plan_run(const ckd_plan* plan, void* const* tensors, const ckd_run_options* options);
/* The same with the dispatcher's own workspace, by the shortest path. */
CKD_API ckd_status ckd_plan_launch(const ckd_launch* launch);
/* JSON: {"kernel", "device", "simulated", "times", "milliseconds": […], "median", "minimum", "mean"}. "times" are
 * "measured" on a GPU, "simulated" by a model of it (GFXSIM_TIMING), or those of the "simulator" itself, which say
 * nothing about a GPU. */
CKD_API ckd_status ckd_plan_benchmark(const ckd_plan* plan, void* const* tensors, const ckd_benchmark_options* options,
                                      char** json);
/* Runs, and compares the output with a reference of the CPU. JSON: {"ok", "kernel", "checked", "wrong", "max_abs",
 * "worst", …}; worst is a place in the output, and empty if nothing is wrong. */
CKD_API ckd_status ckd_validate(ckd_dispatcher* dispatcher, const ckd_problem* problem, void* const* tensors,
                                const ckd_run_options* options, char** json);
/* The same with what was selected before: a kernel that was named, or a larger problem. */
CKD_API ckd_status ckd_plan_validate(const ckd_plan* plan, void* const* tensors, const ckd_run_options* options,
                                     char** json);

#ifdef __cplusplus
}
#endif

#include "ckdispatch_families.h" /* generated: the families, and the structures of each */

#endif /* CKDISPATCH_H_ */
