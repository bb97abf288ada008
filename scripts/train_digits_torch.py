#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the network of examples/train_digits.c in PyTorch, with the same first weights and order of samples.

    train_digits cpu --export=FOLDER --log=prim.csv
    scripts/train_digits_torch.py FOLDER --log=torch.csv --compare=prim.csv

FOLDER holds weights.f32 and order.s32, which train_digits wrote. --compare prints how far the losses of its log are
from those here, and fails beyond the tolerance that doc/training.md derives. Needs PyTorch, on the CPU or CUDA.
"""
import argparse
import csv
import os
import sys
import time

import torch
from torch.nn import functional as F

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "train", "digits.txt")
CHARACTERS = "0123456789abcdefg"
NTEST = 360
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
# Of each step in the first epoch, and of the mean loss in every epoch: doc/training.md.
TOLERANCES = {"f32": (1e-5, 3e-3), "f16": (2.5e-3, 5e-3), "bf16": (1e-2, 1e-2)}


def read_digits(path):
    """Images [n, 1, 8, 8] from 0 to 1, and labels."""
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")[:-1]
    pixels = [[CHARACTERS.index(c) / 16 for c in line[:64]] for line in lines]
    return torch.tensor(pixels).reshape(-1, 1, 8, 8), torch.tensor([int(line[65]) for line in lines])


def read_numbers(path, dtype):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=dtype).clone()


class Net:
    """Parameters are f32 and in the order of train_digits; activations have `dtype`."""

    def __init__(self, numbers, dtype, device, norm):
        self.numbers, self.dtype, self.device, self.norm = numbers, dtype, device, norm
        self.params, self.statistics, self.is_training = [], [], True
        self.stem = self.make_convolution(1, 16, 3)
        self.blocks = [self.make_block(16, 16, 1), self.make_block(16, 32, 2)]
        self.weights, self.bias = self.make_param(10, 32), self.make_param(10)

    def make_param(self, *shape):
        n = torch.Size(shape).numel()
        values, self.numbers = self.numbers[:n], self.numbers[n:]
        self.params.append(values.reshape(shape).to(self.device).requires_grad_())
        return self.params[-1]

    def make_convolution(self, inputs, outputs, kernel):
        """Weights, then scale and shift of the normalisation, with running mean and variance."""
        params = [self.make_param(outputs, inputs, kernel, kernel), self.make_param(outputs), self.make_param(outputs)]
        return params + [torch.zeros(outputs, device=self.device), torch.ones(outputs, device=self.device)]

    def make_block(self, inputs, outputs, stride):
        """train_digits makes the second normalisation's parameters after those of the way around."""
        first = self.make_convolution(inputs, outputs, 3)
        second = [self.make_param(outputs, outputs, 3, 3)]
        around = self.make_convolution(inputs, outputs, 1) if stride != 1 else None
        second += [self.make_param(outputs), self.make_param(outputs)]
        second += [torch.zeros(outputs, device=self.device), torch.ones(outputs, device=self.device)]
        return first, second, around, stride

    def convolve(self, x, layer, stride=1):
        weights, scale, shift, mean, variance = layer
        x = F.conv2d(x, weights.to(self.dtype), stride=stride, padding=weights.shape[2] // 2)
        if self.norm == "layer":  # over the channels of each position
            y = F.layer_norm(x.permute(0, 2, 3, 1).float(), scale.shape, scale, shift)
            return y.permute(0, 3, 1, 2).to(self.dtype)
        if self.norm == "group":
            return F.group_norm(x.float(), 4, scale, shift).to(self.dtype)
        if self.dtype != torch.float32 and not x.is_cuda:  # PyTorch's CPU takes no mixture of f16 and f32 here
            y = F.batch_norm(x.float(), mean, variance, scale, shift, self.is_training, 0.1, 1e-5)
            return y.to(self.dtype)
        return F.batch_norm(x, mean, variance, scale, shift, self.is_training, 0.1, 1e-5)

    def __call__(self, x):
        x = F.relu(self.convolve(x.to(self.dtype), self.stem))
        for first, second, around, stride in self.blocks:
            y = self.convolve(F.relu(self.convolve(x, first, stride)), second)
            x = F.relu(y + (self.convolve(x, around, stride) if around else x))
        return F.linear(x.mean((2, 3)).float(), self.weights.to(self.dtype).float(), self.bias)


def train(net, images, labels, order, options):
    """The loss of every step, the test accuracy of every epoch, and steps per second of the best epoch."""
    optimizer = torch.optim.SGD(net.params, lr=options.rate, momentum=0.9)
    scale = 1024 if options.type == "f16" else 1
    ntrain = len(images) - NTEST
    nsteps = ntrain // options.batch
    losses, best = [], 0.0
    for epoch in order.reshape(-1, nsteps, options.batch):
        pending, start = [], time.perf_counter()
        for batch in epoch.to(images.device).long():
            optimizer.zero_grad()
            loss = F.cross_entropy(net(images[batch]), labels[batch])
            (loss * scale).backward()
            for param in net.params if scale != 1 else []:
                param.grad /= scale
            optimizer.step()
            pending.append(loss.detach())
        losses += [float(loss) for loss in pending]
        best = max(best, nsteps / (time.perf_counter() - start))
        net.is_training = False
        with torch.no_grad():
            right = (net(images[ntrain:]).argmax(1) == labels[ntrain:]).float().mean()
        net.is_training = True
        print(f"epoch {len(losses) // nsteps}: loss {sum(losses[-nsteps:]) / nsteps:.4f}, "
              f"test accuracy {100 * right:.1f} %, {best:.1f} steps/s at best", flush=True)
    return losses


def compare(losses, path, nsteps, tolerances):
    """Differences of the losses of each epoch, of single steps and of the mean; whether all are small enough."""
    with open(path, encoding="ascii") as file:
        others = [float(row["loss"]) for row in csv.DictReader(file)]
    if len(others) != len(losses):
        sys.exit(f"{path}: {len(others)} steps instead of {len(losses)}")
    print("| epoch | largest difference of a step | mean loss of PyTorch | mean loss of Prim |\n|---|---|---|---|")
    is_good = True
    for epoch, i in enumerate(range(0, len(losses), nsteps), 1):
        here, there = losses[i:i + nsteps], others[i:i + nsteps]
        largest = max(abs(a - b) for a, b in zip(here, there))
        means = sum(here) / nsteps, sum(there) / nsteps
        is_good &= abs(means[0] - means[1]) <= tolerances[1] and (epoch > 1 or largest <= tolerances[0])
        print(f"| {epoch} | {largest:.1e} | {means[0]:.5f} | {means[1]:.5f} |")
    return is_good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--type", default="f32", choices=TYPES)
    parser.add_argument("--norm", default="batch", choices=("batch", "layer", "group"))
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--log")
    parser.add_argument("--compare")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    images, labels = (tensor.to(options.device) for tensor in read_digits(options.data))
    weights = read_numbers(os.path.join(options.folder, "weights.f32"), torch.float32)
    order = read_numbers(os.path.join(options.folder, "order.s32"), torch.int32)
    net = Net(weights, TYPES[options.type], options.device, options.norm)
    if len(net.numbers) != 0:
        sys.exit(f"{options.folder}/weights.f32: {len(net.numbers)} numbers too many")
    losses = train(net, images, labels, order, options)
    if options.log:
        with open(options.log, "w", encoding="ascii") as file:
            file.write("step,loss\n" + "".join(f"{i},{loss:.9g}\n" for i, loss in enumerate(losses)))
    nsteps = (len(images) - NTEST) // options.batch
    if options.compare and not compare(losses, options.compare, nsteps, TOLERANCES[options.type]):
        sys.exit("the curves differ by more than the tolerance")


if __name__ == "__main__":
    main()
