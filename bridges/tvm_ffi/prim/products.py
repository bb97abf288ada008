# SPDX-License-Identifier: Apache-2.0
"""Sums of products: matmul, inner product, convolutions and their gradients. Formulas: doc/primitives/."""

import numpy as np

from ._arrays import operand, type_name
from ._call import run
from ._windows import Window

__all__ = ["matmul", "inner_product", "inner_product_backward_data", "inner_product_backward_weights",
           "convolution", "convolution_backward_data", "convolution_backward_weights",
           "deconvolution", "deconvolution_backward_data", "deconvolution_backward_weights"]


def _result_type(dtype, x, kwargs):
    """Integers become int32, or float32 with scales; floats keep their type."""
    if dtype is not None:
        return dtype
    if type_name(x.dtype) in ("int8", "uint8"):
        return "float32" if kwargs.get("scales") else "int32"
    return x.dtype


def matmul(a, b, bias=None, *, dtype=None, **kwargs):
    """a @ b + bias as NumPy's matmul: [..., M, K] · [..., K, N] → [..., M, N], the batch dimensions broadcast; arrays of
    one dimension are a row and a column. bias broadcasts against the result: [N], say. int8 and uint8 give int32, or
    float32 with scales. Transposed arrays (b.T) are taken without a copy."""
    a, b = operand(a), operand(b)
    row, column = len(a.shape) == 1, len(b.shape) == 1
    a = a.reshape((1,) + tuple(a.shape)) if row else a
    b = b.reshape(tuple(b.shape) + (1,)) if column else b
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise ValueError("matmul of an array without dimensions")
    batch = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    y = run("matmul", [("src", a), ("weights", b), ("bias", None if bias is None else operand(bias))],
            [("dst", batch + (a.shape[-2], b.shape[-1]), _result_type(dtype, a, kwargs))], **kwargs)
    if not (row or column) or kwargs.get("out") is not None:
        return y
    return y.reshape(batch + ((a.shape[-2],) if not row else ()) + ((b.shape[-1],) if not column else ()))


def inner_product(x, w, bias=None, *, dtype=None, training=False, **kwargs):
    """x [N, IC, spatial...], w [OC, IC, spatial...], bias [OC] → [N, OC]: a fully connected layer."""
    x, w = operand(x), operand(w)
    return run("inner_product", [("src", x), ("weights", w), ("bias", None if bias is None else operand(bias))],
               [("dst", (x.shape[0], w.shape[0]), _result_type(dtype, x, kwargs))], {"training": training}, **kwargs)


def inner_product_backward_data(dy, w, input_shape, **kwargs):
    """dx, of input_shape, of an inner product with weights w."""
    dy, w = operand(dy), operand(w)
    return run("inner_product_backward_data", [("diff_dst", dy), ("weights", w)],
               [("diff_src", tuple(input_shape), dy.dtype)], **kwargs)


def inner_product_backward_weights(dy, x, *, bias=False, **kwargs):
    """dw [OC, IC, spatial...] of an inner product; with bias=True (dw, dbias)."""
    dy, x = operand(dy), operand(x)
    outputs = [("diff_weights", (dy.shape[1],) + tuple(x.shape[1:]), x.dtype)]
    outputs += [("diff_bias", (dy.shape[1],), x.dtype)] if bias else []
    return run("inner_product_backward_weights", [("src", x), ("diff_dst", dy)], outputs, **kwargs)


def _window(weights_shape, strides, padding, dilation):
    kernel = tuple(weights_shape[2:])
    return Window(len(kernel), kernel, strides, padding, dilation)


def _params(window, groups, algorithm):
    params = {**window.params(), "groups": groups}
    return params if algorithm is None else {**params, "algorithm": algorithm}


def convolution(x, w, bias=None, *, strides=1, padding=0, dilation=1, groups=1, dtype=None, algorithm=None,
                training=False, **kwargs):
    """x [N, IC, (D, H,) W], w [OC, IC/groups, (KD, KH,) KW], bias [OC] → [N, OC, ...], of 1 to 3 spatial dimensions:
    (in − ((k − 1)·dilation + 1) + padding)/strides + 1 each. strides, padding and dilation are a number or one for each
    spatial dimension, padding also a pair (before, after) for each. algorithm: auto, direct, winograd."""
    x, w = operand(x), operand(w)
    window = _window(w.shape, strides, padding, dilation)
    shape = (x.shape[0], w.shape[0]) + window.output(x.shape[2:])
    return run("convolution", [("src", x), ("weights", w), ("bias", None if bias is None else operand(bias))],
               [("dst", shape, _result_type(dtype, x, kwargs))],
               {**_params(window, groups, algorithm), "training": training}, **kwargs)


def convolution_backward_data(dy, w, input_shape, *, strides=1, padding=0, dilation=1, groups=1, algorithm=None,
                              **kwargs):
    """dx, of input_shape, of a convolution with weights w."""
    dy, w = operand(dy), operand(w)
    window = _window(w.shape, strides, padding, dilation)
    return run("convolution_backward_data", [("diff_dst", dy), ("weights", w)],
               [("diff_src", tuple(input_shape), dy.dtype)], _params(window, groups, algorithm), **kwargs)


def convolution_backward_weights(dy, x, weights_shape, *, strides=1, padding=0, dilation=1, groups=1, bias=False,
                                 algorithm=None, **kwargs):
    """dw, of weights_shape [OC, IC/groups, ...], of a convolution of x; with bias=True (dw, dbias)."""
    dy, x = operand(dy), operand(x)
    window = _window(weights_shape, strides, padding, dilation)
    outputs = [("diff_weights", tuple(weights_shape), x.dtype)]
    outputs += [("diff_bias", (weights_shape[0],), x.dtype)] if bias else []
    return run("convolution_backward_weights", [("src", x), ("diff_dst", dy)], outputs,
               _params(window, groups, algorithm), **kwargs)


def deconvolution(x, w, bias=None, *, strides=1, padding=0, output_padding=0, dilation=1, groups=1, dtype=None,
                  algorithm=None, training=False, **kwargs):
    """The transpose of a convolution: x [N, IC, ...], w [OC, IC/groups, ...] (oneDNN's order; PyTorch's is [IC,
    OC/groups, ...]) → [N, OC, ...] with (in − 1)·strides + (k − 1)·dilation + 1 − padding + output_padding each."""
    x, w = operand(x), operand(w)
    window = _window(w.shape, strides, padding, dilation)
    extra = (output_padding,) * len(window.kernel) if isinstance(output_padding, int) else tuple(output_padding)
    window.end = tuple(e - o for e, o in zip(window.end, extra))
    shape = (x.shape[0], w.shape[0]) + window.input(x.shape[2:])
    return run("deconvolution", [("src", x), ("weights", w), ("bias", None if bias is None else operand(bias))],
               [("dst", shape, _result_type(dtype, x, kwargs))],
               {**_params(window, groups, algorithm), "training": training}, **kwargs)


def deconvolution_backward_data(dy, w, input_shape, *, strides=1, padding=0, dilation=1, groups=1, algorithm=None,
                                **kwargs):
    """dx, of input_shape, of a deconvolution with weights w."""
    dy, w = operand(dy), operand(w)
    window = _window(w.shape, strides, padding, dilation)
    return run("deconvolution_backward_data", [("diff_dst", dy), ("weights", w)],
               [("diff_src", tuple(input_shape), dy.dtype)], _params(window, groups, algorithm), **kwargs)


def deconvolution_backward_weights(dy, x, weights_shape, *, strides=1, padding=0, dilation=1, groups=1, bias=False,
                                   algorithm=None, **kwargs):
    """dw, of weights_shape [OC, IC/groups, ...], of a deconvolution of x; with bias=True (dw, dbias)."""
    dy, x = operand(dy), operand(x)
    window = _window(weights_shape, strides, padding, dilation)
    outputs = [("diff_weights", tuple(weights_shape), x.dtype)]
    outputs += [("diff_bias", (weights_shape[0],), x.dtype)] if bias else []
    return run("deconvolution_backward_weights", [("src", x), ("diff_dst", dy)], outputs,
               _params(window, groups, algorithm), **kwargs)
