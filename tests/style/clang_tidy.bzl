"""What clang-tidy says of C++: an action for each file, so that only what has changed is looked at
again, here and in shared caches.
"""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

# Where targets name what they are made of.
_LIBRARIES = ["deps", "implementation_deps"]
_FOLLOWED = _LIBRARIES + ["srcs"]

_ReportsInfo = provider(
    doc = "What clang-tidy said of a target and of what it depends on.",
    fields = {"files": "A depset of files, which are empty where nothing was found."},
)

# Whatever it says goes to a file: a finding fails the test, which shows all of them, and not the
# build. Of "N warnings generated" nobody has any use.
_RUN = """\
report="$1"; shift
said=$("$@" 2>&1) && said=""
echo "${said//$PWD\\//}" | grep -vE '^$|^[0-9]+ warnings? ' > "$report" || true
"""

def _context(target, rule):
    """Where this target's sources find headers, with those which it uses for itself."""
    own = [target[CcInfo]] if CcInfo in target else []
    used = [
        dep[CcInfo]
        for name in _LIBRARIES
        for dep in getattr(rule, name, [])
        if CcInfo in dep
    ]
    return cc_common.merge_cc_infos(direct_cc_infos = own + used).compilation_context

def _flags(context):
    return (
        ["-D" + define for define in context.defines.to_list() + context.local_defines.to_list()] +
        ["-I" + path for path in context.includes.to_list()] +
        [
            flag
            for path in context.quote_includes.to_list()
            for flag in ["-iquote", path]
        ] +
        [
            flag
            for path in context.system_includes.to_list() + context.external_includes.to_list()
            for flag in ["-isystem", path]
        ]
    )

def _own_defines(rule):
    """Those which its users do not get, of a target that has no users too."""
    return ["-D" + define.replace("\\\"", "\"") for define in getattr(rule, "local_defines", [])]

def _checked(target, ctx):
    if target.label.workspace_name or not hasattr(ctx.rule.attr, "copts"):
        return []
    sources = [
        file
        for source in getattr(ctx.rule.attr, "srcs", [])
        for file in source[DefaultInfo].files.to_list()
        if file.extension == "cpp" and file.is_source
    ]
    private = [
        file
        for source in getattr(ctx.rule.attr, "srcs", [])
        for file in source[DefaultInfo].files.to_list()
        if file.extension in ["h", "hpp"]
    ]
    if not sources:
        return []
    context = _context(target, ctx.rule.attr)
    flags = ctx.fragments.cpp.cxxopts + ctx.rule.attr.copts + _own_defines(ctx.rule.attr)
    flags += _flags(context)
    reports = []
    for source in sources:
        report = ctx.actions.declare_file(
            "{}.clang_tidy/{}.txt".format(target.label.name, source.short_path),
        )
        ctx.actions.run_shell(
            mnemonic = "ClangTidy",
            progress_message = "Checking %{input}",
            command = _RUN,
            arguments = [
                report.path,
                ctx.file._clang_tidy.path,
                "--quiet",
                "--config-file=" + ctx.file._config.path,
                source.path,
                "--",
            ] + flags,
            inputs = depset(
                [source, ctx.file._config] + private + ctx.files._resources,
                transitive = [context.headers],
            ),
            tools = [ctx.file._clang_tidy],
            outputs = [report],
        )
        reports.append(report)
    return reports

def _aspect_impl(target, ctx):
    return [_ReportsInfo(files = depset(
        _checked(target, ctx),
        transitive = [
            dep[_ReportsInfo].files
            for name in _FOLLOWED
            for dep in getattr(ctx.rule.attr, name, [])
            if _ReportsInfo in dep
        ],
    ))]

_clang_tidy = aspect(
    implementation = _aspect_impl,
    attr_aspects = _FOLLOWED,
    attrs = {
        "_clang_tidy": attr.label(
            default = "@ck_style//:site/clang_tidy/data/bin/clang-tidy",
            allow_single_file = True,
        ),
        "_config": attr.label(default = "//:.clang-tidy", allow_single_file = True),
        "_resources": attr.label(default = "@ck_style//:clang_tidy"),
    },
    fragments = ["cpp"],
    doc = "Runs clang-tidy on each C++ source of the targets of this repository.",
)

def _test_impl(ctx):
    reports = depset(transitive = [target[_ReportsInfo].files for target in ctx.attr.targets])
    runner = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        runner,
        "\n".join(["#!/bin/sh", "! cat <<'END' | xargs cat | sort -u | grep ."] +
                  [file.short_path for file in reports.to_list()] +
                  ["END", ""]),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = runner,
        runfiles = ctx.runfiles(transitive_files = reports),
    )]

clang_tidy_test = rule(
    implementation = _test_impl,
    attrs = {
        "targets": attr.label_list(
            doc = "What is looked at, with all of this repository that it depends on.",
            aspects = [_clang_tidy],
            mandatory = True,
        ),
    },
    doc = "Passes if clang-tidy finds nothing, with the settings of the repository's root.",
    test = True,
)
