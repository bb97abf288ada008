#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract_digits.py WHEEL [FILE]: the 1,797 handwritten digits of a scikit-learn wheel as text, for train_digits.

`pip download --no-deps scikit-learn` fetches a wheel. Every line of FILE (examples/train/digits.txt) is one digit: its
8×8 pixels from 0 to 16, row by row, as one character each (0-9, a-g), a space, and which digit it is.
"""
import gzip
import os
import sys
import zipfile

CHARACTERS = "0123456789abcdefg"
DEFAULT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "train", "digits.txt")


def read_digits(wheel):
    """Lists of 64 pixels and a label."""
    with zipfile.ZipFile(wheel) as archive:
        text = gzip.decompress(archive.read("sklearn/datasets/data/digits.csv.gz")).decode("ascii")
    return [[int(float(cell)) for cell in line.split(",")] for line in text.split()]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    digits = read_digits(sys.argv[1])
    if len(digits) != 1797 or any(len(digit) != 65 for digit in digits):
        sys.exit(f"{sys.argv[1]}: not the digits that are expected")
    with open(sys.argv[2] if len(sys.argv) > 2 else DEFAULT, "w", encoding="ascii") as file:
        for *pixels, label in digits:
            file.write("".join(CHARACTERS[pixel] for pixel in pixels) + f" {label}\n")


if __name__ == "__main__":
    main()
