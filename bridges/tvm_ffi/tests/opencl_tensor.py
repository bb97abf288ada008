# SPDX-License-Identifier: Apache-2.0
"""Tensors of DLPack in OpenCL buffers of a context of our own, as another library would hand them over."""

import ctypes
import ctypes.util

import numpy as np
import tvm_ffi

_cl = ctypes.CDLL(ctypes.util.find_library("OpenCL"))
for _name in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer"):
    getattr(_cl, _name).restype = ctypes.c_void_p
_pointer = ctypes.c_void_p
_DEVICE_TYPE_ALL, _COPY_HOST_PTR, _OPENCL, _FLOAT = 0xFFFFFFFF, 1 << 5, 4, 2


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", _pointer), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, _pointer)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("manager", _pointer), ("deleter", _Deleter)]


def _check(error):
    if error:
        raise RuntimeError(f"OpenCL fails with {error}")


class Context:
    """A context on the first device of the first platform, with a queue."""

    def __init__(self):
        platform, device, error = _pointer(), _pointer(), ctypes.c_int32()
        _check(_cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
        _check(_cl.clGetDeviceIDs(platform, ctypes.c_uint64(_DEVICE_TYPE_ALL), 1, ctypes.byref(device), None))
        self._context = _pointer(_cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
        _check(error.value)
        self._queue = _pointer(_cl.clCreateCommandQueue(self._context, device, ctypes.c_uint64(0), ctypes.byref(error)))
        _check(error.value)
        self._kept = []

    def tensor(self, x, offset_elems=0, shape=None):
        """A float32 tensor `offset_elems` behind the start of a buffer of its own; `shape`: what it says it has."""
        whole = np.concatenate([np.full(offset_elems, np.nan, np.float32), x.ravel()])
        error = ctypes.c_int32()
        buffer = _pointer(_cl.clCreateBuffer(self._context, ctypes.c_uint64(_COPY_HOST_PTR), ctypes.c_size_t(whole.nbytes),
                                             _pointer(whole.ctypes.data), ctypes.byref(error)))
        _check(error.value)
        descriptor = (_pointer * 2)(buffer, None)  # it begins with the cl_mem; TVM's has more
        shape = (ctypes.c_int64 * x.ndim)(*(shape or x.shape))
        managed = _Managed(_DLTensor(ctypes.addressof(descriptor), _OPENCL, 0, x.ndim, _FLOAT, 32, 1, shape, None,
                                     4 * offset_elems), None, _Deleter())
        self._kept.append((buffer, descriptor, shape, managed))
        ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
        ctypes.pythonapi.PyCapsule_New.argtypes = [_pointer, ctypes.c_char_p, _pointer]
        return tvm_ffi.from_dlpack(ctypes.pythonapi.PyCapsule_New(ctypes.addressof(managed), b"dltensor", None))

    def read(self, index, shape):
        """What the buffer of tensor `index` holds behind its offset."""
        buffer, _, _, managed = self._kept[index]
        x = np.empty(shape, np.float32)
        _check(_cl.clEnqueueReadBuffer(self._queue, buffer, 1, ctypes.c_size_t(managed.tensor.byte_offset),
                                       ctypes.c_size_t(x.nbytes), _pointer(x.ctypes.data), 0, None, None))
        return x
