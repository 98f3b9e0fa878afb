"""The grammar of a list of GPUs."""

visibility(["//arch/...", "//tests/arch/..."])

ALL = "all"

def parse_gpu_list(value, known, what):
    """Reads a list of GPUs: names separated by commas, or `all` on its own.

    Args:
      value: the text to read, such as `gfx942,gfx950`; spaces around a name do not matter.
      known: the names that may occur.
      what: who asks, as the first words of an error.

    Returns:
      The list of names in the order given, and None; or None, and the sentence that says what is
      wrong.
    """
    names = [name.strip() for name in value.split(",")]
    if names == [ALL]:
        return list(known), None

    choices = "use names from {known} separated by commas, or {all}.".format(
        all = ALL,
        known = ", ".join(known),
    )
    seen = []
    for name in names:
        if not name:
            return None, "{}: {} has an empty entry; {}".format(what, repr(value), choices)
        if name == ALL:
            return None, "{}: {} mixes {} with names; {}".format(what, repr(value), ALL, choices)
        if name not in known:
            return None, "{}: unknown GPU {}; {}".format(what, repr(name), choices)
        if name in seen:
            return None, "{}: {} names {} twice; {}".format(what, repr(value), name, choices)
        seen.append(name)
    return seen, None
