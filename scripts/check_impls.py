#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_impls of every implementation of a device, several at a time, and the page of what it found.

    scripts/check_impls.py run FOLDER [-j N] [--limit SECONDS] [--only PATTERN] [--group N] [--build FOLDER]
            [--engine gpu] [OPTION...]
        One process for every 3 implementations (--group) of an operation, its output in
        FOLDER/<the first one>.txt. With a limit, each that is reached in the last quarter of it runs a sample
        (--sample=2 --least=12). OPTIONs go to check_impls. Ends with 1 if one is bad.
    scripts/check_impls.py page DATE NAME=PATH... > doc/check_impls.md
        The page, with columns for each device NAME. PATH is a folder of `run`, or a log that has the tables
        of check_impls (build/check/implementations.txt of scripts/check.sh).

OCL_ICD_VENDORS, OCL_ICD_FILENAMES and PRIM_OCL_DEVICE choose the device.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROW = re.compile(r"^\| `(\w+:(\w+):[^`]+)` \| (.*) \|$")
COLUMNS = ("accepted", "run", "passed", "failed", "mistrusted", "options", "edges", "doubted", "lost", "verdict")
# What runs where a time limit is near, and which part of it that is.
SAMPLE, SAMPLED = ["--sample=2", "--least=12"], 0.25


def read_rows(text):
    """The rows of check_impls' tables as dictionaries, by implementation, and how many options each declines."""
    rows, declined, name = {}, collections.Counter(), None
    for line in text.split("\n"):
        match = ROW.match(line)
        if match:
            cells = [cell.strip() for cell in match.group(3).split("|")]
            rows[match.group(1)] = dict(zip(COLUMNS, cells))
        match = re.match(r"^(\S+) declines$", line)
        if match:
            name = match.group(1)
        elif name and line.startswith("    "):
            declined[name] += len(line.split()) - 1
        else:
            name = None
    return rows, declined


class Run:
    def __init__(self, options):
        self.options, self.start = options, time.time()
        build = os.path.abspath(options.build)
        self.command = [os.path.join(build, "tests", "harness", "check_impls"),
                        os.path.join(build, "benchdnn", "benchdnn"), options.engine]
        self.folder = os.path.abspath(options.folder)
        os.makedirs(self.folder, exist_ok=True)

    def left(self):
        limit = self.options.limit
        return limit - (time.time() - self.start) if limit else None

    def check_impls(self, *arguments):
        """The output, or None where time was too short."""
        left = self.left()
        if left is not None and left < 1:
            return None
        process = subprocess.Popen(self.command + list(arguments), cwd=self.folder, text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return process.communicate(timeout=left)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and its benchdnn
            process.communicate()
            return None

    def listed(self):
        drivers = sorted(name[:-len("_driver.c")] for name in os.listdir(os.path.join(ROOT, "benchdnn", "drivers"))
                         if name.endswith("_driver.c"))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            texts = pool.map(lambda driver: self.check_impls("--driver=" + driver, "--list"), drivers)
            rows = {}
            for text in texts:
                rows.update(read_rows(text or "")[0])
        return rows

    def one(self, names, arguments):
        """Runs a few implementations of an operation; what was there stays where time is too short. Sentences."""
        left = self.left()
        if left is not None and left < self.options.limit * SAMPLED:
            arguments = arguments + SAMPLE  # the last of equal options counts
        start = time.time()
        text = self.check_impls("--driver=" + names[0].split(":")[1], "--impl=" + ",".join(names), "--print-declined",
                                *arguments)
        if text is None:
            return ["%s: no time left" % name for name in names]
        with open(os.path.join(self.folder, re.sub(r"[:+]", "_", names[0]) + ".txt"), "w", encoding="utf-8") as f:
            f.write(text)
        rows = read_rows(text)[0]
        found = [rows.get(name, {"verdict": "BAD: no table"}) for name in names]
        return ["%-52s %-8s %5.1f s  %s" % (name, row.get("passed", ""), time.time() - start, row["verdict"])
                for name, row in zip(names, found)]

    def all(self, groups, arguments):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for sentences in pool.map(lambda names: self.one(names, arguments), groups):
                print("\n".join(sentences), flush=True)


def groups_of(names, most):
    """At most so many implementations of an operation each, those of the largest operations first. One process opens
    the device once for all of them, and draws their problems once."""
    own = collections.defaultdict(list)
    for name in names:
        own[name.split(":")[1]].append(name)
    groups = []
    for listed in sorted(own.values(), key=len, reverse=True):
        n = -(-len(listed) // most)
        groups += [listed[i::n] for i in range(n)]
    return groups


def run(options, arguments):
    checks = Run(options)
    if not os.path.exists(checks.command[0]):
        sys.exit("check_impls.py: %s is missing" % checks.command[0])
    listed = checks.listed()
    names = [name for name in listed if listed[name]["accepted"] != "0"
             and fnmatch.fnmatch(name, options.only)]
    checks.all(groups_of(names, options.group), arguments)
    rows = read_folder(checks.folder)[0]
    bad = ["%s: %s" % (name, rows[name]["verdict"] if name in rows else "no time") for name in names
           if name not in rows or rows[name]["verdict"] != "ok"]
    print("%d implementations listed, %d of them take problems here; %d s, %d are bad or have no row%s" % (
        len(listed), len(names), time.time() - checks.start, len(bad), "".join("\n    " + n for n in bad)))
    return 1 if bad or not rows else 0


def read_folder(path):
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            return read_rows(f.read())
    rows, declined = {}, collections.Counter()
    for name in sorted(os.listdir(path)):
        if name.endswith(".txt"):
            more, words = read_folder(os.path.join(path, name))
            rows.update(more)
            declined.update(words)
    return rows, declined


HEAD = """# Every implementation, every option: the last run

A results page: what `check_impls` ([testing.md](testing.md)) found on %(ndevices)s, with seed 1, on %(date)s. The
command, and what writes this page from its outputs:

    scripts/check_impls.py run FOLDER -j 15 --limit 400     # on the device
    scripts/check_impls.py page %(date)s %(names)s > doc/check_impls.md

* *accepted*: of the pool's thousands of problems, those that the implementation takes; *none*: the device lacks what it
  needs, or the implementation takes no problem there.
* *passed*: distinct problems that ran against the reference and, again, for equal bits; "n of m" where some failed. A
  whole run has 30 or more, a sample fewer (12 near the end of a time limit; what CI runs, [testing.md](testing.md)).
* *options*, *edges*: of the options that it takes and of the edges of its tiles, how many problems that passed had.
  Samples are not made to touch all.
* *not accepted*: words that the generators draw and it never takes; `check_impls --list --print-declined` names them.
"""


def cells_of(row):
    if row is None:
        return ["", "", "", ""]
    if row["accepted"] == "0":
        return ["none", "", "", ""]
    ratio = [row[key].replace(" of ", "/") for key in ("options", "edges")]
    return [row["accepted"], row["passed"] if row["failed"] == "0" else "%s of %s" % (row["passed"], row["run"]),
            ratio[0], "" if ratio[1] == "0/0" else ratio[1]]


def page(options):
    devices = [entry.partition("=")[::2] for entry in options.results]
    found = [read_folder(path) for _, path in devices]
    names = list(dict.fromkeys(name for rows, _ in found for name in rows))
    if not names:
        sys.exit("check_impls.py: no table of check_impls in %s" % ", ".join(path for _, path in devices))
    names.sort(key=lambda name: (name.split(":")[1], name.endswith("any"), name))
    count = {2: "two devices", 3: "three devices"}.get(len(devices), "%d device(s)" % len(devices))
    out = [HEAD % {"ndevices": count, "date": options.date, "names": " ".join("'%s=FOLDER'" % name for name, _ in devices)},
           "| device | implementations | whole | problems passed | failed | bad |", "|---|---:|---:|---:|---:|---:|"]
    for (device, _), (rows, _) in zip(devices, found):
        ran = [row for row in rows.values() if row["accepted"] != "0"]
        out.append("| %s | %d | %d | %d | %d | %d |" % (
            device, len(ran), sum(int(row["passed"]) >= 30 for row in ran), sum(int(row["passed"]) for row in ran),
            sum(int(row["failed"]) for row in ran), sum(row["verdict"].startswith("BAD") for row in ran)))
    out += ["", "| implementation | " + " | ".join("%s: accepted | passed | options | edges" % device
                                                  for device, _ in devices) + " | not accepted |",
            "|---|" + "---:|" * (4 * len(devices) + 1)]
    for name in names:
        cells = [cell for rows, _ in found for cell in cells_of(rows.get(name))]
        words = next((declined[name] for rows, declined in found if rows.get(name, {}).get("accepted", "0") != "0"), "")
        out.append("| `%s` | %s | %s |" % (name, " | ".join(cells), words))
    print("\n".join(out))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    run_mode = modes.add_parser("run")
    run_mode.add_argument("folder")
    run_mode.add_argument("-j", dest="jobs", type=int, default=2)
    run_mode.add_argument("--limit", type=float, default=0)
    run_mode.add_argument("--only", default="*", help="names of implementations, as a pattern")
    run_mode.add_argument("--group", type=int, default=3)
    run_mode.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    run_mode.add_argument("--engine", default="gpu")
    page_mode = modes.add_parser("page")
    page_mode.add_argument("date")
    page_mode.add_argument("results", nargs="+")
    options, arguments = parser.parse_known_args()
    if options.mode == "page" and arguments:
        parser.error("unknown: " + " ".join(arguments))
    return page(options) if options.mode == "page" else run(options, arguments)


if __name__ == "__main__":
    sys.exit(main())
