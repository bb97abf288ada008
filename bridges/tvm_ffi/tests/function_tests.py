# SPDX-License-Identifier: Apache-2.0
"""Every function against its formula on both engines, with a table at the end."""

import argparse
import collections
import pathlib
import re
import sys

import numpy as np
import tvm_ffi

import cases
import prim

# What is no operation.
SERVICES = {"Array", "Engine", "Packed", "Recording", "Stream", "asarray", "cache_info", "empty", "engines", "implementation",
            "prepack", "record", "set_cache_capacity", "set_verbose", "use", "version", "wait"}


def differs(result, expected, tolerance):
    """A sentence where the result is not the expected one, relative to its largest element."""
    results = result if isinstance(result, tuple) else (result,)
    expecteds = expected if isinstance(expected, tuple) else (expected,)
    if len(results) != len(expecteds):
        return f"{len(results)} results instead of {len(expecteds)}"
    for i, (got, right) in enumerate(zip(results, expecteds)):
        got, right = np.asarray(got, np.float64), np.asarray(right, np.float64)
        if got.shape != right.shape:
            return f"result {i} has shape {got.shape} instead of {right.shape}"
        worst = np.abs(got - right).max(initial=0)
        scale = max(np.abs(right).max(initial=0), 1) if tolerance < 1 else 1
        if not worst <= tolerance * scale:
            return f"result {i} differs by {worst:.3g}"
    return ""


def run(engine, counts):
    failures = []
    for family in cases.FAMILIES:
        for name, call, expected, tolerance in family():
            try:
                sentence = differs(call(engine=engine), expected, tolerance)
            except Exception as error:  # noqa: BLE001: whatever a call raises is its failure
                sentence = f"{type(error).__name__}: {error}"
            counts[name][engine] += 1
            if sentence:
                failures.append(f"{name} on {engine}: {sentence}")
    return failures


def missing(counts):
    """Functions without a case; operations of the C API without a function."""
    names = [f"prim.{n} has no case" for n in sorted(set(prim.__all__) - SERVICES - set(counts))]
    header = pathlib.Path(__file__).parents[3] / "include/prim/prim_ops.h"
    for op in re.findall(r"prim_(\w+)_desc_create\(", header.read_text()):
        if tvm_ffi.get_global_func("prim." + op.replace("_forward", ""), allow_missing=True) is None:
            names.append(f"prim_{op}_desc_create has no function")
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", action="append", help="cpu, gpu; both by default")
    engines = parser.parse_args().engine or ["cpu", "gpu"]
    counts = collections.defaultdict(collections.Counter)
    failures = [f for engine in engines for f in run(engine, counts)] + missing(counts)
    print("| function | " + " | ".join(engines) + " |\n|---|" + "---|" * len(engines))
    for name in sorted(counts):
        print(f"| {name} | " + " | ".join(str(counts[name][e]) for e in engines) + " |")
    print("\n".join(failures))
    total = sum(sum(c.values()) for c in counts.values())
    print(f"{total} calls of {len(counts)} functions, {len(failures)} failed")
    return 1 if failures or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
