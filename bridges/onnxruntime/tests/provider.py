# SPDX-License-Identifier: Apache-2.0
"""What tests of the provider share."""
import contextlib
import os
import tempfile

import onnxruntime as ort

EP = "PrimExecutionProvider"


def register(library):
    ort.register_execution_provider_library("prim", library)


def devices():
    return [d for d in ort.get_ep_devices() if d.ep_name == EP]


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
