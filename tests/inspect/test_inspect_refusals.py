# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import device_objects
import pytest
from ckinspect import elf, metadata
from ckinspect.cli import main
from ckinspect.description import compose, resources_literal
from ckinspect.errors import MalformedError
from device_objects import compile_hip
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def good_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_hip(device_objects.LDS_KERNEL, "gfx942", tmp_path_factory.mktemp("good"))


def run(folder: Path, code_object: Path, *flags: str, gpu: str = "gfx942") -> int:
    (folder / "spec.json").write_text('{"name": "demo"}')
    return main(
        [
            "code-object",
            f"--spec={folder / 'spec.json'}",
            f"--object={gpu}={code_object}",
            f"--objdump={device_objects.objdump()}",
            f"--output={folder / 'demo.json'}",
            f"--resources-header={folder / 'demo.inc'}",
            *flags,
        ]
    )


def refusal(
    folder: Path,
    code_object: Path,
    capsys: pytest.CaptureFixture[str],
    *flags: str,
    gpu: str = "gfx942",
) -> str:
    """The sentence with which a code object is refused, after checking that nothing was written."""
    before = sorted(folder.iterdir())
    assert run(folder, code_object, *flags, gpu=gpu) == 1
    assert sorted(folder.iterdir()) in (before, sorted([*before, folder / "spec.json"]))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1 and captured.err.endswith(".\n")
    return captured.err


def test_code_for_another_gpu_is_refused(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(tmp_path, good_object, capsys, gpu="gfx950")
    assert "was given for gfx950 but its code is for gfx942" in sentence


def test_a_target_with_features_is_still_its_gpu(tmp_path: Path) -> None:
    code_object = compile_hip(device_objects.LDS_KERNEL, "gfx942:sramecc+:xnack-", tmp_path)
    assert run(tmp_path, code_object) == 0


def test_an_unknown_gpu_is_refused_with_the_known_ones(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(tmp_path, good_object, capsys, gpu="gfx000")
    assert "gfx000" in sentence and "gfx942" in sentence


def test_a_spilling_kernel_is_refused_only_when_spills_are_forbidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code_object = compile_hip(device_objects.SPILLING_KERNEL, "gfx942", tmp_path)
    sentence = refusal(tmp_path, code_object, capsys, "--forbid-spills")
    assert run(tmp_path, code_object) == 0
    kernel = json.loads((tmp_path / "demo.json").read_text())["gpus"]["gfx942"]["kernels"][
        "crowded"
    ]
    assert (
        f"on gfx942 its kernel crowded spills {kernel['vgpr_spills']} VGPRs"
        f" and uses {kernel['scratch_bytes']} bytes of scratch"
    ) in sentence


def test_a_kernel_without_spills_passes_when_they_are_forbidden(
    tmp_path: Path, good_object: Path
) -> None:
    assert run(tmp_path, good_object, "--forbid-spills") == 0


def test_more_lds_than_a_workgroup_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The compiler itself refuses such code, so the metadata of a legal kernel is edited.
    source = device_objects.LDS_KERNEL.replace("1024", "16384")
    code_object = compile_hip(source, "gfx942", tmp_path)
    field = b"\xb9.group_segment_fixed_size"
    data = code_object.read_bytes()
    assert data.count(field + b"\xce\x00\x01\x00\x00") == 1
    code_object.write_bytes(
        data.replace(field + b"\xce\x00\x01\x00\x00", field + b"\xce\x00\x01\x00\x01")
    )
    sentence = refusal(tmp_path, code_object, capsys)
    assert "kernel reverse needs 65537 bytes of LDS and a workgroup there has 65536" in sentence


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"\x7fEL", "it is not an ELF file"),
        (b"#!/bin/sh\nexit 0\n" * 10, "it is not an ELF file"),
        (b"\x7fELF", "ends after 4 bytes, inside its ELF header"),
        (b"CCOB" + bytes(100), "it is an offload bundle"),
    ],
)
def test_what_is_no_code_object_is_refused(
    content: bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code_object = tmp_path / "x.co"
    code_object.write_bytes(content)
    assert reason in refusal(tmp_path, code_object, capsys)


def test_a_bundle_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code_object = compile_hip(device_objects.LDS_KERNEL, "gfx942", tmp_path, bundle=True)
    assert "it is an offload bundle" in refusal(tmp_path, code_object, capsys)


def test_an_unlinked_object_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code_object = device_objects.assemble("s_endpgm\n", "gfx942", tmp_path)
    assert "it is not linked" in refusal(tmp_path, code_object, capsys)


def test_an_object_without_kernels_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "__attribute__((device, used)) float square(float x) { return x * x; }"
    code_object = compile_hip(source, "gfx942", tmp_path)
    assert "it holds no kernel" in refusal(tmp_path, code_object, capsys)


def test_code_for_another_machine_is_refused(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code_object = tmp_path / "host.so"
    data = bytearray(good_object.read_bytes())
    data[18:20] = (62).to_bytes(2, "little")
    code_object.write_bytes(data)
    assert "no AMD GPU code (ELF machine 62)" in refusal(tmp_path, code_object, capsys)


def test_a_missing_object_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "missing.co cannot be read" in refusal(tmp_path, tmp_path / "missing.co", capsys)


def test_a_missing_disassembler_is_refused(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(tmp_path, good_object, capsys, "--objdump=/nonexistent/objdump")
    assert "/nonexistent/objdump does not run" in sentence


def test_a_disassembler_that_shows_nothing_is_refused(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    sentence = refusal(tmp_path, good_object, capsys, f"--objdump={silent}")
    assert "shows no instruction of kernel reverse" in sentence


def test_every_truncation_is_recognized(good_object: Path) -> None:
    data = good_object.read_bytes()
    for length in range(len(data)):
        with pytest.raises(MalformedError):
            elf.parse(data[:length])


def test_truncated_files_are_refused_in_one_sentence(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = good_object.read_bytes()
    code_object = tmp_path / "cut.co"
    for length in range(0, len(data), 101):
        code_object.write_bytes(data[:length])
        assert "cut.co cannot be inspected for gfx942" in refusal(tmp_path, code_object, capsys)


@given(data=st.data())
@settings(max_examples=300, deadline=None, database=None)
def test_damaged_bytes_are_read_or_refused(good_object: Path, data: st.DataObject) -> None:
    content = bytearray(good_object.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        offset = data.draw(st.integers(0, len(content) - 1))
        content[offset] = data.draw(st.integers(0, 255))
    try:
        metadata.read(elf.parse(bytes(content)).notes)
    except MalformedError as error:
        sentence = str(error)
    else:
        return
    assert sentence


@pytest.mark.parametrize("offset", range(40, 3000, 137))
def test_damaged_files_end_in_an_answer_or_a_sentence(
    offset: int, tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(good_object.read_bytes())
    content[offset : offset + 4] = b"\xff\xff\xff\x7f"
    code_object = tmp_path / "damaged.co"
    code_object.write_bytes(content)
    status = run(tmp_path, code_object)
    assert (tmp_path / "demo.json").exists() == (status == 0)
    assert capsys.readouterr().err.count("\n") == status


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("", "is not JSON"),
        ("[]", "does not hold a JSON object"),
        ("{}", "has no kernel name"),
        ('{"name": 5}', "has no kernel name"),
        ('{"name": "x", "y": NaN}', "NaN is no JSON number"),
        ("[" * 100000, "is not JSON"),
    ],
)
def test_a_spec_that_is_none_is_refused(
    spec: str, reason: str, tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(spec)
    assert reason in refusal(tmp_path, good_object, capsys, f"--spec={path}")


def test_two_objects_for_one_gpu_are_refused(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(tmp_path, good_object, capsys, f"--object=gfx942={good_object}")
    assert "gfx942 has two code objects" in sentence


def test_an_output_that_cannot_be_written_leaves_the_other_unwritten(
    tmp_path: Path, good_object: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refusal(
        tmp_path, good_object, capsys, f"--resources-header={tmp_path / 'none' / 'demo.inc'}"
    )
    assert "cannot be written" in sentence


def test_no_text_can_end_the_resources_literal(tmp_path: Path) -> None:
    # JSON escapes quotes, but the one that closes this key would close the literal too.
    hostile = "gfx)json"
    literal = resources_literal(compose({"name": "x"}, {hostile: {"summary": {"vgprs": 1}}}))
    (tmp_path / "x.inc").write_text(literal)
    text = literal[len('R"json(') : -len(')json"\n')]
    assert json.loads(text) == {hostile: {"vgprs": 1}}
    source = tmp_path / "use.cpp"
    source.write_text(device_objects.literal_check("x.inc", len(text)))
    device_objects.check_cxx(source)
