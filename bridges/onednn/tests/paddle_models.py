#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models of stock PaddlePaddle through its oneDNN path and compares them with eager Paddle.

    paddle_models.py [--bf16] [MODEL ...]      all models without names; scripts/bridges.sh paddle sets the stage

With LD_LIBRARY_PATH at Prim's libdnnl.so.3 and PRIM_VERBOSE=1, the lines of Prim's log are counted: a model that
Prim did not compute fails. One process a model, since Paddle aborts on errors of the library.
"""
import argparse
import ctypes
import os
import sys
import tempfile

import paddle_process

# name: the input's shape. Networks of paddle.vision.models are made small by their input, not by their layers.
VISION = """alexnet densenet121 googlenet inception_v3 mobilenet_v1 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small
resnet18 resnet50 resnext50_32x4d shufflenet_v2_x1_0 squeezenet1_0 squeezenet1_1 vgg11 wide_resnet50_2""".split()
LAYERS = ["conv_transpose", "encoder", "group_norm", "layer_norm", "lstm"]
# bf16: Paddle's own oneDNN fails in the same way (no kernel of pool2d is registered for this place).
FAILS_IN_PADDLE = {"bf16": ["vgg11"], "f32": []}
# Largest difference from eager, relative to the largest output. f32: rounding through up to 121 layers; bf16: 8 bits.
TOLERANCE = {"f32": 2e-5, "bf16": 3e-2}


def make(name):
    """The network and the shape of its input."""
    import paddle
    from paddle import nn

    class Lstm(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(32, 64)

        def forward(self, x):
            return self.lstm(x)[0]

    if name == "conv_transpose":
        return nn.Sequential(nn.Conv2D(3, 8, 3), nn.Conv2DTranspose(8, 4, 2, 2), nn.Sigmoid()), [1, 3, 32, 32]
    if name == "encoder":
        return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0), 2), [2, 16, 64]
    if name == "group_norm":
        return nn.Sequential(nn.Conv2D(3, 8, 3), nn.GroupNorm(4, 8), nn.ReLU()), [1, 3, 32, 32]
    if name == "layer_norm":
        return nn.Sequential(nn.Linear(64, 32), nn.LayerNorm(32), nn.GELU()), [2, 16, 64]
    if name == "lstm":
        return Lstm(), [2, 8, 32]
    side = {"inception_v3": 128, "alexnet": 224, "googlenet": 224}.get(name, 64)
    return getattr(paddle.vision.models, name)(pretrained=False), [1, 3, side, side]


def run(name, bf16):
    """One model in this process: prints a line RESULT."""
    import time

    import numpy as np
    import paddle
    from paddle.inference import Config, create_predictor

    paddle.seed(1)
    net, shape = make(name)
    net.eval()
    x = np.random.RandomState(0).randn(*shape).astype("float32")
    eager = net(paddle.to_tensor(x))
    eager = (eager[0] if isinstance(eager, (list, tuple)) else eager).numpy()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec(shape, "float32", "x")])
        config = Config(path + ".json", path + ".pdiparams")
        config.disable_gpu()
        config.disable_glog_info()
        config.enable_mkldnn()
        config.set_cpu_math_library_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        if bf16:
            config.enable_mkldnn_bfloat16()
        predictor = create_predictor(config)
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
        predictor.run()
        if "PRIM_VERBOSE" in os.environ:  # logging takes time
            ctypes.CDLL("libprim.so.0").prim_set_verbose(b"none")
        times = []
        for _ in range(20):
            start = time.perf_counter()
            predictor.run()
            times.append(time.perf_counter() - start)
        out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    print("RESULT", float(abs(out - eager).max()) / max(float(abs(eager).max()), 1e-30), min(times) * 1e3)


def call(name, bf16):
    """One model in a process of its own: (difference, ms, lines of Prim's log, why it failed)."""
    return paddle_process.call(__file__, (["--bf16"] if bf16 else []) + [name], "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--peer", action="store_true", help="Paddle's own oneDNN: no log of Prim is expected")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    if args.one:
        run(args.models[0], args.bf16)
        return 0
    word = "bf16" if args.bf16 else "f32"
    agreed, failed = 0, 0
    names = args.models or VISION + LAYERS
    print(f"{'model':22} {'difference':>10} {'ms':>8} {'executions':>10}")
    for name in names:
        difference, ms, executed, why = call(name, args.bf16)
        if difference is None:
            failed += name not in FAILS_IN_PADDLE[word]
            print(f"{name:22} FAILED: {why}")
            continue
        is_right = difference <= TOLERANCE[word] and (args.peer or executed > 0)
        agreed += is_right
        failed += not is_right
        print(f"{name:22} {difference:10.1e} {ms:8.1f} {executed:10d}{'' if is_right else ' FAILED'}", flush=True)
    print(f"{word}: {agreed} of {len(names)} models agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
