#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real models end to end on the provider, beside the host's own kernels.

    model_tests.py LIBRARY [--device=cpu|gpu] [--only=NAME,…] [--threads=N] [--profile=FILE] [--page=FILE]

Each program works on the host first, then with the provider in every session, and has to find the same: RapidOCR reads a
rendered page with its three models, Silero finds the speech in a recording that is synthesised here, Magika names types
of files, a sentence encoder's vectors agree to 1e-4. Nine networks for images with random weights agree to 1e-4 of
their largest output, and with the weights that the onnx package has, give the outputs that it has.

--profile has the provider append the times of primitives to a file, and slows it down. Prints a table: nodes that run
on Prim, its share of the time in sessions, and times, of the host and of Prim in turn; --page writes it into a Markdown
page, between its two marks. The exit code is 0 if all passed.
"""
import argparse
import glob
import importlib.util
import json
import os
import re
import sys
import tempfile
import time

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime as ort

import minilm
import provider

MARKS = ["<!-- model_tests.py begins -->\n", "<!-- model_tests.py ends -->\n"]
HostSession = ort.InferenceSession
arguments = None


class Session(HostSession):
    """What the programs open: on the host or on the provider, timed, with a profile of the runtime where one is wanted."""

    device = None
    is_profiled = False
    seconds = 0.0
    opened = []

    def __init__(self, model, sess_options=None, **_):
        options = sess_options or ort.SessionOptions()
        options.intra_op_num_threads = arguments.threads
        options.log_severity_level = 1 if Session.is_profiled else 3
        if Session.device:
            own = {"device": Session.device, "claim": "all"}
            if arguments.profile:
                own["profile"] = arguments.profile
            options.add_provider_for_devices([provider.host_entry()], own)
        if Session.is_profiled:
            options.enable_profiling = True
            options.profile_file_prefix = os.path.join(
                tempfile.gettempdir(), "prim_%d_%d" % (os.getpid(), len(Session.opened)))
        super().__init__(model, options)
        Session.opened.append(self)

    def run(self, *args, **more):
        start = time.perf_counter()
        try:
            return super().run(*args, **more)
        finally:
            Session.seconds += time.perf_counter() - start


def render_page():
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("RGB", (720, 260), "white")
    for row, line in enumerate(LINES):
        ImageDraw.Draw(page).text((30, 20 + 58 * row), line, fill="black", font=ImageFont.load_default(size=30))
    return np.asarray(page)[:, :, ::-1].copy()


LINES = ["Prim computes deep learning primitives", "on every OpenCL device and on the CPU",
         "Invoice 20417: total 1,386.50 EUR", "Convolution, pooling and softmax"]


def rapidocr():
    """The recogniser sees no blanks between some words, on the host too."""
    import rapidocr_onnxruntime.utils.infer_engine as engine

    engine.InferenceSession = Session
    reader = __import__("rapidocr_onnxruntime").RapidOCR()
    page = render_page()

    def work():
        found = reader(page)[0]
        text = [line[1].replace(" ", "") for line in found]
        assert text == [line.replace(" ", "") for line in LINES], text
        return np.float32([line[2] for line in found])

    return work


RATE = 16000
FORMANTS = {"a": (730, 1090, 2440), "i": (270, 2290, 3010), "u": (300, 870, 2240), "e": (530, 1840, 2480),
            "o": (570, 840, 2410)}  # Hz; Peterson and Barney 1952, men


def vowel(name, seconds, pitch):
    """Pulses of a gliding pitch through a resonator for each formant."""
    n = int(seconds * RATE)
    turns = np.floor(np.cumsum(pitch * np.linspace(1.1, 0.9, n)) / RATE)
    y = np.diff(turns, prepend=0)
    for frequency, width in zip(FORMANTS[name], (80, 110, 170)):
        r = np.exp(-np.pi * width / RATE)
        a, b = 2 * r * np.cos(2 * np.pi * frequency / RATE), -r * r
        out, last, before = np.zeros(n), 0.0, 0.0
        for i in range(n):
            last, before = y[i] + a * last + b * before, last
            out[i] = last
        y = out
    y *= np.minimum(1, np.minimum(np.arange(n), np.arange(n)[::-1]) / (0.03 * RATE))
    return 0.5 * y / np.abs(y).max()


def recording():
    """1.5 s of quiet noise, ten syllables, 1.5 s of noise; also the seconds at which speech begins and ends."""
    draw = np.random.default_rng(1)
    syllables = []
    for name in "aiueoaeiou":
        hiss = np.diff(draw.standard_normal(RATE * 6 // 100), prepend=0)
        syllables += [0.15 * hiss / np.abs(hiss).max() * np.hanning(len(hiss)), vowel(name, 0.16, draw.normal(120, 20))]
    speech = np.concatenate(syllables)
    quiet = np.zeros(RATE * 3 // 2)
    sound = np.concatenate([quiet, speech, quiet])
    return (sound + 0.003 * draw.standard_normal(len(sound))).astype(np.float32), 1.5, 1.5 + len(speech) / RATE


def folder_of(package):
    return os.path.dirname(importlib.util.find_spec(package).origin)


def silero():
    sound, begin, end = recording()
    session = Session(os.path.join(folder_of("silero_vad"), "data", "silero_vad_openvino_16k.onnx"))

    def work():
        state, before, shares = np.zeros((2, 1, 128), np.float32), np.zeros((1, 64), np.float32), []
        for first in range(0, len(sound) - 511, 512):
            x = np.concatenate([before, sound[None, first:first + 512]], 1)
            share, state = session.run(None, {"input": x, "state": state})
            before = x[:, -64:]
            shares.append(share[0, 0])
        is_speech = np.flatnonzero(np.float32(shares) > 0.5) * 512 / RATE
        assert abs(is_speech[0] - begin) < 0.15 and abs(is_speech[-1] - end) < 0.3, is_speech
        assert len(is_speech) * 512 / RATE > 0.95 * (end - begin), is_speech
        return np.float32(shares)

    return work


FILES = {
    "python": "import os\nimport sys\n\n\ndef main(argv):\n    for name in argv[1:]:\n        print(os.path.abspath(name))\n"
              "    return 0\n\n\nif __name__ == '__main__':\n    sys.exit(main(sys.argv))\n" * 3,
    "c": "#include <stdio.h>\n\nstatic int twice(int x)\n{\n    return 2 * x;\n}\n\nint main(int argc, char **argv)\n{\n"
         "    printf(\"%d\\n\", twice(argc));\n    return 0;\n}\n" * 2,
    "json": json.dumps({"name": "prim", "items": [{"id": k, "price": 1.5 * k, "is_new": True} for k in range(20)]}, indent=2),
    "sql": "SELECT name, price FROM items WHERE price > 10 ORDER BY name;\nINSERT INTO items VALUES ('a', 1);\n",
}


def magika():
    ort.InferenceSession = Session
    try:
        namer = __import__("magika").Magika()
    finally:
        ort.InferenceSession = HostSession

    def work():
        results = [namer.identify_bytes(text.encode()).output for text in FILES.values()]
        found = [namer.identify_bytes(text.encode()) for text in FILES.values()]
        assert [str(r.label) for r in results] == list(FILES), results
        return np.float32([f.score for f in found])

    return work


SENTENCES = ["A man is eating food.", "Someone has a meal.", "The sky is blue today.", "A cat sleeps on the warm roof."]


def sentences():
    model, tokenizer = minilm.load(os.path.join(folder_of("all_minilm_l6_v2"), "model.zip"), 16)
    session = Session(model)
    encoded = tokenizer.encode_batch(SENTENCES)
    inputs = {"ids": np.int64([e.ids for e in encoded]), "mask": np.float32([e.attention_mask for e in encoded])}

    def work():
        vectors = session.run(None, inputs)[0]
        alike = vectors @ vectors.T
        assert alike[0, 1] > 0.5 and max(alike[0, 2], alike[0, 3], alike[1, 2]) < 0.3, alike
        return vectors

    return work


def read_light(name):
    """A network of the onnx package with its weights as constants, and the output that is stored with it."""
    folder = os.path.join(folder_of("onnx"), "backend", "test", "data", "light")
    model = onnx.load(os.path.join(folder, "light_%s.onnx" % name))
    constants = {i.name for i in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)
    with open(os.path.join(folder, "light_%s_output_0.pb" % name), "rb") as stored:
        output = onnx.numpy_helper.to_array(onnx.TensorProto.FromString(stored.read()))
    return model, output


def with_random_weights(model):
    """In the places of weights of one value each. Of variances n/2, sums of rectified values keep their size. A softmax at
    the end, of which one class would be all, is cut off."""
    draw = np.random.default_rng(7)
    shapes = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    fed = {n.output[0]: n for n in model.graph.node if n.op_type == "ConstantOfShape"}
    kept = [n for n in model.graph.node if n.op_type != "ConstantOfShape"]
    weights = []
    for name, node in fed.items():
        shape = tuple(int(d) for d in shapes[node.input[0]])
        fan = max(1, int(np.prod(shape[1:])))
        values = draw.standard_normal(shape) * np.sqrt(2 / fan) if len(shape) > 1 else 1 + 0.1 * draw.random(shape)
        weights.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
    last = next(n for n in kept if n.output[0] == model.graph.output[0].name)
    if last.op_type == "Softmax":
        kept.remove(last)
        model.graph.output[0].name = last.input[0]
        model.graph.output[0].type.tensor_type.ClearField("shape")
    del model.graph.node[:]
    model.graph.node.extend(kept)
    model.graph.initializer.extend(weights)
    return model


def light(name):
    def make():
        model, stored = read_light(name)
        shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
        image = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        feed = {model.graph.input[0].name: image}
        given = HostSession.run(Session(model.SerializeToString()), None, feed)[0]
        np.testing.assert_allclose(given, stored, rtol=1e-3, atol=1e-7)
        session = Session(with_random_weights(model).SerializeToString())

        def work():
            y = session.run(None, feed)[0]
            assert np.std(y) > 0.01 * np.abs(y).max(), "the output does not depend on the image"
            return y

        return work

    return make


LIGHT = ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19",
         "zfnet512"]
PROGRAMS = {"rapidocr": rapidocr, "silero": silero, "magika": magika, "sentences": sentences,
            **{name: light(name) for name in LIGHT}}


def measure(works, seconds=3):
    """Of each: the result, and the best time in sessions, in milliseconds. They take turns, behind a first run of each,
    so that all are timed on the same cores at the same time."""
    results, best, nturns, start = [work() for work in works], [1e9] * len(works), 0, time.perf_counter()
    while nturns < 3 or (nturns < 20 and time.perf_counter() - start < seconds):
        for number, work in enumerate(works):
            Session.seconds = 0
            work()
            best[number] = min(best[number], 1e3 * Session.seconds)
        nturns += 1
    return list(zip(results, best))


def shares(make):
    """Nodes on Prim and on the host, and the part of the sessions' time that Prim took, by the runtime's own profile."""
    Session.is_profiled, Session.opened = True, []
    with provider.stderr_of_process() as told:
        work = make()
        work()
        work()
    Session.is_profiled = False
    groups = [re.search(r"a group of (\d+) nodes .* is taken", line) for line in told]
    ours, host, microseconds = sum(int(g.group(1)) for g in groups if g), set(), {provider.EP: 0, "": 0}
    for number, session in enumerate(Session.opened):
        path = session.end_profiling()
        with open(path, encoding="utf-8") as file:
            events = [e for e in json.load(file) if e.get("cat") == "Node" and e["name"].endswith("_kernel_time")]
        os.unlink(path)
        for event in events[len(events) // 2:]:
            name = event["args"].get("provider", "")
            microseconds[name if name == provider.EP else ""] += event["dur"]
            if name != provider.EP:
                host.add((number, event["name"]))
    return ours, len(host), microseconds[provider.EP] / max(1, sum(microseconds.values()))


def check(name):
    """A row of the table."""
    make = PROGRAMS[name]
    works = []
    for Session.device in (None, arguments.device):
        works.append(make())
    (expected, host_ms), (result, prim_ms) = measure(works)
    error = np.abs(result - expected).max() / np.abs(expected).max()
    ours, host, share = shares(make)
    print("%s: difference %.1e, %d nodes on Prim and %d on the host, %.0f %% of the time on Prim, %.1f ms, host %.1f ms" %
          (name, error, ours, host, 100 * share, prim_ms, host_ms), flush=True)
    assert error < 1e-4, "%s differs by %g" % (name, error)
    assert ours > 0, "%s: nothing ran on Prim" % name
    return "| %s | %.1e | %d of %d | %.0f %% | %.1f | %.1f | %.2f |\n" % (
        name, error, ours, ours + host, 100 * share, host_ms, prim_ms, prim_ms / host_ms)


def write_page(path, rows):
    head = ["| program | difference | nodes on Prim | time on Prim | ONNX Runtime ms | Prim ms | ratio |\n",
            "|---|---|---|---|---|---|---|\n"]
    with open(path, encoding="utf-8") as page:
        before, _, rest = page.read().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    with open(path, "w", encoding="utf-8") as page:
        page.writelines([before, MARKS[0], "\n", *head, *rows, "\n", MARKS[1], after])


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--profile")
    parser.add_argument("--page")
    arguments = parser.parse_args()
    provider.register(arguments.library)
    rows, failed = [], []
    for name in arguments.only.split(","):
        try:
            rows.append(check(name))
        except Exception as failure:
            failed.append(name)
            print("FAILED", name, str(failure)[:500], flush=True)
    if arguments.page and not failed:
        write_page(arguments.page, rows)
    print("%s: %d programs agree with the host, %d do not" % (arguments.device, len(rows), len(failed)))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
