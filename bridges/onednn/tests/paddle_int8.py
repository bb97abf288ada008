#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks of stock PaddlePaddle quantised to int8, on Paddle's own oneDNN and on Prim.

    paddle_int8.py --peer FOLDER [MODEL ...]    quantises the networks, runs them, keeps models and outputs in FOLDER
    paddle_int8.py FOLDER [MODEL ...]           runs the same models and compares with the outputs kept

The second form is for Prim: LD_LIBRARY_PATH at its libdnnl.so.3, PRIM_VERBOSE=1. Executions with tensors of s8 or u8
in the log are counted; without any a model fails. The truth is what oneDNN gives for the same integers: both round
the same sums, so outputs differ by the rounding of f32 at the end, and now and then by a step of a quantised tensor.
On x86-64 without VNNI oneDNN saturates each two products at 16 bits: the difference is there how much farther the
outputs are than oneDNN's from those of the network in f32.
"""
import argparse
import ctypes
import os
import sys
import time

import paddle_process

MODELS = "mobilenet_v1 mobilenet_v2 resnet18 resnet50 squeezenet1_0".split()
SHAPE = [1, 3, 64, 64]
TOLERANCE = 0.02  # of the largest output: five steps of an s8 tensor's 256


def has_vnni():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        return "vnni" in info.read()


def distance(out, right):
    """The largest difference, relative to the largest output."""
    return float(abs(out - right).max() / abs(right).max())


class Samples:
    """Eight inputs to calibrate with."""

    def __call__(self):
        return iter(self)

    def __iter__(self):
        import numpy as np
        return ({"x": np.random.RandomState(i).randn(*SHAPE).astype("float32")} for i in range(8))


def quantise(name, folder):
    """Static quantisation after training of a network with random weights, as Paddle does it."""
    import numpy as np
    import paddle
    from paddle.static.quantization import PostTrainingQuantization

    paddle.seed(1)
    net = getattr(paddle.vision.models, name)(pretrained=False)
    net.eval()
    x = np.random.RandomState(0).randn(*SHAPE).astype("float32")
    np.save(f"{folder}/float.npy", net(paddle.to_tensor(x)).numpy())
    paddle.jit.save(net, f"{folder}/float", input_spec=[paddle.static.InputSpec(SHAPE, "float32", "x")])
    paddle.enable_static()
    quantiser = PostTrainingQuantization(
        executor=paddle.static.Executor(paddle.CPUPlace()), model_dir=folder, model_filename="float.pdmodel",
        params_filename="float.pdiparams", data_loader=Samples(), batch_size=1, batch_nums=8, algo="abs_max",
        weight_quantize_type="channel_wise_abs_max",
        quantizable_op_type=["conv2d", "depthwise_conv2d", "mul", "matmul_v2"])
    quantiser.quantize()
    quantiser.save_quantized_model(folder, model_filename="int8.pdmodel", params_filename="int8.pdiparams")


def run(name, folder, peer):
    """One model in this process: prints a line RESULT."""
    import numpy as np
    from paddle.inference import Config, create_predictor

    folder = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    if peer:
        quantise(name, folder)
    config = Config(f"{folder}/int8.pdmodel", f"{folder}/int8.pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.enable_mkldnn()
    config.enable_mkldnn_int8()
    config.set_cpu_math_library_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    predictor = create_predictor(config)
    x = np.random.RandomState(0).randn(*SHAPE).astype("float32")
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    if "PRIM_VERBOSE" in os.environ:  # logging takes time
        ctypes.CDLL("libprim.so.0").prim_set_verbose(b"none")
    times = []
    while len(times) < 20 and sum(times) < 3:
        start = time.perf_counter()
        predictor.run()
        times.append(time.perf_counter() - start)
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    if peer:
        np.save(f"{folder}/out.npy", out)
    right, exact = np.load(f"{folder}/out.npy"), np.load(f"{folder}/float.npy")
    difference = distance(out, right) if has_vnni() else max(0, distance(out, exact) - distance(right, exact))
    print("RESULT", difference, min(times) * 1e3)


def call(name, folder, peer):
    """One model in a process of its own: (difference, ms, lines of Prim's log with integers, why it failed)."""
    # The passes for int8 are those of the older programs.
    return paddle_process.call(__file__, (["--peer"] if peer else []) + [folder, name], ".*_[su]8:",
                               FLAGS_enable_pir_api="0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", action="store_true")
    parser.add_argument("--peer", action="store_true", help="Paddle's own oneDNN: quantises, and keeps the outputs")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    if args.one:
        run(args.models[0], args.folder, args.peer)
        return 0
    failed = 0
    names = [n for n in args.models if n in MODELS] or ([] if args.models else MODELS)
    print(f"{'model':22} {'difference':>10} {'ms':>8} {'executions':>10}")
    for name in names:
        difference, ms, executed, why = call(name, args.folder, args.peer)
        if difference is None:
            failed += 1
            print(f"{name:22} FAILED: {why}")
            continue
        is_right = difference <= TOLERANCE and (args.peer or executed > 0)
        failed += not is_right
        print(f"{name:22} {difference:10.1e} {ms:8.1f} {executed:10d}{'' if is_right else ' FAILED'}", flush=True)
    print(f"int8: {len(names) - failed} of {len(names)} models agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
