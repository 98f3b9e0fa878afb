# SPDX-License-Identifier: MIT
"""A config says what an entry of a declaration says, and stays what it is."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from ckdispatch import families
from ckdispatch.config.base import KernelConfig
from ckdispatch.errors import InvalidArgument
from ckdispatch.fmha.config import FmhaConfig
from ckdispatch.gemm.config import GemmConfig
from ckdispatch.grouped_conv.config import GroupedConvConfig
from ckgen.families import FAMILIES
from config_support import BASE_NAME, FIELDS, configs, explicit_configs, gemm
from hypothesis import given, settings

settings.register_profile("config", max_examples=150, deadline=None, database=None)
settings.load_profile("config")


def test_every_family_of_the_generator_has_a_config() -> None:
    assert families.FAMILIES.keys() == FAMILIES.keys()
    for family, config in ((name, one.config_type) for name, one in families.FAMILIES.items()):
        assert config.field_names() == tuple(f.name for f in FAMILIES[family].entry_fields)


def test_fields_read_back_as_they_were_said() -> None:
    config = gemm(pipeline=["mem", "compv3"], pad="*", tile=(64, 64, 32))
    assert config.tile == (64, 64, 32) and str(config.tile) == "64x64x32"
    assert config.pipeline == ("mem", "compv3")
    assert config.pad == "*"
    assert config.dtype == "fp16"


def test_what_is_left_out_has_the_default() -> None:
    config = gemm()
    assert (config.epilogue, config.scheduler, config.pad) == (
        "cshuffle",
        "intrawave",
        (False, False, False),
    )
    assert config.dtype_c is None
    assert gemm(dtype_c=None) == config


def test_tuples_and_lists_say_the_same() -> None:
    assert gemm(tile=(128, 128, 32), pad=(False, False, False)) == gemm()
    assert gemm(tile=((64, 64, 32), (128, 128, 32))) == gemm(tile=[[64, 64, 32], [128, 128, 32]])


def test_an_explicit_config_has_the_name_of_its_kernel() -> None:
    assert gemm().is_explicit and gemm().name == BASE_NAME
    assert gemm().spec.name == BASE_NAME


@pytest.mark.parametrize("several", ["*", ["compv4"], ["mem", "compv4"]])
def test_a_config_with_choices_has_no_name(several: Any) -> None:
    config = gemm(pipeline=several, tile="*")
    assert not config.is_explicit
    with pytest.raises(InvalidArgument) as caught:
        _ = config.name
    assert str(caught.value) == (
        "this GemmConfig leaves tile and pipeline open, so it means no single kernel; "
        "expand(arch) gives the legal ones"
    )


def test_configs_of_one_kernel_are_equal_however_they_say_it() -> None:
    assert gemm(dtype_a="fp16", dtype_b="fp16", dtype_c="fp16") == gemm()
    assert hash(gemm(dtype_a="fp16")) == hash(gemm())
    assert gemm(dtype_c="fp32") != gemm()
    assert gemm(pipeline=["compv4"]) != gemm()
    assert gemm() != BASE_NAME


def test_configs_can_be_keys() -> None:
    assert len({gemm(), gemm(), gemm(pad="*"), gemm(pad="*"), gemm(persistent=True)}) == 3


def test_a_config_cannot_be_changed_but_replaced() -> None:
    config = gemm(epilogue="default")
    with pytest.raises(AttributeError, match=r"cannot be changed; replace\(tile=\.\.\.\) makes an"):
        config.tile = (1, 1, 1)
    changed = config.replace(tile="*", epilogue=None)
    assert (changed.tile, changed.epilogue) == ("*", "cshuffle")
    assert config.tile == (128, 128, 32)


def test_the_text_of_a_config_is_python_that_makes_it() -> None:
    config = gemm(pad=[True, False, True], pipeline=["mem", "compv3"])
    assert repr(config) == (
        "GemmConfig(dtype='fp16', layout='rcr', tile=[128, 128, 32], waves=[2, 2, 1], "
        "warp_tile=[32, 32, 16], pipeline=['mem', 'compv3'], pad=[True, False, True])"
    )


def test_json_is_an_entry_of_a_declaration_with_its_family() -> None:
    data = gemm(pad="*").to_json()
    assert data["family"] == "gemm" and data["pad"] == "*" and data["epilogue"] == "cshuffle"
    assert "dtype_a" not in data


def test_the_json_of_a_spec_is_understood_too() -> None:
    spec = gemm(persistent=True, pipeline="compv3").spec
    for data in (spec.to_json(), {**spec.to_json(), "name": spec.name}):
        assert GemmConfig.from_json(data).spec == spec
    with pytest.raises(InvalidArgument, match='GemmConfig: the spec calls itself "other", but its'):
        GemmConfig.from_json({**spec.to_json(), "name": "other"})


@given(configs)
def test_a_config_survives_json_pickling_copying_and_its_own_text(config: GemmConfig) -> None:
    assert GemmConfig.from_json(json.loads(json.dumps(config.to_json()))) == config
    assert pickle.loads(pickle.dumps(config)) == config
    assert copy.deepcopy(config) == config
    assert eval(repr(config)) == config
    assert hash(eval(repr(config))) == hash(config)
    assert KernelConfig.parse(json.dumps(config.to_json())) == config


@given(explicit_configs)
def test_an_explicit_config_survives_its_name_and_its_spec(config: GemmConfig) -> None:
    assert GemmConfig.from_name(config.name) == config
    assert GemmConfig.from_spec(config.spec) == config
    assert KernelConfig.parse(config.name) == config
    assert KernelConfig.parse(config.spec) == config
    assert KernelConfig.parse(config.spec.to_json()) == config


def test_parsing_a_config_gives_itself() -> None:
    config = gemm()
    assert KernelConfig.parse(config) is config


REFUSED_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"tiles": 1}, "GemmConfig: there is no field 'tiles'; the fields are variant, dtype, "),
    ({"gpus": ["gfx942"]}, "GemmConfig: there is no field 'gpus'; validate, autocorrect and expa"),
    ({"tile": None}, "GemmConfig: the field 'tile' is missing"),
    ({"tile": [1, 2]}, r"GemmConfig, field 'tile': expected three positive numbers such as \[128"),
    ({"tile": []}, "GemmConfig, field 'tile': a list of choices must not be empty"),
    ({"pad": "False"}, "GemmConfig, field 'pad': expected three of true or false such as "),
    ({"persistent": "False"}, "field 'persistent': \"False\" is a string; write false without q"),
    ({"pipeline": "compv9"}, "field 'pipeline': expected one of mem, .*, not \"compv9\""),
    ({"pipeline": ["mem", 3]}, "field 'pipeline': expected one of mem, .*, not 3"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED_FIELDS)
def test_what_a_field_cannot_be_is_refused_with_a_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        gemm(**changes)


def test_an_unknown_attribute_is_refused_with_the_fields() -> None:
    with pytest.raises(AttributeError, match="GemmConfig has no field 'foo'; its fields are varia"):
        _ = gemm().foo


def test_extents_that_are_said_one_by_one_are_filled_up() -> None:
    config = KernelConfig(tile_m=256, tile_n=256, tile_k=64)
    said = {**FIELDS, "tile": (256, 256, 64), "pipeline": "compv3"}
    assert type(config) is GemmConfig and config == GemmConfig(**said)
    assert all(config.validate(gpu) for gpu in ("gfx90a", "gfx942", "gfx950"))
    assert pickle.loads(pickle.dumps(config)) == config
    one = GemmConfig(tile_k=64, dtype="bf16", wave_m=4, wave_n=1, pipeline="mem", warp_tile_k=None)
    said = {**said, "dtype": "bf16", "tile": (128, 128, 64), "waves": (4, 1, 1), "pipeline": "mem"}
    assert one == GemmConfig(**said)
    conv = GroupedConvConfig(tile_m=64, tile_n=64, tile_k=64, layout="channels_first")
    assert (conv.ndim_spatial, conv.tile, conv.dtype) == (2, (64, 64, 64), "fp16")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"tile": (64, 64, 64), "tile_m": 64},
            "^GemmConfig: tile_m was said beside tile; say one of them$",
        ),
        ({"tile_m": 0}, r"^GemmConfig, field 'tile': expected three .*, not \[0, 128, 32\]$"),
        (
            {"tile_m": 64, "warp_m": 32},
            r"^GemmConfig: there is no field 'warp_m'; the fields are variant, ",
        ),
        ({"tile_m": 64, "gpus": ["gfx942"]}, "^GemmConfig: there is no field 'gpus'"),
    ],
)
def test_extents_that_make_no_sense_are_refused(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        KernelConfig(**said)


def test_a_tile_of_another_kind_is_not_said_one_by_one() -> None:
    with pytest.raises(InvalidArgument, match=r"^FmhaConfig: there is no field 'tile_m'"):
        FmhaConfig(tile_m=64, hdim_q=64, dtype="fp16")


def test_the_base_has_no_family() -> None:
    with pytest.raises(InvalidArgument, match=r"^KernelConfig is of no family; use the config of "):
        KernelConfig(**FIELDS)
    with pytest.raises(InvalidArgument, match=r"or KernelConfig.parse$"):
        KernelConfig.from_name(BASE_NAME)


REFUSED_PARSES: list[tuple[Any, str]] = [
    (7, "^a kernel's config was expected, or its name or JSON, not 7$"),
    (
        "conv_x",
        (
            "^'conv_x' is not the name of a kernel; those begin with their family, "
            "gemm or grouped_conv or fmha$"
        ),
    ),
    ("gemm_x", "^'gemm_x' is not the name of a GEMM kernel; those have the form gemm_<dtype>_"),
    ("{,}", "^a kernel's config is not valid JSON: "),
    ('{"family": "gemm", "family": "gemm"}', "'family' appears twice in one object"),
    ({"family": "conv"}, '^there is no kernel family "conv"; there is gemm, grouped_conv, fmha$'),
    ({}, "^there is no kernel family null; there is gemm, grouped_conv, fmha$"),
    (
        BASE_NAME + "_accfp16",
        "accumulates in fp16, and no declaration can say so; fp16 x fp16 accumulates in fp32",
    ),
]


@pytest.mark.parametrize(("value", "sentence"), REFUSED_PARSES)
def test_what_is_no_config_is_refused_with_a_sentence(value: Any, sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        KernelConfig.parse(value)


def test_json_of_another_family_or_shape_is_refused() -> None:
    with pytest.raises(
        InvalidArgument, match='GemmConfig: the data is of family "fmha", not \'gem'
    ):
        GemmConfig.from_json({"family": "fmha"})
    with pytest.raises(InvalidArgument, match=r"GemmConfig: expected a JSON object, not \[1\]"):
        GemmConfig.from_json([1])  # type: ignore[arg-type]  # what is refused
