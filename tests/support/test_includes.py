# SPDX-License-Identifier: MIT
"""A change of a header concerns the kernels that include it, and no other."""

from __future__ import annotations

import pytest
from cksupport.includes import Includes

HEADERS = {
    "lib/top.hpp": b'#pragma once\n#include "beside.hpp"\n#include <lib/deep/down.hpp>\n',
    "lib/beside.hpp": b"#include <vector>\n",
    "lib/deep/down.hpp": b'  #  include "lib/top.hpp"\n#if 0\n#include "lib/never.hpp"\n#endif\n',
    "lib/never.hpp": b"",
    "lib/other.hpp": b'#include "lib/top.hpp"\n',
    "beside.hpp": b"",
}


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        (b"", set()),
        (b"#include <vector>\n", set()),
        (b'#include "beside.hpp"\n', {"beside.hpp"}),
        (b"#include <lib/beside.hpp>\n", {"lib/beside.hpp"}),
        (b'\t#include "lib/top.hpp"\r\n', {*HEADERS} - {"lib/other.hpp", "beside.hpp"}),
        (b'// #include "lib/top.hpp"\nint x; #include "lib/top.hpp"\n', set()),
    ],
)
def test_a_source_reaches_what_it_includes_directly_or_not(
    source: bytes, reached: set[str]
) -> None:
    includes = Includes(HEADERS)
    assert includes.of(source) == reached
    assert includes.of(source) == reached  # from memory, too
