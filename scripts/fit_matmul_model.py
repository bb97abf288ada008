#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the cost model of tiled matrix products (src/gpu/ocl/matmul/ocl_gemm_tile.c) to measured times.

    PRIM_VERBOSE=profile_create benchdnn --mode=I --engine=gpu --tune=full --matmul --dt=f16 --batch=problems >log
    scripts/fit_matmul_model.py log [--clock=1.83] [--units=132] [--impl=ocl:matmul:wgmma] [--keep=join]

Tuning measures every tile with every number of splits that the model offers; the log has a line for each. Problems
come from scripts/random_problems.py. An empty tuning store is needed: what is known is not measured again.

What is fitted: products in a cycle of each tile (alone, full) and the costs that all tiles share. What is minimised:
the mean logarithm of (time of the model's choice / shortest time), the regret, and, with a small weight, the squared
logarithm of (estimate / time), so that what no choice hinges on stays near what it says. By coordinate descent from the
values of the table; steps shrink from a factor 1.5 to 1.02. Prints the lines of the table before and after.
"""
import argparse
import math
import re
import sys
from collections import defaultdict

ELEM_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "s8": 1, "u8": 1}
JOIN_ELEMS = 10  # as in ocl_gemm_tile.c
FLOOR_US = 2.9   # of an empty kernel, by the same timer
COSTS = ("group_cycles", "join_cycles", "partial_bytes", "sum_cycles")


def read_table(path, impl):
    """{name: value} of the shared costs and of (tile, "alone"), (tile, "full"); a tile is the parameters of its line."""
    values, family = {}, impl.rsplit(":", 1)[0]
    with open(path, encoding="utf-8") as table:
        for line in table:
            parts = [p.strip() for p in line.split("|")]
            if len(parts) != 3:
                continue
            if parts[0] == family and parts[1].startswith("limit ") and parts[1][6:] in COSTS:
                values[parts[1][6:]] = float(parts[2].split()[0])
            if parts[0] == impl and parts[1].startswith("config "):
                config = dict(w.split("=") for w in parts[1][7:].split())
                tile = tuple((key, int(value)) for key, value in config.items())
                for word in parts[2].split():
                    if word.startswith(("alone=", "full=")):
                        values[(tile, word.split("=")[0])] = float(word.split("=")[1])
    return values


def read_log(path, impl):
    """{(m, n, k, bytes): [(parameters, microseconds)]} of one implementation."""
    times = defaultdict(dict)
    pattern = re.compile(r"ocl,tune," + re.escape(impl) + r",src:(\w+):\S*?:(\d+)x(\d+) wei:\S*?:\d+x(\d+) [^,]*,([^,]*),([\d.]+)")
    with open(path, encoding="utf-8") as log:
        for line in log:
            match = pattern.search(line)
            if not match:
                continue
            dtype, m, k, n, text, ms = match.groups()
            params = {key: int(value) for key, value in (w.split("=") for w in text.split())}
            times[int(m), int(n), int(k), ELEM_BYTES[dtype]][tuple(sorted(params.items()))] = float(ms) * 1000
    return {problem: [(dict(p), us) for p, us in runs.items()] for problem, runs in times.items()}


def tile_of(v, p):
    names = next(key for name in v if not isinstance(name, str) for key in [[k for k, _ in name[0]]])
    return tuple((k, p[k]) for k in names)


def overlaps_ends(impl, problem, p):
    """Whether a group stores a tile while it loads the next: what implementations tell ocl_gemm_tile.c."""
    if impl.endswith((":mma_split_k", ":gemv_nn", ":gemv_nt")):
        return True
    _, n, _, elem_bytes = problem
    return impl.endswith(":wgmma") and (p["bm"], p["bn"]) == (128, 256) and elem_bytes == 2 and n % 8 == 0


def cycles(v, problem, p, args):
    """As cost() of ocl_gemm_tile.c."""
    units = args.units
    m, n, k, elem_bytes = problem
    steps = -(-k // p["bk"])
    split_k = -(-steps // p["splits"]) * p["bk"]
    nsplits = -(-k // split_k)
    groups = -(-m // p["bm"]) * -(-n // p["bn"]) * nsplits
    tile = tile_of(v, p)
    faster = 2.0 / elem_bytes if elem_bytes < 4 else 1
    rounds = -(-groups // units)
    alone, full = v[tile, "alone"] * faster, v[tile, "full"] * faster
    products = p["bm"] * p["bn"] * split_k / min(rounds * alone, full)
    ends = v["group_cycles"] + v["sum_cycles"] * p["bm"] * p["bn"]
    is_hidden = full > alone or overlaps_ends(args.impl, problem, p)
    left = max(ends / 2 - products, 0) if is_hidden else ends
    total = rounds * products + ends + (rounds - 1) * left
    if nsplits > 1:
        total += v["join_cycles"] + 8.0 * m * n * nsplits / v["partial_bytes"]
        if groups > units:
            total += nsplits * p["bm"] * p["bn"] / JOIN_ELEMS
    return total


def loss(v, problems, args):
    regret = misfit = count = 0
    for problem, runs in problems.items():
        estimates = [cycles(v, problem, p, args) / (args.clock * 1000) + FLOOR_US for p, _ in runs]
        choice = min(range(len(runs)), key=lambda i: estimates[i])
        best = min(us for _, us in runs)
        regret += math.log(runs[choice][1] / best)
        for estimate, (_, us) in zip(estimates, runs):
            if us < 2 * best:
                misfit += math.log(estimate / us) ** 2
                count += 1
    return regret / len(problems), misfit / max(count, 1)


def fit(v, problems, args):
    best = sum(w * x for w, x in zip((1, 0.3), loss(v, problems, args)))
    for factor in (1.5, 1.2, 1.1, 1.05, 1.02):
        moved = True
        while moved:
            moved = False
            for name in v:
                if name in args.keep.split(","):
                    continue
                for step in (factor, 1 / factor):
                    trial = {**v, name: v[name] * step}
                    if name[-1] in ("alone", "full"):
                        tile = name[0]
                        trial[tile, "full"] = max(trial[tile, "alone"], trial[tile, "full"])
                    now = sum(w * x for w, x in zip((1, 0.3), loss(trial, problems, args)))
                    if now < best - 1e-6:
                        v, best, moved = trial, now, True
    return v


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log")
    parser.add_argument("--impl", default="ocl:matmul:wgmma")
    parser.add_argument("--table", default="src/gpu/ocl/tune/tables/nvidia_sm90.tune")
    parser.add_argument("--clock", type=float, default=1.83, help="GHz")
    parser.add_argument("--units", type=int, default=132)
    parser.add_argument("--keep", default="", help="shared costs that stay, separated by commas")
    args = parser.parse_args()
    before, problems = read_table(args.table, args.impl), read_log(args.log, args.impl)
    tiles = {tile_of(before, p) for runs in problems.values() for p, _ in runs}
    if not problems:
        sys.exit(f"{args.log}: no line of {args.impl}")
    values = {k: x for k, x in before.items() if isinstance(k, str) or k[0] in tiles}
    after = fit(values, problems, args)
    for title, v in (("before", values), ("after", after)):
        regret, misfit = loss(v, problems, args)
        print(f"# {title}: {len(problems)} problems, the choice takes {math.exp(regret):.3f} times the shortest time, "
              f"estimates are off by a factor {math.exp(math.sqrt(misfit)):.2f}")
        for name, value in v.items():
            text = name if isinstance(name, str) else " ".join(f"{k}={x}" for k, x in name[0]) + " " + name[1]
            print(f"{text} {value:.4g}")
    for problem, runs in problems.items():
        choice = min(runs, key=lambda r: cycles(after, problem, r[0], args))
        best = min(runs, key=lambda r: r[1])
        print(f"# {problem}: choice {choice[1]:.1f} us {choice[0]}, best {best[1]:.1f} us {best[0]}")


if __name__ == "__main__":
    main()
