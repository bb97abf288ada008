#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it saves to keep a session's inputs and outputs on the device: ResNet-50 with random weights.

    binding_times.py LIBRARY [--device=gpu] [--batch=1,32] [--precision=f32,f16] [--runs=30]

Prints a table: milliseconds of a run, the best of some, with arrays of the host and with tensors that are bound on the
device; the difference between the two sessions' results is 0.
"""
import argparse
import sys
import time

import numpy as np
import onnx.numpy_helper
import onnxruntime as ort

import provider
from model_tests import read_light, with_random_weights


arguments = None


def network(batch):
    """The model with images of that batch, and the names of its ends."""
    model = with_random_weights(read_light("resnet50")[0])
    source, result = model.graph.input[0], model.graph.output[0]
    source.type.tensor_type.shape.dim[0].dim_value = batch
    result.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    rows = next(n for n in model.graph.node if n.op_type == "Reshape").input[1]
    shape = next(i for i in model.graph.initializer if i.name == rows)
    shape.CopyFrom(onnx.numpy_helper.from_array(np.int64([batch, -1]), rows))
    return model.SerializeToString(), source.name, result.name


def open_session(model, entry, precision):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    device = {"device": arguments.device} if entry.ep_metadata["tensors"] == "host" else {}
    options.add_provider_for_devices([entry], {"claim": "all", "precision": precision, **device})
    return ort.InferenceSession(model, options)


def best_ms(work):
    work()
    times = []
    for _ in range(arguments.runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def row(batch, precision):
    model, source, result = network(batch)
    image = np.random.default_rng(0).standard_normal((batch, 3, 224, 224)).astype(np.float32)
    on_host = open_session(model, provider.host_entry(), precision)
    expected = on_host.run(None, {source: image})[0]
    host_ms = best_ms(lambda: on_host.run(None, {source: image}))
    number = int(arguments.device.partition(":")[2] or 0)
    session = open_session(model, provider.bound_entry(number), precision)
    crossing_ms = best_ms(lambda: session.run(None, {source: image}))
    place = ort.OrtValue.ortvalue_from_shape_and_type(list(expected.shape), np.float32, "gpu", number, 0)
    binding = session.io_binding()
    binding.bind_ortvalue_input(source, ort.OrtValue.ortvalue_from_numpy(image, "gpu", number, 0))
    binding.bind_ortvalue_output(result, place)
    bound_ms = best_ms(lambda: session.run_with_iobinding(binding))
    difference = np.abs(place.numpy() - expected).max()
    print("| %d | `%s` | %.2f | %.2f | %.2f | %g |" % (batch, precision, host_ms, crossing_ms, bound_ms, difference), flush=True)


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--batch", default="1,32")
    parser.add_argument("--precision", default="f32,f16")
    parser.add_argument("--runs", type=int, default=30)
    arguments = parser.parse_args()
    provider.register(arguments.library)
    print("| batch | `precision` | tensors of the host, ms | the same, copied by the runtime, ms | bound on the device, ms | difference |")
    print("|---|---|---|---|---|---|")
    for batch in arguments.batch.split(","):
        for precision in arguments.precision.split(","):
            row(int(batch), precision)
    return 0


if __name__ == "__main__":
    sys.exit(main())
