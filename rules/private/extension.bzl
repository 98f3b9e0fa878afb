"""The module extension `ck`: the toolchain, the downloads and the kernel sets."""

load("//arch:repositories.bzl", "arch_specs_repository")
load("//families:repositories.bzl", "families_repository")
load(
    ":fetch_repositories.bzl",
    "buildifier_repository",
    "charts_repository",
    "code_objects_repository",
    "composable_kernel_repository",
    "python_packages_repository",
    "wheels_repository",
)
load(":hip_repository.bzl", "hip_repository")
load(":kernel_folder_repository.bzl", "kernel_folder_repository")
load(":kernel_set_repository.bzl", "kernel_set_repository")
load(":rocm_repository.bzl", "rocm_repository")

visibility(["//rules/...", "//tests/rules/..."])

# A dot parts the module from the name, so a name has none.
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

_kernel_set = tag_class(
    attrs = {
        "name": attr.string(doc = "Name of the set.", mandatory = True),
        "spec": attr.label(doc = "The declaration, a JSON file.", mandatory = True),
    },
    doc = "Declares a kernel set, in a repository of the module's own: " +
          "`use_repo(ck, <name> = \"<module>.<name>\")`. " +
          "Then `@<name>//:<name>` builds it, and `@<name>//:<kernel name>` one kernel of it.",
)

_kernel_folder = tag_class(
    attrs = {
        "build_file": attr.label(
            doc = "The folder's BUILD file, such as //kernels:BUILD.bazel.",
            mandatory = True,
        ),
        "name": attr.string(
            doc = "Name of the repository, behind that of the module.",
            mandatory = True,
        ),
    },
    doc = "Declares a kernel set for every `*.json` of a folder. " +
          "`use_repo(ck, <name> = \"<module>.<name>\")` has `kernel_sets.bzl`, with " +
          "`KERNEL_SETS` for `ck_kernel_sets`, and `DECLARATIONS`, which has the same sets by " +
          "file.",
)

_rocm = tag_class(
    attrs = {
        "path": attr.string(doc = "The folder, such as /opt/rocm-7.2.0.", mandatory = True),
    },
    doc = "The ROCm installation to build with, in place of ROCM_PATH, /opt/rocm and the " +
          "distribution's. Heeded in the root module alone.",
)

_composable_kernel = tag_class(
    attrs = {
        "path": attr.string(
            doc = "A checkout of Composable Kernel, or `rocm` for the one that is installed with " +
                  "ROCm.",
            mandatory = True,
        ),
    },
    doc = "Composable Kernel's headers in place of the pinned download. Heeded in the root " +
          "module alone; --repo_env=CKDISPATCH_CK is for a single command.",
)

def _chosen_path(mctx, kind):
    """The path in the root module's only tag of a kind, or an empty string."""
    paths = []
    for module in mctx.modules:
        if module.is_root:
            paths += [tag.path for tag in getattr(module.tags, kind)]
    if len(paths) > 1:
        fail(
            "ck.{} was said {} times, with {}; say it once.".format(
                kind,
                len(paths),
                " and ".join(paths),
            ),
        )
    for path in paths:
        if not (path.startswith("/") or (kind == "composable_kernel" and path == "rocm")):
            fail(
                ("ck.{} has the path '{}', which is not absolute; " +
                 "give the whole path.").format(kind, path),
            )
    return paths[0] if paths else ""

def _ck_impl(mctx):
    rocm = _chosen_path(mctx, "rocm")
    arch_specs_repository(name = "ck_arch", specs = Label("//arch:arch_specs.json"))
    families_repository(name = "ck_families", table = Label("//families:families.json"))
    hip_repository(name = "ck_hip", rocm = rocm)
    rocm_repository(name = "ck_rocm", rocm = rocm)
    python_packages_repository(
        name = "ck_pip",
        lock = Label("//third_party:python/requirements.lock"),
    )

    # Large, and few targets need them: a repository of its own is downloaded when one of those is
    # built.
    python_packages_repository(
        name = "ck_browser",
        lock = Label("//third_party:python/browser.lock"),
    )
    python_packages_repository(
        name = "ck_buildgrid",
        lock = Label("//third_party:python/buildgrid.lock"),
    )
    python_packages_repository(
        name = "ck_learning",
        lock = Label("//third_party:python/learning.lock"),
    )
    python_packages_repository(
        name = "ck_parquet",
        lock = Label("//third_party:python/parquet.lock"),
    )
    python_packages_repository(name = "ck_style", lock = Label("//third_party:python/style.lock"))
    python_packages_repository(name = "ck_torch", lock = Label("//third_party:python/torch.lock"))
    charts_repository(name = "ck_charts", lock = Label("//third_party:echarts/echarts.lock"))
    buildifier_repository(
        name = "ck_buildifier",
        lock = Label("//third_party:buildifier/buildifier.lock"),
    )
    composable_kernel_repository(
        name = "composable_kernel",
        lock = Label("//third_party:composable_kernel/composable_kernel.lock"),
        path = _chosen_path(mctx, "composable_kernel"),
        rocm = rocm,
    )

    # Of the same wheel, for a test alone.
    code_objects_repository(
        name = "ck_code_objects",
        lock = Label("//third_party:composable_kernel/composable_kernel.lock"),
    )

    # Likewise, as a user's pip gets them.
    wheels_repository(name = "ck_wheels", lock = Label("//third_party:python/requirements.lock"))
    wheels_repository(
        name = "ck_headers_wheel",
        lock = Label("//third_party:composable_kernel/composable_kernel.lock"),
    )

    for repository, spec in _declarations(mctx).items():
        kernel_set_repository(
            name = repository,
            set_name = repository.rpartition(".")[2],
            spec = spec,
        )

def _declarations(mctx):
    """Every declaration by the repository that expands it; makes the repositories of whole folders.
    """
    found = {}
    for module in mctx.modules:
        for tag in module.tags.kernel_set:
            _add(found, module, _repository(module, tag.name), tag.spec)
        for tag in module.tags.kernel_folder:
            repository = _repository(module, tag.name)
            names = [
                file.basename[:-len(".json")]
                for file in mctx.path(tag.build_file).dirname.readdir()
                if file.basename.endswith(".json")
            ]
            for name in names:
                _add(
                    found,
                    module,
                    _repository(module, tag.name, name),
                    tag.build_file.same_package_label(name + ".json"),
                )
            _add(found, module, repository, None)
            kernel_folder_repository(
                name = repository,
                repositories = {name: _repository(module, tag.name, name) for name in names},
            )
    return {repository: spec for repository, spec in found.items() if spec}

def _add(found, module, repository, spec):
    if repository in found:
        fail(
            ("The module {} declares two kernel sets or folders that would both be in the " +
             "repository {}; rename one of them.").format(
                module.name,
                repository,
            ),
        )
    found[repository] = spec

def _repository(module, *names):
    """The name of the repository of a module's kernels: two modules' never meet."""
    for name in names:
        if not name or [letter for letter in name.elems() if letter not in _NAME_CHARACTERS]:
            fail(
                ("The module {} declares kernels under the name '{}'; give one of letters, " +
                 "digits, - and _.").format(
                    module.name,
                    name,
                ),
            )
    return ".".join([module.name or "main"] + list(names))

ck = module_extension(
    implementation = _ck_impl,
    doc = "Finds the HIP compiler, brings the pinned downloads, and expands kernel declarations.",
    tag_classes = {
        "composable_kernel": _composable_kernel,
        "kernel_folder": _kernel_folder,
        "kernel_set": _kernel_set,
        "rocm": _rocm,
    },
)
