# SPDX-License-Identifier: Apache-2.0
"""A model of Paddle in two processes, on Paddle's own oneDNN and on Prim: Paddle aborts on errors of the library below
it, and a process has one libdnnl.so.3. They take turns, so that both are timed on the same cores at the same time."""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

START_SECONDS = 600  # of a process until its first run is done
NTURNS = 20


class Process:
    """`script --one arguments`, which calls serve(). `library`: the folder of the libdnnl.so.3 to run on, None for
    Paddle's own. `executions`: what lines of Prim's log that are counted have behind "exec,". Where `why` is not empty
    the process has failed."""

    def __init__(self, script, arguments, library, executions="", **variables):
        own = {"LD_LIBRARY_PATH": library, "PRIM_VERBOSE": "profile_exec"} if library else {}
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(script), "--one"] + arguments, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, env={**os.environ, **variables, **own})
        self.pattern = re.compile(r"prim_verbose,v1,(?:[0-9.]+,)?primitive,exec," + executions)
        self.executions, self.ms, self.why, self.told = 0, float("inf"), "", []
        self.difference = self.answer("READY")

    def answer(self, word):
        """The number behind the word in the next line that begins with it."""
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        try:
            for line in self.process.stdout:
                if line.startswith(word):
                    return float(line.split()[1])
                self.executions += self.pattern.match(line) is not None
                self.told = (self.told + [line])[-200:]
        finally:
            timer.cancel()
        self.errors.seek(0)
        lines = [line for line in self.errors.read().splitlines() + self.told if "Error:" in line]
        self.why = lines[-1].strip() if lines else f"exit {self.process.wait()}"
        return None

    def turn(self):
        if not self.why:
            self.process.stdin.write("\n")
            self.ms = min(self.ms, self.answer("TURN") or self.ms)

    def close(self):
        if not self.why:
            self.process.stdin.close()
            self.process.wait()
        self.errors.close()


def take_turns(script, arguments, library, **more):
    """(the process of Paddle's own oneDNN, that of Prim), behind their runs."""
    pair = []
    try:
        for own_library, role in ((None, ["--peer"]), (library, [])):
            pair.append(Process(script, role + arguments, own_library, **more))
        for _ in range(NTURNS):
            for process in pair:
                process.turn()
    finally:
        for process in pair:
            process.close()
    return pair


def serve(predictor, difference):
    """The side of --one: tells the difference of the output, then for each line that comes the best of some runs."""
    if "PRIM_VERBOSE" in os.environ:  # logging takes time
        ctypes.CDLL("libprim.so.0").prim_set_verbose(b"none")
    print("\nREADY", difference, flush=True)
    for _ in sys.stdin:
        times = []
        while len(times) < 3 and sum(times) < 0.1:
            start = time.perf_counter()
            predictor.run()
            times.append(time.perf_counter() - start)
        print("TURN", min(times) * 1e3, flush=True)


class Table:
    """Rows of models, printed as they come, and at the end written between two marks of a page."""

    HEAD = ["| model | difference | executions | Prim ms | oneDNN ms | ratio |\n", "|---|---|---|---|---|---|\n"]

    def __init__(self, title):
        self.title, self.rows = title, []
        self.agreed = self.failed = 0

    def add(self, name, tolerance, pair, may_fail=False):
        """`may_fail`: on both libraries."""
        peer, prim = pair
        is_right = prim.difference is not None and prim.difference <= tolerance and prim.executions > 0
        self.agreed += is_right
        fails_on_both = may_fail and prim.why and peer.why
        self.failed += not is_right and not fails_on_both
        cells = [name, "fails", "", "fails", "", ""]
        if not prim.why:
            cells[1:4] = f"{prim.difference:.0e}", str(prim.executions), f"{prim.ms:.2f}"
        cells[4] = "fails" if peer.why else f"{peer.ms:.2f}"
        if not prim.why and not peer.why:
            cells[5] = f"{prim.ms / peer.ms:.1f}"
        row = "| " + " | ".join(cells) + " |\n"
        if not is_right:
            why = prim.why or "differs too much, or Prim executed nothing"
            print("fails on both:" if fails_on_both else "FAILED:", why, end=" ")
        self.rows.append(row)
        print(row, end="", flush=True)

    def end(self, page):
        """The exit code."""
        if page and not self.failed:
            self.write(page)
        print(f"{self.title}: {self.agreed} of {len(self.rows)} models agree")
        return 1 if self.failed else 0

    def write(self, path):
        begin, end = (f"<!-- paddle {self.title} {word} -->\n" for word in ("begins", "ends"))
        with open(path, encoding="utf-8") as page:
            before, _, rest = page.read().partition(begin)
        after = rest.partition(end)[2]
        with open(path, "w", encoding="utf-8") as page:
            page.writelines([before, begin, "\n", *self.HEAD, *self.rows, "\n", end, after])
