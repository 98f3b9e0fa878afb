# SPDX-License-Identifier: MIT
"""What a dispatcher computes of convolutions."""

from __future__ import annotations

from typing import Any

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.grouped_conv import call
from ckdispatch.grouped_conv.request import Padding, Steps
from ckdispatch.grouped_conv.sizes import PerAxis
from ckdispatch.product.problem import CallOptions
from ckdispatch.result import Result


class Methods(BaseDispatcher):
    """``conv`` and its gradients."""

    def conv(
        self,
        x: Any,
        w: Any,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        bias: Any = None,
        fused_op: str | None = None,
        layout: str = "channels_last",
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> Result:
        """Convolves images x with filters w, in one, two or three dimensions; the filter is not
        flipped.

        Tensors are what ``gemm`` takes. With ``layout="channels_last"`` x is [n, positions,
        channels] and w [outputs, positions, channels of a group]; with ``"channels_first"``
        channels are the second extent of both, as torch has them. Memory is then used as it is
        where it has channels last, or where it has them first and a kernel of the layout ngcw,
        ngchw or ngcdhw takes it; what lies otherwise is copied, which ``changes`` says. The result
        is in the layout of x.

        ``stride``, ``padding`` and ``dilation`` are numbers, or have one for each spatial axis; a
        padding may also be a pair, for the two sides of an axis. A ``bias`` has a value for each
        output and is added before an activation such as ``fused_op="Relu"``. If no kernel takes the
        channels of a group, they are padded, unless ``pad`` is false. Other arguments are those of
        ``gemm``.
        """
        options = CallOptions(dtype, 1, False, pad, timing, validate)
        steps = Steps(stride, padding, dilation, groups)
        return call.run(
            self,
            "forward",
            x,
            w,
            steps,
            layout,
            options,
            bias=bias,
            fused_op=fused_op,
            out=out,
            stream=stream,
        )

    def conv_bwd_data(
        self,
        dy: Any,
        w: Any,
        input_size: PerAxis,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        layout: str = "channels_last",
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> Result:
        """The gradient of x from that of ``conv(x, w, …)``, which is dy. ``input_size`` is the
        spatial extents of x.

        What no output reaches is zero. Other arguments are those of ``conv``.
        """
        options = CallOptions(dtype, 1, False, pad, timing, validate)
        steps = Steps(stride, padding, dilation, groups)
        return call.run(
            self,
            "backward_data",
            dy,
            w,
            steps,
            layout,
            options,
            size=input_size,
            out=out,
            stream=stream,
        )

    def conv_bwd_weight(
        self,
        dy: Any,
        x: Any,
        filter_size: PerAxis,
        *,
        stride: PerAxis = 1,
        padding: Padding = 0,
        dilation: PerAxis = 1,
        groups: int = 1,
        split_k: int = 1,
        deterministic: bool = False,
        layout: str = "channels_last",
        out: Any = None,
        dtype: str | None = None,
        stream: Any = None,
        pad: bool = True,
        timing: bool = False,
        validate: bool | str = False,
    ) -> Result:
        """The gradient of w from that of ``conv(x, w, …)``, which is dy. ``filter_size`` is the
        spatial extents of w.

        Its sums are over all images and positions; ``split_k`` is the parts of each, 0 to let the
        dispatcher choose. Other arguments are those of ``conv``.
        """
        options = CallOptions(dtype, split_k, deterministic, pad, timing, validate)
        steps = Steps(stride, padding, dilation, groups)
        return call.run(
            self,
            "backward_weight",
            dy,
            x,
            steps,
            layout,
            options,
            size=filter_size,
            out=out,
            stream=stream,
        )
