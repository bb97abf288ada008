#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate_page.py SCRIPTS: the page of scripts/mutate.py keeps the rows of mutants that did not run, as long as their
entries are the same, and loses those of mutants that are no more; its sums are those of its rows."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import mutate  # noqa: E402


def mutant(name, area="reorder", reason="the last element | is lost", equivalent=""):
    m = mutate.Mutant(name, "list:1")
    m.file, m.area, m.reason, m.equivalent = "src/cpu/copy.c", area, reason, equivalent
    return m


def outcome(result, by, seconds):
    return {"result": result, "by": by, "said": "", "seconds": seconds}


def write(path, everything, ran):
    """The lines of the page after a run of `ran` (outcomes by name), and how many mutants it says have no row."""
    nmissing = mutate.write_markdown(path, everything, [m for m in everything if m.name in ran], ran)
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n"), nmissing


def check(path):
    first, second, third = mutant("copy"), mutant("copy-2"), mutant("copy-3", area="memory", equivalent="proven")
    page, nmissing = write(path, [first, second, third], {
        "copy": outcome("killed", "ctest:a|b", 2.6), "copy-3": outcome("survived", "", 4)})
    assert nmissing == 1
    rows = ["| copy | `copy.c` | the last element \\| is lost | killed | `ctest:a|b` | 3 |",
            "| copy-3 | `copy.c` | proven | equivalent |  | 4 |"]
    assert [line for line in page if "`copy.c`" in line] == rows, page
    assert "| all | 2 | 1 | 1 | 0 | 7 | 4 |" in page, page
    assert write(path, [first, second, third], {}) == (page, 1)

    # One more, in the order of the lists; what ran again has its new row.
    page, nmissing = write(path, [first, second, third], {
        "copy-2": outcome("survived", "", 1), "copy-3": outcome("survived", "", 9)})
    assert nmissing == 0
    assert [line for line in page if "`copy.c`" in line] == [
        rows[0], "| copy-2 | `copy.c` | the last element \\| is lost | survived |  | 1 |",
        "| copy-3 | `copy.c` | proven | equivalent |  | 9 |"], page
    assert "| memory | 1 | 0 | 1 | 0 | 9 | 9 |" in page and "| reorder | 2 | 1 | 0 | 1 | 4 | 3 |" in page, page

    # Another fault, another name, another file.
    moved = mutant("copy-3", area="memory", equivalent="proven")
    moved.file = "src/cpu/move.c"
    page, nmissing = write(path, [mutant("copy", reason="the last element"), mutant("copy-4"), moved], {})
    assert nmissing == 3 and not [line for line in page if "| copy" in line], page


with tempfile.TemporaryDirectory() as folder:
    check(os.path.join(folder, "mutants.md"))
print("the page keeps what did not run")
