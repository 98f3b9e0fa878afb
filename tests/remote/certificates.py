# SPDX-License-Identifier: MIT
"""The certificates that docs/remote.md makes, and the flags of those who read and who write with
them.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.remote.servers import Server


def make_certificates(folder: Path) -> Path:
    """Runs the lines of the page."""
    folder.mkdir()
    (lines,) = re.findall(
        r"```sh\n(openssl req .*?)```", Path("docs/remote.md").read_text(), re.DOTALL
    )
    subprocess.run(
        ["bash", "-euc", f"CACHE=cache.example\n{lines}"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder


def reads(server: Server, ca: Path) -> list[str]:
    return [
        f"--remote_cache=https://localhost:{server.port}",
        f"--tls_certificate={ca}/ca.crt",
        "--remote_download_outputs=all",
    ]


def writes(server: Server, ca: Path, own: Path) -> list[str]:
    return [
        *reads(server, ca),
        f"--tls_client_certificate={own}/writer.crt",
        f"--tls_client_key={own}/writer.key",
    ]


def entries(server: Server) -> list[str]:
    return sorted(path.name for path in (server.data / "entries").rglob("*") if path.is_file())
