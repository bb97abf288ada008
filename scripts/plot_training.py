#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plot_training.py [--check | NAME=LOG.csv …]: loss curves of train_digits as doc/pictures/train_digits.svg.

With logs of train_digits and train_digits_torch.py their losses become the columns of doc/pictures/train_digits.csv;
the picture is drawn from that table alone. With --check nothing is written, and the exit status is 1 if the picture is
not what the table gives (a hygiene test).
"""
import csv
import math
import os
import sys

from plot_results import COLORS, DOC, legend, svg

TABLE = os.path.join(DOC, "pictures", "train_digits.csv")
PICTURE = os.path.join(DOC, "pictures", "train_digits.svg")
LEFT, TOP, WIDTH, HEIGHT = 60, 60, 680, 300
TICKS = (3, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)


def read(path):
    with open(path, encoding="ascii") as file:
        return list(csv.reader(file))


def join(arguments):
    names, columns = zip(*[argument.split("=", 1) for argument in arguments])
    columns = [[row[1] for row in read(path)[1:]] for path in columns]
    with open(TABLE, "w", encoding="ascii") as file:
        file.write(",".join(("step",) + names) + "\n")
        for step, losses in enumerate(zip(*columns)):
            file.write(",".join([str(step)] + [f"{float(loss):.9g}" for loss in losses]) + "\n")


def draw(rows):
    names = rows[0][1:]
    curves = [[float(row[i + 1]) for row in rows[1:]] for i in range(len(names))]
    low = math.log(min(min(curve) for curve in curves) * 0.9)
    high = math.log(max(max(curve) for curve in curves) * 1.1)
    nsteps = len(rows) - 1

    def place(step, loss):
        return (f"{LEFT + WIDTH * step / (nsteps - 1):.1f},"
                f"{TOP + HEIGHT * (high - math.log(loss)) / (high - low):.1f}")

    parts = ['<text class="q" x="12" y="42">loss of each step (logarithmic)</text>']
    for tick in TICKS:
        if low < math.log(tick) < high:
            y = place(0, tick).split(",")[1]
            parts.append(f'<line class="g" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}"/>')
            parts.append(f'<text class="e" x="{LEFT - 6}" y="{y}">{tick:g}</text>')
    for step in range(0, nsteps, 50):
        x = place(step, 1).split(",")[0]
        parts.append(f'<text class="m" x="{x}" y="{TOP + HEIGHT + 16}">{step}</text>')
    for i, curve in enumerate(curves):  # the first one is drawn wide, so that those on top of it do not hide it
        points = " ".join(place(step, loss) for step, loss in enumerate(curve))
        parts.append(f'<polyline fill="none" stroke="{COLORS[i]}" stroke-width="{(5, 2, 1, 1)[i]}" '
                     f'stroke-opacity="{(0.3, 0.9, 1, 1)[i]}" points="{points}"/>')
    parts += legend(names, LEFT + 200, 42)
    return svg(LEFT + WIDTH + 20, TOP + HEIGHT + 30, "train_digits: loss curves from the same start", parts)


def main(arguments):
    if arguments and arguments != ["--check"]:
        join(arguments)
    text = draw(read(TABLE))
    if arguments == ["--check"]:
        with open(PICTURE, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print(f"{PICTURE}: is not what its table gives (scripts/plot_training.py draws it)")
        return 1
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
