# SPDX-License-Identifier: MIT
"""Attention, forwards: defects that make results depend on luck, and stores that meet."""

from __future__ import annotations

from ckfetch.edit import Edit, Insertion

_FMHA = "include/ck_tile/ops/fmha/"
_ASYNC = _FMHA + "pipeline/block_fmha_pipeline_qr_ks_vs_async.hpp"
_PREFILL = _FMHA + "pipeline/block_fmha_batch_prefill_pipeline_qr_ks_vs_async.hpp"
_QR = _FMHA + "pipeline/block_fmha_pipeline_qr_ks_vs.hpp"
_PAGED = _FMHA + "pipeline/block_fmha_fwd_pagedkv_pipeline_qr_ks_vs.hpp"
_PREFILL_KERNEL = _FMHA + "kernel/fmha_batch_prefill_kernel.hpp"
_COMBINE = _FMHA + "pipeline/block_fmha_fwd_splitkv_combine_pipeline.hpp"

# With an odd number of steps along the head V's first tile goes where K's last one is, which other
# waves may still read.
_BARRIERS = tuple(
    Insertion(
        path=path,
        why="V waits for the readers of the K that it replaces",
        before="            // store & prefetch next v, after the max reduction\n",
        text="""\
            if constexpr(LdsSeq.at(number<k0_loops>{}) == LdsSeq.at(number<k0_loops - 1>{}))
            {
                __builtin_amdgcn_sched_barrier(0);
                block_sync_lds();
            }
""",
    )
    for path in (_ASYNC, _PREFILL)
)

# The loads are assembly, so the compiler may move their registers, which it believes to be there,
# before they are.
_Q_WAITS = tuple(
    Edit(
        path=path,
        why="Q is there before its registers are moved",
        old="        load_tile_raw(q, q_dram_window);\n",
        new="        load_tile_raw(q, q_dram_window);\n        buffer_load_fence(0, "
        "q.get_thread_buffer());\n",
    )
    for path in (_ASYNC, _PREFILL)
)

# A tile of keys is read whole, and the next ones are read ahead, whatever a sequence has.
_PAGES = (
    Insertion(
        path=_PREFILL,
        why="a list of pages that ends where its sequence ends",
        before="    static constexpr const char* name = ",
        text="""\
    // Beyond its end the list repeats the last page, whose keys are masked there.
    struct PagesOfSequence
    {
        const index_t* first;
        index_t last;
        index_t begin = 0;

        CK_TILE_HOST_DEVICE index_t operator[](index_t i) const { return first[min(begin + i, last)]; }
        CK_TILE_HOST_DEVICE void operator+=(index_t step) { begin += step; }
    };

""",
    ),
    Edit(
        path=_PREFILL,
        why="take such a list",
        old="const index_t* page_idx,",
        new="PagesOfSequence page_idx,",
        count=2,
    ),
    # Behind the left end of a window CK masks the right keys, and reads those from the first on.
    Insertion(
        path=_PREFILL,
        why="the list begins where the window begins",
        before="        auto k_dist               = Policy::template "
        "MakeKDramTileDistribution<Problem>();\n",
        text="        page_idx += seqlen_k_start;\n",
    ),
    Insertion(
        path=_PREFILL_KERNEL,
        why="make such a list",
        before="        auto o_acc_tile = [&]() {\n",
        text="""\
        const typename FmhaPipeline::PagesOfSequence pages{kargs.kv_page_indices,
                                                           max(kargs.seqlen_k - 1, 0)};

""",
    ),
    Edit(
        path=_PREFILL_KERNEL,
        why="give such a list",
        old="smem_ptr,\n                    kargs.kv_page_indices,\n",
        new="smem_ptr,\n                    pages,\n",
    ),
    Edit(
        path=_PREFILL_KERNEL,
        why="give such a list without scales",
        old="smem_ptr,\n                                      kargs.kv_page_indices,\n",
        new="smem_ptr,\n                                      pages,\n",
    ),
)

# Every wave has the same LSE and would write it to the same places, of LDS and, in every workgroup
# along the head, of memory.
_ONE_WRITES = (
    Edit(
        path=_COMBINE,
        why="LSE of the parts is written by the waves that do not repeat others",
        old="        store_tile(lse_acc_lds_write_window, lse_acc_tile);\n",
        new="""\
        if(get_warp_id() <
           Policy::template GetMaxNumWarpsForTile<kNumWarps, kM0, kMaxSplits, LSEDataType>())
            store_tile(lse_acc_lds_write_window, lse_acc_tile);
""",
    ),
    Edit(
        path=_COMBINE,
        why="the weights of the parts are written by one wave",
        old="        // store the lse scales in shared memory.\n        {\n",
        new="        // store the lse scales in shared memory.\n        if(get_warp_id() == 0)\n   "
        "     {\n",
    ),
    Edit(
        path=_COMBINE,
        why="LSE is stored by one wave of one workgroup",
        old="""\
            store_tile(lse_dram_window_tmp, tile_elementwise_in(lse_element_func, lse_logsum));
""",
        new="""\
            if(get_warp_id() == 0 &&
               o_acc_dram_block_window_tmp.get_window_origin().at(number<1>{}) == 0)
                store_tile(lse_dram_window_tmp, tile_elementwise_in(lse_element_func, lse_logsum));
""",
    ),
)

# A bias of -inf can leave a row without keys as well as a mask can.
_EMPTY_ROWS = tuple(
    Edit(
        path=path,
        why="rows that a bias leaves without keys are zero",
        old="""\
                if constexpr(FmhaMask::IsMasking)
                {
                    return l[i_idx] == 0.f ? 0.f : 1 / l[i_idx];
""",
        new="""\
                if constexpr(FmhaMask::IsMasking || BiasEnum == BlockAttentionBiasEnum::ELEMENTWISE_BIAS)
                {
                    return l[i_idx] == 0.f ? 0.f : 1 / l[i_idx];
""",
    )
    for path in (_QR, _ASYNC, _PREFILL, _PAGED)
)

EDITS: tuple[Edit | Insertion, ...] = (*_BARRIERS, *_Q_WAITS, *_PAGES, *_ONE_WRITES, *_EMPTY_ROWS)
