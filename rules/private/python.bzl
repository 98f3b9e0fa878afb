"""Running this repository's own Python during repository fetching."""

visibility(["//rules/...", "//tests/rules/..."])

def run_python(rctx, module, python_path, arguments, environment = {}):
    """Runs `python3 -m module` and returns its result.

    Fails with one sentence where there is no python3.

    Args:
        rctx: the repository context.
        module: the module to run.
        python_path: labels of files whose folders' parents are put on PYTHONPATH (any file of each
            top-level package).
        arguments: the module's arguments.
        environment: more environment variables.

    Returns:
        the exec_result of the command.
    """
    python = rctx.which("python3")
    if not python:
        fail(
            "ckdispatch needs python3 (3.10 or newer) on PATH to prepare this build and found " +
            "none; install it and run the command again.",
        )
    folders = []
    for label in python_path:
        package = rctx.path(label).dirname
        rctx.watch_tree(package)
        folders.append(str(package.dirname))
    return rctx.execute(
        [python, "-m", module] + arguments,
        environment = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": ":".join(folders),
        } | environment,
        timeout = 1800,
    )

def one_sentence(result):
    """The last line that a failed command wrote to standard error."""
    lines = [line for line in result.stderr.split("\n") if line.strip()]
    return lines[-1] if lines else "the command failed without a word (exit code {}).".format(
        result.return_code,
    )
