"""What Starlark reads from `families.json`, as a repository, because it is needed at loading time.
"""

visibility(["//families/...", "//tests/families/..."])

_FIELDS = {
    "ck_folders": "list",
    "host_needs_ck": "bool",
    "layers": "list",
    "name": "string",
    "number": "int",
    "title": "string",
}

def families_bzl(document):
    """Renders `families.bzl`.

    Args:
      document: `families.json`, decoded.

    Returns:
      The text of the file, and None; or None, and the sentence that says what is wrong.
    """
    rows = document.get("families") if type(document) == "dict" else None
    if type(rows) != "list" or not rows:
        return None, "families: expected at least one family"
    seen = {}
    for i, row in enumerate(rows):
        where = "families[{}]".format(i)
        if type(row) != "dict" or sorted(row) != sorted(_FIELDS):
            return None, "{}: expected the fields {}".format(where, ", ".join(sorted(_FIELDS)))
        for field, kind in _FIELDS.items():
            if type(row[field]) != kind:
                return None, "{}.{}: expected {}, not {}".format(
                    where,
                    field,
                    kind,
                    repr(row[field]),
                )
        for word in [row["name"]] + row["layers"]:
            if not _is_folder(word):
                return None, ("{}: {} is no name of a folder; it has lower-case letters, digits " +
                              "and _, and begins with a letter").format(where, repr(word))
        if row["number"] < 1:
            return None, "{}.number: {} is less than 1".format(where, row["number"])
        for field in ("name", "number"):
            if (field, row[field]) in seen:
                return None, "{}.{}: {} is that of another family".format(
                    where,
                    field,
                    repr(row[field]),
                )
            seen[(field, row[field])] = True
    structs = [
        "    struct({}),\n".format(
            ", ".join(["{} = {}".format(field, repr(row[field])) for field in _FIELDS]),
        )
        for row in rows
    ]
    return '"""Generated from families.json."""\n\nFAMILIES = [\n{}]\n'.format(
        "".join(structs),
    ), None

def _is_folder(word):
    return type(word) == "string" and word[:1].islower() and not [
        letter
        for letter in word.elems()
        if letter not in "abcdefghijklmnopqrstuvwxyz0123456789_"
    ]

def _families_repository_impl(repository_ctx):
    table = repository_ctx.path(repository_ctx.attr.table)
    text, error = families_bzl(json.decode(repository_ctx.read(table), default = None))
    if error:
        fail("{}: {}.".format(table, error))
    repository_ctx.file("families.bzl", text)
    repository_ctx.file("BUILD.bazel", """exports_files(
    ["families.bzl"],
    visibility = ["//visibility:public"],
)
""")

families_repository = repository_rule(
    implementation = _families_repository_impl,
    attrs = {
        "table": attr.label(
            allow_single_file = [".json"],
            doc = "The table of families.",
            mandatory = True,
        ),
    },
    doc = "Makes `families.bzl` from `families.json`: `FAMILIES` is a list of structs, one for " +
          "each row.",
)
