# SPDX-License-Identifier: Apache-2.0
"""Quantised networks on the provider and on ONNX Runtime's own CPU kernels, side by side in one run.

Scales are powers of two and zero points are even: every step is exact, so the outputs must be equal bit for bit.
"""
import argparse
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime as ort

from provider import host_entry, multiply_exactly, register


class Net:
    """A model as nodes are added; `to_8_bits` puts QuantizeLinear and DequantizeLinear around a tensor."""

    def __init__(self, shape, zero_point):
        self.shape, self.zero_point = shape, zero_point
        self.nodes, self.constants, self.count = [], [], 0
        self.random = np.random.default_rng(15)

    def constant(self, array):
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{self.count}"))
        return f"c{self.count}"

    def node(self, op, *inputs, **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(op, list(inputs), [f"t{self.count}"], **attributes))
        return f"t{self.count}"

    def to_8_bits(self, x, scale, zero_point=None):
        zero_point = self.zero_point if zero_point is None else zero_point
        parameters = self.constant(np.float32(scale)), self.constant(np.uint8(zero_point))
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, *parameters), *parameters)

    def weights(self, *shape):
        """s8 with a scale for each output channel; also the scales."""
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        depth = int(np.prod(shape[1:]))
        scales = (2.0 ** (-6 - np.floor(np.log2(depth) / 2) - np.arange(shape[0]) % 2)).astype(np.float32)
        zeros = self.constant(np.zeros(shape[0], np.int8))
        return self.node("DequantizeLinear", self.constant(values), self.constant(scales), zeros, axis=0), scales

    def conv(self, x, inputs, outputs, kernel, stride=1, groups=1, relu=True, scale=1 / 64):
        """A convolution of a tensor of scale 1/64, its bias, ReLU and quantisation."""
        wei, scales = self.weights(outputs, inputs // groups, kernel, kernel)
        zeros = self.constant(np.zeros(outputs, np.int32))
        bia = self.constant(self.random.integers(-2000, 2000, outputs).astype(np.int32))
        bia = self.node("DequantizeLinear", bia, self.constant(scales / 64), zeros, axis=0)
        y = self.node("Conv", x, wei, bia, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4, strides=[stride] * 2,
                      group=groups)
        return self.to_8_bits(self.node("Relu", y) if relu else y, scale)

    def model(self, output):
        """The model of the nodes so far, whose result is `output`."""
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)]
        outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "net", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17)]
        return onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=opsets, ir_version=9))


def residual_net(size, channels, zero_point):
    """A stem, a pooling, two residual blocks, a branch whose ends are concatenated, an average, a product."""
    net = Net([1, 3, size, size], zero_point)
    x = net.conv(net.to_8_bits("x", 1 / 64), 3, channels, 3, stride=2)
    x = net.to_8_bits(net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 1 / 64)
    for _ in range(2):
        y = net.conv(x, channels, channels, 3)
        y = net.conv(y, channels, channels, 3, relu=False)
        x = net.to_8_bits(net.node("Relu", net.node("Add", x, y)), 1 / 64)
    left = net.conv(net.conv(x, channels, channels, 3, groups=channels), channels, channels, 1)
    right = net.conv(x, channels, channels, 1)
    x = net.to_8_bits(net.node("Concat", left, right, axis=1), 1 / 64)
    x = net.conv(x, 2 * channels, 2 * channels, 1)
    x = net.to_8_bits(net.node("GlobalAveragePool", x), 1 / 64)
    wei, _ = net.weights(16, 2 * channels)
    x = net.node("MatMul", net.node("Flatten", x), net.node("Transpose", wei, perm=[1, 0]))
    return net.model(net.to_8_bits(x, 1 / 64))


def depthwise_net(size, channels, zero_point):
    """A stem and three blocks of depthwise and pointwise convolutions; the output has channels."""
    net = Net([1, 3, size, size], zero_point)
    x = net.conv(net.to_8_bits("x", 1 / 64), 3, channels, 3, stride=2)
    for stride in (1, 2, 1):
        x = net.conv(x, channels, channels, 3, stride=stride, groups=channels)
        x = net.conv(x, channels, channels, 1)
    return net.model(x)


def session(model, device, threads, profile):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    multiply_exactly(options)
    if device:
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        choices = {"device": device}
        if profile:
            choices["profile"] = profile
        options.add_provider_for_devices([host_entry()], choices)
    return ort.InferenceSession(model.SerializeToString(), options)


def best_ms(sessions, x, runs):
    """The best time of each session; they take turns."""
    best = [float("inf")] * len(sessions)
    for _ in range(runs):
        for i, one in enumerate(sessions):
            begin = time.perf_counter()
            one.run(None, {"x": x})
            best[i] = min(best[i], 1e3 * (time.perf_counter() - begin))
    return best


NETS = {
    "residual": residual_net,
    "depthwise": depthwise_net,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=64, help="height and width of the image, a power of two")
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--profile", help="where the times of primitives go, as CSV; they run one by one then")
    args = parser.parse_args()
    register(args.library)
    nfailed = 0
    print("| network | zero point | equal | ONNX Runtime ms | Prim ms | ratio |\n|---|---|---|---|---|---|")
    for name, build in NETS.items():
        for zero_point in (0, 122):
            model = build(args.size, args.channels, zero_point)
            sessions = [session(model, device, args.threads, args.profile) for device in (None, args.device)]
            x = np.random.default_rng(2).uniform(-2, 2, [1, 3, args.size, args.size]).astype(np.float32)
            host, prim = (one.run(None, {"x": x})[0] for one in sessions)
            is_equal = np.array_equal(host, prim) and len(np.unique(host)) > 4
            nfailed += not is_equal
            ms = best_ms(sessions, x, args.runs)
            equal = "yes" if is_equal else f"NO: {np.mean(host != prim):.5f} of all, {len(np.unique(host))} values"
            print(f"| {name} | {zero_point} | {equal} | {ms[0]:.2f} | {ms[1]:.2f} | {ms[1] / ms[0]:.2f} |", flush=True)
    print(f"{2 * len(NETS) - nfailed} of {2 * len(NETS)} quantised networks agree")
    sys.exit(nfailed > 0)


if __name__ == "__main__":
    main()
