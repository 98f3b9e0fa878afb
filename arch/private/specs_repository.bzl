"""What Starlark reads from `arch_specs.json`, as a repository, because it is needed at loading
time.
"""

visibility(["//arch/...", "//tests/arch/..."])

_FACTS = ["family", "fp8_emulated", "half_registers", "lds_bytes", "matrix_isa", "wave_size"]

def specs_bzl(document):
    """Renders `specs.bzl`.

    Args:
      document: `arch_specs.json`, decoded.

    Returns:
      The text of the file, and None; or None, and the sentence that says what is wrong.
    """
    if type(document) != "dict":
        return None, "not a JSON object"
    architectures = document.get("architectures")
    if type(architectures) != "dict" or not architectures:
        return None, "architectures: expected at least one GPU"
    facts = {}
    for name, gpu in architectures.items():
        for fact in _FACTS:
            if fact not in gpu:
                return None, "architectures.{}.{}: missing".format(name, fact)
        facts[name] = {fact: gpu[fact] for fact in _FACTS}
    rows = ["    {}: {},\n".format(repr(name), repr(fact)) for name, fact in facts.items()]
    return """\"\"\"Generated from arch_specs.json.\"\"\"

GPUS = {gpus}

GPU_FACTS = {{
{rows}}}
""".format(gpus = repr(architectures.keys()), rows = "".join(rows)), None

def _arch_specs_repository_impl(repository_ctx):
    specs = repository_ctx.path(repository_ctx.attr.specs)
    text, error = specs_bzl(json.decode(repository_ctx.read(specs), default = None))
    if error:
        fail("{}: {}.".format(specs, error))
    repository_ctx.file("specs.bzl", text)
    repository_ctx.file("BUILD.bazel", """exports_files(
    ["specs.bzl"],
    visibility = ["//visibility:public"],
)
""")

arch_specs_repository = repository_rule(
    implementation = _arch_specs_repository_impl,
    doc = """Makes `specs.bzl` from `arch_specs.json`.

`GPUS` is the list of all GPU names; `GPU_FACTS` maps a name to the `family`, `fp8_emulated`,
`half_registers`, `lds_bytes`, `matrix_isa` and `wave_size` of that GPU.""",
    attrs = {
        "specs": attr.label(
            allow_single_file = [".json"],
            doc = "The GPU specs, validated by the actions that generate code from them.",
            mandatory = True,
        ),
    },
)
