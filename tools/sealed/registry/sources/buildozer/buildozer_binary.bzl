"""The extension that Bazel's own module graph asks of `buildozer`, without a download.

Only `bazel mod tidy` runs buildozer. In the sealed root it gets a program that says so.
"""

_NOTICE = """#!/bin/sh
echo "bazel mod tidy needs buildozer, which the sealed root does not have;" \\
    "edit MODULE.bazel by hand or run it with a Bazel that reaches the public registry." >&2
exit 1
"""

def _buildozer_notice_impl(repository_ctx):
    repository_ctx.file("BUILD.bazel", 'exports_files(["buildozer.exe"])\n')
    repository_ctx.file("buildozer.exe", _NOTICE, executable = True)

_buildozer_notice = repository_rule(
    implementation = _buildozer_notice_impl,
    doc = "A repository whose `buildozer.exe` explains that buildozer is not available.",
)

def _buildozer_binary_impl(_module_ctx):
    _buildozer_notice(name = "buildozer_binary")

buildozer_binary = module_extension(
    implementation = _buildozer_binary_impl,
    doc = "Declares `@buildozer_binary`, as the module `buildozer` of the public registry does.",
)
