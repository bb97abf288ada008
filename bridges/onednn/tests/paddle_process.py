# SPDX-License-Identifier: Apache-2.0
"""A script of this folder again, in a process of its own: Paddle aborts on errors of the library below it."""
import os
import re
import subprocess
import sys


def call(script, arguments, executions, **variables):
    """`script --one arguments`, which prints "RESULT difference ms": (difference, ms, lines of Prim's log of
    executions that match `executions`, why it failed)."""
    done = subprocess.run([sys.executable, os.path.abspath(script), "--one"] + arguments, capture_output=True,
                          env=dict(os.environ, **variables), text=True, timeout=600, check=False)
    executed = len(re.findall(r"^prim_verbose,v1,(?:[0-9.]+,)?primitive,exec," + executions, done.stdout, re.M))
    result = re.search(r"^RESULT (\S+) (\S+)", done.stdout, re.M)
    if result:
        return float(result[1]), float(result[2]), executed, ""
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "Error:" in line]
    return None, None, executed, lines[-1].strip() if lines else f"exit {done.returncode}"
