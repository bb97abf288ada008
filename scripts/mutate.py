#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation tests: do the tests notice a small fault in the source?

tests/mutants/*.txt list the mutants: each is one edit of one file, with the test commands that must
fail because of it ("judges"). Every mutant is applied to a copy of the tree, what its judges need is
built, and the judges run until one fails. A mutant that no judge notices survives: a test is missing.

    scripts/mutate.py                    all mutants, one after the other
    scripts/mutate.py -j 16              the same, 16 at a time
    scripts/mutate.py --only 'conv-*'    those whose name or file matches (repeatable)
    scripts/mutate.py --sample 15        15 at random (--seed S); --ci: the fixed sample of check.sh
    scripts/mutate.py --again            those that the last run did not see killed
    scripts/mutate.py --list             prints them and runs nothing
    scripts/mutate.py --markdown FILE    also writes the page of results (--last: runs nothing before); what did not
                                         run keeps its row of FILE if its name, file and fault are the same

The exit code is 0 if every mutant was killed or is proven equivalent. Copies, builds and kernels are
kept in build/mutate, one folder a worker. doc/testing.md tells how to add a mutant.
"""
import argparse
import fnmatch
import hashlib
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = os.path.join(ROOT, "tests", "mutants")
WORK = os.path.join(ROOT, "build", "mutate")
BRIDGES = os.path.join(ROOT, "build", "bridges")  # virtual environments of scripts/bridges.sh
TREE = ("CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md",
        "benchdnn", "bridges", "cmake", "doc", "examples", "impl_lists", "include", "scripts", "src", "tests")
# What a judge's answer depends on; documents do not.
JUDGED = ("CMakeLists.txt", "benchdnn", "bridges", "cmake", "examples", "impl_lists", "include", "scripts", "src",
          "tests")
FIELDS = ("file", "nth", "area", "reason", "judge", "ci", "equivalent")
# A kernel that does not compile is noticed by everything and says nothing about the tests.
KERNEL_IS_BROKEN = re.compile(r"clBuildProgram|clCompileProgram|program build failed", re.I)
# What Oclgrind says among the lines of benchdnn, whose exit code it leaves alone.
OCLGRIND_FOUND = re.compile(r"^(?!\d+:[A-Z]+).*(Invalid|Uninitiali[sz]ed|data race|overrun)", re.M)
RUNNING = set()  # processes of workers, each the leader of its own group
MIN_LIMIT = 90  # seconds a judge may take; more for judges that took long on the clean tree


class Mutant:
    """One entry of a list: the `-` lines are the text that the `+` lines replace."""

    def __init__(self, name, where):
        self.name, self.where = name, where
        self.file = self.area = self.reason = self.equivalent = ""
        self.nth, self.is_counted, self.ci, self.judges = 1, False, False, []
        self.texts = {"-": [], "+": []}

    def set(self, field, value):
        if field == "judge":
            self.judges.append(value)
        elif field == "nth":
            self.nth, self.is_counted = int(value), True
        elif field == "ci":
            self.ci = value == "yes"
        else:
            setattr(self, field, value)

    def apply(self, text):
        """The mutated text, or None where the pattern does not fit the source any more."""
        old, new = "\n".join(self.texts["-"]), "\n".join(self.texts["+"])
        places = [m.start() for m in re.finditer(re.escape(old), text)]
        if len(places) < self.nth or (len(places) > 1 and not self.is_counted):
            return None
        at = places[self.nth - 1]
        return text[:at] + new + text[at + len(old):]


def fail(sentence):
    sys.exit("mutate.py: " + sentence)


def read_list(path):
    mutants, area = [], ""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, line in enumerate(lines, 1):
        where = "%s:%d" % (os.path.relpath(path, ROOT), number)
        if line.startswith("== "):
            mutants.append(Mutant(line[3:].strip(), where))
        elif line[:1] in ("-", "+") and line[1:2] in ("", " ") and mutants:
            mutants[-1].texts[line[0]].append(line[2:])
        elif line and not line.startswith("#"):
            field, _, value = line.partition(": ")
            if field == "area" and not mutants:
                area = value.strip()  # of all entries of the file that name no other
            elif field not in FIELDS or not mutants:
                fail("%s: '%s' is no field; known: %s" % (where, field, ", ".join(FIELDS)))
            else:
                mutants[-1].set(field, value.strip())
    for m in mutants:
        m.area = m.area or area
    return mutants


def read_lists():
    mutants = []
    for name in sorted(os.listdir(LISTS)):
        if name.endswith(".txt"):
            mutants += read_list(os.path.join(LISTS, name))
    names = [m.name for m in mutants]
    # Names of source files are unique in the tree.
    paths = {os.path.basename(p): p for p in files_of(ROOT, ("benchdnn", "bridges", "impl_lists", "include", "src"))}
    for m in mutants:
        if names.count(m.name) > 1:
            fail("%s: the name '%s' occurs twice" % (m.where, m.name))
        if not m.texts["-"] or not m.file or not m.reason or not m.judges:
            fail("%s: '%s' needs file, reason, judge and a text" % (m.where, m.name))
        m.file = paths.get(m.file, m.file)
    return mutants


def does_not_fit(mutants):
    """The mutants whose pattern is not in the source as often as the list says."""
    bad = []
    for m in mutants:
        path = os.path.join(ROOT, m.file)
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if m.apply(text) is None:
            bad.append(m)
    return bad


def files_of(top, entries):
    for entry in entries:
        path = os.path.join(top, entry)
        if os.path.isfile(path):
            yield entry
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), top)


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def tree_hash():
    digest = hashlib.sha256()
    for name in sorted(files_of(ROOT, JUDGED)):
        if not name.startswith("tests/mutants/"):
            digest.update(name.encode() + b"\0" + read_bytes(os.path.join(ROOT, name)))
    return digest.hexdigest()


def read_tests(build):
    """Names and commands of the tests that CMake wrote down, and what is loaded before them; ctest leaves out what is not
    built."""
    tests, preloads = {}, {}
    for folder, _, names in os.walk(build):
        if "CTestTestfile.cmake" not in names:
            continue
        with open(os.path.join(folder, "CTestTestfile.cmake"), encoding="utf-8") as f:
            text = f.read()
        # Names stand in brackets; newer versions of CMake leave these out where nothing needs them.
        name = r'\((?:\[=\[(.*?)\]=\]|"?([^\s"]+)"?) '
        for m in re.finditer("^add_test" + name + r"(.*)\)$", text, re.M):
            tests[m.group(1) or m.group(2)] = re.findall(r'"((?:[^"\\]|\\.)*)"', m.group(3))
        for m in re.finditer("^set_tests_properties" + name + r".*LD_PRELOAD=([^;\"]+)", text, re.M):
            preloads[m.group(1) or m.group(2)] = m.group(3)
    return tests, preloads


class Worker:
    """A copy of the tree with a build folder of its own."""

    def __init__(self, number, njobs):
        self.tree = os.path.join(WORK, "w%d" % number)
        self.build = os.path.join(self.tree, "build", "release")
        self.arm_build = os.path.join(self.tree, "build", "aarch64")
        self.njobs, self.tests, self.preloads = njobs, None, None
        self.env = dict(os.environ)
        self.env.update(PRIM_CACHE_DIR="", OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="2",
                        POCL_MAX_PTHREAD_COUNT="2", POCL_CPU_MAX_CU_COUNT="2")
        pocl = "/etc/OpenCL/vendors/pocl.icd"
        if "OCL_ICD_VENDORS" not in self.env and os.path.exists(pocl):
            self.env["OCL_ICD_VENDORS"] = pocl
        self.env.setdefault("POCL_CACHE_DIR", os.path.join(WORK, "pocl"))
        # Objects of the copy are those of the tree: ccache looks at paths relative to it.
        self.env.setdefault("CCACHE_BASEDIR", self.tree)
        self.env.setdefault("CCACHE_NOHASHDIR", "1")

    def path(self, name):
        return os.path.join(self.tree, name)

    def sync(self):
        """Makes the copy equal to the tree, touching only what differs."""
        wanted = set(files_of(ROOT, TREE))
        for name in set(files_of(self.tree, TREE)) - wanted:
            os.remove(self.path(name))
        for name in wanted:
            source, copy = os.path.join(ROOT, name), self.path(name)
            if os.path.exists(copy) and read_bytes(copy) == read_bytes(source):
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(source, copy)
            shutil.copymode(source, copy)

    def run(self, command, limit=3600, cwd=None):
        """Exit code (None: it took longer than `limit` seconds) and output."""
        process = subprocess.Popen(command, cwd=cwd or self.build, env=self.env, text=True, errors="replace",
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        RUNNING.add(process)
        try:
            output, _ = process.communicate(timeout=limit)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output
        finally:
            RUNNING.discard(process)

    def configure(self):
        os.makedirs(self.build, exist_ok=True)
        # Every call and allocation that check.sh lets fail, which shares them between two builds.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DPRIM_BUILD_TESTS=ON", "-DPRIM_TEST_FAULT_STEP=2"]
        if os.path.exists(os.path.join(BRIDGES, "venv/complete")):
            options += ["-DPRIM_BUILD_BRIDGES=ON", "-DPRIM_ONEDNN_INCLUDE_DIR=" + os.path.join(BRIDGES, "venv/include")]
            options += ["-DPRIM_TVM_FFI_PYTHON=" + os.path.join(BRIDGES, "python/bin/python")]
        code, output = self.run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja"] + options)
        if code != 0:
            fail("cmake failed in %s:\n%s" % (self.build, output))
        self.tests, self.preloads = read_tests(self.build)

    def prepare(self):
        self.sync()
        self.configure()

    def programs(self, command):
        """The ninja targets among a command's words: what lies in the build folder and is no folder."""
        inside = self.build + os.sep
        names = [os.path.relpath(w, self.build) for w in command if w.startswith(inside)]
        return [n for n in names if not os.path.isdir(os.path.join(self.build, n)) and "/include" not in n]

    def tests_like(self, pattern, is_whole=False):
        """Commands of tests, with what is loaded before them if `is_whole`."""
        found = [command + ([self.preloads[name]] if is_whole and name in self.preloads else [])
                 for name, command in self.tests.items() if re.fullmatch(pattern, name)]
        if not found:
            fail("no test is called '%s'" % pattern)
        return found

    def commands(self, judge):
        """The command of a judge and the targets it needs."""
        kind, _, rest = judge.partition(":")
        bench = os.path.join(self.build, "benchdnn", "benchdnn")
        if kind == "ctest":
            targets = [p for command in self.tests_like(rest, True) for p in self.programs(command)]
            return ["ctest", "--output-on-failure", "--no-tests=error", "-R", "^(%s)$" % rest], targets
        if kind == "bench":
            driver, engine, *more = rest.split(":")
            batch = "test_%s_smoke" % driver
            if more and more[0].startswith(("test_", "shapes_", "option_")):
                batch = more.pop(0)
            impl = ["--global-impl=" + ":".join(more)] if more else []
            return ([bench, "--mode=C", "--engine=" + engine] + impl + ["--" + driver, "--batch=" + batch],
                    self.programs([bench]))
        if kind == "oclgrind":
            driver, tokens = rest.split(":", 1)
            return (["env", "OCL_ICD_VENDORS=/nonexistent", "oclgrind", "--data-races", "--uninitialized",
                     "--build-options", "-cl-opt-disable", bench, "--mode=C", "--engine=gpu", "--" + driver]
                    + tokens.split(" "), self.programs([bench]))
        if kind == "oclgrind_gpu":
            # What looks like a GPU: Oclgrind behind the loader, with the layer of tests/harness between.
            driver, tokens = rest.split(":", 1)
            preload = self.preloads["small_device_" + driver]
            checker = os.path.join(os.path.dirname(shutil.which("oclgrind") or "/usr/bin/oclgrind"),
                                   "../lib/oclgrind/liboclgrind-rt-icd.so")
            return (["env", "OCL_ICD_VENDORS=" + os.path.realpath(checker), "OCLGRIND_DATA_RACES=1",
                     "OCLGRIND_BUILD_OPTIONS=-cl-opt-disable", "LD_PRELOAD=" + preload, "PRIM_TEST_IS_GPU=1", bench,
                     "--mode=C", "--engine=gpu", "--" + driver] + tokens.split(" "), self.programs([bench, preload]))
        if kind == "aarch64":
            driver, *more = rest.split(":")
            bench = os.path.join(self.arm_build, "benchdnn", "benchdnn")
            return (["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", bench, "--mode=C", "--engine=cpu", "--" + driver,
                     "--batch=" + (more[0] if more else "test_%s_smoke" % driver)], [])
        if kind in ("provider", "python"):
            program, *options = rest.split(":")
            folder, library = {"provider": ("onnxruntime", "libprim_onnxruntime.so"),
                               "python": ("tvm_ffi", "libprim_tvm_ffi.so")}[kind]
            library = os.path.join(self.build, "bridges", folder, library)
            venv = "python" if kind == "python" else "onnxruntime_new"
            return (["env", "PYTHONPATH=" + os.path.join(self.tree, "bridges/tvm_ffi"), "PRIM_FFI_LIBRARY=" + library,
                     os.path.join(BRIDGES, venv, "bin/python"),
                     os.path.join(self.tree, "bridges", folder, "tests", program + ".py")]
                    + ([library] if kind == "provider" else []) + options,
                    [os.path.relpath(library, self.build), "ocl_faults_preload"])
        if kind == "check_impls":
            engine, driver, impl = rest.split(":", 2)
            test = self.tests_like("check_impls_%s_%s" % (engine, driver))[0]
            takes_options = any(word.startswith("--driver=") for word in test)
            return test + ["--impl=" + impl if takes_options else impl], self.programs(test)
        fail("judge '%s' is none of ctest:, bench:, aarch64:, check_impls:, oclgrind:, oclgrind_gpu:, provider:, python:" % judge)
        return None

    def compile(self, judge, targets):
        """Exit code and output of the build of what a judge needs."""
        if not judge.startswith("aarch64:"):
            return self.run(["ninja", "-j%d" % self.njobs] + sorted(set(targets)))
        code, output = self.run(["cmake", "--preset", "aarch64"], cwd=self.tree)
        if code == 0:
            code, output = self.run(["ninja", "-C", self.arm_build, "-j%d" % self.njobs, "benchdnn"])
        return code, output

    def judge(self, judge, limit):
        """Whether the judge is content, how it ended, its output, its seconds."""
        command, targets = self.commands(judge)
        start = time.time()
        code, output = self.compile(judge, targets)
        if code != 0:
            return False, "broken", output, time.time() - start
        shutil.rmtree(os.path.join(self.build, "test_cache"), ignore_errors=True)
        start = time.time()
        code, output = self.run(command, limit)
        seconds = time.time() - start
        if code is None:
            return False, "time-out", output, seconds
        if code == 0 and judge.startswith(("bench:", "aarch64:", "oclgrind")) and not re.search(r"passed:[1-9]", output):
            return False, "nothing ran", output, seconds
        if judge.startswith("oclgrind") and OCLGRIND_FOUND.search(output):
            return False, "failed", output, seconds
        if code != 0 and not judge.startswith("ctest:") and KERNEL_IS_BROKEN.search(output):
            return False, "broken", output, seconds
        return code == 0, "passed" if code == 0 else "failed", output, seconds


def each(workers, items, work):
    """work(worker, item) for all items, every worker one at a time; the first exception ends all."""
    waiting, errors = queue.Queue(), []
    for item in items:
        waiting.put(item)

    def loop(worker):
        try:
            while not errors:
                work(worker, waiting.get_nowait())
        except queue.Empty:
            pass
        except BaseException as error:  # SystemExit of fail() too
            errors.append(error)

    threads = [threading.Thread(target=loop, args=(w,), daemon=True) for w in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(1)
    if errors:
        raise errors[0]


def load(name):
    path = os.path.join(WORK, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def save(name, data):
    path = os.path.join(WORK, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1, sort_keys=True)
    os.replace(path + ".new", path)


def check_clean(workers, judges):
    """Seconds of every judge that passes on the clean tree, kept as long as the tree is the same."""
    now, kept = tree_hash(), load("clean.json")
    seconds = kept["seconds"] if kept.get("tree") == now else {}
    lock = threading.Lock()

    def work(worker, judge):
        is_good, how, output, took = worker.judge(judge, 1800)
        with lock:
            print("%-64s %-10s %6.1f s" % ("clean " + judge, how, took), flush=True)
            if is_good:
                seconds[judge] = took
                save("clean.json", {"tree": now, "seconds": seconds})
            else:
                print("    " + "\n    ".join(output.strip().split("\n")[-15:]), flush=True)

    each(workers, [j for j in judges if j not in seconds], work)
    return seconds


def try_mutant(worker, mutant, clean):
    """Applies, judges and takes back: result, the judge that noticed, what it said, seconds."""
    unfit = [judge for judge in mutant.judges if judge not in clean]
    if unfit:
        return {"result": "not judged", "by": unfit[0] + " fails on the clean tree", "said": "", "seconds": 0}
    path, start = worker.path(mutant.file), time.time()
    with open(path, encoding="utf-8") as f:
        text = f.read()
    result, by, said = "survived", "", ""
    try:
        with open(path, "w", encoding="utf-8") as f:
            f.write(mutant.apply(text))
        for judge in mutant.judges:
            is_good, how, output, _ = worker.judge(judge, max(MIN_LIMIT, 8 * clean[judge]))
            if not is_good:
                result = "broken" if how == "broken" else "killed"
                by, said = judge + (" (time-out)" if how == "time-out" else ""), output
                break
    finally:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return {"result": result, "by": by, "said": said[-3000:], "seconds": time.time() - start}


def label(mutant, outcome):
    if outcome["result"] == "survived" and mutant.equivalent:
        return "equivalent"
    if outcome["result"] == "killed" and mutant.equivalent:
        return "killed, though listed as equivalent"
    return outcome["result"]


def try_all(workers, mutants, clean):
    results, lock = load("results.json"), threading.Lock()
    for m in mutants:
        results.pop(m.name, None)

    def work(worker, mutant):
        outcome = try_mutant(worker, mutant, clean)
        with lock:
            results[mutant.name] = outcome
            save("results.json", results)
            print("%-46s %-10s %6.1f s  %s" % (mutant.name, label(mutant, outcome), outcome["seconds"],
                                               outcome["by"]), flush=True)
            if outcome["result"] == "broken":
                print("    " + "\n    ".join(outcome["said"].strip().split("\n")[-12:]), flush=True)

    each(workers, mutants, work)
    return results


def summary(mutants, results):
    counts = {}
    for m in mutants:
        key = label(m, results[m.name])
        counts[key] = counts.get(key, 0) + 1
    return counts


def row_start(mutant):
    """How a mutant's row of the page begins: as long as this is the same, so is its entry."""
    return "| %s | `%s` | %s | " % (mutant.name, os.path.basename(mutant.file),
                                    (mutant.equivalent or mutant.reason).replace("|", "\\|"))


def read_rows(path, mutants):
    """The rows of a page, by the names of the mutants whose entries they tell of; (result, judge, seconds) each."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        lines = {line[:line.find(" | ")]: line for line in f.read().split("\n") if line.startswith("| ")}
    rows = {}
    for m in mutants:
        line = lines.get("| " + m.name, "")
        if line.startswith(row_start(m)):
            result, by = line[len(row_start(m)):].rstrip(" |").split(" | ", 1)
            by, seconds = by.rsplit("| ", 1)
            rows[m.name] = (result, by.strip(), int(seconds))
    return rows


def write_markdown(path, everything, ran, results):
    """Rows of what ran; the others' stay where their entries are as they were. How many mutants have none."""
    rows = read_rows(path, everything)
    for m in ran:
        outcome = results[m.name]
        rows[m.name] = (label(m, outcome), "`%s`" % outcome["by"] if outcome["by"] else "", round(outcome["seconds"]))
    mutants = [m for m in everything if m.name in rows]
    with open(path, "w", encoding="utf-8") as f:
        f.write("# Mutants\n\nWhat became of the mutants of `tests/mutants` ([testing.md](testing.md)), written by "
                "`scripts/mutate.py --markdown`.\n\n| area | mutants | killed | equivalent | survived | seconds, all | longest |\n"
                "|---|---:|---:|---:|---:|---:|---:|\n")
        for area in sorted({m.area for m in mutants}) + ["all"]:
            own = [rows[m.name] for m in mutants if area in (m.area, "all")]
            became, took = [result for result, _, _ in own], [seconds for _, _, seconds in own]
            f.write("| %s | %d | %d | %d | %d | %d | %d |\n" % (
                area, len(own), became.count("killed"), became.count("equivalent"), became.count("survived"),
                sum(took), max(took, default=0)))
        f.write("\n| mutant | file | fault | result | by | s |\n|---|---|---|---|---|---:|\n")
        for m in mutants:
            f.write(row_start(m) + "%s | %s | %d |\n" % rows[m.name])
    return len(everything) - len(mutants)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", type=int, default=1, metavar="N", help="mutants at a time (1)")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--last", action="store_true", help="runs nothing: the results that are kept")
    parser.add_argument("--dir", default=WORK, help="where copies, builds and results are kept (build/mutate)")
    return parser.parse_args()


def choose(args, mutants):
    def is_named(m):
        return any(fnmatch.fnmatch(word, p) for p in args.only for word in (m.name, m.file, m.area))

    if args.only:
        mutants = [m for m in mutants if is_named(m)]
    if args.ci:
        mutants = [m for m in mutants if m.ci]
    if args.again:
        last = load("results.json")
        mutants = [m for m in mutants if last.get(m.name, {}).get("result") != "killed"]
    if args.sample:
        mutants = random.Random(args.seed).sample(mutants, min(args.sample, len(mutants)))
    return mutants


def without_bridges(mutants):
    """Those that can be judged where scripts/bridges.sh has set up nothing."""
    judged = [m for m in mutants if m.area != "bridges"]
    if len(judged) < len(mutants):
        print("left out: %d mutants of the bridges, whose tests need scripts/bridges.sh" % (len(mutants) - len(judged)))
    return judged


def run(args, mutants):
    nworkers = max(1, min(args.j, len(mutants)))
    workers = [Worker(i, max(1, (os.cpu_count() or 1) // nworkers)) for i in range(nworkers)]
    each(workers, [None] * nworkers, lambda worker, _: worker.tests or worker.prepare())
    each(workers, workers, lambda _, worker: worker.tests or worker.prepare())
    clean = check_clean(workers, sorted({j for m in mutants for j in m.judges}))
    return try_all(workers, mutants, clean)


def main():
    global WORK
    args = parse()
    WORK = os.path.abspath(args.dir)
    everything = read_lists()
    stale = does_not_fit(everything)
    for m in stale:
        print("%s: '%s': its old text does not fit %s" % (m.where, m.name, m.file))
    mutants = choose(args, [m for m in everything if m not in stale])
    if args.list:
        for m in mutants:
            print("%-46s %-58s %s" % (m.name, m.file, m.reason))
        print("%d mutants" % len(mutants))
        return 1 if stale else 0
    if not os.path.exists(os.path.join(BRIDGES, "venv/complete")):
        mutants = without_bridges(mutants)
    if not mutants:
        fail("no mutant is chosen")
    os.makedirs(WORK, exist_ok=True)
    start, results = time.time(), load("results.json")
    if args.last:
        mutants = [m for m in mutants if m.name in results]
    else:
        results = run(args, mutants)
    if args.markdown:
        nmissing = write_markdown(args.markdown, everything, mutants, results)
        print("%s: %d mutants have no row" % (args.markdown, nmissing))
    counts = summary(mutants, results)
    for m in mutants:
        if label(m, results[m.name]) not in ("killed", "equivalent"):
            print("%s: %s %s: %s" % (m.where, m.name, label(m, results[m.name]), m.reason))
    print("%d killed, %d survived, %d equivalent%s in %.0f s" % (
        counts.pop("killed", 0), counts.pop("survived", 0), counts.pop("equivalent", 0),
        "".join(", %d %s" % (n, what) for what, n in counts.items()), time.time() - start))
    is_good = not stale and all(label(m, results[m.name]) in ("killed", "equivalent") for m in mutants)
    return 0 if is_good else 1


def stop_all():
    """Ends what workers run when the program itself is ended."""
    for process in list(RUNNING):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        sys.exit(main())
    finally:
        stop_all()
