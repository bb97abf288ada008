# SPDX-License-Identifier: Apache-2.0
"""Loads the library and finds its functions."""

import functools
import os
import pathlib

import tvm_ffi


@tvm_ffi.register_error("NotImplementedError")
class _NotImplemented(NotImplementedError):
    """What TVM FFI raises for Prim's "unimplemented"."""


def _load():
    path = os.environ.get("PRIM_FFI_LIBRARY") or pathlib.Path(__file__).parent / "libprim_tvm_ffi.so"
    module = tvm_ffi.load_module(str(path))
    module.register_functions()
    return module


_module = _load()


@functools.lru_cache(maxsize=None)
def function(name):
    """The packed function prim.<name>."""
    return tvm_ffi.get_global_func("prim." + name)
