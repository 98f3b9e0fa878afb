# SPDX-License-Identifier: MIT
"""Whatever a spec says, rules answer, names read back, and repairs are legal."""

from __future__ import annotations

import json
from typing import Any

from ckgen.core.nearest import nearest_legal
from ckgen.core.tile import Extents
from ckgen.fmha.spec import SWITCHES, Bias, Dtype, FmhaSpec, Mode, Pipeline, Rotary, Variant
from ckgen.fmha.tilings import TILINGS
from codegen_support import ARCH, target
from fmha_support import FMHA
from hypothesis import given, settings
from hypothesis import strategies as st

_numbers = st.sampled_from((0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 100, 128, 192, 256, 512, 2**31 - 1))
_rows = st.lists(_numbers, max_size=9).map(Extents)
_gpus = st.sampled_from(ARCH.gpus)


def _of(choices: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(list(choices))


_SIGNATURE: dict[str, st.SearchStrategy[Any]] = {
    "variant": _of(Variant),
    "dtype": _of(Dtype),
    "mode": _of(Mode),
    "bias": _of(Bias),
    "rotary": _of(Rotary),
    "pipeline": _of(Pipeline),
    "max_splits": st.sampled_from((0, 8, 24, 128)),
    "occupancy": st.integers(-1, 9),
    **{switch: st.booleans() for switch in SWITCHES},
}
wild_specs = st.builds(
    FmhaSpec,
    **_SIGNATURE,
    hdim_q=_numbers,
    hdim_v=_numbers,
    tile=_rows,
    waves=_rows,
    warp_tile=_rows,
    pads=_rows,
)


@st.composite
def likely_specs(draw: st.DrawFn) -> FmhaSpec:
    """A tile of the table with any features."""
    one = draw(_of(TILINGS))
    said = {name: draw(strategy) for name, strategy in _SIGNATURE.items()}
    said |= {
        "variant": one.variant,
        "dtype": draw(_of(one.dtypes)),
        "pipeline": draw(_of(one.pipelines)),
        "occupancy": draw(st.integers(1, 3)),
    }
    pads = Extents(draw(st.lists(st.sampled_from((0, 1, 8)), min_size=4, max_size=4)))
    return FmhaSpec(
        **said,
        hdim_q=one.hdim_q,
        hdim_v=one.hdim_v,
        tile=one.tile,
        waves=one.waves,
        warp_tile=one.warp_tile,
        pads=pads,
    )


@settings(max_examples=300, deadline=None)
@given(wild_specs, _gpus)
def test_every_rule_has_an_answer_to_anything(spec: FmhaSpec, gpu: str) -> None:
    for finding in FMHA.judge(spec, target(gpu)).findings:
        assert finding.complaint is None or finding.complaint == finding.complaint.strip() != ""


@settings(max_examples=300, deadline=None)
@given(
    wild_specs.filter(lambda spec: spec.occupancy >= 0 and max(spec.hdim_q, spec.hdim_v) < 10**9)
)
def test_names_and_json_read_back(spec: FmhaSpec) -> None:
    assert FMHA.parse_name(spec.name) == spec
    assert FmhaSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@settings(max_examples=60, deadline=None)
@given(likely_specs(), _gpus)
def test_the_nearest_legal_kernel_is_legal_and_a_legal_one_its_own(
    spec: FmhaSpec, gpu: str
) -> None:
    where = target(gpu)
    nearest = nearest_legal(FMHA, spec, where)
    if FMHA.is_legal(spec, where):
        assert nearest == spec
    elif nearest is not None:
        assert FMHA.is_legal(nearest, where)
