# SPDX-License-Identifier: MIT
"""What became of every kernel that was tried, in a file that is whole at every moment."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ckgen.core.writer import write_if_changed

from cksupport.errors import SupportError
from cksupport.kernels import Key
from cksupport.verdicts import Outcome, Verdict

FORMAT = 1


@dataclass(frozen=True)
class Result:
    """An outcome, and the digest of what the kernel was made of."""

    outcome: Outcome
    digest: str

    def to_json(self) -> dict[str, Any]:
        return {"digest": self.digest, **self.outcome.to_json()}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Result:
        return cls(Outcome.from_json(document), document["digest"])


@dataclass
class Results:
    """The results of a file, and those that it need not repeat because another file has them."""

    path: Path
    known: dict[Key, Result] = field(default_factory=dict)
    borrowed: Mapping[Key, Result] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Results:
        """What the file has; nothing if it is not there."""
        try:
            document = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return cls(path)
        except (OSError, ValueError) as error:
            raise SupportError(
                f"the results {path} cannot be read ({error}); take an older version of the file, "
                "or remove it and sweep again"
            ) from error
        return cls(path, _decoded(document, path))

    def beside(self, other: Results) -> Results:
        """With what ``other`` knows too, which stays in its file. What is known here counts more,
        unless it is no more than that the kernel was compiled.
        """
        tried = {
            key: result
            for key, result in self.known.items()
            if result.outcome.verdict is not Verdict.COMPILED or key not in other.known
        }
        return Results(self.path, {**other.known, **tried}, other.known)

    def record(self, key: Key, result: Result) -> None:
        """Keep a result, on the disk too."""
        self.known[key] = result
        self.write()

    def keep_only(self, wanted: Container[Key]) -> None:
        """Forget the kernels that stand for no cell any more."""
        kept = {key: result for key, result in self.known.items() if key in wanted}
        if len(kept) < len(self.known):
            self.known = kept
            self.write()

    def write(self) -> None:
        """Replace the file as a whole; a line for each result, so that differences are readable."""
        gpus: dict[str, list[str]] = {}
        for (gpu, kernel), result in sorted(self.known.items()):
            if self.borrowed.get((gpu, kernel)) == result:
                continue
            line = json.dumps(result.to_json(), ensure_ascii=False)
            gpus.setdefault(gpu, []).append(f"   {json.dumps(kernel)}: {line}")
        parts = [
            f"  {json.dumps(gpu)}: {{\n" + ",\n".join(lines) + "\n  }"
            for gpu, lines in gpus.items()
        ]
        text = f'{{\n "format": {FORMAT},\n "results": {{\n' + ",\n".join(parts) + "\n }\n}\n"
        write_if_changed(self.path, text)


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Keeps a second sweep from writing to the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise SupportError(
            f"another sweep is writing to {path}; wait for it, or give another file by --results"
        ) from None
    finally:
        os.close(folder)


def _decoded(document: Any, path: Path) -> dict[Key, Result]:
    try:
        if document["format"] != FORMAT:
            raise ValueError(f"it has the format {document['format']}, not {FORMAT}")
        return {
            (gpu, kernel): Result.from_json(result)
            for gpu, kernels in document["results"].items()
            for kernel, result in kernels.items()
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SupportError(
            f"the results {path} are not what a sweep writes ({error!r}); take an older version of "
            "the file, or remove it and sweep again"
        ) from error
