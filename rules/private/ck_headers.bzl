"""Composable Kernel's headers as one family has them."""

visibility(["//rules/...", "//tests/rules/..."])

def without_folders(headers, folders):
    """Leaves out headers that kernels of the family do not include.

    An edit of them does not compile these anew.

    Args:
      headers: Composable Kernel's, as files.
      folders: such as `ops/fmha`.

    Returns:
      The others, as a list.
    """
    return [
        header
        for header in headers
        if not any(
            [header.path.partition("/ck_tile/")[2].startswith(folder + "/") for folder in folders],
        )
    ]
