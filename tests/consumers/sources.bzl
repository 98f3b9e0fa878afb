"""The files of this repository: as a list with hashes, on which tests that run Bazel on a copy of
it depend, and those whose style is checked as an archive.
"""

_PAGE = "consuming.md"

# Not part of a copy: what Bazel, Git or Python made, what one user set, and documentation and tests
# that no copy reads.
_PRUNED = "-name 'bazel-*' -o -name __pycache__ -o -type d -name '.?*'"
_WANTED = " ".join([
    "! -type d ! -name user.bazelrc ! -name MODULE.bazel.lock",
    "\\( ! -path './docs/*' -o -path './docs/{}' \\)".format(_PAGE),
    "\\( ! -path './tests/*' -o -path './tests/consumer/*' -o -path './tests/consumers/*' \\)",
])

_LIST = "find . \\( {} \\) -prune -o {} -print0 | LC_ALL=C sort -z | xargs -0 sha256sum".format(
    _PRUNED,
    _WANTED,
)

def _watch(rctx, folder, open = []):
    """Watches what is in a folder, also below it except in what is `open`, without following \
    the links to Bazel's output.
    """
    for entry in folder.readdir():
        if entry.basename.startswith("bazel-"):
            continue
        if not entry.is_dir:
            rctx.watch(entry)
        elif entry.basename not in open and not entry.basename.startswith("."):
            rctx.watch_tree(entry)

def _source_list_impl(rctx):
    root = rctx.path(Label("//:MODULE.bazel")).dirname
    consumers = root.get_child("tests", "consumers")
    workspaces = [entry for entry in consumers.readdir() if entry.is_dir]
    _watch(rctx, root, open = ["docs", "tests"])
    rctx.watch(root.get_child("docs", _PAGE))
    _watch(rctx, consumers, open = [workspace.basename for workspace in workspaces])
    for workspace in workspaces + [root.get_child("tests", "consumer")]:
        _watch(rctx, workspace)
    result = rctx.execute(["sh", "-c", _LIST], working_directory = str(root))
    if result.return_code != 0:
        fail("The files of {} could not be listed: {}".format(root, result.stderr.strip()))
    rctx.file("sources.sha256", result.stdout, executable = False)
    rctx.file("BUILD.bazel", "exports_files([\"sources.sha256\"])\n", executable = False)

_source_list = repository_rule(
    implementation = _source_list_impl,
    doc = "sources.sha256: every file of this repository, as `sha256sum` writes it.",
)

# What //tests/style reads. Sorted and without times, so that the archive changes when a file does.
_PYTHON = ["*.py", "py.typed", "pyproject.toml"]
_CPP = ["*.cpp", "*.h", "*.hpp", ".clang-format"]
_CHECKED = " -o ".join([
    "-name '{}'".format(name)
    for name in _PYTHON + _CPP + ["*.bzl", "*.bazel", "*.sh", "*.sh.tpl", "bazelw", ".shellcheckrc"]
])
_PACK = ("(find . \\( {} \\) -prune -o -type f \\( {} \\) -print0; " +
         "find .ci -type f -print0) | ").format(_PRUNED, _CHECKED) + \
        "LC_ALL=C sort -z | tar --null --no-recursion --mtime=@0 --owner=0 --group=0 " + \
        "--numeric-owner -cf \"$1\" -T -"

def _checked_sources_impl(rctx):
    root = rctx.path(Label("//:MODULE.bazel")).dirname
    consumers = root.get_child("tests", "consumers")
    workspaces = [entry for entry in consumers.readdir() if entry.is_dir] + [
        root.get_child("tests", "consumer"),
    ]
    _watch(rctx, root, open = ["tests"])
    _watch(rctx, root.get_child("tests"), open = ["consumer", "consumers"])
    _watch(rctx, consumers, open = [workspace.basename for workspace in workspaces])
    for workspace in workspaces:
        _watch(rctx, workspace)
    rctx.watch_tree(root.get_child(".ci"))
    result = rctx.execute(
        ["sh", "-c", _PACK, "sh", str(rctx.path("sources.tar"))],
        working_directory = str(root),
    )
    if result.return_code != 0:
        fail("The files of {} could not be packed: {}".format(root, result.stderr.strip()))
    rctx.file("BUILD.bazel", "exports_files([\"sources.tar\"])\n", executable = False)

_checked_sources = repository_rule(
    implementation = _checked_sources_impl,
    doc = "sources.tar: every file of this repository that a tool checks the style of, and the " +
          "tools' settings.",
)

def _sources_impl(_mctx):
    _source_list(name = "ck_sources")
    _checked_sources(name = "ck_checked")

sources = module_extension(
    implementation = _sources_impl,
    doc = "Makes @ck_sources and @ck_checked, for the tests of this repository alone.",
)
