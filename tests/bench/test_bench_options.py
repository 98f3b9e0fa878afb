# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest
from ckbench.families import FMHA
from ckbench.options import Options, parse_options
from ckbench.parts import Part

HERE = Path("/somewhere")


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse_options(arguments, HERE)
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def test_without_options_everything_is_measured_for_gfx942() -> None:
    assert parse_options([], HERE) == Options(frozenset(Part), 1, 2, "gfx942", None)


def test_only_names_the_parts_to_measure() -> None:
    options = parse_options(["--only", "generate, noop"], HERE)
    assert options.parts == {Part.GENERATE, Part.NOOP}


def test_every_option_is_taken_over() -> None:
    arguments = (
        "--only compile --family fmha --kernels 3 --repeat 5 --gpu gfx950 --json out.json "
        "--pipelines qr,qr_async --matching *_h64x64_*"
    ).split()
    pipelines = frozenset({"qr", "qr_async"})
    expected = Options(
        frozenset({Part.COMPILE}), 3, 5, "gfx950", HERE / "out.json", pipelines, FMHA, "*_h64x64_*"
    )
    assert parse_options(arguments, HERE) == expected


def test_pipelines_are_those_of_the_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_options(["--pipelines", "mem,compv3"], HERE).pipelines == {"mem", "compv3"}
    assert parse_options(["--family", "fmha"], HERE).pipelines == {"qr", "qr_async", "trload", "v3"}
    message = refusal(capsys, "--family", "fmha", "--pipelines", "mem")
    assert message.endswith(
        "argument --pipelines: there is no pipeline 'mem'; there are qr, qr_async, trload, v3"
    )


def test_of_attention_only_compiling_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_options(["--family", "fmha"], HERE).parts == {Part.COMPILE}
    message = refusal(capsys, "--family", "fmha", "--only", "clone,compile,noop")
    assert message.endswith(
        "--family fmha has no noop, clone; measured of it is compile: --only compile --family fmha"
    )


def test_an_unknown_family_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert refusal(capsys, "--family", "conv").endswith(
        "there is no family 'conv'; there are gemm, fmha"
    )


def test_an_absolute_json_file_stays_where_it_is() -> None:
    options = parse_options(["--json", "/elsewhere/out.json"], HERE)
    assert options.json_file == Path("/elsewhere/out.json")


def test_an_unknown_part_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(capsys, "--only", "generate,speed")
    assert message.endswith(
        "there is no part 'speed'; there are generate, compile, noop, edit, clone"
    )


def test_an_unknown_pipeline_is_refused_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = refusal(capsys, "--pipelines", "mem,compv9")
    assert "there is no pipeline 'compv9'; there are " in message and "compv5" in message


@pytest.mark.parametrize("text", ["", ","])
def test_naming_no_part_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no part is named" in refusal(capsys, "--only", text)


@pytest.mark.parametrize("option", ["--kernels", "--repeat"])
@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_a_count_below_one_is_refused(
    option: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"{text!r} is not a number of at least 1" in refusal(capsys, f"{option}={text}")


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_options(["--help"], HERE)
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in (
        "--only",
        "--family",
        "--kernels",
        "--pipelines",
        "--matching",
        "--repeat",
        "--gpu",
        "--json",
    ):
        assert f"  {option} " in text
