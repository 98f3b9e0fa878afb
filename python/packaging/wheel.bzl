"""wheel: what Python programs need of this repository as a package for pip.

rules_python has `py_wheel`, but Debian's, which is that of the sealed root, lacks the program
behind it. This one also reads from the libraries which machines they are for, so the name of the
file says what is true; therefore it is made in a folder.
"""

def _own_files(ctx):
    """The files of this repository by their paths in it.

    What others provide is for pip, or the machine, to bring.
    """
    found = {}
    for target in ctx.attr.srcs:
        info = target[DefaultInfo]
        for file in depset(transitive = [info.files, info.default_runfiles.files]).to_list():
            if file.owner and file.owner.workspace_name == ctx.label.workspace_name:
                path = file.short_path

                # In another project this repository is one beside its own.
                if path.startswith("../"):
                    path = path.partition("/")[2].partition("/")[2]

                # Links to libraries, which the loader of a program under Bazel follows.
                if not path.startswith("_solib_"):
                    found[path] = file
    return found

def _place(layout, path):
    """Where the wheel has a file."""
    folders = [folder for folder in layout if not folder or path.startswith(folder + "/")]
    if not folders:
        fail("The wheel has no place for {}; give its layout one.".format(path))
    longest = sorted([(len(folder), folder) for folder in folders])[-1][1]
    return layout[longest] + "/" + path[len(longest):].removeprefix("/")

def _wheel_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    files = _own_files(ctx)
    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add_all([folder], before_each = "--output", expand_directories = False)
    args.add("--version", ctx.attr.version)
    args.add("--summary", ctx.attr.summary)
    args.add("--python-requires", ctx.attr.python_requires)
    args.add_all(ctx.attr.requires, before_each = "--requires")
    args.add_all(
        ["{}={}".format(name, place) for name, place in ctx.attr.commands.items()],
        before_each = "--command",
    )
    args.add_all(ctx.files.license_files, before_each = "--license")
    for path in sorted(files):
        args.add("--file").add_joined([_place(ctx.attr.layout, path), files[path]], join_with = "=")
    ctx.actions.run(
        executable = ctx.executable._maker,
        arguments = [args],
        inputs = files.values() + ctx.files.license_files,
        mnemonic = "CkWheel",
        outputs = [folder],
        progress_message = "Making a wheel",
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

wheel = rule(
    implementation = _wheel_impl,
    attrs = {
        "commands": attr.string_dict(doc = "Commands by name, each `module:function`."),
        "layout": attr.string_dict(
            doc = "Folders of this repository, and the folders of the wheel that have their " +
                  "files. The longest that fits a file counts.",
            mandatory = True,
        ),
        "license_files": attr.label_list(
            doc = "Files for whoever distributes it.",
            allow_files = True,
        ),
        "python_requires": attr.string(doc = "The versions of Python.", mandatory = True),
        "requires": attr.string_list(doc = "What pip installs with it."),
        "srcs": attr.label_list(
            doc = "The targets whose files, also those that they need to run, are in it.",
            allow_files = True,
        ),
        "summary": attr.string(doc = "One line about it.", mandatory = True),
        "version": attr.string(doc = "Its version.", mandatory = True),
        "_maker": attr.label(default = ":make_wheel", cfg = "exec", executable = True),
    },
    doc = "A folder with one wheel, the same bytes wherever it is made.",
)
