# SPDX-License-Identifier: Apache-2.0
"""The operations in NumPy, in double precision, from their formulas; gradients by central differences."""

import itertools
import math

import numpy as np


def gradient(f, x, dy):
    """d(Σ f(x)·dy)/dx by central differences."""
    x = np.array(x, np.float64)
    flat, g = x.reshape(-1), np.empty(x.size)
    for i in range(x.size):
        kept, step = flat[i], 1e-5
        flat[i] = kept + step
        above = (f(x) * dy).sum()
        flat[i] = kept - step
        g[i] = (above - (f(x) * dy).sum()) / (2 * step)
        flat[i] = kept
    return g.reshape(x.shape)


def each(n, values):
    return (values,) * n if isinstance(values, int) else tuple(values)


def windows(x, kernel, strides, padding, dilation, fill):
    """[N, C, output..., kernel...] of [N, C, input...]; padding as pairs (before, after)."""
    n = x.ndim - 2
    kernel, strides, dilation = each(n, kernel), each(n, strides), each(n, dilation)
    x = np.pad(x, [(0, 0), (0, 0)] + list(padding), constant_values=fill)
    out = [(s - (k - 1) * d - 1) // t + 1 for s, k, d, t in zip(x.shape[2:], kernel, dilation, strides)]
    result = np.empty(x.shape[:2] + tuple(out) + kernel)
    for tap in itertools.product(*map(range, kernel)):
        place = tuple(slice(k * d, k * d + (o - 1) * t + 1, t) for k, d, o, t in zip(tap, dilation, out, strides))
        result[(Ellipsis,) + tap] = x[(slice(None), slice(None)) + place]
    return result


def pairs(n, padding):
    return [(p, p) if isinstance(p, int) else p for p in (each(n, padding) if isinstance(padding, int) else padding)]


def convolution(x, w, bias=None, strides=1, padding=0, dilation=1, groups=1):
    n = x.ndim - 2
    seen = windows(x, w.shape[2:], strides, pairs(n, padding), dilation, 0)
    ic, oc = w.shape[1], w.shape[0] // groups
    parts = []
    for g in range(groups):
        part = seen[:, g * ic:(g + 1) * ic]
        axes = [1] + list(range(2 + n, 2 + 2 * n))
        parts.append(np.moveaxis(np.tensordot(part, w[g * oc:(g + 1) * oc], (axes, list(range(1, 2 + n)))), -1, 1))
    y = np.concatenate(parts, 1)
    return y if bias is None else y + bias.reshape((-1,) + (1,) * n)


def deconvolution(x, w, bias=None, strides=1, padding=0, dilation=1, groups=1):
    """Each element of x adds its multiple of the weights to a window of y; one number for each parameter."""
    n, oc = x.ndim - 2, w.shape[0] // groups
    kernel, ic = w.shape[2:], w.shape[1]
    full = [(s - 1) * strides + (k - 1) * dilation + 1 for s, k in zip(x.shape[2:], kernel)]
    y = np.zeros((x.shape[0], w.shape[0]) + tuple(full))
    for g in range(groups):
        for tap in itertools.product(*map(range, kernel)):
            part = np.tensordot(x[:, g * ic:(g + 1) * ic], w[(slice(g * oc, (g + 1) * oc), slice(None)) + tap], (1, 1))
            place = tuple(slice(k * dilation, k * dilation + (s - 1) * strides + 1, strides)
                          for k, s in zip(tap, x.shape[2:]))
            y[(slice(None), slice(g * oc, (g + 1) * oc)) + place] += np.moveaxis(part, -1, 1)
    y = y[(slice(None), slice(None)) + tuple(slice(padding, s - padding) for s in full)]
    return y if bias is None else y + bias.reshape((-1,) + (1,) * n)


def max_pool(x, kernel, strides, padding=0, dilation=1):
    seen = windows(x, kernel, strides, pairs(x.ndim - 2, padding), dilation, -np.inf)
    return seen.max(tuple(range(x.ndim, seen.ndim)))


def avg_pool(x, kernel, strides, padding=0, include=False):
    n = x.ndim - 2
    axes = tuple(range(x.ndim, 2 * n + 2))
    total = windows(x, kernel, strides, pairs(n, padding), 1, 0).sum(axes)
    if include:
        return total / math.prod(each(n, kernel))
    return total / windows(np.ones_like(x), kernel, strides, pairs(n, padding), 1, 0).sum(axes)


def resampling(x, size, mode):
    for d, out in enumerate(size):
        axis, n = d + 2, x.shape[d + 2]
        at = (np.arange(out) + 0.5) * n / out - 0.5
        if mode == "nearest":
            x = np.take(x, np.clip(np.floor(at + 0.5).astype(int), 0, n - 1), axis)
            continue
        left = np.floor(at).astype(int)
        weight = (at - left).reshape((-1,) + (1,) * (x.ndim - axis - 1))
        low, high = np.clip(left, 0, n - 1), np.clip(left + 1, 0, n - 1)
        x = np.take(x, low, axis) * (1 - weight) + np.take(x, high, axis) * weight
    return x


def lrn(x, size, alpha, beta, k, within):
    half = (size - 1) // 2
    padded = [(0, 0), (0, 0)] + [(half, half)] * (x.ndim - 2) if within else [(0, 0), (half, half)] + [(0, 0)] * (x.ndim - 2)
    squares = np.lib.stride_tricks.sliding_window_view(
        np.pad(x * x, padded), (size,) * (x.ndim - 2) if within else (size,),
        tuple(range(2, x.ndim)) if within else (1,))
    total = squares.sum(tuple(range(x.ndim, squares.ndim)))
    return x * (k + alpha / size ** (x.ndim - 2 if within else 1) * total) ** -beta


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def normalize(x, axes, mean=None, variance=None, epsilon=1e-5):
    mean = x.mean(axes, keepdims=True) if mean is None else mean
    variance = x.var(axes, keepdims=True) if variance is None else variance
    return (x - mean) / np.sqrt(variance + epsilon)


def channels(values, ndim):
    return values.reshape((-1,) + (1,) * (ndim - 2))


def batch_normalization(x, scale=1.0, shift=0.0, mean=None, variance=None):
    spread = [v if v is None or np.isscalar(v) else channels(v, x.ndim) for v in (scale, shift, mean, variance)]
    axes = (0,) + tuple(range(2, x.ndim))
    return normalize(x, axes, spread[2], spread[3]) * spread[0] + spread[1]


def group_normalization(x, groups, scale, shift):
    grouped = x.reshape((x.shape[0], groups, -1))
    return normalize(grouped, (2,)).reshape(x.shape) * channels(scale, x.ndim) + channels(shift, x.ndim)


def shuffle(x, group_size, axis):
    shape = list(x.shape)
    n = shape[axis] // group_size
    split = x.reshape(shape[:axis] + [n, group_size] + shape[axis + 1:])
    return np.swapaxes(split, axis, axis + 1).reshape(shape)


erf = np.vectorize(math.erf)

ELTWISE = {
    "relu": lambda x, a, b: np.where(x > 0, x, a * x), "tanh": lambda x, a, b: np.tanh(x),
    "elu": lambda x, a, b: np.where(x > 0, x, a * np.expm1(x)), "square": lambda x, a, b: x * x,
    "abs": lambda x, a, b: np.abs(x), "sqrt": lambda x, a, b: np.sqrt(x), "linear": lambda x, a, b: a * x + b,
    "soft_relu": lambda x, a, b: np.log1p(np.exp(a * x)) / a,
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1), "logistic": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "exp": lambda x, a, b: np.exp(x), "swish": lambda x, a, b: x / (1 + np.exp(-a * x)),
    "gelu_tanh": lambda x, a, b: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "gelu_erf": lambda x, a, b: x / 2 * (1 + erf(x / np.sqrt(2))), "log": lambda x, a, b: np.log(x),
    "clip": lambda x, a, b: np.clip(x, a, b), "pow": lambda x, a, b: a * x**b, "round": lambda x, a, b: np.rint(x),
    "mish": lambda x, a, b: x * np.tanh(np.log1p(np.exp(x))),
    "hardswish": lambda x, a, b: x * np.clip(a * x + b, 0, 1),
}
