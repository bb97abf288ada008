# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library as tensors of TVM FFI, and the package's own Array."""

import sys

import numpy as np
import tvm_ffi

from ._library import function
from ._runtime import is_recording

_PRIM_NAMES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "s8": "int8", "u8": "uint8",
               "s32": "int32", "f8_e5m2": "float8_e5m2", "f8_e4m3": "float8_e4m3fn"}
_NUMPY_NAMES = {"float16", "float32", "float64", "int8", "uint8", "int32", "bool"}
_NUMPY_TYPES = {np.dtype(name): name for name in _NUMPY_NAMES}
_BITS = {"bfloat16": np.uint16, "float8_e5m2": np.uint8, "float8_e4m3fn": np.uint8}


def type_name(dtype):
    """ "float32" of a type of NumPy, PyTorch or TVM FFI, or of its name here or in Prim."""
    if isinstance(dtype, np.dtype) and dtype in _NUMPY_TYPES:  # its name takes NumPy a microsecond
        return _NUMPY_TYPES[dtype]
    if isinstance(dtype, str):
        return _PRIM_NAMES.get(dtype, dtype)
    try:
        return np.dtype(dtype).name
    except TypeError:
        return str(dtype).split(".")[-1]  # torch.float32


def numpy_type(name):
    """The type of NumPy; None where it has none."""
    if name in _NUMPY_NAMES:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return None
    return np.dtype(getattr(ml_dtypes, name)) if name in _BITS else None


class Array:
    """A tensor on an engine: shape, dtype (a name), engine. numpy() copies it to the host.

    Arithmetic (+ - * / @ and comparisons) runs on the engine. An Array speaks DLPack; one of an OpenCL device
    does as TVM's: the data pointer is that of a descriptor, which begins with the cl_mem.
    """

    __array_priority__ = 1000  # before NumPy's operators

    def __init__(self, tensor, engine):
        self._tensor = tensor
        self.engine = str(engine)
        self.shape = tuple(tensor.shape)
        self.dtype = str(tensor.dtype)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))

    def numpy(self):
        """A copy on the host, waiting for the calls that write it. bfloat16 and float8 need ml_dtypes, or become
        float32."""
        if is_recording():
            raise RuntimeError("arrays have no values while their calls are recorded")
        kind = numpy_type(self.dtype)
        if kind is None:
            from .movement import reorder
            return reorder(self, dtype="float32").numpy()
        host = np.empty(self.shape, kind)
        function("copy")(self._tensor, tensor_of(host, writes=True))
        return host

    def reshape(self, *shape):
        """The same elements in another shape, without a copy."""
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        shape = np.broadcast_to(np.int8(0), self.shape).reshape(shape).shape  # fills in -1
        return Array(function("view")(self._tensor, self.dtype, tvm_ffi.Shape(shape)), self.engine)

    def __array__(self, dtype=None, copy=None):
        return self.numpy().astype(dtype) if dtype is not None else self.numpy()

    def __dlpack__(self, **kwargs):
        return self._tensor.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"prim.Array({self.numpy()!r}, dtype={self.dtype!r}, engine={self.engine!r})"

    def _binary(self, other, algorithm, swap=False):
        from .elementwise import binary
        return binary(other, self, algorithm) if swap else binary(self, other, algorithm)

    def __add__(self, other):
        return self._binary(other, "add")

    def __radd__(self, other):
        return self._binary(other, "add", True)

    def __sub__(self, other):
        return self._binary(other, "sub")

    def __rsub__(self, other):
        return self._binary(other, "sub", True)

    def __mul__(self, other):
        return self._binary(other, "mul")

    def __rmul__(self, other):
        return self._binary(other, "mul", True)

    def __truediv__(self, other):
        return self._binary(other, "div")

    def __rtruediv__(self, other):
        return self._binary(other, "div", True)

    def __matmul__(self, other):
        from .products import matmul
        return matmul(self, other)

    def __neg__(self):
        from .elementwise import linear
        return linear(self, -1.0)


class Packed:
    """Weights in the layout that one implementation wants; prim.prepack() makes it. It stands for the weights in calls
    like the one that it was made for. shape and dtype are those of the weights; layout names where their elements are,
    with a capital and numbers for blocks."""

    def __init__(self, handle, weights, engine):
        self._handle = handle
        self.shape, self.dtype, self.engine = tuple(weights.shape), type_name_of(weights), str(engine)
        self._array = empty((function("packed_bytes")(handle),), "uint8", engine)
        function("pack")(handle, tensor_of(weights), self._array._tensor)
        self.layout = function("packed_layout")(handle)

    ndim = property(lambda self: len(self.shape))

    def words(self):
        """The words of a call behind the tensor's name."""
        return [self._array._tensor, "packed", self._handle]

    def __repr__(self):
        return f"<prim.Packed {self.dtype}{list(self.shape)} as {self.layout} on {self.engine}>"

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            function("packed_destroy")(self._handle)


def empty(shape, dtype="float32", engine="cpu"):
    """An Array with undefined contents."""
    shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    return Array(function("empty")(tvm_ffi.Shape(shape), type_name(dtype), str(engine)), engine)


def asarray(x, dtype=None, engine="cpu"):
    """`x` as an Array on the engine: copied, and converted to `dtype` where it has another type."""
    source = host_array(x)
    name = type_name(dtype) if dtype is not None else type_name_of(source)
    moved = empty(source.shape, type_name_of(source), engine)
    function("copy")(tensor_of(source), moved._tensor)
    if name == moved.dtype:
        return moved
    from .movement import reorder
    return reorder(moved, dtype=name)


def type_name_of(x):
    return type_name(x.dtype)


def host_array(x):
    """A NumPy array or an array of DLPack; lists and numbers become float32."""
    if isinstance(x, Array):
        return np.ascontiguousarray(x.numpy())
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x) if x.ndim else x
    if hasattr(x, "__dlpack__"):
        return tvm_ffi.from_dlpack(x)
    return np.asarray(x, np.float32)


class _Lent:
    """The bytes of a read-only array for one that is not, as DLPack has no read-only tensors. Prim reads them alone."""

    def __init__(self, x):
        self.owner = x
        self.__array_interface__ = dict(x.__array_interface__, data=(x.ctypes.data, False))


def _fits(x, writes):
    """Whether Prim takes the elements where they are: broadcasts, whose strides are 0, are read alone."""
    least = 1 if writes else 0
    return (x.flags.writeable or not writes) and x.dtype.isnative and all(
        s % x.itemsize == 0 and (s >= least or n == 1) for s, n in zip(x.strides, x.shape) if x.size)


def _from_numpy(x, writes):
    flags = x.flags
    if flags.c_contiguous and flags.writeable and x.dtype in _NUMPY_TYPES and x.dtype.isnative:
        return x
    if not _fits(x, writes):
        if writes:
            raise ValueError("out is not writable, or has negative or zero strides")
        x = np.array(x, x.dtype.newbyteorder("="), order="C")
    name = x.dtype.name
    if name not in _BITS and name not in _NUMPY_NAMES:
        raise TypeError(f"Prim has no tensors of type {name}")
    bits = x.view(_BITS[name]) if name in _BITS else x
    tensor = tvm_ffi.from_dlpack(bits if bits.flags.writeable else np.asarray(_Lent(bits)))
    return function("view")(tensor, name) if name in _BITS else tensor


def tensor_of(x, writes=False):
    """What a packed function takes on the array's bytes; on those of a copy where DLPack or Prim cannot take these. An array that is
    written is never copied."""
    if isinstance(x, Array):
        return x._tensor
    if isinstance(x, tvm_ffi.Tensor):
        return x
    if isinstance(x, np.ndarray):
        return _from_numpy(x, writes)
    if hasattr(x, "__dlpack__"):
        return tvm_ffi.from_dlpack(x)
    if writes:
        raise TypeError(f"out is a {type(x).__name__}, not an array")
    return _from_numpy(np.asarray(x, np.float32), False)


def dense_tensor_of(x):
    """The same where only the number of elements counts, one behind the other."""
    if isinstance(x, np.ndarray) and x.ndim:
        x = np.ascontiguousarray(x)
    return tensor_of(x)


def operand(x, like=None):
    """An argument as an array; numbers and lists get the type of the array `like`."""
    if isinstance(x, (Array, Packed, np.ndarray)) or hasattr(x, "__dlpack__"):
        return x
    name = "float32" if like is None else type_name_of(like)
    made = np.asarray(x, numpy_type(name) or np.float32)
    return asarray(made, dtype=name) if numpy_type(name) is None else made


def new_result(shape, dtype, like):
    """A new array of the library of the arrays `like`; the tensor that Prim writes, and what makes it the result."""
    first = next((x for x in like if isinstance(x, Array)), like[0])
    if isinstance(first, Array):
        made = empty(shape, dtype, first.engine)
        return made._tensor, lambda: made
    root = sys.modules.get(type(first).__module__.split(".")[0])
    if isinstance(first, np.ndarray) or not hasattr(root, "from_dlpack"):
        kind = numpy_type(dtype)
        if kind is None:
            made = empty(shape, dtype)
            return made._tensor, lambda: made
        host = np.empty(shape, kind)
        return tensor_of(host, writes=True), lambda: host
    made = empty(shape, dtype)
    return made._tensor, lambda: root.from_dlpack(made._tensor)
