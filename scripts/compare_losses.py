#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_losses.py --steps=N --tolerance=X [--column=NAME] -- PROGRAM ARGUMENTS …

Runs train_digits for N steps and compares the loss of each with a column of doc/pictures/train_digits.csv, where
plot_training.py has put the losses of PyTorch and of Prim.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

TABLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "doc", "pictures",
                     "train_digits.csv")


def read_losses(path, column):
    with open(path, encoding="ascii") as file:
        return [float(row[column]) for row in csv.DictReader(file)]


def run(program, nsteps):
    """The losses of the program's first steps."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "loss.csv")
        code = subprocess.run(program + ["--epochs=1", f"--steps={nsteps}", f"--log={log}"], check=False).returncode
        if code != 0:
            sys.exit(code)
        return read_losses(log, "loss")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--tolerance", type=float, required=True)
    parser.add_argument("--column", default="PyTorch")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    expected = read_losses(TABLE, options.column)[:options.steps]
    losses = run(options.program, options.steps)
    if len(losses) != options.steps:
        sys.exit(f"{len(losses)} losses instead of {options.steps}")
    for step, (loss, wanted) in enumerate(zip(losses, expected)):
        print(f"step {step}: loss {loss:.7f}, {options.column} {wanted:.7f}, difference {loss - wanted:.1e}")
    if not all(abs(loss - wanted) <= options.tolerance for loss, wanted in zip(losses, expected)):
        sys.exit(f"a difference is larger than {options.tolerance:g}")


if __name__ == "__main__":
    main()
