# SPDX-License-Identifier: MIT
"""Attention in the words of a command line."""

from __future__ import annotations

import ctypes
import re
from dataclasses import fields
from typing import Any

from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.structure import BIASES, LAYOUTS, MASKS, ROTARIES
from ckdispatch.problem import check_text, named_words, shown, whole_number
from ckdispatch.wording import quoted

_TEXT = re.compile(
    r"fmha[\s:]+(?P<batch>\d{1,19})x(?P<seqlen_q>\d{1,19})x(?P<seqlen_k>\d{1,19})\s+h(?P<heads_q>\d{1,19})(?:/(?P<heads_k>\d{1,19}))?\s+d(?P<hdim_q>\d{1,19})(?:/(?P<hdim_v>\d{1,19}))?(?P<rest>[\s,].*)?",
    re.ASCII,
)
_FORM = (
    "fmha, sequences x rows of q x keys, h and the heads of q (/ those of k), d and the head size "
    "(/ that of v), and words such as fp16, causal, window=128:0, bias, lse, dropout=0.1, "
    "page=128, backward; for example fmha 2x130x270 h8/2 d128 fp16 causal"
)
_SWITCHES = {
    "backward": "backward",
    "group": "group",
    "lse": "lse",
    "randval": "randval",
    "dbias": "dbias",
    "sinks": "sinks",
    "deterministic": "deterministic",
    "lengths_q": "lengths_q",
    "lengths_k": "lengths_k",
    "cache_index": "cache_index",
    "seeds_on_device": "seeds_on_device",
}
_WORDS = {
    "bias": ("bias", "elementwise"),
    "alibi": ("bias", "alibi"),
    **{one: ("layout", one) for one in LAYOUTS},
}
_DTYPES = ("fp8bf16", "fp8fp32")
"""Of attention alone."""
_NUMBERS = {
    "new": "seqlen_new",
    "page": "page_rows",
    "pages": "pages",
    "table": "block_table_stride",
    "listed": "kv_page_count",
    "splits": "splits",
    "sink_tokens": "sink_tokens",
    "decodes": "decode_rows",
    "positions": "rotary_positions",
    "seed": "seed",
    "offset": "offset",
    "alignment": "alignment",
    "workspace_limit": "workspace_limit",
}
_FLOATS = {
    "scale": "scale",
    "cap": "soft_cap",
    "dropout": "p_drop",
    "scale_p": "scale_p",
    "scale_o": "scale_o",
}
_FLOAT = re.compile(r"-?\d{1,20}(\.\d{0,20})?(e[+-]?\d{1,3})?", re.ASCII)
_SIDES = re.compile(r"(\d{0,18}):(\d{0,18})", re.ASCII)
_CHOICES = {"mask": MASKS, "bias": BIASES, "layout": LAYOUTS}


def parsed(text: str) -> dict[str, Any]:
    """The fields of a problem that a text says."""
    check_text(text)
    match = _TEXT.fullmatch(text.strip())
    if not match:
        raise InvalidArgument(f"{quoted(text)} is no attention; write {_FORM}")
    values: dict[str, Any] = {
        name: int(number) for name, number in match.groupdict().items() if number and name != "rest"
    }
    by_themselves = {"words": ", ".join(("causal", *_WORDS, *_SWITCHES, *_DTYPES))}
    for name, value in named_words(text, match["rest"] or "", _name_of, by_themselves):
        values |= _said(name, value, text)
    return _completed(values)


def _name_of(word: str) -> str | None:
    if word in _WORDS:
        return _WORDS[word][0]
    if word in _DTYPES:
        return "dtype"
    return "mask" if word == "causal" else word if word in _SWITCHES else None


def _said(name: str, value: str, text: str) -> dict[str, Any]:
    if name in _SWITCHES:
        return {name: _switched(name, value, text)}
    if value in _WORDS and _WORDS[value][0] == name:
        return {name: _WORDS[value][1]}
    if name == "mask" and value == "causal":
        return {"mask": "bottom_right", "window": (-1, 0)}
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise InvalidArgument(
                f"{quoted(text)} has {name}={value}; it is one of {', '.join(_CHOICES[name])}"
            )
        return {name: value}
    if name == "causal":
        if value not in MASKS[1:]:
            raise InvalidArgument(
                f"{quoted(text)} has causal={value}; it is one of {', '.join(MASKS[1:])}"
            )
        return {"mask": value, "causal": True}
    if name == "dtype":
        return {name: value}
    if name in _NUMBERS:
        return {_NUMBERS[name]: whole_number(name, value, text)}
    if name in _FLOATS:
        if not _FLOAT.fullmatch(value):
            raise InvalidArgument(f"{quoted(text)} has {name}={value}; {name} is a number")
        return {_FLOATS[name]: float(value)}
    if name in _OTHERS:
        return _OTHERS[name](value, text)
    known = ", ".join(
        ("mask", "causal", *_OTHERS, *_FLOATS, *_NUMBERS, *_SWITCHES, "bias", "layout", "dtype")
    )
    raise InvalidArgument(
        f"{quoted(text)} has the word {quoted(name)}; an attention is {_FORM}, "
        f"and its words are {known}"
    )


def _switched(name: str, value: str, text: str) -> bool:
    if value in (name, "true", "false"):
        return value != "false"
    raise InvalidArgument(f"{quoted(text)} has {name}={value}; it is true or false")


def _sides(value: str, text: str) -> dict[str, Any]:
    match = _SIDES.fullmatch(value)
    if not match:
        raise InvalidArgument(
            f"{quoted(text)} has window={value}; it is the keys to the left, a colon, "
            "and those to the right: 128:0"
        )
    left, right = (int(side) if side else -1 for side in match.groups())
    return {"window": (left, right)}


def _totals(value: str, text: str) -> dict[str, Any]:
    q, slash, k = value.partition("/")
    return {
        "total_q": whole_number("total", q, text),
        "total_k": whole_number("total", k if slash else q, text),
    }


def _rotary(value: str, text: str) -> dict[str, Any]:
    kind, colon, size = value.partition(":")
    if kind not in ROTARIES[1:]:
        raise InvalidArgument(
            f"{quoted(text)} has rotary={value}; it is {' or '.join(ROTARIES[1:])}, a colon, "
            "and its size: half:64"
        )
    return {"rotary": kind, "rotary_dim": whole_number("rotary", size, text) if colon else None}


def _strides(value: str, text: str) -> dict[str, Any]:
    found = []
    for one in value.split("+"):
        name, *numbers = one.split(":")
        if len(numbers) != 3:
            raise InvalidArgument(
                f"{quoted(text)} has strides={value}; "
                "of each tensor they are its name and three numbers: q:1024:128:0"
            )
        found.append((name, *(whole_number("strides", number, text) for number in numbers)))
    return {"strides": tuple(found)}


_OTHERS = {"window": _sides, "total": _totals, "rotary": _rotary, "strides": _strides}


def _completed(values: dict[str, Any]) -> dict[str, Any]:
    """With what follows from the rest and need not be said."""
    causal = values.pop("causal", False)
    if "window" in values and values.get("mask", "none") == "none":
        values["mask"] = "bottom_right"
    if causal or (values.get("mask", "none") != "none" and "window" not in values):
        values["window"] = (values.get("window", (-1, -1))[0], 0)
    for name, default in _following(values).items():
        values[name] = values.get(name) or default
    return values


def _following(values: dict[str, Any]) -> dict[str, Any]:
    """Fields of a cache and a rotation: a table of as many pages as the keys fill, and a position
    for each key.
    """
    found = {}
    rows = values.get("page_rows", 0)
    if rows:
        each = -(-values["seqlen_k"] // rows)
        found["pages"] = values["batch"] * each
        if not values.get("kv_page_count"):
            found["block_table_stride"] = each
    if values.get("seqlen_new"):
        found["lengths_k"] = True
    if values.get("rotary", "none") != "none":
        found |= {"rotary_dim": values["hdim_q"], "rotary_positions": values["seqlen_k"]}
    return found


def written(problem: Any) -> str:
    """A ``FmhaProblem`` as ``parsed`` reads it."""
    p = problem
    heads = f"h{p.heads_q}" + (f"/{p.heads_k}" if p.heads_k != p.heads_q else "")
    head_size = f"d{p.hdim_q}" + (f"/{p.hdim_v}" if p.hdim_v != p.hdim_q else "")
    words = [
        "fmha",
        f"{p.batch}x{p.seqlen_q}x{p.seqlen_k}",
        heads,
        head_size,
        p.dtype,
        *_mask_words(p),
    ]
    if p.bias != "none":
        words.append("bias" if p.bias == "elementwise" else p.bias)
    if p.layout != "bshd":
        words.append(p.layout)
    values = {field.name: getattr(p, field.name) for field in fields(p)}
    defaults = {field.name: field.default for field in fields(p)} | _following(values)
    if p.group and (p.total_q, p.total_k) != (
        p.batch * p.seqlen_q,
        0 if p.page_rows else p.batch * p.seqlen_k,
    ):
        words.append(f"total={p.total_q}/{p.total_k}")
    if p.rotary != "none":
        words.append(f"rotary={p.rotary}:{p.rotary_dim}")
    for word, name in (*_SWITCHES.items(), *_NUMBERS.items()):
        value = values[name]
        if value != defaults[name]:
            words.append(word if value is True else shown(word, value))
    words += [f"{word}={_shortest(values[name])}" for word, name in _FLOATS.items() if values[name]]
    if p.strides is not None:
        words.append("strides=" + "+".join(":".join(map(str, one)) for one in p.strides))
    return " ".join(words)


def _shortest(number: float) -> str:
    """The fewest digits that are the same number of 32 bits."""
    rounded = (float(f"{number:.{digits}g}") for digits in range(1, 10))
    return repr(next(one for one in rounded if ctypes.c_float(one).value == number)).removesuffix(
        ".0"
    )


def _mask_words(p: Any) -> list[str]:
    if p.mask == "none":
        return []
    left, right = ("" if side < 0 else str(side) for side in p.window)
    if (left, right) == ("", "0"):
        return ["causal" if p.mask == "bottom_right" else "causal=top_left"]
    window = f"window={left}:{right}"
    return [window] if p.mask == "bottom_right" else [f"mask={p.mask}", window]
