#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the kernels that spill registers, of all programs in a cache folder of an NVIDIA device.

    PRIM_CACHE_DIR=/tmp/cache benchdnn --engine=gpu --matmul --batch=test_matmul_smoke
    scripts/spills.py /tmp/cache

NVIDIA's driver gives programs back as PTX, which the folder keeps (doc/kernel_cache.md); ptxas of the CUDA
toolkit, on the path or named by PTXAS, tells what its assembler makes of them. Prints kernel, registers,
bytes of its stack frame, of spill stores and loads, and the program's options. A frame without spills holds
arrays that are indexed at run time (--all lists such kernels as well). The exit code is 1 if a kernel spills
or a program does not assemble, 2 if there is none.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
# A program's own limit, under which the driver assembles it.
LIMIT = re.compile(rb"-cl-nv-maxrregcount=(\d+)")
# Options that follow from a tensor's type, which _DT tells.
DERIVED = re.compile(r"_(T|IS_INT|LOAD\w*|STORE\w*|SATURATE)=")


def ptx_of(entry):
    """The PTX within a file of the cache, or None."""
    start = re.search(rb"^\.version \d", entry, re.MULTILINE)
    return entry[start.start():].split(b"\0", 1)[0] if start else None


def options_of(entry):
    found = re.search(rb"\noptions ([^\n]*)", entry)
    words = found[1].decode("latin1").split() if found else []
    return " ".join(w[2:] for w in words if w.startswith("-D") and not DERIVED.search(w))


def kernels_of(log):
    """[name, registers, frame, spill stores, spill loads] of each kernel that ptxas -v tells of; registers is
    "?" where ptxas gives up for local memory beyond 48 KiB, which the driver gives all the same."""
    kernels = []
    for line in log.splitlines():
        if m := ENTRY.search(line):
            kernels.append([m[1], "?", 0, 0, 0])
        elif (m := FRAME.search(line)) and kernels:
            kernels[-1][2:] = [int(x) for x in m.groups()]
        elif (m := REGISTERS.search(line)) and kernels:
            kernels[-1][1] = int(m[1])
    return kernels


def assemble(path):
    """(kernels, options, complaint) of a file; None if it holds no PTX."""
    entry = path.read_bytes()
    ptx = ptx_of(entry)
    if ptx is None:
        return None
    target = re.search(rb"^\.target (sm_\w+)", ptx, re.MULTILINE)
    limit = LIMIT.search(entry)
    more = ["-maxrregcount=" + limit[1].decode()] if limit else []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.ptx")
        source.write_bytes(ptx)
        done = subprocess.run(
            [os.environ.get("PTXAS", "ptxas"), "-v", "-arch=" + target[1].decode(), *more,
             source, "-o", source.with_suffix(".cubin")],
            capture_output=True, text=True)
    log = done.stdout + done.stderr
    is_refused = done.returncode != 0 and "uses too much shared data" not in log
    return kernels_of(log), options_of(entry), log if is_refused else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="list kernels that do not spill as well")
    args = parser.parse_args()
    files = sorted(f for folder in args.folder for f in folder.rglob("*") if f.is_file())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = [p for p in pool.map(assemble, files) if p]
    nkernels = nspilling = nframes = nrefused = 0
    for kernels, options, complaint in programs:
        if complaint:
            nrefused += 1
            print(f"ptxas refuses a program ({options}): {complaint[:300]}")
        for name, registers, frame, stores, loads in kernels:
            nkernels += 1
            spills = stores + loads > 0
            nspilling += spills
            nframes += frame > 0
            if spills or args.all:
                print(f"{name} {registers} registers, frame {frame}, spills {stores} {loads}: {options}")
    print(f"{nspilling} of {nkernels} kernels spill, {nframes} keep arrays in memory, in {len(programs)} programs")
    if nkernels == 0:
        return 2
    return 1 if nspilling or nrefused else 0


if __name__ == "__main__":
    sys.exit(main())
