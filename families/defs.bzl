"""Files that are generated from the table of families."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("@ck_families//:families.bzl", "FAMILIES")

def family_lines(name, out, content, **kwargs):
    """Writes a file with lines for each family.

    Args:
      name: the target.
      out: the file.
      content: its lines. One with `{name}`, `{NAME}` or `{number}` is repeated for each family.
      **kwargs: those of all rules.
    """
    write_file(
        name = name,
        out = out,
        content = [line for template in content for line in _repeated(template)] + [""],
        **kwargs
    )

def _repeated(template):
    lines = [
        template
            .replace("{name}", row.name)
            .replace("{NAME}", row.name.upper())
            .replace("{number}", str(row.number))
        for row in FAMILIES
    ]
    return lines if lines[0] != template else [template]
