# SPDX-License-Identifier: MIT
"""Apache ECharts, which draws the charts of pages, out of the wheel that carries it: as a Python
package of one file.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("nicegui/elements/lib/echarts")
_WANTED = "echarts.min.js"
_PACKAGE = "ckcharts"
_LICENSE = b"Licensed to the Apache Software Foundation"


def unpack(lock: Path, output: Path) -> None:
    """Write the package below `output`."""
    wheel = wheelhouse.obtain(lock, "nicegui-")
    content = dict(wheelhouse.files_below(wheel, _INSIDE, lambda path: path == _WANTED)).get(
        _WANTED
    )
    if content is None or _LICENSE not in content[:1000]:
        raise FetchError(
            f"{wheel.name} has no {_INSIDE / _WANTED} with its licence; "
            "the lock names another wheel."
        )
    wheelhouse.write(output / _PACKAGE / _WANTED, content)
    wheelhouse.write(
        output / _PACKAGE / "__init__.py", b'"""Apache ECharts, as it was published."""\n'
    )
