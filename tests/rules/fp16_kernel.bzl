"""fp16_kernel: one kernel, to be compared with other ways of compiling it."""

load("//rules:defs.bzl", "ck_kernel")

def _extents(text):
    return [int(extent) for extent in text.split("x")]

def fp16_kernel(name, gpu):
    """Declares a kernel by its name.

    Args:
        name: gemm_fp16_rcr_<pipeline>_cshuffle_<scheduler>_False_False_False_False_\
<tile>_<waves>_<warp tile>.
        gpu: the GPU that it is compiled for.
    """
    words = name.split("_")
    ck_kernel(
        name = name,
        gpus = [gpu],
        legal_gpus = [gpu],
        spec = json.encode({
            "d_count": 0,
            "d_layout": "r",
            "dtype_a": "fp16",
            "dtype_acc": "fp32",
            "dtype_b": "fp16",
            "dtype_c": "fp16",
            "dtype_d": "fp16",
            "epilogue": "cshuffle",
            "family": "gemm",
            "fused_op": "PassThrough",
            "layout": "rcr",
            "name": name,
            "pad_k": False,
            "pad_m": False,
            "pad_n": False,
            "persistent": False,
            "pipeline": words[3],
            "scheduler": words[5],
            "split_k": "none",
            "tile": _extents(words[10]),
            "variant": "standard",
            "warp_tile": _extents(words[12]),
            "waves": _extents(words[11]),
        }),
    )
