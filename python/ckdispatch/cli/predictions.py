# SPDX-License-Identifier: MIT
"""What people have to know of predicted times: by what they are predicted, and what that was made
from.
"""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ckdispatch.selection import Ranking

PREDICTED = "Times are predicted by a cost model; nothing was measured."
BASES = {
    "cost_model": "the cost model",
    "learned": "a learned model",
    "beyond": "a learned model, beyond what it has seen",
    "predictor": "a predictor",
}
_LEARNED = "Times are predicted by a cost model that a learned one corrects; nothing was measured."
_BEYOND = (
    "The problem lies outside of what the learned model has seen, so that its times are guesses."
)


def how_predicted(bases: Set[str], ranking: Ranking) -> str:
    """Sentences about times by some ``bases``, of the problem of ``ranking``."""
    told = [PREDICTED if bases == {"cost_model"} else _LEARNED]
    if bases & {"learned", "beyond"}:
        told.append(_trained(ranking))
    if "beyond" in bases:
        told.append(_BEYOND)
    if "cost_model" in bases:
        told.append(_fitted(ranking))
    return " ".join(told)


def _trained(ranking: Ranking) -> str:
    """What the models in use were made from."""
    manifests = [model["manifest"] for model in ranking.models]
    tables = [
        f"{table['name']} ({one['provenance']})"
        for one in manifests
        for table in one.get("tables", ())
    ]
    return f"It was trained on {', '.join(tables) or 'a table without a name'}."


def _fitted(ranking: Ranking) -> str:
    """Where the constants of the cost model come from."""
    costs = ranking.costs
    if not costs.carried_over:
        return f"Its constants were fitted on {costs.source}."
    return (
        f"Its constants are carried over: they were fitted for {costs.family} on {costs.gpu}, "
        f"on {costs.source}."
    )
