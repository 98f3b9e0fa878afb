"""Lists the files of this repository with their hashes: what a test that runs Bazel on a copy of it depends on."""

_PAGE = "consuming.md"

# Not part of a copy: what Bazel, Git or Python made, what one user set, and documentation and tests that no copy reads.
_PRUNED = "-name 'bazel-*' -o -name __pycache__ -o -type d -name '.?*'"
_WANTED = " ".join([
    "! -type d ! -name user.bazelrc ! -name MODULE.bazel.lock",
    "\\( ! -path './docs/*' -o -path './docs/{}' \\)".format(_PAGE),
    "\\( ! -path './tests/*' -o -path './tests/consumer/*' -o -path './tests/consumers/*' \\)",
])

_LIST = "find . \\( {} \\) -prune -o {} -print0 | LC_ALL=C sort -z | xargs -0 sha256sum".format(_PRUNED, _WANTED)

def _watch(rctx, folder, open = []):
    """Watches what is in a folder, also below it except in what is `open`, without following the links to Bazel's output."""
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

def _sources_impl(_mctx):
    _source_list(name = "ck_sources")

sources = module_extension(
    implementation = _sources_impl,
    doc = "Makes @ck_sources, for the tests of this repository alone.",
)
