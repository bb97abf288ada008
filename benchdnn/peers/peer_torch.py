#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch (on NVIDIA GPUs: cuBLAS and cuDNN) on benchdnn's problems.

    benchdnn --mode=L --canonical=true --conv --batch=shapes_resnet_50 | peer_torch.py --device=cuda

Prints benchdnn's perf lines, for scripts/bench_compare.py. Plain layouts only: abx, axb (channels last)
and, for matmul, the transposed ba. TF32 is off unless --tf32. What PyTorch cannot do is named on stderr
and left out. --graph replays a CUDA graph, so that host time between kernels does not count. Of a backward
direction the gradients alone are timed, by torch.autograd.grad, which CUDA graphs do not take, but for those of
convolution. A bias goes to the operation that has one. Post-ops are operations of their own, in place where PyTorch
has that, as in a model that is run eagerly; with --compile, torch.compile translates operation and chain together
(some seconds for each problem).
"""
import argparse
import sys

import torch
import torch.nn.functional as F

from peer_cases import measure, read_cases, report

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
         "s8": torch.int8, "u8": torch.uint8, "s32": torch.int32}
CACHE_BYTES = 100 << 20  # as benchdnn's: twice the last cache level of the largest GPUs
MAX_SETS = 100


class Unsupported(Exception):
    pass


def tensor(dims, dtype, tag="abx"):
    """Random values, never zeros, in the layout of the tag."""
    if dtype.is_floating_point:
        value = torch.rand(dims, device=DEVICE, dtype=torch.float32).mul_(2).sub_(1).to(dtype)
    else:
        value = torch.randint(0 if dtype == torch.uint8 else -8, 8, dims, device=DEVICE, dtype=dtype)
    if tag in ("abx", "any", "ab", "abc", "abcd", "a", ""):
        return value
    if tag == "axb" and len(dims) == 4:
        return value.contiguous(memory_format=torch.channels_last)
    if tag == "axb" and len(dims) == 5:
        return value.contiguous(memory_format=torch.channels_last_3d)
    if tag in ("ba", "acb", "abdc"):
        return value.transpose(-1, -2).contiguous().transpose(-1, -2)
    raise Unsupported(f"layout {tag}")


def types_of(case, key, count):
    words = case.options[key].split(":")
    words = words * count if len(words) == 1 else words
    return [TYPES[w] for w in words]


# Every operation gives (make, run, ops): make() draws a set of inputs, run(inputs) computes the forward pass once.


def conv(case):
    f = case.fields()
    src_t = types_of(case, "dt", 3)[0]
    kernel, size, out = case.spatial("k"), case.spatial("i")[-3:], case.spatial("o")
    groups, stride, pad = f.get("g", 1), case.spatial("s"), case.spatial("p")
    dilation = [d + 1 for d in case.spatial("d")] or 1
    function = (F.conv1d, F.conv2d, F.conv3d)[len(kernel) - 1]
    tag = "axb" if case.options["stag"] == "axb" else "abx"
    bias = case.options["dir"] in ("FWD_B", "BWD_WB")
    channels, outputs = f["ic"], f["oc"]

    def make():
        return (tensor([f["mb"], channels, *size], src_t, tag),
                tensor([outputs, channels // groups, *kernel], src_t, tag),
                tensor([outputs], src_t) if bias else None)

    taps = 1.0
    for k in kernel:
        taps *= k
    points = 1.0
    for o in out:
        points *= o
    ops = 2.0 * f["mb"] * outputs * (channels // groups) * points * taps
    return make, lambda a: function(a[0], a[1], a[2], stride, pad, dilation, groups), ops


def deconv(case):
    f = case.fields()
    src_t = types_of(case, "dt", 3)[0]
    kernel, size, out = (case.spatial(c) for c in ("k", "i", "o"))
    stride, pad, dilation = case.spatial("s"), case.spatial("p"), [d + 1 for d in case.spatial("d")]
    extra = [o - ((i - 1) * s - 2 * p + d * (k - 1) + 1)
             for o, i, s, p, d, k in zip(out, size, stride, pad, dilation, kernel)]
    function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[len(kernel) - 1]
    tag = "axb" if case.options["stag"] == "axb" else "abx"
    groups, bias = f.get("g", 1), case.options["dir"] in ("FWD_B", "BWD_WB")

    def make():
        return (tensor([f["mb"], f["ic"], *size], src_t, tag),
                tensor([f["ic"], f["oc"] // groups, *kernel], src_t, tag),
                tensor([f["oc"]], src_t) if bias else None)

    return make, lambda a: function(a[0], a[1], a[2], stride, pad, extra, groups, dilation), 0.0


def matmul(case):
    src, wei = case.tensors()[:2]
    src_t, wei_t, _ = types_of(case, "dt", 3)
    m, k, n = src[-2], src[-1], wei[-1]
    batch = 1
    for a, b in zip(src[:-2], wei[:-2]):
        batch *= max(a, b)

    bias_t = TYPES.get(case.options["bia-dt"])
    if bias_t and (bias_t != src_t or int(case.options["bia_mask"]) != 1 << (len(src) - 1)):
        raise Unsupported("a bias of another type, or not one for each column")

    def make():
        return (tensor(src, src_t, case.options["stag"]), tensor(wei, wei_t, case.options["wtag"]),
                tensor([n], bias_t) if bias_t else None)

    if src_t == torch.int8 and len(src) == 2 and not bias_t:
        run = lambda a: torch._int_mm(a[0], a[1])
    elif src_t.is_floating_point and bias_t and len(src) == 2:
        run = lambda a: torch.addmm(a[2], a[0], a[1])
    elif src_t.is_floating_point and bias_t:
        run = lambda a: torch.matmul(a[0], a[1]).add_(a[2])
    elif src_t.is_floating_point:
        run = lambda a: torch.matmul(a[0], a[1])
    else:
        raise Unsupported("integers apart from 2-D s8")
    return make, run, 2.0 * batch * m * n * k


def ip(case):
    f = case.fields()
    src_t = types_of(case, "dt", 3)[0]
    features = f["ic"]
    for size in case.spatial("i"):
        features *= size
    bias = case.options["dir"] in ("FWD_B", "BWD_WB")

    def make():
        return (tensor([f["mb"], features], src_t), tensor([f["oc"], features], src_t),
                tensor([f["oc"]], src_t) if bias else None)

    return make, lambda a: F.linear(a[0], a[1], a[2]), 2.0 * f["mb"] * f["oc"] * features


def pool(case):
    f = case.fields()
    kernel, size, stride, pad = (case.spatial(c) for c in ("k", "i", "s", "p"))
    rank = len(kernel)
    src_t, tag = types_of(case, "dt", 1)[0], case.options["tag"]
    if case.options["alg"] == "max":
        function = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
        run = lambda a: function(a[0], kernel, stride, pad)
    else:
        function = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[rank - 1]
        with_padding = case.options["alg"] == "avg_p"
        run = lambda a: function(a[0], kernel, stride, pad, False, with_padding)
    return lambda: (tensor([f["mb"], f["ic"], *size], src_t, tag),), run, 0.0


ELTWISE = {"relu": F.relu, "tanh": torch.tanh, "gelu_erf": F.gelu, "logistic": torch.sigmoid,
           "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "exp": torch.exp, "abs": torch.abs,
           "sqrt": torch.sqrt, "square": torch.square, "swish": F.silu, "hardswish": F.hardswish,
           "elu": F.elu, "log": torch.log, "mish": F.mish, "tanh_dst": torch.tanh, "relu_dst": F.relu,
           "logistic_dst": torch.sigmoid, "exp_dst": torch.exp, "sqrt_dst": torch.sqrt}


def eltwise(case):
    alg = case.options["alg"]
    if alg not in ELTWISE:
        raise Unsupported(f"eltwise {alg}")
    dims, src_t = case.tensors()[0], types_of(case, "dt", 1)[0]
    return lambda: (tensor(dims, src_t, case.options["tag"]),), lambda a: ELTWISE[alg](a[0]), 0.0


BINARY = {"add": torch.add, "mul": torch.mul, "sub": torch.sub, "div": torch.div, "max": torch.maximum,
          "min": torch.minimum}


def binary(case):
    alg = case.options["alg"]
    if alg not in BINARY:
        raise Unsupported(f"binary {alg}")
    dims = case.tensors()
    types, tags = types_of(case, "sdt", 2), case.options["stag"].split(":")
    return (lambda: tuple(tensor(d, t, g) for d, t, g in zip(dims, types, tags * 2)),
            lambda a: BINARY[alg](a[0], a[1]), 0.0)


def softmax(case):
    dims, src_t = case.tensors()[0], types_of(case, "sdt", 1)[0]
    axis = int(case.options["axis"])
    function = F.softmax if case.options["alg"] == "SOFTMAX" else F.log_softmax
    return (lambda: (tensor(dims, src_t, case.options["stag"]),),
            lambda a: function(a[0], axis), 0.0)


def bnorm(case):
    f = case.fields()
    size, src_t, flags = case.spatial("i"), types_of(case, "dt", 1)[0], case.options["flags"]
    given, relu = "G" in flags, "R" in flags

    def make():
        channel = lambda: torch.rand([f["ic"]], device=DEVICE) + 0.5
        return (tensor([f["mb"], f["ic"], *size], src_t, case.options["tag"]), channel(), channel(),
                channel() if "C" in flags else None, channel() if "H" in flags else None)

    def run(a):
        y = F.batch_norm(a[0], a[1], a[2], a[3], a[4], not given, 0.0, f.get("eps", 1e-5))
        return F.relu_(y) if relu else y

    return make, run, 0.0


def lnorm(case):
    dims, src_t, flags = case.tensors()[0], types_of(case, "dt", 1)[0], case.options["flags"]
    row = dims[-1:]

    def make():
        return (tensor(dims, src_t, case.options["tag"].split(":")[0]),
                tensor(row, src_t) if "C" in flags else None, tensor(row, src_t) if "H" in flags else None)

    return make, lambda a: F.layer_norm(a[0], row, a[1], a[2]), 0.0


def gnorm(case):
    f = case.fields()
    size, src_t, flags = case.spatial("i"), types_of(case, "dt", 1)[0], case.options["flags"]

    def make():
        return (tensor([f["mb"], f["ic"], *size], src_t, case.options["tag"].split(":")[0]),
                tensor([f["ic"]], src_t) if "C" in flags else None,
                tensor([f["ic"]], src_t) if "H" in flags else None)

    return make, lambda a: F.group_norm(a[0], f["g"], a[1], a[2], f.get("eps", 1e-5)), 0.0


def lrn(case):
    f = case.fields()
    if case.options["alg"] != "ACROSS":
        raise Unsupported("windows within a channel")
    src_t, size = types_of(case, "dt", 1)[0], case.spatial("i")
    return (lambda: (tensor([f["mb"], f["ic"], *size], src_t, case.options["tag"]),),
            lambda a: F.local_response_norm(a[0], f["ls"], f["alpha"], f["beta"], f["k"]), 0.0)


def prelu(case):
    src, wei = case.tensors()[:2]
    src_t = types_of(case, "sdt", 2)[0]
    if any(d != 1 for i, d in enumerate(wei) if i != 1):
        raise Unsupported("slopes that are not by channel")
    return (lambda: (tensor(src, src_t, case.options["stag"].split(":")[0]), tensor(wei[1:2], src_t)),
            lambda a: F.prelu(a[0], a[1]), 0.0)


def resampling(case):
    f = case.fields()
    size, out, src_t = case.spatial("i"), case.spatial("o"), types_of(case, "sdt", 1)[0]
    mode = "nearest" if case.options["alg"] == "nearest" else ("linear", "bilinear", "trilinear")[len(size) - 1]
    return (lambda: (tensor([f["mb"], f["ic"], *size], src_t, case.options["tag"]),),
            lambda a: F.interpolate(a[0], out, mode=mode), 0.0)


REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin}


def reduction(case):
    src, dst = case.tensors()[:2]
    alg, src_t = case.options["alg"], types_of(case, "sdt", 1)[0]
    axes = [i for i, (s, d) in enumerate(zip(src, dst)) if s != d]
    if alg not in REDUCTIONS:
        raise Unsupported(f"reduction {alg}")
    return (lambda: (tensor(src, src_t, case.options["stag"]),),
            lambda a: REDUCTIONS[alg](a[0], axes, keepdim=True), 0.0)


def concat(case):
    dims, src_t = case.tensors(), types_of(case, "sdt", 1)[0]
    tag, axis = case.options["stag"].split(":")[0], int(case.options["axis"])
    return (lambda: tuple(tensor(d, src_t, tag) for d in dims), lambda a: torch.cat(a, axis), 0.0)


def reorder(case):
    dims = case.tensors()[0]
    src_t, dst_t = TYPES[case.options["sdt"]], TYPES[case.options["ddt"]]
    like = tensor(dims, dst_t, case.options["dtag"])

    def run(a):
        return torch.empty_like(like).copy_(a[0])

    return lambda: (tensor(dims, src_t, case.options["stag"]),), run, 0.0


OPERATIONS = {f.__name__: f for f in (conv, deconv, matmul, ip, pool, eltwise, binary, softmax, bnorm, lnorm, gnorm,
                                      lrn, prelu, resampling, reduction, concat, reorder)}

IN_PLACE = {"relu": F.relu_, "hardswish": lambda x: F.hardswish(x, inplace=True),
            "swish": lambda x: F.silu(x, inplace=True)}
BINARY_IN_PLACE = {"add": torch.Tensor.add_, "mul": torch.Tensor.mul_, "sub": torch.Tensor.sub_,
                   "div": torch.Tensor.div_}
PARAMETERS = {"relu": (0, 0), "hardswish": (1 / 6, 0.5), "swish": (1, 0)}  # alpha and beta of PyTorch's


def step_of(text, result, tag):
    """(function of the result and the operand, operand) of a post-op."""
    name, *words = text.split(":")
    if name == "sum" and len(words) < 2:
        scale = float(words[0]) if words else 1.0
        return lambda y, x: y.add_(x, alpha=scale), tensor(list(result.shape), result.dtype, tag)
    if name in BINARY_IN_PLACE and TYPES.get(words[0]) == result.dtype:
        policy = words[1] if len(words) > 1 else "common"
        place = result.dim() - 1 if result.dim() == 2 else 1
        sizes = {"common": [1] * result.dim(), "per_tensor": list(result.shape),
                 "per_oc": [s if i == place else 1 for i, s in enumerate(result.shape)]}
        if policy not in sizes:
            raise Unsupported(f"post-op {text}")
        return BINARY_IN_PLACE[name], tensor(sizes[policy], result.dtype, tag if policy == "per_tensor" else "abx")
    given = [float(w) for w in words] + list(PARAMETERS.get(name, ()))[len(words):]
    if name not in ELTWISE or any(abs(g - p) > 1e-4 for g, p in zip(given, PARAMETERS.get(name, given))):
        raise Unsupported(f"post-op {text}")
    function = IN_PLACE.get(name, ELTWISE[name])
    return lambda y, x: function(y), None


def chain(case, make, run):
    """(make, run) and behind it the post-ops, whose operands are inputs as well."""
    if case.options.get("attr-scales") or case.options.get("attr-zero-points"):
        raise Unsupported("scales and zero points")
    texts = [t for t in case.options.get("attr-post-ops", "").split("+") if t]
    if not texts:
        return make, run
    tag, functions = case.options.get("dtag", "abx"), []

    def make_all():
        inputs = make()
        steps = [step_of(text, run(inputs), tag) for text in texts]
        functions[:] = [function for function, _ in steps]
        return (*inputs, *(operand for _, operand in steps))

    def run_all(a):
        y = run(a[: -len(texts)])
        for function, operand in zip(functions, a[-len(texts):]):
            y = function(y, operand)
        return y

    return make_all, run_all


# Inputs of the forward pass, by place, whose gradients a direction asks for; prelu gives both in any direction.
GRADIENTS = {"BWD_D": (0,), "BWD_W": (1,), "BWD_WB": (1, 2), "BWD_DW": (0, 1, 2)}
PLACES = {"bnorm": (0, 3, 4)}


def conv_gradients(case, make, run):
    """By the operator itself: a CUDA graph takes it, and the host is done sooner than by autograd."""
    f, spatial = case.fields(), case.spatial
    stride, pad, dilation = spatial("s"), spatial("p"), [d + 1 for d in spatial("d")]
    asked = [i in GRADIENTS[case.options["dir"]] for i in range(3)]

    def make_backward():
        src, wei, bias = make()
        return src, wei, torch.rand_like(run((src, wei, bias))).sub_(0.5)

    return make_backward, lambda a: torch.ops.aten.convolution_backward(
        a[2], a[0], a[1], [f["oc"]], stride, pad, dilation, False, [0] * len(stride), f.get("g", 1), asked)


def gradients(case, make, run):
    """The backward pass of (make, run): the forward pass becomes a part of make."""
    asked = GRADIENTS["BWD_DW" if case.driver == "prelu" else case.options["dir"]]

    def make_backward():
        inputs = make()
        places = [PLACES.get(case.driver, range(len(inputs)))[i] for i in asked if i < len(inputs)]
        wanted = [inputs[i].requires_grad_() for i in places if inputs[i] is not None]
        with torch.enable_grad():
            result = run(inputs)
        return (*inputs, torch.rand_like(result).sub_(0.5), result), wanted

    return make_backward, lambda a: torch.autograd.grad(a[0][-1], a[1], a[0][-2], retain_graph=True)


def input_sets(make):
    """So many sets of inputs that the runs, which take them in turn, outgrow the caches."""
    first = make()
    tensors = first[0] if isinstance(first[0], tuple) else first
    nbytes = sum(t.numel() * t.element_size() for t in tensors if t is not None)
    count = 1 if ARGS.warm_cache else min(MAX_SETS, CACHE_BYTES // max(nbytes, 1) + 2)
    return [first] + [make() for _ in range(count - 1)]


def graph_of(run, sets):
    """One CUDA graph that runs every set once."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for inputs in sets[:3]:
            run(inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for inputs in sets:
            run(inputs)
    return graph


def time_case(case):
    make, run, ops = OPERATIONS[case.driver](case)
    make, run = chain(case, make, run)
    if case.options.get("dir", "").startswith("BWD"):
        make, run = (conv_gradients if case.driver == "conv" else gradients)(case, make, run)
    sets = input_sets(make)
    if ARGS.compile:
        torch.compiler.reset()
        run = torch.compile(run, dynamic=False)
    wait = torch.cuda.synchronize if DEVICE == "cuda" else (lambda: None)
    if ARGS.graph:
        while len(sets) < 20:
            sets = sets + sets
        graph = graph_of(run, sets)
        best, average = (ms / len(sets) for ms in measure(graph.replay, wait, ARGS.max_ms))
    else:
        turn = {"next": 0}

        def once():
            run(sets[turn["next"]])
            turn["next"] = (turn["next"] + 1) % len(sets)

        best, average = measure(once, wait, ARGS.max_ms)
    how = (":compile" if ARGS.compile else "") + (":graph" if ARGS.graph else "")
    report("gpu" if DEVICE == "cuda" else "cpu", "torch" + how, case, ops, best, average)


def main():
    global ARGS, DEVICE
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cuda", "cpu"))
    parser.add_argument("--max-ms", type=float, default=300.0, help="budget of a problem")
    parser.add_argument("--graph", action="store_true", help="time replays of a CUDA graph")
    parser.add_argument("--compile", action="store_true", help="time what torch.compile makes of the problem")
    parser.add_argument("--tf32", action="store_true", help="let f32 products use TF32")
    parser.add_argument("--warm-cache", action="store_true", help="one set of inputs, as benchdnn without --cold-cache")
    parser.add_argument("--threads", type=int, help="on the CPU")
    ARGS = parser.parse_args()
    DEVICE = ARGS.device
    if ARGS.threads:
        torch.set_num_threads(ARGS.threads)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = ARGS.tf32
    torch.backends.cudnn.benchmark = True
    with torch.no_grad():
        for case in read_cases(sys.stdin):
            try:
                time_case(case)
            except (Unsupported, KeyError, RuntimeError) as error:
                print(f"peer_torch: left out: {case.descriptor}: {error!r}"[:200], file=sys.stderr)


if __name__ == "__main__":
    main()
