# SPDX-License-Identifier: MIT
"""docs/accuracy.md, from the cases and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ckaccuracy.cases import Case
from ckaccuracy.errors import AccuracyError
from ckaccuracy.figures import Figures
from ckaccuracy.results import Results

BAR = 0.002
"""What the authors of Composable Kernel's dispatcher state as their largest absolute error for
convolutions in fp16.
"""

_HEAD = """\
# Accuracy

How far results of shipped kernels are from exact ones. **All figures are from the
[simulator](simulator.md)**, which executes the kernels' machine code; no GPU was asked. They come
from [results.json](../evidence/accuracy/results.json), what is measured is in
[cases.json](../tools/accuracy/cases.json), and nobody writes in this page:

    ./bazelw run //tools/accuracy                        # measures everything, writes both files
    ./bazelw run //tools/accuracy -- --only '*_fp8_*'    # only kernels whose names fit
    ./bazelw run //tools/accuracy -- --check             # measures, compares, writes nothing

The reference sums the operands as they are stored, in fp64, and is rounded to fp32; where the
result is fp32 or int32 it stays fp64. *Largest* is the largest |reference|. *Error* is the largest
|result - reference| of all elements, *relative* the largest |result - reference| / |reference|,
which an element near zero may have alone. *Rounded* are both of the reference itself, rounded to
the dtype of the result: the best that any kernel can do, and what is beyond it is the kernel's. In
which order a matrix instruction adds is documented by nobody, and the simulator
[takes that of k](simulator.md), so a GPU's figures may differ in what is the kernel's, which shows
in fp32 and near zero. Numbers are drawn uniformly from what *numbers* says by NumPy's
`default_rng({seed})`, first the first operand, and rounded to their dtype. *Terms* are the products
that are added up for an element. Each result is also within [its tolerance](testing.md), or there
would be no figure. `//tests/accuracy` measures what default tests compile kernels for again, and
compares it with this page.
"""

_COLUMNS = (
    "problem",
    "numbers",
    "terms",
    "largest",
    "error",
    "relative",
    "error, rounded",
    "relative, rounded",
    "kernel",
)


def page(cases: Sequence[Case], results: Results) -> str:
    """The page; a case without a result is told."""
    seeds = {case.seed for case in cases}
    if len(seeds) != 1:
        raise AccuracyError("the cases have several seeds, and the page names one.")
    found = [(case, results[case.key]) for case in cases if case.key in results]
    missing = [case for case in cases if case.key not in results]
    convolutions = [(case, one) for case, one in found if case.parsed().family == "grouped_conv"]
    products = [(case, one) for case, one in found if case.parsed().family == "gemm"]
    parts = (
        _HEAD.format(seed=seeds.pop()),
        f"## Convolutions\n\n{_verdict(convolutions)}\n\n{_table(convolutions)}\n",
        f"## Products\n\n{_table(products)}\n",
        *((f"## Not measured yet\n\n{_missing(missing)}\n",) if missing else ()),
    )
    return "\n".join(parts)


def _missing(cases: Iterable[Case]) -> str:
    return "\n".join(f"- `{case.problem}` by `{case.kernel}`, {case.gpu}" for case in cases)


def below(one: Figures) -> bool:
    """Whether a result keeps the bar."""
    return one.max_abs < BAR


def _verdict(found: Sequence[tuple[Case, Figures]]) -> str:
    """What became of the bar."""
    stated = [(case, one) for case, one in found if case.parsed().to_json()["dtype"] == "fp16"]
    kept = [one for _, one in stated if below(one)]
    told = [
        f"AMD states max_abs_diff < {BAR} for convolutions in fp16 in every direction, against a "
        "reference in fp32, with numbers from [-0.5, 0.5]. "
        f"Of {len(stated)} results in fp16 here {len(kept)} are below."
    ]
    half = 2.0**-8
    told.append(
        f"Rounding to fp16 alone errs by up to {half / 2:.6f} for results from 4 to 8 and by up to "
        f"{half:.6f} from 8 to 16, so the bar can be kept only where "
        "results are below 8, as they are in those of AMD's examples that are compared with a "
        "reference, which are in two dimensions."
    )
    for case, one in stated:
        if not below(one):
            why = f"the reference rounded to fp16 has {one.rounded_abs:.3g}"
            told.append(
                f"Above is `{case.problem}` with {one.max_abs:.3g}, of results up to "
                f"{one.largest:.3g}: {why}."
            )
    return " ".join(told)


def _table(found: Iterable[tuple[Case, Figures]]) -> str:
    lines = [_row(_COLUMNS), "| --- " * len(_COLUMNS) + "|"]
    for case, one in found:
        note = f": {case.note}" if case.note else ""
        errors = (one.largest, one.max_abs, one.max_rel, one.rounded_abs, one.rounded_rel)
        kernel = f"`{case.kernel}` of `{case.set}`, {case.gpu}"
        lines.append(
            _row(
                (f"`{case.problem}`{note}", case.drawn(), one.terms, *map(_figure, errors), kernel)
            )
        )
    return "\n".join(lines)


def _figure(value: float) -> str:
    return f"{value:.3g}" if 1e-3 <= value < 1e6 or value == 0 else f"{value:.2e}"


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
