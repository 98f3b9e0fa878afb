"""The module extension `ck`: the toolchain, the downloads and the kernel sets."""

load("//arch:repositories.bzl", "arch_specs_repository")
load("//families:repositories.bzl", "families_repository")
load(":fetch_repositories.bzl", "charts_repository", "code_objects_repository", "composable_kernel_repository", "python_packages_repository")
load(":hip_repository.bzl", "hip_repository")
load(":kernel_set_repository.bzl", "kernel_set_repository")
load(":rocm_repository.bzl", "rocm_repository")

_RESERVED = ["ck_arch", "ck_browser", "ck_charts", "ck_code_objects", "ck_families", "ck_hip", "ck_learning", "ck_parquet", "ck_pip", "ck_rocm", "ck_torch", "composable_kernel"]

_kernel_set = tag_class(
    attrs = {
        "name": attr.string(doc = "Name of the set and of its repository.", mandatory = True),
        "spec": attr.label(doc = "The declaration, a JSON file.", mandatory = True),
    },
    doc = "Declares a kernel set: @<name>//:<name> builds it, @<name>//:<kernel name> one kernel of it.",
)

def _ck_impl(mctx):
    arch_specs_repository(name = "ck_arch", specs = Label("//arch:arch_specs.json"))
    families_repository(name = "ck_families", table = Label("//families:families.json"))
    hip_repository(name = "ck_hip")
    rocm_repository(name = "ck_rocm")
    python_packages_repository(name = "ck_pip", lock = Label("//third_party:python/requirements.lock"))

    # Large, and few targets need them: a repository of its own is downloaded when one of those is built.
    python_packages_repository(name = "ck_browser", lock = Label("//third_party:python/browser.lock"))
    python_packages_repository(name = "ck_learning", lock = Label("//third_party:python/learning.lock"))
    python_packages_repository(name = "ck_parquet", lock = Label("//third_party:python/parquet.lock"))
    python_packages_repository(name = "ck_torch", lock = Label("//third_party:python/torch.lock"))
    charts_repository(name = "ck_charts", lock = Label("//third_party:echarts/echarts.lock"))
    composable_kernel_repository(
        name = "composable_kernel",
        lock = Label("//third_party:composable_kernel/composable_kernel.lock"),
    )

    # Of the same wheel, for a test alone.
    code_objects_repository(
        name = "ck_code_objects",
        lock = Label("//third_party:composable_kernel/composable_kernel.lock"),
    )

    owners = {}
    for module in mctx.modules:
        for tag in module.tags.kernel_set:
            if tag.name in _RESERVED:
                fail("The module {} declares a kernel set named {}, a name that ckdispatch uses itself; choose another.".format(module.name, tag.name))
            if tag.name in owners:
                fail("The modules {} and {} both declare a kernel set named {}; rename one of them.".format(owners[tag.name], module.name, tag.name))
            owners[tag.name] = module.name
            kernel_set_repository(name = tag.name, set_name = tag.name, spec = tag.spec)

ck = module_extension(
    implementation = _ck_impl,
    doc = "Finds the HIP compiler, brings the pinned downloads, and expands kernel declarations.",
    tag_classes = {"kernel_set": _kernel_set},
)
