/* SPDX-License-Identifier: MIT
 *
 * The problem of an attention kernel library.
 */
#ifndef CK_FMHA_PROBLEM_H_
#define CK_FMHA_PROBLEM_H_

#include "ck_kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tensors of a problem, of which a kernel has the few that its variant names (its spec's "variant"):
 *   fwd            q k v o, and bias, lse, randval, seqstart and seqlen of both sides, drop_seed, drop_offset
 *   splitkv        q k v o_acc lse_acc, and bias, seqstart, seqlen, block_table, cache_index
 *   combine        o_acc lse_acc o, and lse, seqstart_q
 *   pagedkv        q k v o block_table, and bias, lse, seqstart, seqlen, cache_index
 *   appendkv       q k v k_new v_new seqlen_k, and rotary_cos, rotary_sin, block_table, cache_index
 *   batch_prefill  q k v o kv_indptr kv_pages, and what fwd may have besides, but seqstart_k and seqlen_k
 *   dot_do_o       o d_o d, and seqstart_q, seqlen_q
 *   dq_dk_dv       q k v lse d_o d dq_acc dk dv, and bias, dbias, randval, seqstart, seqlen, drop_seed, drop_offset
 *   convert_dq     dq_acc dq, and seqstart and seqlen of both sides
 *   sum            q o: o[.., h, ..] = the sum of q's heads h * g ... h * g + g - 1, g = heads_q / heads_k
 *   sink           o lse sink: the softmax has one more column, sink[h], of value zero; o and lse change in place
 * A tensor that is not needed has no address. */
typedef enum ck_fmha_tensor_index {
    CK_FMHA_Q,    /* [batch, seqlen_q, heads_q, hdim_q] by its strides */
    CK_FMHA_K,    /* [batch, seqlen_k, heads_k, hdim_q], or pages: [page, row of the page, heads_k, hdim_q] */
    CK_FMHA_V,    /* as k, with hdim_v */
    CK_FMHA_O,    /* [batch, seqlen_q, heads_q, hdim_v] */
    CK_FMHA_BIAS, /* [batch, heads_q, seqlen_q, seqlen_k], any stride may be 0; ALiBi: float slopes [batch, heads_q] */
    CK_FMHA_LSE,  /* float [batch, heads_q, seqlen_q] */
    CK_FMHA_RANDVAL, /* bytes [batch, heads_q, seqlen_q, seqlen_k] */
    CK_FMHA_O_ACC,   /* float [part, batch, heads_q, seqlen_q, hdim_v] */
    CK_FMHA_LSE_ACC, /* float [part, batch, heads_q, seqlen_q] */
    CK_FMHA_K_NEW,   /* [batch, seqlen_new, heads_k, hdim_q] */
    CK_FMHA_V_NEW,
    CK_FMHA_ROTARY_COS, /* [position, rotary_dim / 2], of q's dtype, packed */
    CK_FMHA_ROTARY_SIN,
    CK_FMHA_SINK,       /* float [heads_q] */
    CK_FMHA_D_O,        /* as o */
    CK_FMHA_D,          /* float [batch, heads_q, seqlen_q], with the strides of lse in dq_dk_dv */
    CK_FMHA_DQ_ACC,     /* float [part, batch, heads_q, seqlen_q, hdim_q] */
    CK_FMHA_DQ,         /* as q */
    CK_FMHA_DK,         /* as k, with heads_q heads */
    CK_FMHA_DV,         /* as v, with heads_q heads */
    CK_FMHA_DBIAS,      /* as bias */
    CK_FMHA_SEQSTART_Q, /* int32 [batch + 1]: where the sequences begin in the packed tensors of mode group */
    CK_FMHA_SEQSTART_K,
    CK_FMHA_SEQLEN_Q,    /* int32 [batch]: rows of each sequence that count, if not all that it has room for */
    CK_FMHA_SEQLEN_K,    /* of appendkv: the rows that are there already */
    CK_FMHA_BLOCK_TABLE, /* int32 [batch, row stride]: pages of each sequence */
    CK_FMHA_CACHE_INDEX, /* int32 [batch]: which of the cache's sequences is meant */
    CK_FMHA_KV_INDPTR,   /* int32 [batch + 1]: where the list of each sequence begins in kv_pages */
    CK_FMHA_KV_PAGES,    /* int32: a row of k and v for each key, and 128 more that are valid */
    CK_FMHA_DROP_SEED,   /* uint64 on the device, in place of drop_seed */
    CK_FMHA_DROP_OFFSET,
    CK_FMHA_TENSORS
} ck_fmha_tensor_index;

/* Elements from one to the next. Where there are pages, heads and rows of k are those of a page, and `batch` is from
 * page to page. */
typedef struct ck_fmha_strides {
    int64_t row, head, batch, part;
} ck_fmha_strides;

typedef enum ck_fmha_mask {
    CK_FMHA_MASK_NONE = 0,
    CK_FMHA_MASK_TOP_LEFT = 1,    /* row i is at column i */
    CK_FMHA_MASK_BOTTOM_RIGHT = 2 /* the last row is at the last column */
} ck_fmha_mask;

/* One attention, or a stage of one. Dtypes, mode, head sizes that it is made for and features are the kernel's; a
 * feature that a kernel has and a problem does not (a mask, lse that nobody wants) is left out by the values that mean
 * nothing.
 * supports() ignores null pointers; with pointers it also checks their alignment. */
typedef struct ck_fmha_problem {
    ck_problem base;
    int64_t batch;            /* sequences */
    int64_t heads_q, heads_k; /* heads_q is a multiple of heads_k */
    int64_t hdim_q, hdim_v;
    int64_t seqlen_q, seqlen_k; /* of mode group, and with lengths of their own: the most that a sequence has */
    int64_t total_q, total_k;   /* rows of the packed tensors of mode group; else ignored */
    int64_t seqlen_new;         /* rows that are appended */
    float scale;                /* of the scores, as the caller means it: 1 / sqrt(hdim_q) is usual */
    float soft_cap;             /* 0 for none */
    float scale_p, scale_o;     /* of kernels with static scales */
    int32_t mask;               /* ck_fmha_mask */
    int32_t reserved;
    int64_t window_left, window_right; /* negative is unlimited */
    float p_drop;                      /* 0 for none */
    int32_t min_seqlen_q;              /* a kernel with skip_min skips sequences with at most this many rows; 0: none */
    uint64_t drop_seed, drop_offset;   /* unless their tensors are given */
    int64_t parts;                     /* of the keys: splits of splitkv and combine, and of dq_acc */
    int64_t page_rows;                 /* keys in a page; 0 without pages */
    int64_t pages;                     /* how many there are in k and v; rows of k in batch_prefill */
    int64_t rotary_dim;                /* 0 without rotation */
    ck_fmha_strides strides[CK_FMHA_TENSORS];
    void* tensors[CK_FMHA_TENSORS]; /* those that are only read too */
} ck_fmha_problem;

#ifdef __cplusplus
}
#endif

#endif /* CK_FMHA_PROBLEM_H_ */
