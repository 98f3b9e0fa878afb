# SPDX-License-Identifier: MIT
"""Random calls of a dispatcher's attention methods, each with the check of what it gives back.

    random_problems.py --registry NAME ... | --libraries FOLDER [--count 60] [--seed 0] [--shard
    0/1] [--state FILE] [--only INDEX]

Counts what is right, refused with a reason, and wrong. A ``--state`` file has one line for each
problem that was run, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checked_call import Call
from ckdispatch.errors import CkDispatchError, DeviceFailed, Mismatch


@dataclass(frozen=True)
class Outcome:
    """``kind`` is right, refused or wrong."""

    index: int
    kind: str
    text: str = ""
    kernels: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "kind": self.kind,
            "text": self.text,
            "kernels": list(self.kernels),
        }


def run(
    dispatcher: Any,
    index: int,
    call: Call,
    findings: Path | None = None,
    ignored: tuple[str, ...] = (),
) -> Outcome:
    """Makes the call and judges it; ``ignored`` are kinds of findings that do not make it wrong."""
    if findings is not None:
        findings.write_text("")
    try:
        result = getattr(dispatcher, call.method)(*call.operands, **call.arguments)
    except (Mismatch, DeviceFailed) as error:
        return Outcome(index, "wrong", f"{type(error).__name__}: {error}")
    except CkDispatchError as error:
        # A refusal says what was asked and what would work; an empty one is a mistake.
        return Outcome(
            index,
            "refused" if len(str(error)) > 20 else "wrong",
            f"{type(error).__name__}: {error}",
        )
    except Exception as error:  # noqa: BLE001 - whatever else comes out of a call is a mistake of ours
        return Outcome(index, "wrong", f"{type(error).__name__}: {error}")
    wrong = [f"{name}: {comparison}" for name, comparison in call.check(result) if not comparison]
    if findings is not None and (
        found := [
            line for line in findings.read_text().splitlines() if not line.startswith(ignored)
        ]
    ):
        wrong.append(f"the simulator found {len(found)} times something, first {found[0]}")
    return Outcome(
        index, "wrong" if wrong else "right", "; ".join(wrong), tuple(result.plan.kernels)
    )


def pattern(text: str) -> str:
    """A sentence without its numbers and names; of a problem without a kernel, the stage that has
    none.
    """
    if missing := re.search(
        r"which takes (fmha \w+ \w+)[^:]*?(: it has none|\(\d+ refuse\))", text
    ):
        return f"{text.partition(':')[0]} for {missing[1]}{missing[2]}"
    return re.sub(r"\d+", "N", re.sub(r"fmha_\w+", "KERNEL", text))[:160]


def check_findings() -> Path:
    """Turns the simulator's checks on, before it is loaded,
    and gives the file of what they find.
    """
    findings = Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))) / "findings"
    os.environ.update(GFXSIM_CHECK="1", GFXSIM_FINDINGS=str(findings))
    return findings


def main() -> int:
    """Counts; 1 if something was wrong."""
    from ckdispatch import Dispatcher, Registry
    from random_calls import draw

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--registry", nargs="*", default=[])
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--shard", default="0/1", help="which of how many: 3/8 takes problems 3, 11, 19, ..."
    )
    parser.add_argument("--state", type=Path)
    parser.add_argument("--only", type=int)
    parser.add_argument("--work", type=int, default=40000, help="scores of a problem, at most")
    parser.add_argument(
        "--method", help="of the dispatcher, in place of a random one; --dtype and --hdim likewise"
    )
    parser.add_argument(
        "--ignore",
        default="",
        help="kinds of findings that do not make a result wrong, with commas",
    )
    parser.add_argument("--dtype")
    parser.add_argument("--hdim", type=int)
    parsed = parser.parse_args()
    findings = check_findings()
    registry = Registry.load(*parsed.registry) if parsed.registry else Registry()
    for path in sorted(parsed.libraries.glob("libfmha_*.so")) if parsed.libraries else ():
        registry.add_library(path)
    dispatcher = Dispatcher(registry)
    shard, shards = (int(one) for one in parsed.shard.split("/"))
    before = (
        [json.loads(line) for line in parsed.state.read_text().splitlines()]
        if parsed.state and parsed.state.exists()
        else []
    )
    done = {one["index"] for one in before}
    counts = Counter(one["kind"] for one in before)
    reasons: Counter[str] = Counter(
        pattern(one["text"]) for one in before if one["kind"] == "refused"
    )
    kernels: Counter[str] = Counter()
    began = time.monotonic()
    for index in range(shard, parsed.count, shards) if parsed.only is None else [parsed.only]:
        if index in done:
            continue
        call = draw(
            parsed.seed,
            index,
            parsed.work,
            method=parsed.method,
            dtype=parsed.dtype,
            hdim=parsed.hdim,
        )
        outcome = run(
            dispatcher,
            index,
            call,
            findings,
            tuple(parsed.ignore.split(",")) if parsed.ignore else (),
        )
        counts[outcome.kind] += 1
        kernels.update(outcome.kernels)
        if outcome.kind == "refused":
            reasons[pattern(outcome.text)] += 1
        if outcome.kind == "wrong" or parsed.only is not None:
            print(f"{outcome.kind.upper()} --seed {parsed.seed} --only {index}: {call}")
            print(f"    {outcome.text[:1500]} {outcome.kernels}", flush=True)
        if parsed.state:
            with parsed.state.open("a") as file:
                file.write(json.dumps(outcome.to_json()) + "\n")
    for reason, count in reasons.most_common(40):
        print(f"refused {count} times: {reason}")
    print(f"{len(kernels)} kernels had work")
    print(
        f"{counts['right']} right, {counts['refused']} refused, {counts['wrong']} wrong in "
        f"{time.monotonic() - began:.0f} s"
    )
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
