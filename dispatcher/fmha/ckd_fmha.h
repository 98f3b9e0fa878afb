/* SPDX-License-Identifier: MIT
 *
 * The C ABI of the dispatcher for attention; ckdispatch.h includes it.
 */
#ifndef CKD_FMHA_H_
#define CKD_FMHA_H_

#include "../ckdispatch.h"

/* The tensors of a problem, in this order; those that it does not have are null. */
typedef enum ckd_fmha_tensor {
    CKD_FMHA_Q, /* [batch, seqlen_q, heads_q, hdim_q], rotated in place if there are new keys and a rotation */
    CKD_FMHA_K, /* [batch, seqlen_k, heads_k, hdim_q]; with pages [page, row, heads_k, hdim_q] */
    CKD_FMHA_V,
    CKD_FMHA_O,
    CKD_FMHA_BIAS,    /* elementwise: of q's dtype (float for fp8); alibi: float slopes */
    CKD_FMHA_LSE,     /* float; optional in forward, needed in backward */
    CKD_FMHA_RANDVAL, /* bytes; optional */
    CKD_FMHA_K_NEW,   /* [batch, seqlen_new, heads_k, hdim_q] */
    CKD_FMHA_V_NEW,
    CKD_FMHA_ROTARY_COS, /* [position, rotary_dim / 2], of q's dtype */
    CKD_FMHA_ROTARY_SIN,
    CKD_FMHA_SINK, /* float [heads_q] */
    CKD_FMHA_D_O,  /* backward: as o, read; o is read too */
    CKD_FMHA_DQ,
    CKD_FMHA_DK, /* [batch, seqlen_k, heads_k, hdim_q]: already summed over the heads of a group */
    CKD_FMHA_DV,
    CKD_FMHA_DBIAS,      /* as bias; optional */
    CKD_FMHA_SEQSTART_Q, /* int32 [batch + 1], mode group */
    CKD_FMHA_SEQSTART_K,
    CKD_FMHA_SEQLEN_Q,    /* int32 [batch], where fewer rows count than there is room for; optional */
    CKD_FMHA_SEQLEN_K,    /* with k_new: the rows before they are appended, needed then */
    CKD_FMHA_BLOCK_TABLE, /* int32 [batch, block_table_stride] */
    CKD_FMHA_CACHE_INDEX, /* int32 [batch]; optional */
    CKD_FMHA_KV_INDPTR,   /* int32 [batch + 1], with kv_pages in place of block_table */
    CKD_FMHA_KV_PAGES,    /* int32 [kv_page_count]: pages of page_rows rows each */
    CKD_FMHA_DROP_SEED,   /* uint64 on the device, in place of the numbers drop_seed and drop_offset; optional, both or
                             none */
    CKD_FMHA_DROP_OFFSET,
    CKD_FMHA_TENSORS
} ckd_fmha_tensor;

/* In elements from one to the next. Last dimensions are contiguous. Pages: `batch` is from page to page. */
typedef struct ckd_fmha_strides {
    int64_t row, head, batch;
} ckd_fmha_strides;

#define CKD_FMHA_MASK_NONE 0
#define CKD_FMHA_MASK_TOP_LEFT 1
#define CKD_FMHA_MASK_BOTTOM_RIGHT 2

#define CKD_FMHA_LAYOUT_BSHD 0 /* packed tensors, in this order of batch, sequence, heads, head size */
#define CKD_FMHA_LAYOUT_BHSD 1
#define CKD_FMHA_LAYOUT_STRIDES 2 /* as `strides` says, each in full */

/* o = softmax(cap(scale * q k') + bias) v, or its gradients. */
typedef struct ckd_fmha_problem {
    ckd_problem base;
    const char* dtype; /* of q, k and v: "fp16", "bf16", "fp32", "fp8"; with another dtype of o "fp8bf16", "fp8fp32" */
    int32_t backward;  /* nonzero: the gradients */
    int32_t group;     /* nonzero: sequences are packed one behind the other, seqstart_q and seqstart_k say where */
    int64_t batch;
    int64_t heads_q, heads_k;   /* heads_k 0: as heads_q */
    int64_t hdim_q, hdim_v;     /* hdim_v 0: as hdim_q */
    int64_t seqlen_q, seqlen_k; /* of each sequence, or the most that one has; seqlen_k counts appended rows too */
    int64_t total_q, total_k;   /* rows of packed tensors, mode group */
    int64_t seqlen_new;         /* rows to append; 0 for none */
    float scale;                /* 0 is 1 / sqrt(hdim_q) */
    float soft_cap;             /* 0 for none */
    float scale_p, scale_o;     /* fp8: of p before it is rounded, and of o; both 0 for none */
    int32_t mask;               /* CKD_FMHA_MASK_... */
    int32_t bias;               /* 0 none, 1 elementwise, 2 alibi */
    int64_t window_left, window_right; /* used if there is a mask; -1 is unlimited; causal is (-1, 0) */
    float p_drop;
    int32_t sinks; /* nonzero: sink is given */
    uint64_t drop_seed, drop_offset;
    int32_t drop_on_device; /* nonzero: drop_seed and drop_offset are tensors */
    int32_t has_lse;        /* nonzero: lse is written (forward) */
    int32_t has_randval;
    int32_t has_dbias;
    int32_t has_seqlen_q, has_seqlen_k;
    int32_t has_cache_index;
    int32_t deterministic;
    int64_t page_rows;          /* keys in a page; 0 without pages */
    int64_t pages;              /* in k and v */
    int64_t block_table_stride; /* pages that a row of block_table has room for; 0 with kv_pages */
    int64_t kv_page_count;      /* of kv_pages; 0 with block_table */
    int64_t rotary_dim;
    int32_t rotary;           /* 0 none, 1 interleaved (2i, 2i + 1), 2 halves (i, i + rotary_dim / 2) */
    int32_t layout;           /* CKD_FMHA_LAYOUT_... */
    int64_t rotary_positions; /* rows of rotary_cos */
    int64_t sink_tokens;      /* the first keys that every row keeps in spite of its window; 0 for none */
    int64_t split_kv;         /* parts of the keys; 0 lets the dispatcher choose */
    int64_t decode_rows; /* mode group: sequences of up to so many rows, decodes among prefills, may be computed apart;
                            0: with the others */
    int32_t alignment;   /* bytes that every address is a multiple of; 0 is 16 */
    int32_t reserved;
    uint64_t workspace_limit;                   /* bytes; 0 is no limit */
    ckd_fmha_strides strides[CKD_FMHA_TENSORS]; /* used with CKD_FMHA_LAYOUT_STRIDES */
} ckd_fmha_problem;

#endif /* CKD_FMHA_H_ */
