#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks of stock PaddlePaddle quantised to int8, on Paddle's own oneDNN and on Prim.

    paddle_int8.py LIBRARY FOLDER [--page=FILE] [MODEL ...]    all models without names

LIBRARY is the folder of Prim's libdnnl.so.3; models and outputs of oneDNN are kept in FOLDER. Executions with tensors of
s8 or u8 in Prim's log are counted; without any a model fails. The truth is what oneDNN gives for the same integers: both
round the same sums, so outputs differ by the rounding of f32 at the end, and now and then by a step of a quantised
tensor. On x86-64 without VNNI oneDNN saturates each two products at 16 bits: the difference is there how much farther
the outputs are than oneDNN's from those of the network in f32. Both libraries take turns, and the best times of each are
told; --page writes the table into a Markdown page, between its two marks.
"""
import argparse
import os
import sys

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


def predictor_of(folder):
    from paddle.inference import Config, create_predictor

    config = Config(f"{folder}/int8.pdmodel", f"{folder}/int8.pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.enable_mkldnn()
    config.enable_mkldnn_int8()
    config.set_cpu_math_library_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return create_predictor(config)


def run(name, folder, peer):
    """One model in this process."""
    import numpy as np

    folder = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    if peer:
        quantise(name, folder)
    predictor = predictor_of(folder)
    x = np.random.RandomState(0).randn(*SHAPE).astype("float32")
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    if peer:
        np.save(f"{folder}/out.npy", out)
    right, exact = np.load(f"{folder}/out.npy"), np.load(f"{folder}/float.npy")
    difference = distance(out, right) if has_vnni() else max(0, distance(out, exact) - distance(right, exact))
    paddle_process.serve(predictor, difference)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", action="store_true", help="one model in this process")
    parser.add_argument("--peer", action="store_true", help="with --one: quantises, and keeps the outputs")
    parser.add_argument("--page")
    parser.add_argument("library")
    parser.add_argument("folder")
    parser.add_argument("models", nargs="*")
    args = parser.parse_intermixed_args()
    if args.one:
        run(args.models[0], args.folder, args.peer)
        return 0
    table = paddle_process.Table("int8")
    for name in [n for n in args.models if n in MODELS] or ([] if args.models else MODELS):
        # The passes for int8 are those of the older programs.
        pair = paddle_process.take_turns(__file__, [args.library, args.folder, name], args.library,
                                         executions=".*_[su]8:", FLAGS_enable_pir_api="0")
        table.add(name, TOLERANCE, pair)
    return table.end(args.page)


if __name__ == "__main__":
    sys.exit(main())
