# SPDX-License-Identifier: MIT
"""The fourteen problems, in the words of CK's example: lines of its smoke_test_fwd.sh, each with
one of the values that it goes through.

Their head sizes, lengths and features are such that CK's function chooses among few kernels the
same ones as among all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Configuration:
    """A problem by its options; what is not said is what the example does without."""

    name: str
    words: str

    @property
    def command_line(self) -> list[str]:
        """With the check of the result, and the kernel's name in what is printed."""
        return [*self.words.split(), "-v=1", "-kname=1", "-warmup=0", "-repeat=1"]

    @cached_property
    def options(self) -> Mapping[str, str]:
        return dict(word.removeprefix("-").split("=", 1) for word in self.words.split())

    def number(self, option: str, otherwise: int) -> int:
        return int(self.options.get(option, otherwise))

    def numbers(self, option: str) -> list[int] | None:
        """A list, or None where the option is not given."""
        given = self.options.get(option)
        return None if given is None else [int(one) for one in given.split(",")]

    def flag(self, option: str) -> bool:
        return self.options.get(option, "0") == "1"

    @property
    def packed(self) -> bool:
        return self.flag("mode")

    @property
    def heads(self) -> tuple[int, int]:
        """Of q, and of k and v."""
        heads = self.number("h", 8)
        return heads, self.number("h_k", heads)

    @property
    def head_sizes(self) -> tuple[int, int]:
        """Of q and k, and of v."""
        size = self.number("d", 128)
        return size, self.number("d_v", size)


CONFIGURATIONS = tuple(
    Configuration(name, words)
    for name, words in {
        "gqa": (
            "-prec=fp16 -mode=0 -b=2 -h=2 -h_k=1 -d=16 -d_v=64 -s=55 -s_k=256 -bias=n -lse=0 "
            "-iperm=0 -operm=0"
        ),
        "causal_top_left": (
            "-prec=fp16 -mode=0 -b=2 -h=1 -d=16 -d_v=64 -s=99 -s_k=256 -bias=n "
            "-lse=1 -iperm=0 -operm=0 -mask=1"
        ),
        "causal_more_rows_than_keys": (
            "-prec=fp16 -mode=0 -b=1 -h=2 -h_k=1 -d=64 -s=1024 -s_k=256 "
            "-bias=n -lse=1 -iperm=1 -operm=1 -mask=2"
        ),
        "causal_few_rows": (
            "-prec=fp16 -mode=0 -b=2 -h=1 -d=64 -d_v=24 -s=3 -s_k=99 -bias=n -lse=1 "
            "-iperm=0 -operm=0 -mask=2"
        ),
        "window_top_left": (
            "-prec=fp16 -mode=0 -b=3 -h=2 -h_k=1 -d=64 -s=200 -s_k=520 -bias=n "
            "-lse=1 -iperm=1 -operm=1 -mask=t:128,30"
        ),
        "window_bottom_right": (
            "-prec=fp16 -mode=0 -b=2 -h=1 -d=64 -s=99 -s_k=32 -bias=n -lse=1 "
            "-iperm=0 -operm=0 -mask=b:4,35"
        ),
        "no_keys": (
            "-prec=fp16 -mode=0 -b=1 -h=2 -h_k=1 -d=64 -s=33 -s_k=0 -bias=n -lse=1 -iperm=1 "
            "-operm=1 -mask=2"
        ),
        "packed_window": (
            "-prec=fp16 -mode=1 -b=3 -h=2 -h_k=1 -d=64 -s=200 -s_k=520 -bias=n -lse=1 "
            "-iperm=0 -operm=0 -mask=t:128,30"
        ),
        "packed_with_gaps": (
            "-prec=fp16 -mode=1 -b=1 -h=2 -h_k=1 -d=64 -s=1 -s_k=10 -s_kpad=32 "
            "-bias=n -lse=1 -iperm=1 -operm=1 -mask=2"
        ),
        "bias": (
            "-prec=fp16 -mode=0 -b=1 -h=3 -d=64 -s=100 -s_k=51 -bias=e -lse=1 -iperm=0 -operm=0"
        ),
        "alibi": (
            "-prec=fp16 -mode=0 -b=2 -h=1 -d=64 -s=99 -s_k=32 -bias=a -lse=1 -iperm=1 "
            "-operm=1 -mask=b:4,35"
        ),
        "dropout": (
            "-prec=fp16 -mode=0 -b=2 -h=1 -d=64 -s=99 -s_k=32 -bias=n -p_drop=0.2 -lse=1 "
            "-iperm=0 -operm=0 -mask=b:4,35"
        ),
        "bf16_head_size_128": (
            "-prec=bf16 -mode=0 -b=1 -h=3 -d=128 -s=100 -s_k=51 -bias=n -lse=1 -iperm=0 -operm=0"
        ),
        "bf16_lengths": (
            "-prec=bf16 -mode=0 -b=4 -h=8 -h_k=8 -d=128 -s=3 -s_k=3 -q_eff_lens=1,2,1,2 "
            "-kv_eff_lens=1,2,1,2 -bias=n -lse=1 -iperm=1 -operm=1"
        ),
    }.items()
)
