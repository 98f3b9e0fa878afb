# SPDX-License-Identifier: MIT
"""A made-up Debian archive for made-up machines: its dates, what it lacks, and what mmdebstrap and
apt-get say about it.

It is a folder, which the stand-ins below find in $MADE_UP_ARCHIVE.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

# The part of mmdebstrap that only reads the archive's lists. Sets $target, and ends the stand-in if
# that was all.
READ_LISTS = """
while [[ $1 != forky ]]; do
    [[ $1 != --simulate ]] || simulate=yes
    [[ $1 != *'Check-Valid-Until "true"' ]] || check=yes
    shift
done
target=$2
echo 'I: running apt-get update...' >&2
if [[ -e $MADE_UP_ARCHIVE/complaint ]]; then
    cat "$MADE_UP_ARCHIVE/complaint" >&2
    exit 25
fi
if [[ ${check-} && -e $MADE_UP_ARCHIVE/expired ]]; then
    echo 'E: Release file for http://x/InRelease is expired (invalid since 11d).' \\
        'Updates will not be applied.' >&2
    exit 25
fi
lists=$target/var/lib/apt/lists
mkdir -p "$lists"
cp "$MADE_UP_ARCHIVE/Release" "$lists/archive.example_debian_dists_forky_InRelease"
[[ ! ${simulate-} ]] || exit 0
"""

# The part of apt-get that plans an installation, and ends the stand-in if that was all.
PLAN = """
if [[ $1 == --simulate ]]; then
    while [[ $1 == --* ]]; do shift; done
    for name in "${@:2}"; do
        if grep -qx "$name" "$MADE_UP_ARCHIVE/missing"; then
            echo "E: Unable to locate package $name" >&2
            exit 100
        fi
        version=$(sed -n "s/^$name //p" "$MADE_UP_ARCHIVE/versions")
        echo "Inst $name (${version:-1} Debian:testing [arm64])"
    done
    exit 0
fi
"""

VERSIONS = {
    "clang-21": "1:21.1.8-13",
    "clang-22": "1:22.1.8-3",
    "bazel-bootstrap": "7.7.1+ds-8+b1",
    "hipcc": "7.0.2+dfsg-3",
}


def _stamp(time: datetime) -> str:
    return time.strftime("%a, %d %b %Y %H:%M:%S UTC")


class Archive:
    """What the stand-ins read. At first it is of today and lacks nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.date_of(datetime.now(timezone.utc))
        self.lacks()
        self.has(VERSIONS)

    def date_of(self, published: datetime) -> None:
        """Says when the archive was published, and that it is valid for a week."""
        until = published + timedelta(days=7)
        (self.folder / "Release").write_text(
            f"-----BEGIN PGP SIGNED MESSAGE-----\nOrigin: Debian\nDate: {_stamp(published)}\n"
            f"Valid-Until: {_stamp(until)}\n"
        )
        expired = self.folder / "expired"
        expired.touch() if until < datetime.now(timezone.utc) else expired.unlink(missing_ok=True)

    def lacks(self, *packages: str) -> None:
        """Takes packages out of the archive; all others are in it."""
        (self.folder / "missing").write_text("".join(f"{name}\n" for name in packages))

    def has(self, versions: dict[str, str]) -> None:
        """Says which versions packages have that are not of version 1."""
        (self.folder / "versions").write_text(
            "".join(f"{name} {version}\n" for name, version in versions.items())
        )

    def complains(self, complaint: str) -> None:
        """Makes the archive one that cannot be read."""
        (self.folder / "complaint").write_text(complaint + "\n")
