# SPDX-License-Identifier: Apache-2.0
"""The problems of a peer: lines of `benchdnn --mode=L --canonical=true …`, read and timed.

Canonical lines spell every option and every field, so that a peer needs no grammar of its own. What is
common to all peers that are written in Python lives here; peer_<library>.py adds the operations.
"""
import re
import time

# Whom to time on what; the rest of a line belongs to the problem.
PROBLEM_OPTION = re.compile(r"--([a-z_-]+)=(\S*)")


class Case:
    """One problem: driver, options by name, descriptor, name, and the text that repeats it."""

    def __init__(self, line):
        self.text = line.split("__REPRO: ", 1)[1].strip()
        words = self.text.split()
        self.driver = next(w[2:] for w in words if w.startswith("--") and "=" not in w)
        self.options = dict(PROBLEM_OPTION.findall(self.text))
        descriptor = words[-1]
        self.name = ""
        found = re.search(r'_?n"([^"]*)"$', descriptor)
        if found:
            self.name = found.group(1)
            descriptor = descriptor[: found.start()]
        self.descriptor = descriptor

    def fields(self):
        """{"ic": 16, "kh": 3, …} of a descriptor that is made of letters and numbers."""
        return {k: float(v) if "." in v else int(v)
                for k, v in re.findall(r"([a-z]+)([0-9.e-]+[0-9]|[0-9])", self.descriptor)}

    def tensors(self):
        """[[2, 3, 4], [1, 3, 1]] of a descriptor that is made of dims."""
        return [[int(d) for d in dims.split("x")] for dims in self.descriptor.split(":")]

    def spatial(self, letter):
        """The values of a letter's fields, outermost first: spatial("k") of a 2-D problem is [kh, kw]."""
        fields = self.fields()
        return [fields[letter + axis] for axis in "dhw" if letter + axis in fields]


def read_cases(stream):
    return [Case(line) for line in stream if "__REPRO: " in line]


def measure(run, wait, budget_ms):
    """benchdnn's scheme: 5 runs, then batches of about a fifth of the budget. (least, average) in ms."""
    run()
    wait()
    total, runs, best, batch = 0.0, 0, None, 5
    while total < budget_ms or runs < 5:
        begin = time.perf_counter()
        for _ in range(batch):
            run()
        wait()
        ms = (time.perf_counter() - begin) * 1e3
        total, runs = total + ms, runs + batch
        best = ms / batch if best is None else min(best, ms / batch)
        batch = max(1, min(4096, int((budget_ms - total) / max(best, 1e-6) / 5)))
    return best, total / runs


def report(engine, impl, case, ops, best, average):
    """The line of benchdnn's default template."""
    print(f"perf,{engine},{impl},{case.name},{case.text},{ops / 1e9:g},0,{best:g},{ops / best / 1e6:g},"
          f"{average:g},{ops / average / 1e6:g}", flush=True)
