# SPDX-License-Identifier: Apache-2.0
"""Operations on images: pooling, resampling, local response normalisation, and their gradients."""

from ._arrays import operand
from ._call import run, workspace_bytes
from ._windows import Window

__all__ = ["max_pool", "avg_pool", "max_pool_backward", "avg_pool_backward", "resampling", "resampling_backward",
           "lrn", "lrn_backward"]


def _keep(op, inputs, outputs, params, training, kwargs):
    """Runs an operation, in training with its workspace as a second result."""
    params = {**params, "training": training}
    if training:
        place = {k: v for k, v in kwargs.items() if k != "out"}
        outputs = outputs + [("workspace", (workspace_bytes(op, inputs, outputs, params, **place),), "uint8")]
    return run(op, inputs, outputs, params, **kwargs)


def _pool(x, kernel, strides, padding, dilation, algorithm, training, dtype, kwargs):
    x = operand(x)
    window = Window(len(x.shape) - 2, kernel, kernel if strides is None else strides, padding, dilation)
    shape = tuple(x.shape[:2]) + window.output(x.shape[2:])
    params = {**window.params(with_kernel=True), "algorithm": algorithm}
    return _keep("pooling", [("src", x)], [("dst", shape, dtype or x.dtype)], params, training, kwargs)


def max_pool(x, kernel, strides=None, padding=0, dilation=1, *, training=False, dtype=None, **kwargs):
    """The largest element of each window of [N, C, (D, H,) W]; strides None: those of the kernel. training=True gives
    (y, workspace): the winners, for max_pool_backward."""
    return _pool(x, kernel, strides, padding, dilation, "max", training, dtype, kwargs)


def avg_pool(x, kernel, strides=None, padding=0, dilation=1, *, count_include_pad=False, dtype=None, **kwargs):
    """The mean of each window; the padding counts in the divisor with count_include_pad."""
    algorithm = "avg_include_padding" if count_include_pad else "avg_exclude_padding"
    return _pool(x, kernel, strides, padding, dilation, algorithm, False, dtype, kwargs)


def _pool_backward(dy, workspace, input_shape, kernel, strides, padding, dilation, algorithm, kwargs):
    dy = operand(dy)
    window = Window(len(input_shape) - 2, kernel, kernel if strides is None else strides, padding, dilation)
    params = {**window.params(with_kernel=True), "algorithm": algorithm}
    return run("pooling_backward", [("diff_dst", dy), ("workspace", workspace)],
               [("diff_src", tuple(input_shape), dy.dtype)], params, **kwargs)


def max_pool_backward(dy, workspace, input_shape, kernel, strides=None, padding=0, dilation=1, **kwargs):
    """dx, of input_shape, of max_pool(..., training=True), whose workspace it takes."""
    return _pool_backward(dy, workspace, input_shape, kernel, strides, padding, dilation, "max", kwargs)


def avg_pool_backward(dy, input_shape, kernel, strides=None, padding=0, dilation=1, *, count_include_pad=False,
                      **kwargs):
    """dx, of input_shape, of avg_pool."""
    algorithm = "avg_include_padding" if count_include_pad else "avg_exclude_padding"
    return _pool_backward(dy, None, input_shape, kernel, strides, padding, dilation, algorithm, kwargs)


def resampling(x, size=None, *, factors=None, mode="nearest", dtype=None, **kwargs):
    """[N, C, (D, H,) W] at other spatial sizes: `size`, one for each dimension, or in·factors, rounded down. Position y
    looks at (y + 0.5)·in/out − 0.5; mode "nearest" or "linear"."""
    x = operand(x)
    nspatial = len(x.shape) - 2
    params = {"algorithm": mode}
    if factors is not None:
        factors = [float(factors)] * nspatial if isinstance(factors, (int, float)) else [float(f) for f in factors]
        size = [int(n * f) for n, f in zip(x.shape[2:], factors)]
        params["factors"] = factors
    if size is None:
        raise ValueError("resampling needs a size or factors")
    size = (size,) * nspatial if isinstance(size, int) else tuple(size)
    return run("resampling", [("src", x)], [("dst", tuple(x.shape[:2]) + size, dtype or x.dtype)], params, **kwargs)


def resampling_backward(dy, input_shape, *, mode="nearest", **kwargs):
    """dx, of input_shape, of resampling."""
    dy = operand(dy)
    return run("resampling_backward", [("diff_dst", dy)], [("diff_src", tuple(input_shape), dy.dtype)],
               {"algorithm": mode}, **kwargs)


def _lrn_params(size, alpha, beta, k, within_channel):
    return {"local_size": size, "alpha": float(alpha), "beta": float(beta), "k": float(k),
            "algorithm": "within_channel" if within_channel else "across_channels"}


def lrn(x, size=5, alpha=1e-4, beta=0.75, k=1.0, *, within_channel=False, training=False, **kwargs):
    """Local response normalisation: x·(k + alpha/n·Σ x²)^(−beta) over `size` neighbouring channels of [N, C, ...], or,
    within_channel, over windows of `size` in each spatial dimension. training=True gives (y, workspace)."""
    x = operand(x)
    return _keep("lrn", [("src", x)], [("dst", x.shape, x.dtype)], _lrn_params(size, alpha, beta, k, within_channel),
                 training, kwargs)


def lrn_backward(dy, x, workspace, size=5, alpha=1e-4, beta=0.75, k=1.0, *, within_channel=False, **kwargs):
    """dx of lrn(x, ..., training=True), whose workspace it takes."""
    dy, x = operand(dy), operand(x)
    return run("lrn_backward", [("src", x), ("diff_dst", dy), ("workspace", workspace)],
               [("diff_src", x.shape, x.dtype)], _lrn_params(size, alpha, beta, k, within_channel), **kwargs)
