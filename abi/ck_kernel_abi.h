/* SPDX-License-Identifier: MIT
 *
 * The C ABI of a kernel library: everything a runtime may ask of lib<kernel>.so.
 *
 * A library exports one function, ck_kernel_get_api(), and needs nothing but libc to be loaded. Nothing in it
 * touches a device before launch(): describe(), supports() and workspace_size() answer from what was known when
 * the library was compiled. The first launch() takes the HIP runtime (libamdhip64) that the process has loaded, or
 * else loads the one that the loader finds.
 * A structure begins with its own size, so that a later version may append fields.
 */
#ifndef CK_KERNEL_ABI_H_
#define CK_KERNEL_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CK_KERNEL_ABI_VERSION 2u

typedef enum ck_kernel_status {
    CK_KERNEL_OK = 0,
    CK_KERNEL_UNSUPPORTED = 1,  /* a valid problem that this kernel cannot compute */
    CK_KERNEL_INVALID = 2,      /* a problem or an option that makes no sense */
    CK_KERNEL_WRONG_GPU = 3,    /* the library holds no code for that GPU */
    CK_KERNEL_DEVICE_FAILED = 4 /* the HIP runtime reported an error, or there is none */
} ck_kernel_status;

/* The first member of every family's problem, which has a header of its own, such as ck_gemm_problem.h. */
typedef struct ck_problem {
    uint32_t struct_size;
    uint32_t family; /* its number: ck_families.h */
} ck_problem;

/* What the work of a problem consists of, in this order; each bit is one of its phases. */
typedef enum ck_phase {
    CK_PHASE_CLEAR = 1,   /* what is added to, or not written everywhere, becomes zero */
    CK_PHASE_COMPUTE = 2, /* the kernel itself; its result, or parts of it in the workspace */
    CK_PHASE_COMBINE = 4  /* parts in the workspace become the result */
} ck_phase;

typedef struct ck_launch_options {
    uint32_t struct_size;
    int32_t warmup;          /* untimed launches before the measured ones */
    int32_t repeat;          /* measured launches, at least 1 */
    int32_t timed;           /* nonzero: wait for the launches and write milliseconds */
    const char* gpu;         /* the GPU that owns the stream, such as "gfx942" */
    void* stream;            /* hipStream_t; null for the default stream */
    void* workspace;         /* device memory of at least workspace_size() bytes, or null if that is 0 */
    uint64_t workspace_size; /* bytes at workspace */
    float* milliseconds;     /* mean time of one launch; required if timed */
    /* Appended; options that end here have none of it. */
    uint32_t phases; /* bits of ck_phase, of those that phases() tells; 0 for all */
    uint32_t reserved;
} ck_launch_options;

/* On any status but CK_KERNEL_OK a sentence is written to why (cut at why_size, always terminated);
 * why may be null. Every function may be called from any thread. */
typedef struct ck_kernel_api {
    uint32_t abi_version; /* CK_KERNEL_ABI_VERSION */
    uint32_t struct_size;
    /* JSON: abi_version; spec; targets, as "gfx942:64,gfx1100:32" (name:wave_size); resources per GPU, as read from
     * the code objects (null where the library was built without the inspection step). */
    const char* (*describe)(void);
    ck_kernel_status (*supports)(const ck_problem* problem, const char* gpu, char* why, size_t why_size);
    ck_kernel_status (*workspace_size)(const ck_problem* problem, const char* gpu, uint64_t* bytes, char* why,
                                       size_t why_size);
    ck_kernel_status (*launch)(const ck_problem* problem, const ck_launch_options* options, char* why, size_t why_size);
    /* Appended; see struct_size. The bits of ck_phase that the problem has. Launched one after the other on one
     * stream, with one workspace that nothing else writes from CK_PHASE_COMPUTE to CK_PHASE_COMBINE, they are the whole
     * launch. */
    ck_kernel_status (*phases)(const ck_problem* problem, const char* gpu, uint32_t* bits, char* why, size_t why_size);
} ck_kernel_api;

/* The one exported symbol of a kernel library. */
const ck_kernel_api* ck_kernel_get_api(void);

#ifdef __cplusplus
}
#endif

#endif /* CK_KERNEL_ABI_H_ */
