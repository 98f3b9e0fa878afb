# SPDX-License-Identifier: MIT
"""Which extents may have remainders."""

from __future__ import annotations

from ckarch import ArchSpecs
from ckgen.gemm.choices import ALL_PADS, Pads
from ckgen.gemm.spec import Dtype, Epilogue, Layout, Pipeline, Variant
from ckgen.product.pipelines import PIPELINE_CLASSES

from cksupport.product.axes import SHUFFLED, Loop, loops
from cksupport.questions import Place, Question, Table, fields

_NAME = "pads"


def pads(arch: ArchSpecs) -> Table:
    """GPU x pipeline x epilogue x the combinations of padded extents."""
    questions = tuple(
        Question(
            Place(_NAME, gpu, f"{loop.label} {epilogue}", _label(padded)),
            fields(
                variant=Variant.PRESHUFFLE if loop is SHUFFLED else Variant.STANDARD,
                dtype=Dtype.FP16,
                layout=Layout.RCR,
                pipeline=loop.pipeline,
                scheduler=loop.scheduler,
                epilogue=epilogue,
                pad=(padded,),
            ),
        )
        for gpu in arch.gpus
        for loop, epilogue in _ways_to_store()
        for padded in ALL_PADS
    )
    note = "Pipeline and epilogue, against the extents that are padded; fp16, layout rcr."
    return Table(_NAME, "Padding", note, questions)


def _ways_to_store() -> list[tuple[Loop, Epilogue]]:
    """Loads depend on the pipeline, stores on the epilogue: no need to cross them."""
    usual = [(loop, _epilogue(loop.pipeline)) for loop in (*loops(), SHUFFLED)]
    other = [(loop, Epilogue.DEFAULT) for loop in loops() if loop.pipeline is Pipeline.COMPV3]
    return [*usual, *other]


def _epilogue(pipeline: Pipeline) -> Epilogue:
    """A wave that stores alone cannot shuffle."""
    return Epilogue.DEFAULT if PIPELINE_CLASSES[pipeline].takes_turns else Epilogue.CSHUFFLE


def _label(padded: Pads) -> str:
    return " ".join(letter for letter, pad in zip("mnk", padded) if pad) or "none"
