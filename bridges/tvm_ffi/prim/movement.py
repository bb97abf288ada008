# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements: conversion, concatenation, shuffle, weighted sums of arrays."""

from ._arrays import operand
from ._call import run

__all__ = ["reorder", "concat", "add_n", "shuffle", "shuffle_backward"]


def reorder(x, dtype=None, **kwargs):
    """A copy of `x` as another type; with scales and zero_points it quantises: ``prim.reorder(x, "s8", scales={"dst":
    s})`` is round(x / s), saturated."""
    x = operand(x)
    return run("reorder", [("src", x)], [("dst", x.shape, dtype or x.dtype)], **kwargs)


def concat(arrays, axis=0, *, dtype=None, **kwargs):
    """The arrays one after the other along `axis`; their other dimensions are equal."""
    arrays = [operand(x) for x in arrays]
    if not arrays:
        raise ValueError("concat of no arrays")
    shape = list(arrays[0].shape)
    if -len(shape) <= axis < len(shape):
        shape[axis] = sum(x.shape[axis] if len(x.shape) == len(shape) else 0 for x in arrays)
    return run("concat", [("src", x) for x in arrays], [("dst", tuple(shape), dtype or arrays[0].dtype)],
               {"axis": axis}, **kwargs)


def add_n(arrays, scales=None, *, dtype=None, **kwargs):
    """Σ scales[i]·arrays[i] over up to 64 arrays of one shape; scales None: 1. oneDNN's sum."""
    arrays = [operand(x) for x in arrays]
    if not arrays:
        raise ValueError("add_n of no arrays")
    params = {} if scales is None else {"scales": [float(s) for s in scales]}
    return run("sum", [("src", x) for x in arrays], [("dst", arrays[0].shape, dtype or arrays[0].dtype)], params,
               **kwargs)


def shuffle(x, group_size, axis=1, **kwargs):
    """Channels in another order: of C channels in groups of group_size, channel u·group_size + v becomes
    v·C/group_size + u."""
    x = operand(x)
    return run("shuffle", [("src", x)], [("dst", x.shape, x.dtype)], {"axis": axis, "group_size": group_size}, **kwargs)


def shuffle_backward(dy, group_size, axis=1, **kwargs):
    """The gradient of shuffle(x, group_size, axis), which is the way back."""
    dy = operand(dy)
    return run("shuffle_backward", [("diff_dst", dy)], [("diff_src", dy.shape, dy.dtype)],
               {"axis": axis, "group_size": group_size}, **kwargs)
