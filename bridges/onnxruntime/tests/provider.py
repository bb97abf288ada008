# SPDX-License-Identifier: Apache-2.0
"""What tests of the provider share."""
import contextlib
import os
import tempfile
import threading

import onnxruntime as ort

EP = "PrimExecutionProvider"
NTHREADS = 8


def register(library):
    ort.register_execution_provider_library("prim", os.path.abspath(library))  # relative to the runtime's folder else


def devices():
    return [d for d in ort.get_ep_devices() if d.ep_name == EP]


def multiply_exactly(options):
    """Has the host's own kernels sum products of u8 and s8 in 32 bits: on x86-64 without VNNI those of ONNX Runtime
    saturate each two products at 16 bits otherwise."""
    options.add_session_config_entry("session.x64quantprecision", "1")


def host_entry():
    """The provider's entry for tensors of the host."""
    return next(d for d in devices() if d.ep_metadata["tensors"] == "host")


def bound_entry(number):
    """The provider's entry for tensors of OpenCL device `number`."""
    return next(d for d in devices() if d.ep_metadata["tensors"] == "gpu:%d" % number)


def in_threads(work):
    """Calls work(thread) in NTHREADS threads at once."""
    threads = [threading.Thread(target=work, args=(k,)) for k in range(NTHREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def resident_mb():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4 / 1024


@contextlib.contextmanager
def stderr_of_process():
    """Lines of all that is written to it, by the runtime's log too; complete at the end."""
    with tempfile.TemporaryFile("w+") as told:
        kept = os.dup(2)
        os.dup2(told.fileno(), 2)
        lines = []
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            told.seek(0)
            lines.extend(told.read().splitlines())
