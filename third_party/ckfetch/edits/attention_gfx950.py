# SPDX-License-Identifier: MIT
"""What attention kernels of gfx950 get wrong: pipeline v3; and waves of kr_trload that do the same
work.
"""

from __future__ import annotations

from ckfetch.edit import Edit

_V3 = "include/ck_tile/ops/fmha/pipeline/block_fmha_fwd_v3_pipeline.hpp"
_KR_TRLOAD = (
    "include/ck_tile/ops/fmha/pipeline/block_fmha_bwd_dq_dk_dv_pipeline_trload_kr_ktr_vr.hpp"
)

EDITS = (
    Edit(
        path=_V3,
        why="with two tiles of keys nothing waits for the second, "
        "and later waits count a load that was not begun",
        old="            if(2 < num_total_loop)\n            {\n                "
        "K_mem_load(number<0>{}); // mem_K2\n",
        new="            {\n                K_mem_load(number<0>{}); // mem_K2\n",
    ),
    Edit(
        path=_V3,
        why="the maximum of a row is one of scores that are not scaled yet",
        old="m[i_idx] / C_LOG2E + log(l[i_idx]);",
        new="m[i_idx] * scale_s / C_LOG2E + log(l[i_idx]);",
    ),
    Edit(
        path=_V3,
        why="a row that has no key yet must not become NaN where the scale is above one: its "
        "maximum times the scale stays finite",
        old="set_tile(m, bit_cast<float>(0xff7fffff)); // a bit larger than -infinity",
        new="set_tile(m, -1e30f);",
    ),
    *(
        Edit(
            path=_KR_TRLOAD,
            why="one wave is enough to load the rows of LSE and D that all waves read; the others "
            "would write the same bytes at the same time",
            old=f"                async_load_tile({name}_lds_write_window, {name}_dram_window);\n"
            f"                move_tile_window({name}_dram_window, {{kM0}});",
            new="                if(get_warp_id() == 0)\n                    "
            f"async_load_tile({name}_lds_write_window, {name}_dram_window);\n"
            f"                move_tile_window({name}_dram_window, {{kM0}});",
        )
        for name in ("lse", "d")
    ),
)
