#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""draw_corpus.py [BUILD]: draws the corpus of tests/fuzz anew, from the build (build/release).

Of random rounds, on the device as it is and as if it were a GPU, those are kept that together reach every
implementation that any round reaches, and as many different refusals as fit into MOST inputs.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "fuzz", "corpus")
MOST, CALLS = 120, 200000
NUMBER = re.compile(r"0x[0-9a-f]+|-?[0-9.]+(e[+-]?[0-9]+)?|nan|inf")
MASK = (1 << 64) - 1


def next_random(state):
    """SplitMix64, as fuzz_rounds.c has it."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return state, z ^ z >> 31


def round_bytes(seed):
    state, number = next_random(seed)
    content = bytearray()
    for _ in range(16 + number % (1024 - 16)):
        state, number = next_random(state)
        content.append(number >> 56)
    return bytes(content)


def reached(program, seed, environment):
    """What each round reaches: names of implementations, refusals without their numbers."""
    run = subprocess.run([program, "reach", str(CALLS), str(seed)], env={**os.environ, **environment}, check=True,
                         capture_output=True, encoding="utf-8", errors="replace")
    rounds, now = {}, set()
    for line in run.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "ROUND":
            now = rounds.setdefault(int(rest), set())
        elif word == "IMPL":
            now.add(line)
        elif word == "REFUSED":
            now.add(NUMBER.sub("N", "no implementation" if "no implementation of" in rest else rest)[:60])
    return rounds


def main(arguments):
    build = os.path.join(ROOT, arguments[0] if arguments else os.path.join("build", "release"))
    program = os.path.join(build, "tests", "fuzz", "fuzz_descriptors")
    rounds = {**reached(program, 20000000, {}), **reached(program, 30000000, {"PRIM_TEST_IS_GPU": "1"})}
    left = {what: 6 if what.startswith("IMPL") else 1 for found in rounds.values() for what in found}
    chosen = []
    while left and len(chosen) < MOST:
        best = max(rounds, key=lambda seed: sum(left.get(what, 0) for what in rounds[seed]))
        chosen.append(best)
        for what in rounds[best]:
            left.pop(what, None)
    lost = sorted(what for what in left if what.startswith("IMPL"))
    if lost:
        sys.exit(f"{MOST} inputs do not reach {', '.join(lost)}")
    for name in os.listdir(CORPUS):
        os.remove(os.path.join(CORPUS, name))
    for seed in chosen:
        with open(os.path.join(CORPUS, f"round_{seed}"), "wb") as file:
            file.write(round_bytes(seed))
    print(f"{len(chosen)} inputs; {len(left)} refusals are in none")


if __name__ == "__main__":
    main(sys.argv[1:])
