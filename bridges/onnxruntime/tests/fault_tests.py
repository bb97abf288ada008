#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sessions on a device whose calls fail: each fails with Prim's sentence or gives the right result, and the next run is
right; a device that is gone fails every run, and others go on.

    fault_tests.py LIBRARY

A layer (tests/harness/ocl_faults.h) from the library's build tree, in front of OpenCL, lets calls fail. ONNX Runtime 1.24 or later, for tensors on the device.
"""
import argparse
import ctypes
import itertools
import os
import sys

import numpy as np
import onnxruntime as ort

import binding_tests
import provider

DEVICE_NOT_AVAILABLE = -2


class Fault(ctypes.Structure):
    _fields_ = [("nth", ctypes.c_long), ("is_lasting", ctypes.c_bool), ("only", ctypes.c_char_p), ("code", ctypes.c_int)]


layer = ctypes.CDLL(None)


def with_fault(work, nth, is_lasting=False, code=0):
    """What the work gives, or what its failure says, and the call that failed (None: there were not so many)."""
    layer.ocl_faults_arm(ctypes.byref(Fault(nth, is_lasting, None, code)))
    try:
        return work(), layer.ocl_faults_disarm()
    except Exception as failure:
        return str(failure), layer.ocl_faults_disarm()


def runs_of(entry):
    """The entry's ways to run: with arrays of the host, and bound where the entry has the memory."""
    is_bound = entry.ep_metadata["tensors"] != "host"
    model, x = binding_tests.network(), np.random.default_rng(61).standard_normal((1, 4, 8, 20)).astype(np.float32)
    session = binding_tests.open_session(model, entry, **({} if is_bound else {"device": "gpu"}))
    expected = binding_tests.open_session(model).run(None, {"x": x})[0]

    def bound():
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", binding_tests.on_device(x, 0))
        binding.bind_output("y", "gpu", 0)
        session.run_with_iobinding(binding)
        return binding.get_outputs()[0].numpy()

    return expected, [lambda: session.run(None, {"x": x})[0]] + ([bound] if is_bound else [])


def is_right(result, expected):
    return not isinstance(result, str) and np.allclose(result, expected, rtol=1e-5, atol=1e-5)


def check_each_call(entry):
    """Every call of a run once."""
    expected, runs = runs_of(entry)
    nfailed = 0
    for run in runs:
        assert is_right(run(), expected)
        for nth in itertools.count(1):
            result, failed = with_fault(run, nth)
            if failed is None:
                assert is_right(result, expected)
                break
            told = isinstance(result, str) and "Prim: " in result
            assert told or is_right(result, expected), (nth, failed, result)
            nfailed += isinstance(result, str)
            assert is_right(run(), expected), "after call %d, %s, the next run is wrong" % (nth, failed)
        assert nth > 5, "a run makes %d calls" % nth
    return nfailed


def check_lost_device(entry):
    expected, runs = runs_of(entry)
    for run in runs:
        assert is_right(run(), expected)
        result, failed = with_fault(run, 1, True, DEVICE_NOT_AVAILABLE)
        assert failed and isinstance(result, str), result
        assert "Prim: " in result and "CL_DEVICE_NOT_AVAILABLE" in result, result
        assert is_right(run(), expected)


def check_first_runs(entry):
    """Opening a session and its first run, in which kernels are compiled: some of the calls."""
    expected, _ = runs_of(entry)

    def live():
        return runs_of(entry)[1][0]()

    for nth in (1, 2, 5, 12, 30, 70, 160):
        result, failed = with_fault(live, nth)
        assert is_right(result, expected) or (failed and "Prim: " in str(result)), (nth, failed, result)
    assert is_right(live(), expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--device", default="gpu")
    arguments = parser.parse_args()
    if not hasattr(layer, "ocl_faults_arm"):
        preload = os.path.join(os.path.dirname(arguments.library), "../../tests/harness/libocl_faults_preload.so")
        if not os.path.exists(preload):
            sys.exit("FAILED: %s is not built, which fails OpenCL calls" % os.path.realpath(preload))
        os.execve(sys.executable, [sys.executable] + sys.argv, dict(os.environ, LD_PRELOAD=os.path.realpath(preload)))
    layer.ocl_faults_disarm.restype = ctypes.c_char_p
    provider.register(arguments.library)
    nfailed = 0
    for entry in (provider.host_entry(), provider.bound_entry(0)):
        nfailed += check_each_call(entry)
        check_lost_device(entry)
        check_first_runs(entry)
    print("%s: %d runs failed with a sentence, and agree with the host's afterwards" % (ort.__version__, nfailed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
