# SPDX-License-Identifier: Apache-2.0
"""Windows over the spatial dimensions of images: of convolutions and pools."""

import numpy as np


def _one_each(name, value, nspatial):
    values = (value,) * nspatial if isinstance(value, (int, np.integer)) else tuple(value)
    if len(values) != nspatial:
        raise ValueError(f"{name} has {len(values)} values, the arrays have {nspatial} spatial dimensions")
    return values


class Window:
    """Strides, padding and dilation as Prim takes them. `padding`: a number, one for each spatial dimension, or a pair
    (before, after) for each. dilation 1 is none."""

    def __init__(self, nspatial, kernel, strides, padding, dilation):
        self.kernel = _one_each("kernel", kernel, nspatial)
        self.strides = _one_each("strides", strides, nspatial)
        self.dilation = _one_each("dilation", dilation, nspatial)
        pads = [(p, p) if isinstance(p, (int, np.integer)) else tuple(p)
                for p in _one_each("padding", padding, nspatial)]
        if any(len(p) != 2 for p in pads):
            raise ValueError("padding is a number or a pair (before, after) for each spatial dimension")
        self.begin, self.end = tuple(p[0] for p in pads), tuple(p[1] for p in pads)

    def params(self, with_kernel=False):
        if not self.kernel:  # no spatial dimensions: Prim says what is missing
            return {}
        params = {"strides": self.strides, "padding": self.begin, "padding_end": self.end, "dilation": self.dilation}
        return {**params, "kernel": self.kernel} if with_kernel else params

    def _reach(self):
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation)]

    def output(self, sizes):
        """The sizes of a convolution's or pool's result; at least 0, so that Prim can refuse what does not fit."""
        return tuple(max((n - r + b + e) // max(s, 1) + 1, 0)
                     for n, r, b, e, s in zip(sizes, self._reach(), self.begin, self.end, self.strides))

    def input(self, sizes):
        """The sizes that a convolution with this window makes these of: those of a transposed one's result."""
        return tuple(max((n - 1) * s + r - b - e, 0)
                     for n, r, b, e, s in zip(sizes, self._reach(), self.begin, self.end, self.strides))
