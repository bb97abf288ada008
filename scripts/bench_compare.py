#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the perf lines of two runs into a table of ratios, worst first.

    scripts/bench_compare.py [--svg plot.svg] [--markdown] prim.log peer.log
    scripts/bench_compare.py --summary prim.log peer.log       # of problems drawn at random

Both logs hold lines of benchdnn's default template, printed with --canonical=true (benchdnn/peers/README.md).
Lines belong together when driver, options and descriptor agree; engine, mode and measuring options do not
count. The ratio is the peer's time over Prim's: above 1 Prim is faster. Problems that only one log has are
counted, never dropped silently. A problem that a log has twice counts with its best time.
"""
import argparse
import math
import re
import sys

# Options that say how to run a problem, not what it is. Prim picks the algorithm and the weights' layout;
# a peer has its own.
NOT_THE_PROBLEM = ("mode", "mode-modifier", "max-ms-per-prb", "fix-times-per-prb", "canonical", "engine", "mem-check",
                   "allow-enum-tags-only", "attr-same-pd-check", "check-ref-impl", "cold-cache", "timer", "impl",
                   "skip-impl", "global-impl", "global-skip-impl", "execution-mode", "tune", "ctx-init", "ctx-exe", "num-streams",
                   "repeats-per-prb", "data", "sample", "attr-scratchpad", "perf-template", "start", "summary", "verbose")

SHORT_MS = 0.008  # below, the fixed cost of a launch is most of the time


def key_of(problem):
    words = [w for w in problem.split() if w.split("=")[0].lstrip("-") not in NOT_THE_PROBLEM]
    if "--conv" in words:
        words = [w for w in words if not w.startswith(("--alg=", "--wtag="))]
    words[-1] = re.sub(r'_?n"[^"]*"$', "", words[-1])
    return " ".join(words)


def read_log(path, column):
    """{key: (ms, implementation, name)} of a log."""
    times = {}
    with open(path, encoding="utf-8") as log:
        for line in log:
            parts = line.rstrip("\n").split(",")
            if parts[0] != "perf" or len(parts) != 11:
                continue
            entry = (float(parts[column]), parts[2], parts[3])
            key = key_of(parts[4])
            if key not in times or entry[0] < times[key][0]:
                times[key] = entry
    if not times:
        sys.exit(f"{path}: no perf line of benchdnn's default template")
    return times


def summary(rows):
    """Ratios count where the peer takes SHORT_MS or more; of shorter problems, the time that Prim takes longer."""
    long_ones, short_ones = [r for r in rows if r[3] >= SHORT_MS], [r for r in rows if r[3] < SHORT_MS]
    if long_ones:
        print(f"{len(long_ones)} problems of {SHORT_MS * 1000:g} us or more: geometric mean {geomean_of(long_ones):.2f}, "
              f"10th percentile {long_ones[len(long_ones) // 10][0]:.2f}; the worst:")
    for row in long_ones[:10]:
        print("{:7.2f}  {:44s} {:11.4f} {:11.4f}  {}".format(*row))
    if short_ones:
        longer = sorted((1000 * (r[2] - r[3]), r[1]) for r in short_ones)
        print(f"{len(short_ones)} shorter ones: Prim takes {longer[len(longer) // 2][0]:+.1f} us (median), "
              f"{longer[len(longer) * 9 // 10][0]:+.1f} (90th percentile), at most {longer[-1][0]:+.1f}: {longer[-1][1]}; "
              f"geometric mean {geomean_of(short_ones):.2f}")


def geomean_of(rows):
    return math.exp(sum(math.log(r[0]) for r in rows) / len(rows))


def svg(rows, path):
    """A bar for each problem, logarithmic around 1."""
    width, bar, left = 900, 16, 420
    scale = (width - left - 60) / 2 / math.log(8)
    middle = left + (width - left - 60) / 2
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bar * (len(rows) + 2)}" '
                  'font-family="sans-serif" font-size="11">\n')
        for i, (ratio, name, *_) in enumerate(rows):
            x = scale * max(-math.log(8), min(math.log(8), math.log(ratio)))
            y = bar * (i + 1)
            colour = "#2a7" if ratio >= 1 else "#c53"
            out.write(f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{name[-64:]}</text>'
                      f'<rect x="{middle + min(0, x):.1f}" y="{y + 2}" width="{abs(x):.1f}" height="{bar - 4}" '
                      f'fill="{colour}"/><text x="{width - 50}" y="{y + 11}">{ratio:.2f}</text>\n')
        out.write(f'<line x1="{middle}" y1="0" x2="{middle}" y2="{bar * (len(rows) + 1)}" stroke="black"/>\n</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prim")
    parser.add_argument("peer")
    parser.add_argument("--by", choices=("min", "avg"), default="min", help="times of best batches, or averages")
    parser.add_argument("--svg", help="also write a bar chart")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--summary", action="store_true", help="mean, 10th percentile and the worst ten, not all")
    args = parser.parse_args()
    column = 7 if args.by == "min" else 9
    ours, theirs = read_log(args.prim, column), read_log(args.peer, column)
    rows = sorted((theirs[k][0] / ours[k][0], ours[k][2] or k.split()[-1], ours[k][0], theirs[k][0], ours[k][1])
                  for k in ours if k in theirs)
    if not rows:
        sys.exit("the logs have no problem in common")
    if args.summary:
        summary(rows)
        return
    line = "| {:.2f} | {} | {:.4f} | {:.4f} | {} |" if args.markdown else "{:7.2f}  {:44s} {:11.4f} {:11.4f}  {}"
    print("| ratio | problem | Prim ms | peer ms | implementation |\n|---|---|---|---|---|" if args.markdown
          else f"{'ratio':>7}  {'problem':44s} {'Prim ms':>11} {'peer ms':>11}  implementation")
    for row in rows:
        print(line.format(*row))
    print(f"\ngeometric mean {geomean_of(rows):.3f} over {len(rows)} problems; {sum(r[0] < 1 for r in rows)} slower than the peer; "
          f"{len(ours) - len(rows)} only in {args.prim}, {len(theirs) - len(rows)} only in {args.peer}")
    if args.svg:
        svg(rows, args.svg)


if __name__ == "__main__":
    main()
