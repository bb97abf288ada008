#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch on the networks of examples/, random weights, batch normalisation folded.

    peer_networks.py [--device=cuda|cpu] [--network=resnet_50,…] [--type=f32,f16] [--batch=1,16] [--ways=eager,graph,compile]
    peer_networks.py --train [--type=…] [--batch=…] [--ways=eager,graph]      # steps of ResNet-50, SGD with momentum

Prints "network type batch way items/s ms" for each; the best of runs within about a second, as the examples'
net_main() takes it, each waited for. Convolutions run channels last in 16 bits; TF32 is off. `graph` replays a
CUDA graph, `compile` is torch.compile (its cudagraphs on, for GPUs). Training in 16 bits is autocast's, with f32 weights.
"""
import argparse
import time

import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torch.fx.experimental import optimization

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
UNET_LEVELS, UNET_CHANNELS = 4, 64


def convolution(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, 1, 1), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [UNET_CHANNELS << level for level in range(UNET_LEVELS + 1)]
        self.downs = nn.ModuleList(nn.Sequential(convolution(i, o), convolution(o, o))
                                   for i, o in zip([1] + widths, widths))
        self.ups = nn.ModuleList(convolution(2 * w, w) for w in widths[:-1])
        self.merges = nn.ModuleList(nn.Sequential(convolution(2 * w, w), convolution(w, w)) for w in widths[:-1])
        self.last = nn.Conv2d(UNET_CHANNELS, 2, 1)

    def forward(self, x):
        skips = []
        for down in self.downs[:-1]:
            skips.append(down(x))
            x = F.max_pool2d(skips[-1], 2)
        x = self.downs[-1](x)
        for level in reversed(range(UNET_LEVELS)):
            x = self.ups[level](F.interpolate(x, scale_factor=2.0, mode="bilinear"))
            x = self.merges[level](torch.cat([skips[level], x], 1))
        return self.last(x)


class EncoderLayer(nn.Module):
    def __init__(self, size, heads, inner):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.first, self.second = nn.Linear(size, inner), nn.Linear(inner, size)
        self.norms = nn.ModuleList(nn.LayerNorm(size, eps=1e-12) for _ in range(2))

    def forward(self, x):
        n, s, k = x.shape
        q, key, v = (t.view(n, s, self.heads, k // self.heads).transpose(1, 2) for t in self.qkv(x).split(k, -1))
        y = F.scaled_dot_product_attention(q, key, v).transpose(1, 2).reshape(n, s, k)
        x = self.norms[0](self.out(y) + x)
        return self.norms[1](self.second(F.gelu(self.first(x))) + x)


def bert_base():
    return nn.Sequential(*(EncoderLayer(768, 12, 3072) for _ in range(12)))


# The module, and the shape of one input.
NETWORKS = {
    "resnet_34": (torchvision.models.resnet34, (3, 224, 224)),
    "resnet_50": (torchvision.models.resnet50, (3, 224, 224)),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, (3, 224, 224)),
    "unet": (UNet, (1, 256, 256)),
    "bert_base": (bert_base, (384, 768)),
}


def prepare(name, dtype, batch, device):
    make, shape = NETWORKS[name]
    model = make().eval()
    if len(shape) == 3:
        model = optimization.fuse(model)
    model = model.to(device, dtype)
    x = torch.rand(batch, *shape, device=device).mul_(2).sub_(1)
    if len(shape) == 3 and dtype != torch.float32:
        model = model.to(memory_format=torch.channels_last)
    return model, x


def runner(way, model, x, dtype):
    """One run from f32 input to f32 output."""
    layout = torch.channels_last if x.dim() == 4 and dtype != torch.float32 else torch.contiguous_format

    def forward(x):
        return model(x.to(dtype, memory_format=layout)).float()

    if way == "compile":
        compiled = torch.compile(forward, mode="reduce-overhead" if x.is_cuda else "default")
        return lambda: compiled(x)
    if way == "eager":
        return lambda: forward(x)
    return captured(lambda: forward(x))


def captured(run):
    """The replay of a CUDA graph of `run`, which has run before on another stream."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def training_step(way, dtype, batch, device):
    layout = torch.contiguous_format if dtype == torch.float32 else torch.channels_last
    model = torchvision.models.resnet50().to(device, memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, foreach=True)
    x = torch.rand(batch, 3, 224, 224, device=device).mul_(2).sub_(1).contiguous(memory_format=layout)
    target = torch.arange(batch, device=device) % 1000

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, dtype, enabled=dtype != torch.float32):
            loss = F.cross_entropy(model(x).float(), target)
        (loss * 128).backward()
        optimizer.step()

    return captured(step) if way == "graph" else step


def best_seconds(run, wait, budget):
    for _ in range(4):
        run()
    wait()
    best, start, n = float("inf"), time.perf_counter(), 0
    while n < 3 or (n < 50 and time.perf_counter() - start < budget):
        begin = time.perf_counter()
        run()
        wait()
        best = min(best, time.perf_counter() - begin)
        n += 1
    return best


def time_of(name, dtype, batch, way, args, wait):
    if args.train:
        return best_seconds(training_step(way, dtype, batch, args.device), wait, args.seconds)
    torch._dynamo.reset()
    model, x = prepare(name, dtype, batch, args.device)
    with torch.inference_mode():
        return best_seconds(runner(way, model, x, dtype), wait, args.seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--network", default=",".join(NETWORKS))
    parser.add_argument("--type", default="f32,f16")
    parser.add_argument("--batch", default="1,16,64,256")
    parser.add_argument("--ways", default="eager,graph,compile")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--train", action="store_true")
    args = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    wait = torch.cuda.synchronize if args.device == "cuda" else lambda: None
    if args.train:
        args.network = "resnet_50_training"
    for name in args.network.split(","):
        for word in args.type.split(","):
            for batch in map(int, args.batch.split(",")):
                for way in args.ways.split(","):
                    seconds = time_of(name, TYPES[word], batch, way, args, wait)
                    print(f"{name} {word} {batch} {way} {batch / seconds:.1f} {seconds * 1e3:.3f}", flush=True)


if __name__ == "__main__":
    main()
