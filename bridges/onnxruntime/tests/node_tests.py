#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's own backend tests on the provider, with the host's fallback disabled: what runs, runs on Prim.

    node_tests.py LIBRARY [--device=cpu|gpu] [--pattern=REGEX] [--at-least=N] [--page=FILE]

The tests give parameters (axes, sizes, pads) as inputs, where models have constants: a model that is not claimed as it is
is tried with all inputs but the first as constants. Prints how many tests were claimed and passed, and those that failed;
the exit code is 0 if none did and at least N (1) ran. A model that the host itself cannot load, without the provider, is
not counted. --page writes the table by operator into a Markdown page, between its two marks.
"""
import argparse
import collections
import io
import re
import sys
import textwrap
import unittest
import warnings

import numpy as np
import onnx.backend.test
import onnx.numpy_helper
import onnxruntime as ort
from onnx.backend.base import Backend, BackendRep

import provider

# ONNX Runtime 1.23 asks for bodies of loops inside functions as graphs of their own, and then loses the fused node.
LOST_BY_HOST = "Bad node spec for node. Name: _inlfunc_SequenceMap_"
NOT_CLAIMED = "fallback to CPU EP has been explicitly disabled"
MARKS = ["<!-- node_tests.py begins -->\n", "<!-- node_tests.py ends -->\n"]
arguments = None


def session(model, on_prim):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if on_prim:
        options.add_provider_for_devices([provider.host_entry()], {"device": arguments.device})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return ort.InferenceSession(model.SerializeToString(), options)


def open_session(model):
    """None where the provider does not claim the whole model."""
    try:
        return session(model, on_prim=True)
    except Exception as failure:
        if NOT_CLAIMED in str(failure):
            return None
        if LOST_BY_HOST in str(failure):
            raise unittest.SkipTest("lost by the host") from failure
        try:
            session(model, on_prim=False)
        except Exception as of_host:
            raise unittest.SkipTest("the host cannot load it") from of_host
        raise


def with_constants(model, inputs):
    """The model with all inputs but the first as constants."""
    if len(inputs) < 2 or len(inputs) != len(model.graph.input) or not all(isinstance(i, np.ndarray) for i in inputs):
        return None
    constant = onnx.ModelProto()
    constant.CopyFrom(model)
    for value, array in list(zip(constant.graph.input, inputs))[1:]:
        constant.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
        constant.graph.input.remove(value)
    return constant


class Prepared(BackendRep):
    def __init__(self, model):
        self.model = model
        self.session = open_session(model)

    def run(self, inputs, **_):
        inputs = [np.asarray(i) if isinstance(i, np.generic) else i for i in inputs]
        running = self.session
        if not running:
            constant = with_constants(self.model, inputs)
            running = open_session(constant) if constant else None
            inputs = inputs[:1]
        if not running:
            raise unittest.SkipTest("not claimed")
        names = [i.name for i in running.get_inputs()]
        return running.run(None, dict(zip(names, inputs)))


class PrimBackend(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **_):
        Result.operators = {n.op_type for n in model.graph.node}
        return Prepared(model)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


class Result(unittest.TextTestResult):
    """Counts by operator the tests of models of one operator; of others by their number alone."""

    operators = set()
    passed, not_claimed = collections.Counter(), collections.Counter()

    def startTest(self, test):
        super().startTest(test)
        Result.operators = set()

    @staticmethod
    def name():
        return next(iter(Result.operators)) if len(Result.operators) == 1 else ""

    def addSuccess(self, test):
        super().addSuccess(test)
        Result.passed[self.name()] += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if reason == "not claimed":
            Result.not_claimed[self.name()] += 1


def table():
    """Three operators a row."""
    names = sorted(name for name in Result.passed if name)
    lines = ["| operator | passed | not claimed " * 3 + "|\n", "|---|---|---" * 3 + "|\n"]
    rows = -(-len(names) // 3)
    for row in range(rows):
        cells = [names[k] if k < len(names) else None for k in range(row, 3 * rows, rows)]
        lines.append("".join("| %s | %d | %d " % (n, Result.passed[n], Result.not_claimed[n]) if n else "| | | "
                             for n in cells) + "|\n")
    never = sorted(name for name in Result.not_claimed if name and not Result.passed[name])
    text = "Models of several operators: %d passed, %d not claimed as a whole. Operators never claimed: %s." % (
        Result.passed[""], Result.not_claimed[""], ", ".join(never))
    return [*lines, "\n", textwrap.fill(text, 120), "\n"]


def write_page(path):
    with open(path, encoding="utf-8") as page:
        before, _, rest = page.read().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    with open(path, "w", encoding="utf-8") as page:
        page.writelines([before, MARKS[0], "\n", *table(), "\n", MARKS[1], after])


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pattern", default="test_.*")
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--page")
    arguments = parser.parse_args()
    provider.register(arguments.library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = onnx.backend.test.BackendTest(PrimBackend, __name__)
    tests.include(arguments.pattern.rstrip("$") + "_cpu$")
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in tests.test_cases.values())
    log = io.StringIO()
    result = unittest.TextTestRunner(stream=log, resultclass=Result).run(suite)
    bad = result.failures + result.errors
    for test, trace in bad:
        print("FAILED", test, re.sub(r"\s+", " ", trace.strip().splitlines()[-1])[:300])
    claimed = result.testsRun - len(result.skipped)
    print("%s: %d tests claimed, %d passed, %d failed; %d operators" %
          (arguments.device, claimed, claimed - len(bad), len(bad), len(Result.passed)))
    if arguments.page:
        write_page(arguments.page)
    return 1 if bad or claimed < arguments.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
