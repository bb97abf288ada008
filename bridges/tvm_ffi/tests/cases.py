# SPDX-License-Identifier: Apache-2.0
"""Calls of every function with what they should give. A case is (call, expected, tolerance): call(**place) runs it."""

import numpy as np

import formulas as ref
import prim

random = np.random.default_rng(7)


def array(*shape, low=-2.0, high=2.0):
    return random.uniform(low, high, shape).astype(np.float32)


def wide(x):
    return x.astype(np.float64)


X = array(2, 4, 6, 5)
DY = array(2, 4, 6, 5)
W = array(6, 2, 3, 2)
BIAS = array(6)


def eltwise_cases():
    calls = {"relu": (prim.relu, (0.1,)), "tanh": (prim.tanh, ()), "elu": (prim.elu, (0.7,)), "square": (prim.square, ()),
             "abs": (prim.abs, ()), "linear": (prim.linear, (2.0, -1.0)), "soft_relu": (prim.softplus, (1.5,)),
             "hardsigmoid": (prim.hardsigmoid, (0.3, 0.4)), "logistic": (prim.sigmoid, ()), "exp": (prim.exp, ()),
             "swish": (prim.swish, (1.5,)), "gelu_erf": (prim.gelu, ()), "clip": (prim.clip, (-0.5, 0.75)),
             "round": (prim.round, ()), "mish": (prim.mish, ()), "hardswish": (prim.hardswish, (0.2, 0.5))}
    for algorithm, (f, args) in calls.items():
        a, b = (args + (0.0, 0.0))[:2]
        yield f.__name__, lambda f=f, args=args, **k: f(X, *args, **k), ref.ELTWISE[algorithm](wide(X), a, b), 2e-6
    positive = array(3, 7, low=0.1)
    yield "sqrt", lambda **k: prim.sqrt(positive, **k), np.sqrt(wide(positive)), 1e-6
    yield "log", lambda **k: prim.log(positive, **k), np.log(wide(positive)), 2e-6
    yield "pow", lambda **k: prim.pow(positive, 1.7, 0.5, **k), 0.5 * wide(positive) ** 1.7, 2e-6
    yield "gelu", lambda **k: prim.gelu(X, "tanh", **k), ref.ELTWISE["gelu_tanh"](wide(X), 0, 0), 2e-6
    yield "eltwise", lambda **k: prim.eltwise(X[:, ::2], "tanh", **k), np.tanh(wide(X[:, ::2])), 2e-6
    for algorithm in ("tanh", "logistic", "swish", "gelu_erf", "mish"):
        def f(x, algorithm=algorithm):
            return ref.ELTWISE[algorithm](x, 1.5, 0.0)
        yield ("eltwise_backward", lambda algorithm=algorithm, **k: prim.eltwise_backward(DY, X, algorithm, 1.5, **k),
               ref.gradient(f, X, DY), 1e-5)
    y = np.tanh(X)
    yield ("eltwise_backward", lambda **k: prim.eltwise_backward(DY, y, "tanh_use_dst_for_bwd", **k),
           DY * (1 - wide(y) ** 2), 1e-5)


def binary_cases():
    other = array(4, 1, 5, low=0.5)
    functions = {prim.add: np.add, prim.subtract: np.subtract, prim.multiply: np.multiply, prim.divide: np.divide,
                 prim.maximum: np.maximum, prim.minimum: np.minimum, prim.greater: np.greater,
                 prim.greater_equal: np.greater_equal, prim.less: np.less, prim.less_equal: np.less_equal,
                 prim.equal: np.equal, prim.not_equal: np.not_equal}
    rounded = np.rint(X)
    for f, g in functions.items():
        a = rounded if g in (np.equal, np.not_equal, np.less_equal, np.greater_equal) else X
        b = np.rint(other) if a is rounded else other
        yield f.__name__, lambda f=f, a=a, b=b, **k: f(a, b, **k), g(wide(a), wide(b)), 1e-6
    yield "binary", lambda **k: prim.binary(2.0, X, "sub", **k), 2 - wide(X), 1e-6
    condition = X > 0
    yield "where", lambda **k: prim.where(condition, X, DY, **k), np.where(condition, X, DY), 0
    slope = array(4, 1, 1, low=0)
    yield "prelu", lambda **k: prim.prelu(X, slope, **k), np.where(X > 0, X, X * slope), 1e-6
    yield ("prelu_backward", lambda **k: prim.prelu_backward(DY, X, slope, **k),
           (np.where(X > 0, DY, DY * slope), (wide(DY) * np.minimum(X, 0)).sum((0, 2, 3)).reshape(4, 1, 1)), 1e-5)


def reduction_cases():
    functions = {prim.sum: np.sum, prim.mean: np.mean, prim.max: np.max, prim.min: np.min, prim.prod: np.prod}
    for f, g in functions.items():
        for axis, keep in ((None, False), (1, True), ((0, -1), False)):
            x = X[:1, :2] if f is prim.prod else X
            yield (f.__name__, lambda f=f, x=x, axis=axis, keep=keep, **k: f(x, axis, keep, **k),
                   g(wide(x), axis=axis, keepdims=keep), 1e-4 if axis is None else 1e-5)
    yield "sum", lambda **k: prim.sum(X[:1], 0, **k), wide(X[0]), 0
    yield "norm", lambda **k: prim.norm(X, 3.0, 1, **k), (np.abs(wide(X)) ** 3).sum(1) ** (1 / 3), 1e-5
    yield ("reduction", lambda **k: prim.reduction(X, "norm_lp_power_p_sum", 2, p=2.0, epsilon=0.5, **k),
           (wide(X) ** 2).sum(2) + 0.5, 1e-5)


def movement_cases():
    yield "reorder", lambda **k: prim.reorder(X, "f16", **k), X.astype(np.float16), 0
    yield ("reorder", lambda **k: prim.reorder(X, "s8", scales={"dst": 0.02}, zero_points={"dst": 3}, **k),
           np.clip(np.rint(wide(X) / np.float32(0.02) + 3), -128, 127), 1)
    yield "concat", lambda **k: prim.concat([X, DY, X], -2, **k), np.concatenate([X, DY, X], -2), 0
    yield "add_n", lambda **k: prim.add_n([X, DY, X], [1, 0.5, -2], **k), wide(X) + 0.5 * DY - 2.0 * X, 1e-5
    yield "add_n", lambda **k: prim.add_n([X, DY], **k), wide(X) + DY, 1e-6
    yield "shuffle", lambda **k: prim.shuffle(X, 2, **k), ref.shuffle(X, 2, 1), 0
    yield "shuffle_backward", lambda **k: prim.shuffle_backward(ref.shuffle(X, 2, 1), 2, **k), X, 0


def product_cases():
    a, b, bias = array(2, 3, 5, 7), array(3, 7, 4), array(4)
    yield "matmul", lambda **k: prim.matmul(a, b, bias, **k), wide(a) @ wide(b) + bias, 1e-5
    yield "matmul", lambda **k: prim.matmul(a[0, 0], b[0, :, 0], **k), wide(a[0, 0]) @ wide(b[0, :, 0]), 1e-5
    yield "matmul", lambda **k: prim.matmul(b[0, :, 0], a[0, 0].T, **k), wide(b[0, :, 0]) @ wide(a[0, 0]).T, 1e-5
    yield "matmul", lambda **k: prim.matmul(a[0, 0], a[1, 0].T, **k), wide(a[0, 0]) @ wide(a[1, 0]).T, 1e-5
    p, q = (random.integers(-100, 100, s).astype(np.int8) for s in ((5, 64), (64, 4)))
    whole = p.astype(np.int64) @ q.astype(np.int64)
    yield "matmul", lambda **k: prim.matmul(p, q, **k), whole, 0
    per_column = array(4, low=0.1)
    yield ("matmul", lambda **k: prim.matmul(p, q, scales={"src": 0.5, "weights": per_column}, **k),
           whole * 0.5 * wide(per_column), 1e-5)
    yield ("matmul", lambda **k: prim.matmul(p, q, bias=None, dtype="f32", zero_points={"src": 3}, **k),
           (p.astype(np.float64) - 3) @ q, 1e-5)
    blocks, f = array(2, 4, low=0.1), array(5, 64)
    yield ("matmul", lambda **k: prim.matmul(f, q, scales={"weights": blocks}, fpmath=("any", True), dtype="f32", **k),
           wide(f) @ (np.repeat(wide(blocks), 32, 0) * q), 1e-3)
    x, w = array(3, 4, 2, 3), array(5, 4, 2, 3)
    dy = array(3, 5)
    yield ("inner_product", lambda **k: prim.inner_product(x, w, array(5) * 0 + 1, **k),
           wide(x).reshape(3, -1) @ wide(w).reshape(5, -1).T + 1, 1e-5)
    yield ("inner_product_backward_data", lambda **k: prim.inner_product_backward_data(dy, w, x.shape, **k),
           (wide(dy) @ wide(w).reshape(5, -1)).reshape(x.shape), 1e-5)
    yield ("inner_product_backward_weights", lambda **k: prim.inner_product_backward_weights(dy, x, bias=True, **k),
           ((wide(dy).T @ wide(x).reshape(3, -1)).reshape(w.shape), wide(dy).sum(0)), 1e-5)


def convolution_cases():
    how = {"strides": (2, 1), "padding": ((1, 0), (1, 2)), "dilation": (1, 2), "groups": 2}
    y = ref.convolution(wide(X), wide(W), wide(BIAS), **how)
    yield "convolution", lambda **k: prim.convolution(X, W, BIAS, **how, **k), y, 1e-5
    line, taps, cube, block = array(2, 3, 9), array(5, 3, 4), array(1, 2, 4, 5, 3), array(3, 2, 2, 3, 2)
    yield "convolution", lambda **k: prim.convolution(line, taps, padding=1, **k), ref.convolution(wide(line), wide(taps), padding=1), 1e-5
    yield "convolution", lambda **k: prim.convolution(cube, block, **k), ref.convolution(wide(cube), wide(block)), 1e-5
    add = array(*y.shape)
    yield ("convolution", lambda **k: prim.convolution(X, W, BIAS, **how, post_ops=[("add", add), ("relu", 0.5), ("linear", 2, 1)], **k),
           ref.ELTWISE["relu"](y + add, 0.5, 0) * 2 + 1, 2e-5)
    held = array(*y.shape)
    yield ("convolution", lambda **k: prim.convolution(X, W, BIAS, **how, post_ops=[("sum", 0.5)], out=held.copy(), **k),
           y + 0.5 * held, 2e-5)
    slopes = array(6, 1, 1, low=0)
    yield ("convolution", lambda **k: prim.convolution(X, W, BIAS, **how, post_ops=[("prelu", slopes)], **k),
           np.where(y > 0, y, y * slopes), 2e-5)
    xq = random.integers(0, 255, X.shape).astype(np.uint8)
    wq = random.integers(-127, 127, (6, 4, 3, 2)).astype(np.int8)
    s = array(6, low=0.01, high=0.1)
    yield ("convolution", lambda **k: prim.convolution(xq, wq, scales={"src": 0.5, "weights": s}, zero_points={"src": 7}, **k),
           ref.convolution(xq - 7.0, wq) * 0.5 * s.reshape(6, 1, 1), 1e-5)
    yield ("convolution", lambda **k: prim.convolution(xq, wq[:, :2], groups=2, scales={"weights": s}, **k),
           ref.convolution(xq, wq[:, :2], groups=2) * s.reshape(6, 1, 1), 1e-5)
    dy = array(*y.shape)
    yield ("convolution_backward_data", lambda **k: prim.convolution_backward_data(dy, W, X.shape, **how, **k),
           ref.gradient(lambda x: ref.convolution(x, wide(W), **how), X, dy), 1e-5)
    yield ("convolution_backward_weights", lambda **k: prim.convolution_backward_weights(dy, X, W.shape, bias=True, **how, **k),
           (ref.gradient(lambda w: ref.convolution(wide(X), w, **how), W, dy), wide(dy).sum((0, 2, 3))), 1e-5)
    how = {"strides": 2, "padding": 1, "dilation": 1, "groups": 2}
    y = ref.deconvolution(wide(X), wide(W), wide(BIAS), **how)
    dy = array(*y.shape)
    yield "deconvolution", lambda **k: prim.deconvolution(X, W, BIAS, **how, **k), y, 1e-5
    longer = ref.deconvolution(wide(X), wide(W), strides=2, groups=2)[:, :, 1:, 1:]
    yield ("deconvolution", lambda **k: prim.deconvolution(X, W, strides=2, groups=2, padding=1, output_padding=1, **k), longer, 1e-5)
    yield ("deconvolution_backward_data", lambda **k: prim.deconvolution_backward_data(dy, W, X.shape, **how, **k),
           ref.gradient(lambda x: ref.deconvolution(x, wide(W), **how), X, dy), 1e-5)
    yield ("deconvolution_backward_weights", lambda **k: prim.deconvolution_backward_weights(dy, X, W.shape, bias=True, **how, **k),
           (ref.gradient(lambda w: ref.deconvolution(wide(X), w, **how), W, dy), wide(dy).sum((0, 2, 3))), 1e-5)


def image_cases():
    y = ref.max_pool(wide(X), (3, 2), (2, 1), 1)
    dy = array(*y.shape)
    yield "max_pool", lambda **k: prim.max_pool(X, (3, 2), (2, 1), 1, **k), y, 0

    def there_and_back(**k):
        y, workspace = prim.max_pool(X, (3, 2), (2, 1), 1, training=True, **k)
        return y, prim.max_pool_backward(dy, workspace, X.shape, (3, 2), (2, 1), 1, **k)
    yield ("max_pool_backward", there_and_back,
           (y, ref.gradient(lambda x: ref.max_pool(x, (3, 2), (2, 1), 1), X, dy)), 1e-5)
    for include in (False, True):
        def f(x, include=include):
            return ref.avg_pool(x, 3, 2, 1, include)
        y = f(wide(X))
        dy2 = array(*y.shape)
        yield "avg_pool", lambda include=include, **k: prim.avg_pool(X, 3, 2, 1, count_include_pad=include, **k), y, 1e-6
        yield ("avg_pool_backward", lambda include=include, dy2=dy2, **k:
               prim.avg_pool_backward(dy2, X.shape, 3, 2, 1, count_include_pad=include, **k),
               ref.gradient(f, X, dy2), 1e-5)
    for mode in ("nearest", "linear"):
        yield ("resampling", lambda mode=mode, **k: prim.resampling(X, (9, 7), mode=mode, **k),
               ref.resampling(wide(X), (9, 7), mode), 1e-5)
        dy3 = array(2, 4, 12, 10)
        yield ("resampling_backward", lambda mode=mode, dy3=dy3, **k: prim.resampling_backward(dy3, X.shape, mode=mode, **k),
               ref.gradient(lambda x, mode=mode: ref.resampling(x, (12, 10), mode), X, dy3), 1e-5)
    yield "resampling", lambda **k: prim.resampling(X, factors=2, **k), ref.resampling(X, (12, 10), "nearest"), 0
    for within in (False, True):
        def f(x, within=within):
            return ref.lrn(x, 3, 0.5, 0.75, 1.5, within)
        yield "lrn", lambda within=within, **k: prim.lrn(X, 3, 0.5, 0.75, 1.5, within_channel=within, **k), f(wide(X)), 1e-5

        def there_and_back(within=within, **k):
            y, workspace = prim.lrn(X, 3, 0.5, 0.75, 1.5, within_channel=within, training=True, **k)
            return y, prim.lrn_backward(DY, X, workspace, 3, 0.5, 0.75, 1.5, within_channel=within, **k)
        yield "lrn_backward", there_and_back, (f(wide(X)), ref.gradient(f, X, DY)), 1e-5


def softmax_cases():
    for axis in (1, -1):
        y = ref.softmax(wide(X), axis)
        yield "softmax", lambda axis=axis, **k: prim.softmax(X, axis, **k), y, 1e-6
        yield "log_softmax", lambda axis=axis, **k: prim.log_softmax(X, axis, **k), np.log(y), 1e-5
        yield ("softmax_backward", lambda y=y, axis=axis, **k: prim.softmax_backward(DY, y.astype(np.float32), axis, **k),
               ref.gradient(lambda x, axis=axis: ref.softmax(x, axis), X, DY), 1e-5)
        yield ("log_softmax_backward", lambda y=y, axis=axis, **k:
               prim.log_softmax_backward(DY, np.log(y).astype(np.float32), axis, **k),
               ref.gradient(lambda x, axis=axis: np.log(ref.softmax(x, axis)), X, DY), 2e-5)


def normalization_cases():
    scale, shift, mean, variance = array(4), array(4), array(4), array(4, low=0.5)
    w = [wide(v) for v in (scale, shift, mean, variance)]
    yield ("batch_normalization", lambda **k: prim.batch_normalization(X, scale, shift, mean, variance, **k),
           ref.batch_normalization(wide(X), *w), 1e-5)
    stats = wide(X).mean((0, 2, 3)), wide(X).var((0, 2, 3))
    y = ref.batch_normalization(wide(X), *w[:2])
    yield ("batch_normalization", lambda **k: prim.batch_normalization(X, scale, shift, training=True, **k), (y, *stats), 1e-5)
    yield ("batch_normalization", lambda **k: prim.batch_normalization(X, scale, shift, relu=True, **k), np.maximum(y, 0), 1e-5)
    yield ("batch_normalization", lambda **k: prim.batch_normalization(X, scale, shift, relu=True, add=DY, **k),
           np.maximum(y + DY, 0), 1e-5)

    def batch(**k):
        _, m, v = prim.batch_normalization(X, scale, shift, training=True, **k)
        return prim.batch_normalization_backward(DY, X, m, v, scale, shift=True, **k)
    hat = ref.batch_normalization(wide(X))
    yield ("batch_normalization_backward", batch,
           (ref.gradient(lambda x: ref.batch_normalization(x, *w[:2]), X, DY), (hat * DY).sum((0, 2, 3)),
            wide(DY).sum((0, 2, 3))), 1e-4)

    def fused(**k):
        _, m, v, workspace = prim.batch_normalization(X, scale, shift, training=True, relu=True, add=DY, **k)
        return prim.batch_normalization_backward(DY, X, m, v, scale, shift=True, relu=True, add=True, workspace=workspace, **k)
    masked = np.where(y + DY > 0, wide(DY), 0)
    yield ("batch_normalization_backward", fused,
           (ref.gradient(lambda x: ref.batch_normalization(x, *w[:2]), X, masked), (hat * masked).sum((0, 2, 3)),
            masked.sum((0, 2, 3)), masked), 1e-4)

    last, offset = array(5), array(5)
    y = ref.normalize(wide(X), (-1,)) * last + offset
    stats = wide(X).mean(-1), wide(X).var(-1)
    yield "layer_normalization", lambda **k: prim.layer_normalization(X, last, offset, **k), y, 1e-5
    yield "layer_normalization", lambda **k: prim.layer_normalization(X, last, offset, training=True, **k), (y, *stats), 1e-5

    def layer(**k):
        _, m, v = prim.layer_normalization(X, last, offset, training=True, **k)
        return prim.layer_normalization_backward(DY, X, m, v, last, shift=True, **k)
    hat = ref.normalize(wide(X), (-1,))
    yield ("layer_normalization_backward", layer,
           (ref.gradient(lambda x: ref.normalize(x, (-1,)) * last, X, DY), (hat * DY).sum((0, 1, 2)),
            wide(DY).sum((0, 1, 2))), 1e-4)

    y = ref.group_normalization(wide(X), 2, *w[:2])
    yield "group_normalization", lambda **k: prim.group_normalization(X, 2, scale, shift, **k), y, 1e-5

    def group(**k):
        _, m, v = prim.group_normalization(X, 2, scale, shift, training=True, **k)
        return prim.group_normalization_backward(DY, X, 2, m, v, scale, shift=True, **k)
    hat = ref.normalize(wide(X).reshape(2, 2, -1), (2,)).reshape(X.shape)
    yield ("group_normalization_backward", group,
           (ref.gradient(lambda x: ref.group_normalization(x, 2, *w[:2]), X, DY), (hat * DY).sum((0, 2, 3)),
            wide(DY).sum((0, 2, 3))), 1e-4)


FAMILIES = (eltwise_cases, binary_cases, reduction_cases, movement_cases, product_cases, convolution_cases, image_cases,
            softmax_cases, normalization_cases)
