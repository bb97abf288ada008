#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX's own backend tests on the provider, with the host's fallback disabled: what runs, runs on Prim.

    node_tests.py LIBRARY [--device=cpu|gpu] [--pattern=REGEX] [--table=FILE]

Prints how many tests were claimed and passed, and those that failed; the exit code is 0 if none did and at least one ran.
A model that the host itself cannot load, without the provider, is not counted. --table writes a Markdown table by
operator.
"""
import argparse
import collections
import io
import re
import sys
import unittest
import warnings

import onnx.backend.test
import onnxruntime as ort
from onnx.backend.base import Backend, BackendRep

EP = "PrimExecutionProvider"
# ONNX Runtime 1.23 asks for bodies of loops inside functions as graphs of their own, and then loses the fused node.
LOST_BY_HOST = "Bad node spec for node. Name: _inlfunc_SequenceMap_"
NOT_CLAIMED = "fallback to CPU EP has been explicitly disabled"
arguments = None
devices = []
operators = {}  # of each test that was claimed


def session(model, on_prim):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if on_prim:
        options.add_provider_for_devices(devices, {"device": arguments.device})
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return ort.InferenceSession(model.SerializeToString(), options)


def open_session(model):
    try:
        return session(model, on_prim=True)
    except Exception as failure:
        if NOT_CLAIMED in str(failure):
            raise unittest.SkipTest("not claimed") from failure
        if LOST_BY_HOST in str(failure):
            raise unittest.SkipTest("lost by the host") from failure
        try:
            session(model, on_prim=False)
        except Exception as of_host:
            raise unittest.SkipTest("the host cannot load it") from of_host
        raise


class Prepared(BackendRep):
    def __init__(self, model):
        self.session = open_session(model)

    def run(self, inputs, **_):
        names = [i.name for i in self.session.get_inputs()]
        return self.session.run(None, dict(zip(names, inputs)))


class PrimBackend(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **_):
        prepared = Prepared(model)
        operators[len(operators)] = {n.op_type for n in model.graph.node}
        return prepared

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


class Result(unittest.TextTestResult):
    """Remembers the operators of the tests that passed."""

    passed = collections.Counter()

    def startTest(self, test):
        super().startTest(test)
        self.before = len(operators)

    def addSuccess(self, test):
        super().addSuccess(test)
        for index in range(self.before, len(operators)):
            Result.passed.update(operators[index])


def main():
    global arguments
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pattern", default="test_.*")
    parser.add_argument("--table")
    arguments = parser.parse_args()
    ort.register_execution_provider_library("prim", arguments.library)
    devices.extend(d for d in ort.get_ep_devices() if d.ep_name == EP)
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
    if arguments.table:
        with open(arguments.table, "w", encoding="utf-8") as table:
            table.write("| operator | tests passed |\n|---|---|\n")
            table.writelines("| %s | %d |\n" % pair for pair in sorted(Result.passed.items()))
    return 1 if bad or claimed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
