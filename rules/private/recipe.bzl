"""Runs the steps of the recipe as actions."""

load("//tools/codegen:ckgen/core/recipe.bzl", "RECIPE")

visibility(["//rules/...", "//tests/rules/..."])

def _spliced(elements, parts):
    """The elements with those of the parts that they name."""
    found = []
    for element in elements:
        found += parts[element[1:]] if (
            type(element) == "string" and element.startswith("@")
        ) else [element]
    return found

def _steps():
    parts = {}
    for name, elements in RECIPE["parts"].items():
        parts[name] = _spliced(elements, parts)
    return {
        name: step | {"arguments": _spliced(step["arguments"], parts)}
        for name, step in RECIPE["steps"].items()
    }

_STEPS = _steps()

def _words(word, values):
    """What a word stands for: pairs of a value, or the word itself, and its format."""
    before, is_placeholder, rest = word.partition("{")
    if not is_placeholder:
        return [(word, "%s")]
    name, _, after = rest.partition("}")
    return [(value, before + "%s" + after) for value in values[name]]

def _arguments(ctx, elements, values):
    args = ctx.actions.args()
    for element in elements:
        if type(element) == "dict":
            joined = [
                format % value
                for word in element["joined"]
                for value, format in _words(word, values)
            ]
            args.add_joined(joined, format_joined = element["format"], join_with = ",")
            continue
        group = [element] if type(element) == "string" else element
        for value, format in _words(group[-1], values):
            args.add_all(group[:-1])
            args.add(value, format = format)
    return args

def run_step(ctx, hip, name, values, headers = [], env = {}, **kwargs):
    """Runs a step of the recipe.

    Args:
        ctx: the rule context.
        hip: HipToolchainInfo.
        name: the step's name.
        values: dict from the name of each placeholder to a list of its values, which are Files if
            the step reads or writes them.
        headers: depsets of what the step reads beside its inputs and the toolchain.
        env: variables beside those of every step.
        **kwargs: as for ctx.actions.run.
    """
    step = _STEPS[name]
    ctx.actions.run(
        executable = hip.tools[step["tool"]],
        arguments = [_arguments(ctx, step["arguments"], values)],
        env = hip.env | env,
        inputs = depset(
            [file for input in step["inputs"] for file in values[input]],
            transitive = headers + [hip.files],
        ),
        outputs = [file for output in step["outputs"] for file in values[output]],
        toolchain = None,
        **kwargs
    )

def flags_of_gpu(facts):
    """The flags that the device passes for a GPU have beside those of all.

    Args:
        facts: the GPU's facts, from arch/.

    Returns:
        a list of words.
    """
    return [flag for fact, flags in RECIPE["by_gpu"].items() if _has(facts, fact) for flag in flags]

def _has(facts, fact):
    """Whether a fact of arch/ is true of a GPU, or has the value behind "="."""
    name, _, value = fact.partition("=")
    return facts[name] == value if value else bool(facts[name])
