# SPDX-License-Identifier: MIT
"""A config from a name or from JSON, whatever its family."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ckgen.core import codec
from ckgen.core.errors import FieldError
from ckgen.core.spec import KernelSpec

from ckdispatch.config.base import KernelConfig
from ckdispatch.config.gemm import GemmConfig
from ckdispatch.config.grouped_conv import GroupedConvConfig
from ckdispatch.errors import InvalidArgument
from ckdispatch.user_files import check_document
from ckdispatch.wording import quoted

CONFIGS: Mapping[str, type[KernelConfig]] = MappingProxyType(
    {config.family: config for config in (GemmConfig, GroupedConvConfig)}
)
"""The config class of each family; a new one is added here."""


def parse_config(value: object) -> KernelConfig:
    """See ``KernelConfig.parse``; a config is taken as it is, and a spec as what it means."""
    if isinstance(value, KernelConfig):
        return value
    if isinstance(value, KernelSpec):
        return _config_class(value.family).from_spec(value)
    if isinstance(value, str):
        return _from_json_text(value) if value.lstrip().startswith("{") else _from_name(value)
    if isinstance(value, Mapping):
        check_document(dict(value), "a kernel's config")
        return _config_class(value.get("family")).from_json(value)
    raise InvalidArgument(f"a kernel's config was expected, or its name or JSON, not {quoted(value)}")


def _from_name(name: str) -> KernelConfig:
    for family, config in CONFIGS.items():
        if name.startswith(f"{family}_"):
            return config.from_name(name)
    raise InvalidArgument(
        f"{quoted(name)} is not the name of a kernel; those begin with their family, "
        f"{' or '.join(CONFIGS)}"
    )


def _from_json_text(text: str) -> KernelConfig:
    try:
        return parse_config(codec.parse_json(text))
    except (FieldError, RecursionError) as error:
        raise InvalidArgument(f"a kernel's config is {error}") from error


def _config_class(family: object) -> type[KernelConfig]:
    if isinstance(family, str) and family in CONFIGS:
        return CONFIGS[family]
    raise InvalidArgument(
        f"there is no kernel family {codec.show(family)}; there is {', '.join(CONFIGS)}"
    )
