"""Tests of the table of families as Starlark reads it: what it makes of a table, and what it
refuses.
"""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("@ck_families//:families.bzl", "FAMILIES")
load(
    "//families/private:families_repository.bzl",
    "families_bzl",
)  # buildifier: disable=bzl-visibility - it is what is tested

_ROW = {
    "ck_folders": [],
    "host_needs_ck": False,
    "layers": [],
    "name": "norm",
    "number": 7,
    "title": "norm",
}

def _read_test_impl(ctx):
    env = unittest.begin(ctx)
    text, error = families_bzl({"families": [_ROW]})
    asserts.equals(env, None, error)
    asserts.true(
        env,
        'struct(ck_folders = [], host_needs_ck = False, layers = [], name = "norm", number = 7, ' +
        'title = "norm"),\n' in text,
        text,
    )
    asserts.true(env, ("gemm", 1) in [(family.name, family.number) for family in FAMILIES])
    return unittest.end(env)

read_test = unittest.make(
    _read_test_impl,
    doc = "Every row is a struct with its fields.",
)

def _refused_test_impl(ctx):
    env = unittest.begin(ctx)
    other = _ROW | {"name": "sum"}
    for rows, sentence in [
        (None, "families: expected at least one family"),
        ([], "families: expected at least one family"),
        (
            [{"name": "norm"}],
            "families[0]: expected the fields ck_folders, host_needs_ck, layers, name, number, " +
            "title",
        ),
        ([_ROW | {"number": "7"}], 'families[0].number: expected int, not "7"'),
        ([_ROW | {"number": 0}], "families[0].number: 0 is less than 1"),
        (
            [_ROW | {"name": "../norm"}],
            'families[0]: "../norm" is no name of a folder; it has lower-case letters, digits ' +
            "and _, and begins with a letter",
        ),
        (
            [_ROW | {"layers": ["a b"]}],
            'families[0]: "a b" is no name of a folder; it has lower-case letters, digits and _, ' +
            "and begins with a letter",
        ),
        ([_ROW, _ROW | {"number": 8}], 'families[1].name: "norm" is that of another family'),
        ([_ROW, other], "families[1].number: 7 is that of another family"),
    ]:
        asserts.equals(env, (None, sentence), families_bzl({"families": rows}))
    asserts.equals(env, (None, "families: expected at least one family"), families_bzl("no table"))
    return unittest.end(env)

refused_test = unittest.make(
    _refused_test_impl,
    doc = "A table that makes no sense is refused with a sentence.",
)

def families_test_suite(name):
    """The tests of this file.

    Args:
        name: begins their names.
    """
    unittest.suite(name, read_test, refused_test)
