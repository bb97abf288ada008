#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models of stock PaddlePaddle through its oneDNN path, on its own oneDNN and on Prim, and compares them with eager
Paddle.

    paddle_models.py LIBRARY [--bf16] [--page=FILE] [MODEL ...]    all models without names

LIBRARY is the folder of Prim's libdnnl.so.3; scripts/bridges.sh paddle sets the stage. Lines of Prim's log are counted:
a model that Prim did not compute fails. Both libraries take turns, and the best times of each are told; --page writes
the table into a Markdown page, between its two marks.
"""
import argparse
import os
import sys
import tempfile

import paddle_process

# Each architecture of paddle.vision.models, made small by its input, not by its layers.
VISION = """LeNet alexnet densenet121 googlenet inception_v3 mobilenet_v1 mobilenet_v2 mobilenet_v3_large
mobilenet_v3_small resnet18 resnet50 resnext50_32x4d shufflenet_v2_swish shufflenet_v2_x1_0 squeezenet1_0 squeezenet1_1
vgg11 wide_resnet50_2""".split()
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
    if name == "LeNet":
        return paddle.vision.models.LeNet(), [1, 1, 28, 28]
    side = {"inception_v3": 128, "alexnet": 224, "googlenet": 224}.get(name, 64)
    return getattr(paddle.vision.models, name)(pretrained=False), [1, 3, side, side]


def predictor_of(net, name, shape, bf16):
    """The network in the form for inference, on oneDNN's kernels."""
    import paddle
    from paddle.inference import Config, create_predictor

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
        return create_predictor(config)


def run(name, bf16):
    """One model in this process."""
    import numpy as np
    import paddle

    paddle.seed(1)
    net, shape = make(name)
    net.eval()
    x = np.random.RandomState(0).randn(*shape).astype("float32")
    eager = net(paddle.to_tensor(x))
    eager = (eager[0] if isinstance(eager, (list, tuple)) else eager).numpy()
    predictor = predictor_of(net, name, shape, bf16)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    paddle_process.serve(predictor, float(abs(out - eager).max()) / max(float(abs(eager).max()), 1e-30))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", action="store_true", help="one model in this process")
    parser.add_argument("--peer", action="store_true", help="with --one: on Paddle's own oneDNN, which changes nothing")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--page")
    parser.add_argument("library")
    parser.add_argument("models", nargs="*")
    args = parser.parse_intermixed_args()
    if args.one:
        run(args.models[0], args.bf16)
        return 0
    word = "bf16" if args.bf16 else "f32"
    table = paddle_process.Table(word)
    for name in args.models or VISION + LAYERS:
        pair = paddle_process.take_turns(
            __file__, (["--bf16"] if args.bf16 else []) + [args.library, name], args.library)
        table.add(name, TOLERANCE[word], pair, may_fail=name in FAILS_IN_PADDLE[word])
    return table.end(args.page)


if __name__ == "__main__":
    sys.exit(main())
