#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tensors of sessions on a device (ONNX Runtime 1.24 and later): inputs and outputs that are bound there, what groups hand
to nodes of the host and get from them, threads, lives of sessions, copies.

    binding_tests.py LIBRARY [--device=gpu|gpu:INDEX] [--lives=N]
"""
import argparse
import contextlib
import gc
import io
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from provider import NTHREADS, bound_entry, devices, in_threads, register, resident_mb

GROWTH_MB = 8


def network():
    """Two groups with Sin between them, which the host computes, and a tensor of the first that the second reads too."""
    draw = np.random.default_rng(51)
    weights = onnx.numpy_helper.from_array(draw.standard_normal((4, 4, 3, 3)).astype(np.float32) / 6, "w")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Sin", ["r"], ["s"]),
        helper.make_node("Mul", ["s", "r"], ["y"]),
    ]
    shape = [1, 4, 8, "width"]
    graph = helper.make_graph(nodes, "groups", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def chain():
    """A network whose output can be its next input, all of it on the device."""
    draw = np.random.default_rng(52)
    weights = onnx.numpy_helper.from_array(draw.standard_normal((64, 64)).astype(np.float32) / 8, "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Tanh", ["m"], ["y"])]
    shape = ["rows", 64]
    graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def open_session(model, entry=None, strict=False, **more):
    """On the provider with tensors of the entry's device; on the host where `entry` is None."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if entry:
        options.add_provider_for_devices([entry], {"claim": "all", **more})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1" if strict else "0")
    return ort.InferenceSession(model, options)


def on_device(array, number):
    return ort.OrtValue.ortvalue_from_numpy(array, "gpu", number, 0)


def is_on_device(value):
    """The runtime's Python face calls every device of kind GPU cuda."""
    return value.device_name() != "cpu"


def room(shape, number):
    return ort.OrtValue.ortvalue_from_shape_and_type(shape, np.float32, "gpu", number, 0)


def check_copies(number):
    """To the device and back, from the host's arrays of any size."""
    draw = np.random.default_rng(53)
    for shape in ((1,), (3, 5), (1000, 1001), (0, 4)):
        for dtype in (np.float32, np.int8, np.int64):
            array = (100 * draw.standard_normal(shape)).astype(dtype)
            value = on_device(array, number)
            assert is_on_device(value) and value.shape() == list(shape), value.shape()
            np.testing.assert_array_equal(value.numpy(), array)


def check_chain(entry, number):
    """A hundred runs, each on the output of the one before: the tensors stay in the two places that were bound."""
    session, host = open_session(chain(), entry, strict=True), open_session(chain())
    x = np.random.default_rng(54).standard_normal((9, 64)).astype(np.float32)
    expected = x
    places = [on_device(x, number), room([9, 64], number)]
    binding = session.io_binding()
    for _ in range(100):
        expected = host.run(None, {"x": expected})[0]
        binding.bind_ortvalue_input("x", places[0])
        binding.bind_ortvalue_output("y", places[1])
        session.run_with_iobinding(binding)
        assert binding.get_outputs()[0].data_ptr() == places[1].data_ptr()
        places.reverse()
    np.testing.assert_allclose(places[0].numpy(), expected, rtol=1e-4, atol=1e-5)


def check_shapes(entry, number):
    """Outputs that the runtime makes on the device, of several shapes; the host's arrays with the same session. From a
    shape's second run on the runtime lays tensors one behind the other in one buffer."""
    session, host = open_session(network(), entry), open_session(network())
    for width in (5, 16, 3000, 1, 0, 5, 16, 3000):
        x = np.random.default_rng(width).standard_normal((1, 4, 8, width)).astype(np.float32)
        expected = host.run(None, {"x": x})[0] if width else x
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", on_device(x, number))
        binding.bind_output("y", "gpu", number)
        session.run_with_iobinding(binding)
        y = binding.get_outputs()[0]
        assert is_on_device(y)
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(session.run(None, {"x": x})[0], expected, rtol=1e-5, atol=1e-5)
        binding = session.io_binding()
        binding.bind_cpu_input("x", x)
        binding.bind_output("y")
        session.run_with_iobinding(binding)
        np.testing.assert_allclose(binding.copy_outputs_to_cpu()[0], expected, rtol=1e-5, atol=1e-5)


def check_threads(entry, number):
    session, host = open_session(network(), entry), open_session(network())
    inputs = [np.random.default_rng(k).standard_normal((1, 4, 8, 20 + k)).astype(np.float32) for k in range(4)]
    expected = [host.run(None, {"x": x})[0] for x in inputs]
    different = []

    def work(thread):
        for turn in range(16):
            k = (thread + turn) % len(inputs)
            binding = session.io_binding()
            binding.bind_ortvalue_input("x", on_device(inputs[k], number))
            binding.bind_output("y", "gpu", number)
            session.run_with_iobinding(binding)
            if not np.allclose(binding.get_outputs()[0].numpy(), expected[k], rtol=1e-5, atol=1e-5):
                different.append((thread, turn))

    in_threads(work)
    assert not different, "results differ between %d threads: %s" % (NTHREADS, different)


def check_lives(entry, number, nlives):
    """Sessions, and tensors on the device, one after the other."""
    before, array = 0, np.ones((4096, 64), np.float32)
    for life in range(nlives):
        session, place = open_session(chain(), entry, strict=True), room([4096, 64], number)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", on_device(array, number))
        binding.bind_ortvalue_output("y", place)
        session.run_with_iobinding(binding)
        del binding, place, session
        if life == nlives // 10:
            gc.collect()
            before = resident_mb()
    gc.collect()
    assert resident_mb() - before < GROWTH_MB, "%d lives hold %.1f MB more" % (nlives, resident_mb() - before)


def check_wrong_device(entry):
    """A session on the memory of one device cannot compute on another one."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told):
            open_session(chain(), entry, device="cpu")
    except Exception as failure:
        told.write(str(failure))
    assert "which the option device is not" in told.getvalue(), told.getvalue()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--lives", type=int, default=20)
    arguments = parser.parse_args()
    number = int(arguments.device.partition(":")[2] or 0)
    register(arguments.library)
    if tuple(int(part) for part in ort.__version__.split(".")[:2]) < (1, 24):
        assert [d.ep_metadata["tensors"] for d in devices()] == ["host"], "a runtime that takes no kernels gets devices"
        print("%s: 1 entry agrees; this runtime has no tensors on devices" % ort.__version__)
        return 0
    entry = bound_entry(number)
    check_wrong_device(entry)
    check_copies(number)
    check_chain(entry, number)
    check_shapes(entry, number)
    check_threads(entry, number)
    check_lives(entry, number, arguments.lives)
    print("%s: tensors on %s agree with the host's, also from %d threads and in %d lives" %
          (ort.__version__, arguments.device, NTHREADS, arguments.lives))
    return 0


if __name__ == "__main__":
    sys.exit(main())
