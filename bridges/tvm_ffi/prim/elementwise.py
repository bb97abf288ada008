# SPDX-License-Identifier: Apache-2.0
"""Functions of each element, of two arrays, and reductions. Formulas: doc/primitives/eltwise.md, binary.md, reduction.md."""

import numpy as np

from ._arrays import operand
from ._call import run
from .movement import reorder

__all__ = ["eltwise", "eltwise_backward", "relu", "tanh", "elu", "square", "abs", "sqrt", "linear", "softplus",
           "hardsigmoid", "sigmoid", "exp", "gelu", "swish", "log", "clip", "pow", "round", "mish", "hardswish",
           "binary", "add", "subtract", "multiply", "divide", "maximum", "minimum", "greater", "greater_equal", "less",
           "less_equal", "equal", "not_equal", "where", "reduction", "sum", "mean", "max", "min", "prod", "norm",
           "prelu", "prelu_backward"]


def eltwise(x, algorithm="relu", alpha=0.0, beta=0.0, *, dtype=None, training=False, **kwargs):
    """f(x) for each element of `x`, of any shape. `algorithm` is oneDNN's word: relu, tanh, elu, square, abs, sqrt,
    linear, soft_relu, hardsigmoid, logistic, exp, gelu_tanh, gelu_erf, swish, log, clip, clip_v2, pow, round, mish,
    hardswish. alpha and beta are its parameters."""
    x = operand(x)
    params = {"algorithm": algorithm, "alpha": float(alpha), "beta": float(beta), "training": training}
    return run("eltwise", [("src", x)], [("dst", x.shape, dtype or x.dtype)], params, **kwargs)


def eltwise_backward(dy, x, algorithm="relu", alpha=0.0, beta=0.0, **kwargs):
    """dx = dy·f'(x). With an algorithm that ends in _use_dst_for_bwd, `x` is the result of the forward pass."""
    dy, x = operand(dy), operand(x)
    data = "dst" if algorithm.endswith("_use_dst_for_bwd") else "src"
    params = {"algorithm": algorithm, "alpha": float(alpha), "beta": float(beta)}
    return run("eltwise_backward", [(data, x), ("diff_dst", dy)], [("diff_src", x.shape, x.dtype)], params, **kwargs)


def relu(x, alpha=0.0, **kwargs):
    """x where x > 0, else alpha·x."""
    return eltwise(x, "relu", alpha, **kwargs)


def tanh(x, **kwargs):
    """The hyperbolic tangent."""
    return eltwise(x, "tanh", **kwargs)


def elu(x, alpha=1.0, **kwargs):
    """x where x > 0, else alpha·(eˣ − 1)."""
    return eltwise(x, "elu", alpha, **kwargs)


def square(x, **kwargs):
    """x²."""
    return eltwise(x, "square", **kwargs)


def abs(x, **kwargs):
    """|x|."""
    return eltwise(x, "abs", **kwargs)


def sqrt(x, **kwargs):
    """√x."""
    return eltwise(x, "sqrt", **kwargs)


def linear(x, alpha=1.0, beta=0.0, **kwargs):
    """alpha·x + beta."""
    return eltwise(x, "linear", alpha, beta, **kwargs)


def softplus(x, alpha=1.0, **kwargs):
    """ln(1 + e^(alpha·x)) / alpha."""
    return eltwise(x, "soft_relu", alpha, **kwargs)


def hardsigmoid(x, alpha=1 / 6, beta=0.5, **kwargs):
    """min(max(alpha·x + beta, 0), 1)."""
    return eltwise(x, "hardsigmoid", alpha, beta, **kwargs)


def sigmoid(x, **kwargs):
    """1 / (1 + e⁻ˣ)."""
    return eltwise(x, "logistic", **kwargs)


def exp(x, **kwargs):
    """eˣ."""
    return eltwise(x, "exp", **kwargs)


def gelu(x, approximate="none", **kwargs):
    """x/2·(1 + erf(x/√2)); approximate="tanh": the formula with tanh."""
    return eltwise(x, "gelu_tanh" if approximate == "tanh" else "gelu_erf", **kwargs)


def swish(x, alpha=1.0, **kwargs):
    """x / (1 + e^(−alpha·x)); SiLU with alpha 1."""
    return eltwise(x, "swish", alpha, **kwargs)


def log(x, **kwargs):
    """ln x."""
    return eltwise(x, "log", **kwargs)


def clip(x, low, high, **kwargs):
    """min(max(x, low), high)."""
    return eltwise(x, "clip", low, high, **kwargs)


def pow(x, exponent, scale=1.0, **kwargs):
    """scale·x^exponent, for a number `exponent`."""
    return eltwise(x, "pow", scale, exponent, **kwargs)


def round(x, **kwargs):
    """To the nearest integer, halves to even."""
    return eltwise(x, "round", **kwargs)


def mish(x, **kwargs):
    """x·tanh(ln(1 + eˣ))."""
    return eltwise(x, "mish", **kwargs)


def hardswish(x, alpha=1 / 6, beta=0.5, **kwargs):
    """x·min(max(alpha·x + beta, 0), 1)."""
    return eltwise(x, "hardswish", alpha, beta, **kwargs)


_COMPARISONS = {"ge", "gt", "le", "lt", "eq", "ne"}


def _like_first_array(*arrays):
    return next((x for x in arrays if hasattr(x, "dtype")), None)


def binary(a, b, algorithm="add", *, dtype=None, **kwargs):
    """op(a, b), broadcast as NumPy does; either may be a number. `algorithm`: add, sub, mul, div, max, min, and ge, gt,
    le, lt, eq, ne, whose result is uint8 (of NumPy arrays: bool). The result has the type of the first array."""
    like = _like_first_array(a, b)
    a, b = operand(a, like), operand(b, like)
    shape = np.broadcast_shapes(a.shape, b.shape)
    compares = algorithm in _COMPARISONS and dtype is None
    kind = "uint8" if compares else dtype or (a if like is None else like).dtype
    y = run("binary", [("src_0", a), ("src_1", b)], [("dst", shape, kind)], {"algorithm": algorithm}, **kwargs)
    return y.view(np.bool_) if compares and isinstance(y, np.ndarray) and y.dtype == np.uint8 else y


def add(a, b, **kwargs):
    """a + b, broadcast."""
    return binary(a, b, "add", **kwargs)


def subtract(a, b, **kwargs):
    """a − b, broadcast."""
    return binary(a, b, "sub", **kwargs)


def multiply(a, b, **kwargs):
    """a·b, broadcast."""
    return binary(a, b, "mul", **kwargs)


def divide(a, b, **kwargs):
    """a / b, broadcast."""
    return binary(a, b, "div", **kwargs)


def maximum(a, b, **kwargs):
    """The larger one of a and b, broadcast."""
    return binary(a, b, "max", **kwargs)


def minimum(a, b, **kwargs):
    """The smaller one of a and b, broadcast."""
    return binary(a, b, "min", **kwargs)


def greater(a, b, **kwargs):
    """a > b, broadcast."""
    return binary(a, b, "gt", **kwargs)


def greater_equal(a, b, **kwargs):
    """a ≥ b, broadcast."""
    return binary(a, b, "ge", **kwargs)


def less(a, b, **kwargs):
    """a < b, broadcast."""
    return binary(a, b, "lt", **kwargs)


def less_equal(a, b, **kwargs):
    """a ≤ b, broadcast."""
    return binary(a, b, "le", **kwargs)


def equal(a, b, **kwargs):
    """a = b, broadcast."""
    return binary(a, b, "eq", **kwargs)


def not_equal(a, b, **kwargs):
    """a ≠ b, broadcast."""
    return binary(a, b, "ne", **kwargs)


def where(condition, a, b, *, dtype=None, **kwargs):
    """a where the condition (int8 or bool, of the result's shape) is not 0, else b. a and b broadcast."""
    like = _like_first_array(a, b)
    a, b = operand(a, like), operand(b, like)
    shape = np.broadcast_shapes(a.shape, b.shape)
    return run("binary", [("src_0", a), ("src_1", b), ("src_2", condition)],
               [("dst", shape, dtype or (a if like is None else like).dtype)], {"algorithm": "select"}, **kwargs)


def reduction(x, algorithm="sum", axis=None, keepdims=False, *, p=2.0, epsilon=0.0, dtype=None, **kwargs):
    """Reduces the dimensions `axis` (one, several, or None: all): sum, mean, max, min, mul, norm_lp_max, norm_lp_sum,
    norm_lp_power_p_max, norm_lp_power_p_sum, the norms with p and epsilon. keepdims: they stay as dimensions of 1."""
    x = operand(x)
    ndims = len(x.shape)
    axes = range(ndims) if axis is None else (axis,) if isinstance(axis, (int, np.integer)) else axis
    for a in axes:
        if not -ndims <= a < ndims:
            raise ValueError(f"reduction axis {a} is outside {-ndims}..{ndims - 1}")
    axes = {int(a) % ndims for a in axes}
    kept = tuple(1 if d in axes else n for d, n in enumerate(x.shape))
    out = kwargs.pop("out", None)
    if out is not None and tuple(out.shape) != kept:
        raise ValueError(f"out of a reduction keeps its dimensions: {kept}")
    params = {"algorithm": algorithm, "p": float(p), "epsilon": float(epsilon)}
    if kept == tuple(x.shape) and not algorithm.startswith("norm"):  # Prim wants a dimension that becomes shorter
        y = reorder(x, dtype, out=out, **kwargs)
    else:
        y = run("reduction", [("src", x)], [("dst", kept, dtype or x.dtype)], params, out=out, **kwargs)
    return y if keepdims or out is not None else y.reshape(tuple(n for d, n in enumerate(kept) if d not in axes))


def sum(x, axis=None, keepdims=False, **kwargs):
    """The sum along `axis` (one, several, or None: all)."""
    return reduction(x, "sum", axis, keepdims, **kwargs)


def mean(x, axis=None, keepdims=False, **kwargs):
    """The mean along `axis`."""
    return reduction(x, "mean", axis, keepdims, **kwargs)


def max(x, axis=None, keepdims=False, **kwargs):
    """The largest element along `axis`."""
    return reduction(x, "max", axis, keepdims, **kwargs)


def min(x, axis=None, keepdims=False, **kwargs):
    """The smallest element along `axis`."""
    return reduction(x, "min", axis, keepdims, **kwargs)


def prod(x, axis=None, keepdims=False, **kwargs):
    """The product along `axis`."""
    return reduction(x, "mul", axis, keepdims, **kwargs)


def norm(x, p=2.0, axis=None, keepdims=False, epsilon=0.0, **kwargs):
    """(Σ|x|^p + epsilon)^(1/p) along `axis`."""
    return reduction(x, "norm_lp_sum", axis, keepdims, p=p, epsilon=epsilon, **kwargs)


def prelu(x, slope, *, dtype=None, **kwargs):
    """x where x > 0, else slope·x. `slope` broadcasts against x: [C, 1, 1] is one for each channel of [N, C, H, W]."""
    x = operand(x)
    return run("prelu", [("src", x), ("weights", operand(slope, x))], [("dst", x.shape, dtype or x.dtype)], **kwargs)


def prelu_backward(dy, x, slope, **kwargs):
    """(dx, dslope) of prelu(x, slope); dslope has the shape of slope."""
    dy, x = operand(dy), operand(x)
    slope = operand(slope, x)
    return run("prelu_backward", [("src", x), ("weights", slope), ("diff_dst", dy)],
               [("diff_src", x.shape, x.dtype), ("diff_weights", slope.shape, slope.dtype)], **kwargs)
