#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions of the provider: ten of them in eight threads, at more shapes than a group keeps compiled, give the bits that
one session gives; a thousand, one after the other (20 on a device), leave no memory behind; options are read, wrong ones
are told; what is not worth moving, or cannot be computed, is left to the host.

    session_tests.py LIBRARY [--device=cpu|gpu]
"""
import argparse
import contextlib
import ctypes
import gc
import io
import math
import os
import re
import sys
import tempfile

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime as ort
from onnx import TensorProto, helper

from provider import NTHREADS, host_entry, in_threads, multiply_exactly, register, resident_mb, stderr_of_process

NSESSIONS, NLIVES = 10, 1000
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


def open_session(model, device=None, log_level=4, strict=True, **more):
    """On the provider, with the options; on the host where `device` is None."""
    options = ort.SessionOptions()
    options.log_severity_level = log_level
    options.intra_op_num_threads = 1
    multiply_exactly(options)
    if device:
        options.add_provider_for_devices([host_entry()], {"device": device, **more})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1" if strict else "0")
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

    in_threads(work)
    assert not different, "results differ between threads: %s" % different


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


WRONG_OPTIONS = [
    ({"device": "tpu"}, 'the option device is "tpu"; known: cpu, gpu'),
    ({"device": "gpu:first"}, 'the option device is "gpu:first"'),
    ({"device": "gpu:99"}, "99"),
    ({"precision": "f8"}, 'the option precision is "f8"; known: f32, f16, bf16'),
    ({"tuning": "slow"}, 'the option tuning is "slow"; known: none, quick, full'),
    ({"claim": "some"}, 'the option claim is "some"; known: worth, all'),
    ({"profile": "x" * 300}, "the option profile is longer than"),
    ({"speed": "11"}, "there is no option speed; known: device"),
]


def check_wrong_options(model):
    """The runtime's Python face raises why a provider cannot be made or, in 1.23, prints it and goes on without it where
    it may."""
    for options, sentence in WRONG_OPTIONS:
        told = io.StringIO()
        try:
            with contextlib.redirect_stdout(told):
                open_session(model, **{"device": "cpu", **options})
        except Exception as failure:
            assert sentence in told.getvalue() + str(failure), (options, told.getvalue(), failure)
            continue
        raise AssertionError("%s was taken" % options)


def check_precision(model, device):
    """The classifier's sums have 8 terms, the convolutions' 27 and 36: some ten roundings of 2^-11 or 2^-8."""
    x = {"x": np.random.default_rng(3).standard_normal((1, 3, 8, 9)).astype(np.float32)}
    exact = open_session(model).run(None, x)[0]
    for precision, epsilon in (("f16", 2**-11), ("bf16", 2**-8)):
        y = open_session(model, device, precision=precision).run(None, x)[0]
        error = np.abs(y - exact).max() / np.abs(exact).max()
        assert y.dtype == np.float32 and 0 < error < 10 * epsilon, "%s: %g" % (precision, error)


def check_profile(model, device):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "profile.csv")
        session = open_session(model, device, profile=path, cache=folder)
        for _ in range(3):
            session.run(None, {"x": np.ones((1, 3, 8, 8), np.float32)})
        del session
        gc.collect()
        with open(path, encoding="utf-8") as profile:
            lines = profile.read().splitlines()
    assert lines[0] == "primitive,implementation,result,type,microseconds", lines
    assert any(":conv:" in line and ",1x8x8x8,f32," in line for line in lines) and float(lines[1].split(",")[-1]) > 0, lines


def check_claims(model, device):
    """A device that is the host's processor saves nothing; the CPU engine takes what computes. Views alone are left."""
    with stderr_of_process() as told:
        session = open_session(model, device, log_level=1, strict=False)
    lines = [line for line in told if "Prim: a group of" in line]
    assert lines, told
    assert all("shapes are not known" in line for line in lines), lines  # the width
    del session
    relu = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([relu], "tiny", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
    tiny = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    with stderr_of_process() as told:
        session = open_session(tiny, device, log_level=1, strict=False)
        np.testing.assert_array_equal(session.run(None, {"x": np.float32([-1, 2, -3, 4])})[0], [0, 2, 0, 4])
    decision = "is taken" if device == "cpu" else "is left to the host"
    assert any(decision in line and "for moving" in line for line in told), told
    transpose = helper.make_node("Transpose", ["x"], ["t"], perm=[0, 2, 1])
    graph = helper.make_graph(
        [transpose], "moves", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 4])],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, [2, 4, 3])])
    moves = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    with stderr_of_process() as told:
        open_session(moves, device, log_level=1, strict=False)
    assert any("is left to the host" in line and "only moves elements" in line for line in told), told
    with stderr_of_process() as told:
        open_session(moves, device, log_level=1, strict=False, claim="all")
    assert any("is taken" in line for line in told), told


def written_gelu(order):
    """GELU as exporters write it out, its factors in one of two orders; behind it a sum that keeps x alive."""
    def number(name, value):
        return helper.make_tensor(name, TensorProto.FLOAT, [], [value])

    nodes = [
        helper.make_node("Div", ["x", "root"], ["d"]),
        helper.make_node("Erf", ["d"], ["e"]),
        helper.make_node("Add", ["one", "e"], ["a"]),
        *([helper.make_node("Mul", ["x", "a"], ["m"]), helper.make_node("Mul", ["m", "half"], ["g"])] if order else
          [helper.make_node("Mul", ["half", "x"], ["m"]), helper.make_node("Mul", ["m", "a"], ["g"])]),
        helper.make_node("Tanh", ["g"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "gelu", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [64])],
        [number("root", math.sqrt(2)), number("one", 1), number("half", 0.5)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def check_gelu(device):
    """One function, though the nodes are six; the error function alone is composed (node_tests.py)."""
    x = np.linspace(-6, 6, 64, dtype=np.float32)
    expected = [math.tanh(v / 2 * (1 + math.erf(v / math.sqrt(2)))) for v in x.astype(float)]
    for order in range(2):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile.csv")
            session = open_session(written_gelu(order), device, profile=path)
            y = session.run(None, {"x": x})[0]
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
            del session
            gc.collect()
            with open(path, encoding="utf-8") as profile:
                assert len(profile.read().splitlines()) == 1 + 2, "GELU and tanh are two primitives"


def quantized_network(zero_point):
    """A convolution between DequantizeLinear and QuantizeLinear, as quantising tools write it."""
    draw = np.random.default_rng(11)
    scales = (0.01 + 0.01 * draw.random(6)).astype(np.float32)

    def constant(name, values):
        return onnx.numpy_helper.from_array(np.asarray(values), name)

    constants = [
        constant("xs", np.float32(0.02)), constant("xz", np.uint8(zero_point)), constant("ys", np.float32(0.05)),
        constant("yz", np.uint8(7)), constant("ws", scales), constant("wz", np.zeros(6, np.int8)),
        constant("w", draw.integers(-127, 128, (6, 4, 3, 3), dtype=np.int8)), constant("bs", 0.02 * scales),
        constant("b", draw.integers(-900, 900, 6, dtype=np.int32))]
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=0),
        helper.make_node("DequantizeLinear", ["b", "bs"], ["bf"], axis=0),
        helper.make_node("Conv", ["xf", "wf", "bf"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("QuantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "quantized", [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 4, 9, 9])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 6, 9, 9])], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def check_quantized(device):
    """One convolution of integers, the zero points its attributes, that is not the reference's."""
    for zero_point in (121, 0):
        model = quantized_network(zero_point)
        x = {"x": np.random.default_rng(12).integers(0, 256, (1, 4, 9, 9), dtype=np.uint8)}
        expected = open_session(model).run(None, x)[0]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile.csv")
            session = open_session(model, device, profile=path)
            y = session.run(None, x)[0]
            del session
            gc.collect()
            with open(path, encoding="utf-8") as profile:
                convs = [line for line in profile.read().splitlines() if ":conv:" in line]
        assert 20 < y.std(), y  # not all at one end
        assert np.abs(y.astype(int) - expected).max() <= 1 and np.mean(y != expected) < 0.01, "other than the host's"
        assert len(convs) == 1 and ",u8," in convs[0] and ",ref:" not in convs[0], convs


def check_scalars(device):
    """A product of integers whose scale and zero point are computed, as dynamic quantisation has it: scalars, of which
    ONNX Runtime 1.23 does not tell that they have a rank. All nodes are taken."""
    draw = np.random.default_rng(21)
    weights = onnx.numpy_helper.from_array(draw.integers(-127, 128, (16, 5), dtype=np.int8), "w")
    scale = onnx.numpy_helper.from_array(np.float32(0.01), "ws")
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["i"]),
        helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["s", "ws"], ["both"]),
        helper.make_node("Mul", ["f", "both"], ["m"]),
        helper.make_node("ReduceMax", ["m"], ["y"], keepdims=0),
    ]
    graph = helper.make_graph(
        nodes, "dynamic", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 16])],
        [helper.make_tensor_value_info("m", TensorProto.FLOAT, [3, 5]), helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
        [weights, scale])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    x = draw.standard_normal((3, 16)).astype(np.float32)
    with stderr_of_process() as told:
        session = open_session(model, device, log_level=1, strict=False, claim="all")
        found = session.run(None, {"x": x})
    # By the formula: the host's own kernel saturates on some processors (multiply_exactly() does not reach it).
    step = (x.max() - x.min()) / np.float32(255)
    zero = np.round(-x.min() / step)
    sums = (np.clip(np.round(x / step) + zero, 0, 255) - zero) @ onnx.numpy_helper.to_array(weights).astype(np.float64)
    expected = [sums * step * 0.01, (sums * step * 0.01).max()]
    taken = [int(g.group(1)) for g in (re.search(r"a group of (\d+) nodes .* is taken", line) for line in told) if g]
    assert taken == [6], taken
    assert found[1].shape == ()
    for y, wanted in zip(found, expected):
        np.testing.assert_allclose(y, wanted, rtol=1e-6)


def network_of_groups():
    """Groups that hand tensors to each other around Sin, which the host computes: one that it reads too (r), and one
    that it does not (p), which two groups read; of any width."""
    draw = np.random.default_rng(41)
    weights = onnx.numpy_helper.from_array(draw.standard_normal((4, 3, 3, 3)).astype(np.float32) / 5, "w")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Tanh", ["r"], ["p"]),
        helper.make_node("Sin", ["r"], ["s"]),
        helper.make_node("Mul", ["s", "r"], ["m"]),
        helper.make_node("Add", ["m", "p"], ["a"]),
        helper.make_node("Sin", ["a"], ["t"]),
        helper.make_node("Sub", ["t", "p"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "groups", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, "width"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 8, "width"])], [weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def check_groups(device):
    """What groups hand to each other stays on a device, from many threads of one session too."""
    model = network_of_groups()
    draw = np.random.default_rng(42)
    inputs = [draw.standard_normal((1, 3, 8, width)).astype(np.float32) for width in (0, 5, 16, 3000, 3000, 3001)]
    host = open_session(model)
    expected = [host.run(None, {"x": x})[0] if x.size else np.zeros((1, 4, 8, 0), np.float32) for x in inputs]
    with stderr_of_process() as told:
        session = open_session(model, device, log_level=1, strict=False, claim="all")
        for x, wanted in zip(inputs, expected):
            np.testing.assert_allclose(session.run(None, {"x": x})[0], wanted, rtol=1e-5, atol=1e-5)
    kept = [line for line in told if "stay on the device" in line]
    assert (len(kept) == 1 and "2 tensors stay on the device between groups, 1 of them" in kept[0]) or device == "cpu", told
    session = open_session(model, device, strict=False, claim="all")
    different = []

    def work(thread):
        for turn in range(24):
            k = (thread + turn) % len(inputs)
            y = session.run(None, {"x": inputs[k]})[0]
            if not np.allclose(y, expected[k], rtol=1e-5, atol=1e-5):
                different.append((thread, turn))

    in_threads(work)
    assert not different, "results differ between threads: %s" % different


def outer_sum():
    """The mean of all sums of two lists: between them, a tensor of n × n."""
    nodes = [
        helper.make_node("Add", ["rows", "columns"], ["table"]),
        helper.make_node("Exp", ["table"], ["e"]),
        helper.make_node("ReduceMean", ["e"], ["y"], axes=[0, 1], keepdims=1),
    ]
    graph = helper.make_graph(
        nodes, "outer", [helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", 1]),
                         helper.make_tensor_value_info("columns", TensorProto.FLOAT, [1, "n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def check_no_memory(device):
    """2^48 bytes are more than a process has addresses for: the run fails with the sentence, and the next one is right."""
    session = open_session(outer_sum(), device)
    for n in (3, 1 << 23, 3, 4):
        x = np.zeros(n, np.float32)
        try:
            y = session.run(None, {"rows": x[:, None], "columns": x[None]})[0]
        except Exception as failure:
            assert n > 4 and "Prim: intermediate tensors: " in str(failure) and " bytes" in str(failure), failure
            continue
        assert n <= 4 and y == 1, (n, y)


RESIZES = [  # attributes, scales, sizes
    ({"mode": "linear", "coordinate_transformation_mode": "align_corners"}, None, [1, 2, 23, 9]),
    ({"mode": "linear", "coordinate_transformation_mode": "asymmetric"}, [1, 1, 1.5, 2.5], None),
    ({"mode": "linear", "antialias": 1}, [1, 1, 0.37, 0.6], None),
    ({"mode": "cubic"}, [1, 1, 2, 1.3], None),
    ({"mode": "cubic", "coordinate_transformation_mode": "align_corners", "exclude_outside": 1}, None, [1, 2, 5, 31]),
    ({"mode": "nearest"}, [1, 1, 1.05, 2], None),  # the rows stay as many, and are other rows
    ({"mode": "linear"}, [1, 1, 1.05, 2], None),
]


def check_resize(device):
    """What resampling does not have is a product, odd sizes included."""
    x = np.random.default_rng(31).standard_normal((1, 2, 11, 13)).astype(np.float32)
    for attributes, scales, sizes in RESIZES:
        constants = [onnx.numpy_helper.from_array(np.float32(scales), "p") if scales else
                     onnx.numpy_helper.from_array(np.int64(sizes), "p")]
        node = helper.make_node("Resize", ["x", "", "p"] if scales else ["x", "", "", "p"], ["y"], **attributes)
        graph = helper.make_graph([node], "resize", [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, None, None])], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8).SerializeToString()
        y = open_session(model, device).run(None, {"x": x})[0]
        expected = open_session(model).run(None, {"x": x})[0]
        assert y.shape == expected.shape, (attributes, y.shape)
        np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-5, err_msg=str(attributes))


# Nodes that no primitive takes: element type, attributes, parameters that are not constants.
DECLINED = [
    ("Conv", [("x", TensorProto.DOUBLE, [1, 3, 8, 8]), ("w", TensorProto.DOUBLE, [4, 3, 3, 3])], {}),
    ("Relu", [("x", TensorProto.INT8, [4])], {}),
    ("LRN", [("x", TensorProto.FLOAT, [1, 8, 4, 4])], {"size": 4}),
    ("Reshape", [("x", TensorProto.FLOAT, [2, 6]), ("shape", TensorProto.INT64, [2])], {}),
    ("Resize", [("x", TensorProto.FLOAT, [1, 1, 4, 4]), ("", 0, []), ("s", TensorProto.FLOAT, [4])], {"mode": "cubic"}),
    ("Gather", [("x", TensorProto.FLOAT, [8, 3]), ("i", TensorProto.INT64, [2])], {}),
    ("MaxPool", [("x", TensorProto.FLOAT, [1, 2, 3, 3, 3, 3])], {"kernel_shape": [2, 2, 2, 2]}),
    ("QuantizeLinear", [("x", TensorProto.FLOAT, [8]), ("s", TensorProto.FLOAT, []), ("z", TensorProto.UINT16, [])], {}),
]


def check_declined(device):
    for op, inputs, attributes in DECLINED:
        node = helper.make_node(op, [name for name, _, _ in inputs], ["y"], **attributes)
        graph = helper.make_graph([node], "one", [helper.make_tensor_value_info(*i) for i in inputs if i[0]],
                                  [onnx.ValueInfoProto(name="y")])
        model = onnx.shape_inference.infer_shapes(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)).SerializeToString()
        try:
            open_session(model, device)
        except Exception as failure:
            assert "fallback" in str(failure) or "NOT_IMPLEMENTED" in str(failure), failure
            continue
        raise AssertionError("%s was claimed" % op)


def check_other_runtimes(path):
    """Runtimes without version 23 of their interface, too old or too new: the first table of functions is all there is."""
    for version in (b"1.17.3", b"3.0.0"):
        sentences = []
        create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)(
            lambda code, sentence, told=sentences: told.append(sentence.decode()) or 1)
        table = (ctypes.c_void_p * 1)(ctypes.cast(create, ctypes.c_void_p))
        get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(
            lambda number, first=table: ctypes.addressof(first) if number == 1 else None)
        text = ctypes.create_string_buffer(version)
        get_version = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda at=text: ctypes.addressof(at))
        base = (ctypes.c_void_p * 2)(ctypes.cast(get_api, ctypes.c_void_p), ctypes.cast(get_version, ctypes.c_void_p))
        factory, count = ctypes.c_void_p(), ctypes.c_size_t(7)
        provider = ctypes.CDLL(path)
        provider.CreateEpFactories.restype = ctypes.c_void_p
        failed = provider.CreateEpFactories(
            b"prim", base, None, ctypes.byref(factory), ctypes.c_size_t(1), ctypes.byref(count))
        assert failed and count.value == 0 and sentences == [
            "Prim needs version 23 of ONNX Runtime's interface, which came with 1.23; %s does not have it"
            % version.decode()], sentences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--lives", type=int)
    parser.add_argument("--only", help="threads: sessions and groups in threads alone")
    arguments = parser.parse_args()
    check_other_runtimes(os.path.abspath(arguments.library))
    register(arguments.library)
    model = network()
    if arguments.only == "threads":
        check_groups(arguments.device)
        check_threads(model, arguments.device)
        print("%s: %d sessions in %d threads agree" % (arguments.device, NSESSIONS, NTHREADS))
        return 0
    check_wrong_options(model)
    check_precision(model, arguments.device)
    check_profile(model, arguments.device)
    check_claims(model, arguments.device)
    check_gelu(arguments.device)
    check_quantized(arguments.device)
    check_scalars(arguments.device)
    check_resize(arguments.device)
    check_lives(model, arguments.device, arguments.lives or (NLIVES if arguments.device == "cpu" else NLIVES // 50))
    check_groups(arguments.device)
    check_no_memory(arguments.device)
    check_declined(arguments.device)
    check_threads(model, arguments.device)
    print("%s: %d sessions in %d threads agree, lives leave nothing behind" % (arguments.device, NSESSIONS, NTHREADS))


if __name__ == "__main__":
    sys.exit(main())
