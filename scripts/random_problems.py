#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws problems at random, as lines of a batch file for benchdnn: speed is claimed on these, not on lists.

    scripts/random_problems.py conv_f16 --count=200 --seed=7 >problems
    bench="benchdnn --canonical=true --engine=gpu --conv"
    $bench --mode=P --timer=device --cold-cache=all --batch=problems >prim.log
    $bench --mode=L --batch=problems | benchdnn/peers/peer_torch.py --device=cuda --graph >peer.log
    scripts/bench_compare.py --summary prim.log peer.log

Sizes are drawn log-uniformly from the ranges below. Half of the matrix sizes, channels and row lengths are then
rounded down to a multiple of 8 (--aligned gives the share); images, planes and filters stay as drawn. A problem beyond --max-gflop, or beyond --max-mib of tensors, is drawn again. The same family,
seed and count give the same problems on every machine.

    products        rows, columns, depth 1 to 16384; weights plain or transposed; s8 as PyTorch takes it: more than
                    16 rows, columns and depth multiples of 8
    convolutions    channels 1 to 2048, images 1 to 256, height and width 5 to 512, filters 1 to 11 a side, half of
                    them square; strides 1 to 3, dilation in one of eight, groups in one of four
    others          (bound by memory) element-wise, binary, softmax, normalisations, pooling and reductions of 2^12 to
                    2^28 elements

--chains gives that share of products and of forward convolutions a bias (three in four) and up to three post-ops: a
function of one argument, the sum with dst, a second tensor of dst's shape or with one value for each channel. They are
drawn behind the sizes, which stay the same.

benchdnn names its driver on the command line, so each family belongs to one driver. Each line begins with --reset, which
takes back --impl: an implementation is forced by --global-impl.
"""
import argparse
import math
import random
import re
from functools import partial

TYPE_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "s8": 1}


class Draw:
    """Random sizes of one problem."""

    def __init__(self, seed, aligned):
        self.random, self.share = random.Random(seed), aligned

    def size(self, low, high):
        value = round(math.exp(self.random.uniform(math.log(low), math.log(high))))
        if self.random.random() < self.share and value >= 8:
            value = value // 8 * 8
        return value

    def raw(self, low, high):
        return round(math.exp(self.random.uniform(math.log(low), math.log(high))))

    def one_of(self, *values):
        return self.random.choice(values)

    def happens(self, share):
        return self.random.random() < share


def matmul(draw, dtype):
    rows, columns, depth = (draw.size(1, 16384) for _ in range(3))
    if dtype == "s8":
        rows, columns, depth = max(rows, 17), max(columns // 8, 1) * 8, max(depth // 8, 1) * 8
    types = "s8:s8:s32" if dtype == "s8" else dtype
    line = f"--dt={types} --stag=ab --wtag={draw.one_of('ab', 'ba')} --dtag=ab {rows}x{depth}:{depth}x{columns}"
    result_bytes = 4 if dtype == "s8" else TYPE_BYTES[dtype]
    sizes = (rows + columns) * depth * TYPE_BYTES[dtype] + rows * columns * result_bytes
    return line, 2 * rows * columns * depth, sizes


def post_ops(draw, dtype, tag):
    """Up to three steps, and how many of them read a tensor of dst's shape."""
    functions = ("relu", "gelu_erf", "gelu_tanh", "swish:1", "hardswish:0.16666667:0.5")
    beside = ("sum", f"add:{dtype}:per_tensor:{tag}")
    steps = []
    for _ in range(draw.one_of(0, 1, 1, 2, 2, 3)):
        kind = draw.one_of(functions, functions, beside, (f"add:{dtype}:per_oc", f"mul:{dtype}:per_oc"))
        step = draw.one_of(*kind)
        if step not in steps:  # of sums there is one at most
            steps.append(step)
    return "+".join(steps), sum(step in beside for step in steps)


def with_chain(draw_one, draw, family, share):
    """The problem that draw_one draws, and behind its draws, in this share of all, a bias and post-ops."""
    problem = draw_one(draw)
    if not problem or not draw.happens(share):
        return problem
    line, operations, sizes = problem
    driver, dtype = family.split("_")
    tag, shape = re.search(r"--dtag=(\S+)", line).group(1), line.split()[-1]
    chain, nbeside = post_ops(draw, dtype, tag)
    has_bias = draw.happens(3 / 4) or not chain
    if driver == "matmul":
        rows, columns = shape.split("x")[0], shape.split("x")[-1]
        bias = f"--bia-dt={dtype} --bia_mask=2 " if has_bias else ""
        result = int(rows) * int(columns)
    else:
        bias = ""
        line = line.replace("--dir=FWD_I", "--dir=FWD_B") if has_bias else line
        result = math.prod(int(re.search(rf"{name}(\d+)", shape).group(1)) for name in ("mb", "oc", "oh", "ow"))
    options = line[: -len(shape)] + bias + (f"--attr-post-ops={chain} " if chain else "")
    return options + shape, operations, sizes + nbeside * result * TYPE_BYTES[dtype]


def window(draw, size, kernel):
    """Output size, stride, dilation and padding of one dimension; None where the filter does not fit."""
    stride = draw.one_of(1, 1, 1, 1, 1, 2, 2, 2, 3)
    dilation = draw.one_of(1, 2) if kernel > 1 and draw.happens(1 / 8) else 0
    reach = (kernel - 1) * (dilation + 1) + 1
    pad = draw.one_of(0, reach // 2)
    if reach > size + 2 * pad:
        return None
    return (size + 2 * pad - reach) // stride + 1, stride, dilation, pad


def groups_of(draw, ic, oc):
    if not draw.happens(1 / 4):
        return 1
    if draw.happens(1 / 2):
        return ic
    common = [g for g in range(2, min(ic, oc, 64) + 1) if ic % g == 0 and oc % g == 0]
    return draw.one_of(*common) if common else 1


def conv(draw, dtype, direction):
    images, ic, oc = draw.raw(1, 256), draw.size(1, 2048), draw.size(1, 2048)
    high, wide = draw.raw(5, 512), draw.raw(5, 512)
    kh = draw.raw(1, 11)
    kw = kh if draw.happens(1 / 2) else draw.raw(1, 11)
    groups = groups_of(draw, ic, oc)
    if groups == ic:
        oc = ic
    rows, columns = window(draw, high, kh), window(draw, wide, kw)
    if rows is None or columns is None:
        return None
    (oh, sh, dh, ph), (ow, sw, dw, pw) = rows, columns
    tag = "abx" if dtype == "f32" else "axb"
    shape = (f"g{groups}mb{images}ic{ic}ih{high}iw{wide}oc{oc}oh{oh}ow{ow}kh{kh}kw{kw}"
             f"sh{sh}sw{sw}ph{ph}pw{pw}dh{dh}dw{dw}")
    line = f"--dir={direction} --alg=auto --dt={dtype} --stag={tag} --dtag={tag} {shape}"
    operations = 2 * images * oc * oh * ow * (ic // groups) * kh * kw
    sizes = (images * ic * high * wide + images * oc * oh * ow + oc * ic // groups * kh * kw) * TYPE_BYTES[dtype]
    return line, operations, sizes


def rows_of(draw):
    elements = math.exp(draw.random.uniform(math.log(1 << 12), math.log(1 << 28)))
    length = draw.size(2, min(elements, 1 << 17))
    return max(1, round(elements / length)), length


def tag_of(draw, dtype):
    """Planes of f32 are NCHW, as PyTorch has them by habit; 16 bits come channels last as well."""
    return "abx" if dtype == "f32" else draw.one_of("abx", "axb")


def planes_of(draw):
    """Images, channels and a side of planes."""
    elements = math.exp(draw.random.uniform(math.log(1 << 12), math.log(1 << 28)))
    side = draw.raw(2, min(256, math.sqrt(elements)))
    left = max(1, elements / side ** 2)
    channels = min(draw.size(1, 2048), round(left) or 1)
    return max(1, round(left / channels)), channels, side


def eltwise(draw, dtype):
    rows, length = rows_of(draw)
    algorithm = draw.one_of("relu", "gelu_erf", "gelu_tanh", "tanh", "swish")
    return f"--dir=FWD_D --alg={algorithm} --alpha=1 --dt={dtype} --tag=abx {rows}x{length}", 0, 2 * rows * length


def softmax(draw, dtype):
    rows, length = rows_of(draw)
    line = f"--dir=FWD_I --sdt={dtype} --ddt={dtype} --stag=abx --dtag=abx --axis=1 {rows}x{length}"
    return line, 0, 2 * rows * length


def lnorm(draw, dtype):
    rows, length = rows_of(draw)
    return f"--dir=FWD_I --tag=abx --dt={dtype} --flags=CH {rows}x{length}", 0, 2 * rows * length


def reduction(draw, dtype):
    rows, length = rows_of(draw)
    algorithm, out = draw.one_of("sum", "mean", "max"), draw.one_of(f"{rows}x1", f"1x{length}")
    line = f"--sdt={dtype} --ddt={dtype} --stag=abx --dtag=abx --alg={algorithm} {rows}x{length}:{out}"
    return line, 0, rows * length


def binary(draw, dtype):
    tag = tag_of(draw, dtype)
    images, channels, side = planes_of(draw)
    shape = f"{images}x{channels}x{side}x{side}"
    other = draw.one_of(shape, f"1x{channels}x1x1", f"1x1x{side}x{side}", f"{images}x{channels}x1x1")
    algorithm = draw.one_of("add", "mul")
    line = (f"--alg={algorithm} --sdt={dtype}:{dtype} --ddt={dtype} --stag={tag}:{tag} --dtag={tag} "
            f"{shape}:{other}")
    return line, 0, 3 * images * channels * side * side


def bnorm(draw, dtype):
    images, channels, side = planes_of(draw)
    direction, flags = draw.one_of(("FWD_I", "GCH"), ("FWD_D", "CH"))
    shape = f"mb{images}ic{channels}ih{side}iw{side}"
    line = f"--dir={direction} --tag={tag_of(draw, dtype)} --dt={dtype} --flags={flags} {shape}"
    return line, 0, 2 * images * channels * side * side


def pool(draw, dtype):
    images, channels, side = planes_of(draw)
    kernel, stride = draw.one_of((2, 2), (3, 2), (3, 1))
    pad = kernel // 2
    out = (side + 2 * pad - kernel) // stride + 1
    shape = (f"mb{images}ic{channels}ih{side}iw{side}oh{out}ow{out}kh{kernel}kw{kernel}"
             f"sh{stride}sw{stride}ph{pad}pw{pad}")
    line = f"--dir=FWD_I --alg={draw.one_of('max', 'avg_p')} --dt={dtype} --tag={tag_of(draw, dtype)} {shape}"
    return line, 0, 2 * images * channels * side * side


def families():
    """{name: function from a Draw to (line, operations, bytes), or to None where the sizes do not go together}."""
    floats = ("f32", "f16", "bf16")
    found = {f"matmul_{t}": partial(matmul, dtype=t) for t in (*floats, "s8")}
    for name, direction in (("conv", "FWD_I"), ("conv_data", "BWD_D"), ("conv_weights", "BWD_W")):
        found.update({f"{name}_{t}": partial(conv, dtype=t, direction=direction) for t in floats})
    for draw_one in (eltwise, softmax, lnorm, reduction, binary, bnorm, pool):
        found.update({f"{draw_one.__name__}_{t}": partial(elements_to_bytes, draw_one, dtype=t) for t in floats})
    return found


def elements_to_bytes(draw_one, draw, dtype):
    line, operations, elements = draw_one(draw, dtype)
    return line, operations, elements * TYPE_BYTES[dtype]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(families()))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--aligned", type=float, default=0.5, help="share of the sizes that become multiples of 8")
    parser.add_argument("--chains", type=float, default=0, help="share of products and convolutions with a chain")
    parser.add_argument("--max-gflop", type=float, default=2000, help="no problem has more operations, in 10^9")
    parser.add_argument("--max-mib", type=float, default=2048, help="no problem has larger tensors together, in MiB")
    args = parser.parse_args()
    draw_one, chains = families()[args.family], ""
    if args.chains:
        if not re.fullmatch("(matmul|conv)_(f32|f16|bf16)", args.family):
            parser.error(f"--chains: {args.family} takes none; products and forward convolutions of floats do")
        draw_one = partial(with_chain, draw_one, family=args.family, share=args.chains)
        chains = f", {args.chains:g} of them with a chain"
    print(f"# {args.count} problems of {args.family}{chains}, drawn at random with seed {args.seed}")
    drawn, attempt = 0, 0
    while drawn < args.count:
        problem = draw_one(Draw(f"{args.family} {args.seed} {attempt}", args.aligned))
        attempt += 1
        if problem and problem[1] <= args.max_gflop * 1e9 and problem[2] <= args.max_mib * 2**20:
            print("--reset", problem[0])
            drawn += 1


if __name__ == "__main__":
    main()
