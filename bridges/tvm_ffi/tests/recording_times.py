# SPDX-License-Identifier: Apache-2.0
"""What recordings and packed weights save: prints two tables, the best of some runs.

    recording_times.py [--engine=cpu|gpu] [--runs=50]
"""

import argparse
import time

import numpy as np

import prim


def best_us(work, runs, finish):
    """The best time of a call that is waited for."""
    work()
    finish()
    best = 1e9
    for _ in range(runs):
        start = time.perf_counter()
        work()
        finish()
        best = min(best, time.perf_counter() - start)
    return 1e6 * best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--runs", type=int, default=50)
    args = parser.parse_args()
    random = np.random.default_rng(0)
    finish = prim.Engine(args.engine).wait

    def place(*shape, dtype="float32"):
        return prim.asarray(random.standard_normal(shape).astype(np.float32) / 8, dtype=dtype, engine=args.engine)

    print(f"{args.engine}: layers of a product, its bias and ReLU, rows x width\n")
    print("| layers | size | calls, us | replay, us |\n|---|---|---|---|")
    for layers, rows, width in ((1, 64, 64), (8, 64, 64), (32, 64, 64), (8, 64, 512)):
        weights = [(place(width, width), place(1, width)) for _ in range(layers)]

        def network(x):
            for w, b in weights:
                x = prim.matmul(x, w, b, post_ops=["relu"])
            return x

        x = place(rows, width)
        step = prim.record(network, x, engine=args.engine)
        assert np.array_equal(step(x).numpy(), network(x).numpy())
        times = [best_us(lambda: f(x), args.runs, finish) for f in (network, step)]
        print(f"| {layers} | {rows}x{width} | {times[0]:.0f} | {times[1]:.0f} |")
    print("\n| weights | type | layout | plain, us | packed, us |\n|---|---|---|---|---|")
    for dtype in ("float32", "bfloat16"):
        for f, shapes, options in ((prim.matmul, ((16, 1024), (1024, 1024)), {}),
                                   (prim.matmul, ((512, 1024), (1024, 1024)), {}),
                                   (prim.convolution, ((1, 64, 56, 56), (64, 64, 3, 3)), {"padding": 1}),
                                   (prim.convolution, ((1, 256, 14, 14), (256, 256, 3, 3)), {"padding": 1})):
            x, w = (place(*shape, dtype=dtype) for shape in shapes)
            packed = prim.prepack(f, x, w, **options)
            times = [best_us(lambda: f(x, v, **options), args.runs, finish) for v in (w, packed)]
            print(f"| {f.__name__} {shapes[0]} by {shapes[1]} | {dtype} | {packed.layout} | {times[0]:.0f} | {times[1]:.0f} |")


if __name__ == "__main__":
    main()
