# SPDX-License-Identifier: MIT
from pathlib import Path

import pytest
from ckbench.options import Options, Part, parse_options
from ckgen.gemm.spec import Pipeline

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
        "--only compile --kernels 3 --repeat 5 --gpu gfx950 --json out.json --pipelines mem,compv3"
    ).split()
    pipelines = frozenset({Pipeline.MEM, Pipeline.COMPV3})
    expected = Options(frozenset({Part.COMPILE}), 3, 5, "gfx950", HERE / "out.json", pipelines)
    assert parse_options(arguments, HERE) == expected


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
    for option in ("--only", "--kernels", "--pipelines", "--repeat", "--gpu", "--json"):
        assert f"  {option} " in text
