#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot_python.py: draws the pictures of doc/bridges/python.md, with the installed package, and prints the times that one of
them shows. OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 compares one thread with one."""

import math
import pathlib
import time

import numpy as np
from plot_results import COLORS, legend, svg

import prim


def line(points, color):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="2"/>'


def axis(x1, y1, x2, y2, kind="g"):
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def label(x, y, text, kind="m"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{text}</text>'


def elementwise():
    """Functions on the left, their gradients on the right."""
    x = np.linspace(-4, 4, 161, dtype=np.float32)
    functions = {"relu": ("relu", 0.0), "gelu": ("gelu_erf", 0.0), "mish": ("mish", 0.0), "elu": ("elu", 1.0)}
    parts = legend(list(functions), 40, 46)
    for panel, (name, low, high) in enumerate((("f(x)", -1.5, 4), ("gradient", -0.25, 1.25))):
        left, top, width, height = 40 + 330 * panel, 66, 300, 220

        def place(a, b, left=left, low=low, high=high):
            return left + (a + 4) / 8 * width, top + (high - b) / (high - low) * height
        for tick in range(-4, 5, 2):
            parts += [axis(place(tick, 0)[0], top, place(tick, 0)[0], top + height),
                      label(place(tick, 0)[0], top + height + 16, tick)]
        for tick in (0, 1) if panel else (-1, 0, 1, 2, 3, 4):
            parts += [axis(left, place(0, tick)[1], left + width, place(0, tick)[1], "g" if tick else "one"),
                      label(left - 6, place(0, tick)[1] + 4, tick, "e")]
        for (algorithm, alpha), color in zip(functions.values(), COLORS):
            y = (prim.eltwise_backward(np.ones_like(x), x, algorithm, alpha) if panel
                 else prim.eltwise(x, algorithm, alpha))
            parts.append(line([place(a, b) for a, b in zip(x, y)], color))
        parts.append(label(left + width / 2, top - 6, name))
    return svg(690, 310, "prim.relu, gelu, mish, elu, and prim.eltwise_backward", parts)


def seconds(call):
    """The fastest of repetitions that take a tenth of a second."""
    call()
    best, spent = math.inf, 0.0
    while spent < 0.1:
        start = time.perf_counter()
        call()
        taken = time.perf_counter() - start
        best, spent = min(best, taken), spent + taken
    return best


def matmul():
    sizes = [2 ** k for k in range(2, 11)]
    random = np.random.default_rng(0)
    times = {"NumPy: a @ b": [], "prim.matmul(a, b)": []}
    for n in sizes:
        a, b = (random.random((n, n), np.float32) for _ in range(2))
        times["NumPy: a @ b"].append(seconds(lambda a=a, b=b: a @ b))
        times["prim.matmul(a, b)"].append(seconds(lambda a=a, b=b: prim.matmul(a, b)))
    left, top, width, height = 70, 66, 580, 240
    low, high = -6.5, -1.0  # powers of ten seconds

    def place(n, t):
        return (left + (math.log2(n) - 2) / 8 * width, top + (high - math.log10(t)) / (high - low) * height)
    parts = legend(list(times), left, 46)
    for n in sizes:
        parts += [axis(place(n, 1e-3)[0], top, place(n, 1e-3)[0], top + height),
                  label(place(n, 1e-3)[0], top + height + 16, n)]
    for power, text in ((-6, "1 µs"), (-5, "10 µs"), (-4, "100 µs"), (-3, "1 ms"), (-2, "10 ms")):
        y = place(4, 10.0 ** power)[1]
        parts += [axis(left, y, left + width, y), label(left - 6, y + 4, text, "e")]
    for values, color in zip(times.values(), COLORS):
        parts.append(line([place(n, t) for n, t in zip(sizes, values)], color))
    for n, (a, b) in zip(sizes, zip(*times.values())):
        print(f"{n:5d}  NumPy {a * 1e6:9.1f} µs  prim {b * 1e6:9.1f} µs")
    return svg(680, 334, "Time of a product of n×n matrices, f32, by n (both scales logarithmic)", parts)


def main():
    pictures = pathlib.Path(__file__).parents[1] / "doc" / "pictures"
    (pictures / "python_eltwise.svg").write_text(elementwise(), encoding="utf-8")
    (pictures / "python_matmul.svg").write_text(matmul(), encoding="utf-8")


if __name__ == "__main__":
    main()
