# SPDX-License-Identifier: MIT
"""Composable Kernel's headers, out of the wheel that carries them, with a few scripted edits."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/3rdparty/composable_kernel")
# tile_engine is what the build benchmark compares itself with.
_WANTED = ("include/ck_tile/", "tile_engine/ops/gemm/", "tile_engine/ops/commons/", "LICENSE")


@dataclass(frozen=True)
class Edit:
    """A replacement inside one struct of a header; it must match exactly `count` times, or the headers are unknown."""

    path: str
    struct: str
    pattern: str
    replacement: str
    count: int
    why: str

    def apply(self, text: str) -> str:
        begin = text.find(f"struct {self.struct}\n")
        end = text.find("\n};\n", begin)
        body, count = re.subn(self.pattern, self.replacement, text[begin:end], flags=re.DOTALL)
        if begin < 0 or count != self.count:
            raise FetchError(
                f"{self.path} has {max(count, 0)} places to edit in {self.struct} where {self.count} were expected: "
                f"the edit «{self.why}» does not fit these headers."
            )
        return text[:begin] + body + text[end:]


# CK sorts a sequence by merging recursive templates; the same order comes from ranking the elements in a constexpr
# function, which the compiler evaluates in a fraction of the time. Equal elements keep CK's order, the later one first.
_RANKED_SORT = """\
    static constexpr index_t count = Values::size();
    struct Ranked
    {
        index_t values[count + 1];
        index_t ids[count + 1];
    };
    static constexpr Ranked rank()
    {
        Ranked ranked{};
        for(index_t i = 0; i < count; ++i)
        {
            index_t before = 0;
            for(index_t j = 0; j < count; ++j)
            {
                if(Compare{}(Values::at(j), Values::at(i)) ||
                   (j > i && !Compare{}(Values::at(i), Values::at(j))))
                    ++before;
            }
            ranked.values[before] = Values::at(i);
            ranked.ids[before]    = i;
        }
        return ranked;
    }
    template <typename Ids>
    struct pick;
    template <index_t... Is>
    struct pick<sequence<Is...>>
    {
        static constexpr Ranked ranked = rank();
        using sorted_values            = sequence<ranked.values[Is]...>;
        using sorted_ids               = sequence<ranked.ids[Is]...>;
    };
    using sort = pick<typename arithmetic_sequence_gen<0, Values::size(), 1>::type>;
"""

_EDITS = (
    Edit(
        path="include/ck_tile/core/container/sequence.hpp",
        struct="sequence_sort",
        pattern=r" *using unsorted_ids = [^;]*;\n *using sort +=[^;]*;\n",
        replacement=_RANKED_SORT,
        count=1,
        why="sort sequences in a constexpr function",
    ),
    *(
        Edit(
            path="include/ck_tile/ops/elementwise/unary_element_wise_operation.hpp",
            struct=struct,
            pattern=r"( *asm volatile\(.*?\);\n)",
            replacement=r"#if defined(__HIP_DEVICE_COMPILE__)\n\1#endif\n",
            count=2,
            why="GPU assembly must not reach the host compiler",
        )
        for struct in ("FastGeluAsm", "SiluAsm")
    ),
)


def unpack(lock: Path, output: Path) -> None:
    """Write the headers below `output`, from the cached wheel or from the network."""
    wheels = wheelhouse.cache_folder()
    wheel = wheelhouse.find(lock, wheels, "amd_aiter-")
    if wheel is None:
        wheelhouse.download(lock, wheels)
        wheel = wheelhouse.find(lock, wheels, "amd_aiter-")
    if wheel is None:
        raise FetchError(f"no wheel with a hash of {lock.name} arrived in {wheels}.")
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            inside = PurePosixPath(member)
            if member.endswith("/") or not inside.is_relative_to(_INSIDE) or ".." in inside.parts:
                continue
            relative = str(inside.relative_to(_INSIDE))
            if not relative.startswith(_WANTED):
                continue
            target = output / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            content = archive.read(member)
            for edit in _EDITS:
                if edit.path == relative:
                    content = edit.apply(content.decode()).encode()
            target.write_bytes(content)
