#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions of the provider: ten of them in eight threads, at more shapes than a group keeps compiled, give the bits that
one session gives; a thousand, one after the other (20 on a device), leave no memory behind; a wrong option is told.

    session_tests.py LIBRARY [--device=cpu|gpu]
"""
import argparse
import contextlib
import gc
import io
import sys
import threading

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

EP = "PrimExecutionProvider"
NSESSIONS, NTHREADS, NLIVES = 10, 8, 1000
GROWTH_MB = 8  # what the allocator may keep of the first hundred lives


def network():
    """A residual block over images of any width, and a classifier."""
    draw = np.random.default_rng(2026)

    def weights(name, *shape):
        values = draw.standard_normal(shape).astype(np.float32) / 4
        return helper.make_tensor(name, TensorProto.FLOAT, shape, values.tobytes(), raw=True)

    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], pads=[1, 1, 1, 1], group=2),
        helper.make_node("Add", ["c2", "r1"], ["sum"]),
        helper.make_node("GlobalAveragePool", ["sum"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["rows"]),
        helper.make_node("Gemm", ["rows", "w3", "b3"], ["y"], transB=1),
    ]
    constants = [weights("w1", 8, 3, 3, 3), weights("b1", 8), weights("w2", 8, 4, 3, 3), weights("w3", 5, 8), weights("b3", 5)]
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, "width"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def open_session(model, device=None):
    """On the provider; on the host where `device` is None."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if device:
        devices = [d for d in ort.get_ep_devices() if d.ep_name == EP]
        options.add_provider_for_devices(devices, {"device": device})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return ort.InferenceSession(model, options)


def check_threads(model, device):
    draw = np.random.default_rng(1)
    inputs = [draw.standard_normal((1, 3, 8, 8 + width)).astype(np.float32) for width in range(NSESSIONS)]
    host = open_session(model)
    sessions = [open_session(model, device) for _ in range(NSESSIONS)]
    expected = [sessions[0].run(None, {"x": x})[0] for x in inputs]
    for x, y in zip(inputs, expected):
        np.testing.assert_allclose(y, host.run(None, {"x": x})[0], rtol=1e-5, atol=1e-5)
    different = []

    def work(thread):
        for turn in range(2 * NSESSIONS):
            shape = (7 * thread + 3 * turn) % NSESSIONS
            y = sessions[(thread + turn) % NSESSIONS].run(None, {"x": inputs[shape]})[0]
            if not np.array_equal(y, expected[shape]):
                different.append((thread, turn))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(NTHREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not different, "results differ between threads: %s" % different


def resident_mb():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4 / 1024


def check_lives(model, device, nlives):
    before = 0
    for life in range(nlives):
        session = open_session(model, device)
        session.run(None, {"x": np.ones((1, 3, 8, 8 + life % 3), np.float32)})
        del session
        if life == nlives // 10:
            gc.collect()
            before = resident_mb()
    gc.collect()
    assert resident_mb() - before < GROWTH_MB, "%d lives hold %.1f MB more" % (nlives, resident_mb() - before)


def check_option(model):
    """The runtime's Python face prints why a provider cannot be made, and goes on without it where it may."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            open_session(model, "tpu")
    except Exception:
        assert 'the option device is "tpu"; known: cpu, gpu' in told.getvalue(), told.getvalue()
        return
    raise AssertionError("a device that is not there was taken")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    ort.register_execution_provider_library("prim", arguments.library)
    model = network()
    check_option(model)
    check_threads(model, arguments.device)
    check_lives(model, arguments.device, NLIVES if arguments.device == "cpu" else NLIVES // 50)
    print("%s: %d sessions in %d threads agree, lives leave nothing behind" % (arguments.device, NSESSIONS, NTHREADS))


if __name__ == "__main__":
    sys.exit(main())
