"""The build setting that says which GPUs to build for."""

load("@ck_arch//:specs.bzl", "GPUS")
load("//arch/private:gpu_list.bzl", "parse_gpu_list")

GpusInfo = provider(
    doc = "The GPUs to build for.",
    fields = {
        "gpus": "List of GPU names such as `gfx942`, without duplicates, in the order given.",
    },
)

def parse_gpus(value, what):
    """Reads a list of GPUs and fails the build with one sentence where it is not one.

    Args:
      value: names from `arch_specs.json` separated by commas, or `all` on its own.
      what: who asks, as the first words of an error.

    Returns:
      The list of GPU names.
    """
    gpus, error = parse_gpu_list(value, GPUS, what)
    if error:
        fail(error)
    return gpus

def _flag(label):
    """The flag of a setting as a user types it, in this module or in one that depends on it."""
    module = label.repo_name.replace("+", "~").partition("~")[0]
    return "--{}//{}:{}".format("@" + module if module else "", label.package, label.name)

def _gpus_setting_impl(ctx):
    return [GpusInfo(gpus = parse_gpus(ctx.build_setting_value, _flag(ctx.label)))]

gpus_setting = rule(
    implementation = _gpus_setting_impl,
    build_setting = config.string(flag = True),
    doc = """A list of GPUs, given on the command line.

The value is a list of names from `arch_specs.json` separated by commas, or `all` on its own. A
target that depends on the setting gets its `GpusInfo`.""",
    provides = [GpusInfo],
)
