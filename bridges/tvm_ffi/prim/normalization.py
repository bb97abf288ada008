# SPDX-License-Identifier: Apache-2.0
"""Softmax and normalisations by batch, layer and group, and their gradients."""

from ._arrays import operand
from ._call import run, workspace_bytes

__all__ = ["softmax", "log_softmax", "softmax_backward", "log_softmax_backward", "batch_normalization",
           "batch_normalization_backward", "layer_normalization", "layer_normalization_backward",
           "group_normalization", "group_normalization_backward"]


def _softmax(x, axis, algorithm, dtype, kwargs):
    x = operand(x)
    return run("softmax", [("src", x)], [("dst", x.shape, dtype or x.dtype)], {"axis": axis, "algorithm": algorithm},
               **kwargs)


def softmax(x, axis=-1, *, dtype=None, **kwargs):
    """e^(x − max) / Σ e^(x − max) along `axis`."""
    return _softmax(x, axis, "accurate", dtype, kwargs)


def log_softmax(x, axis=-1, *, dtype=None, **kwargs):
    """The logarithm of softmax(x, axis)."""
    return _softmax(x, axis, "log", dtype, kwargs)


def _softmax_backward(dy, y, axis, algorithm, kwargs):
    dy, y = operand(dy), operand(y)
    return run("softmax_backward", [("diff_dst", dy), ("dst", y)], [("diff_src", y.shape, y.dtype)],
               {"axis": axis, "algorithm": algorithm}, **kwargs)


def softmax_backward(dy, y, axis=-1, **kwargs):
    """dx of y = softmax(x, axis)."""
    return _softmax_backward(dy, y, axis, "accurate", kwargs)


def log_softmax_backward(dy, y, axis=-1, **kwargs):
    """dx of y = log_softmax(x, axis)."""
    return _softmax_backward(dy, y, axis, "log", kwargs)


def _given(*pairs):
    return [(name, None if x is None else operand(x)) for name, x in pairs]


def _normalize(op, x, scale, shift, mean, variance, stat_shape, params, training, dtype, kwargs):
    inputs = _given(("src", x), ("scale", scale), ("shift", shift), ("mean", mean), ("variance", variance))
    outputs = [("dst", x.shape, dtype or x.dtype)]
    params = {**params, "training": training}
    if training and mean is None:
        outputs += [("mean", stat_shape, "float32"), ("variance", stat_shape, "float32")]
    elif training:
        params["use_global_stats"] = True
    return run(op, inputs, outputs, params, **kwargs)


def batch_normalization(x, scale=None, shift=None, mean=None, variance=None, *, epsilon=1e-5, training=False,
                        relu=False, add=None, dtype=None, **kwargs):
    """scale·(x − mean)/√(variance + epsilon) + shift for each channel of [N, C, ...]; the others are float32 [C]. Without
    mean and variance these are x's own, and with training=True results: (y, mean, variance). relu=True clamps the
    result at 0, `add`, an array like x, is added before that; in training the workspace is one more result."""
    x = operand(x)
    params = {"epsilon": float(epsilon), "relu": relu}
    if not (relu and training) and add is None:
        return _normalize("batch_normalization", x, scale, shift, mean, variance, (x.shape[1],), params, training,
                          dtype, kwargs)
    inputs = _given(("src", x), ("scale", scale), ("shift", shift), ("mean", mean), ("variance", variance),
                    ("src_1", add))
    outputs = [("dst", x.shape, dtype or x.dtype)]
    params = {**params, "training": training}
    if training and mean is None:
        outputs += [("mean", (x.shape[1],), "float32"), ("variance", (x.shape[1],), "float32")]
    elif training:
        params["use_global_stats"] = True
    if training:
        place = {k: v for k, v in kwargs.items() if k != "out"}
        size = workspace_bytes("batch_normalization", inputs, outputs, params, **place)
        outputs.append(("workspace", (size,), "uint8"))
    return run("batch_normalization", inputs, outputs, params, **kwargs)


def _normalize_backward(op, dy, x, mean, variance, scale, shift, params, nscales, more_inputs, more_outputs, kwargs):
    dy, x = operand(dy), operand(x)
    inputs = _given(("src", x), ("diff_dst", dy), ("mean", mean), ("variance", variance), ("scale", scale),
                    *more_inputs)
    outputs = [("diff_src", x.shape, x.dtype)]
    kind = "float32" if scale is None else operand(scale).dtype
    outputs += [("diff_scale", (nscales,), kind)] if scale is not None else []
    outputs += [("diff_shift", (nscales,), kind)] if shift else []
    return run(op, inputs, outputs + more_outputs, params, **kwargs)


def batch_normalization_backward(dy, x, mean, variance, scale=None, *, shift=False, epsilon=1e-5,
                                 use_global_stats=False, relu=False, add=False, workspace=None, **kwargs):
    """dx of batch_normalization; with `scale` also dscale, with shift=True dshift: (dx, dscale, dshift). With
    relu=True it takes the workspace of the forward pass, and with add=True the gradient of `add` is the last
    result. use_global_stats: mean and variance were given in the forward pass."""
    x = operand(x)
    params = {"epsilon": float(epsilon), "use_global_stats": use_global_stats, "relu": relu}
    more = [("diff_src_1", x.shape, x.dtype)] if add else []
    return _normalize_backward("batch_normalization_backward", dy, x, mean, variance, scale, shift, params, x.shape[1],
                               [("workspace", workspace)], more, kwargs)


def layer_normalization(x, scale=None, shift=None, mean=None, variance=None, *, epsilon=1e-5, training=False,
                        dtype=None, **kwargs):
    """scale·(x − mean)/√(variance + epsilon) + shift along the last dimension of [..., C]; scale and shift [C], mean and
    variance [...]. training=True gives (y, mean, variance)."""
    x = operand(x)
    return _normalize("layer_normalization", x, scale, shift, mean, variance, tuple(x.shape[:-1]),
                      {"epsilon": float(epsilon)}, training, dtype, kwargs)


def layer_normalization_backward(dy, x, mean, variance, scale=None, *, shift=False, epsilon=1e-5,
                                 use_global_stats=False, **kwargs):
    """dx of layer_normalization; with `scale` also dscale, with shift=True dshift: (dx, dscale, dshift)."""
    params = {"epsilon": float(epsilon), "use_global_stats": use_global_stats}
    return _normalize_backward("layer_normalization_backward", dy, x, mean, variance, scale, shift, params,
                               operand(x).shape[-1], [], [], kwargs)


def group_normalization(x, groups, scale=None, shift=None, mean=None, variance=None, *, epsilon=1e-5, training=False,
                        dtype=None, **kwargs):
    """scale(c)·(x − mean)/√(variance + epsilon) + shift(c) with the statistics of each of `groups` groups of channels of
    [N, C, ...]: mean and variance [N, groups], scale and shift [C]. training=True gives (y, mean, variance)."""
    x = operand(x)
    return _normalize("group_normalization", x, scale, shift, mean, variance, (x.shape[0], groups),
                      {"epsilon": float(epsilon), "groups": groups}, training, dtype, kwargs)


def group_normalization_backward(dy, x, groups, mean, variance, scale=None, *, shift=False, epsilon=1e-5,
                                 use_global_stats=False, **kwargs):
    """dx of group_normalization; with `scale` also dscale, with shift=True dshift: (dx, dscale, dshift)."""
    params = {"epsilon": float(epsilon), "use_global_stats": use_global_stats, "groups": groups}
    return _normalize_backward("group_normalization_backward", dy, x, mean, variance, scale, shift, params,
                               operand(x).shape[1], [], [], kwargs)
