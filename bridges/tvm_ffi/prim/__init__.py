# SPDX-License-Identifier: Apache-2.0
"""Deep-learning primitives on the CPU and on every OpenCL device: arrays in, arrays out.

    import numpy as np, prim

    x = np.random.rand(1, 3, 32, 32).astype(np.float32)
    w = np.random.rand(8, 3, 3, 3).astype(np.float32)
    y = prim.convolution(x, w, padding=1, post_ops=["relu"])

Arrays
    NumPy arrays, and everything that speaks DLPack (PyTorch on the CPU, TVM FFI, ...). The result is of the
    first array's library. prim.Array holds a tensor on an engine: results of Arrays are Arrays and stay there.
    Types: float32, float16, bfloat16, float64, float8_e5m2, float8_e4m3fn, int8, uint8, int32; also by the
    names f32, f16, bf16, f64, f8_e5m2, f8_e4m3, s8, u8, s32. With ml_dtypes installed NumPy has arrays of
    bfloat16 and float8; without it such results are Arrays.

Where
    prim.engines() lists the engines: "cpu", "gpu" (the first OpenCL device), "gpu:1", ...
    ``engine="gpu"`` runs a call there, ``with prim.use("gpu"):`` all calls of the thread; NumPy arrays are
    copied there and back. ``prim.asarray(x, engine="gpu")`` moves one for good.
    prim.Stream is a queue of its own; ``with prim.Stream("gpu") as s:`` runs all calls of the thread on it.

What every function takes beside its own arguments
    out          array that is written and returned; by default a new one
    dtype        type of the result
    engine       see above
    post_ops     list of steps that are fused behind the operation: "relu", ("relu", 0.1), ("linear", a, b) and
                 every other function of prim.eltwise; ("add", array), ("mul", array) and every other of
                 prim.binary, broadcast as NumPy does; ("prelu", slopes); ("sum", scale): adds what `out` held
    scales       {"src": s, "weights": s, "dst": s}: factors of quantised tensors. A number, one value for each
                 channel (output channel of weights, column of a matrix), or an array that broadcasts against
                 the tensor, where [K/32, N] for weights [K, N] is one value for each block of 32 × 1
    zero_points  likewise, integers
    fpmath       "strict", "bf16", "f16", "tf32" or "any": the precision float sums of products may use;
                 ("bf16", True) lets weights of integers be converted to it
    accumulation "strict", "relaxed", "any", "s32", "f32", "f16"
    deterministic  the same bits from run to run

What is made once
    prim.record    a sequence of calls, captured and replayed with new arrays
    prim.prepack   weights in the layout that a call's implementation wants

Errors
    ValueError (shapes, parameters), TypeError (types, arguments), NotImplementedError (no implementation on
    this engine), MemoryError, RuntimeError, with Prim's sentence: "softmax axis 4 is outside 0..1".

The functions are those of oneDNN, and global functions of TVM FFI: prim.convolution in destination-passing
form is ``tvm_ffi.get_global_func("prim.convolution")``, for Relax' call_dps_packed.
"""

from ._arrays import Array, Packed, asarray, empty
from ._call import implementation, prepack
from ._recording import Recording, record
from ._runtime import (Engine, Stream, cache_info, engines, set_cache_capacity, set_verbose, use, version, wait)
from .elementwise import *  # noqa: F403
from .images import *  # noqa: F403
from .movement import *  # noqa: F403
from .normalization import *  # noqa: F403
from .products import *  # noqa: F403
from . import elementwise, images, movement, normalization, products

__version__ = version()
__all__ = (["Array", "Engine", "Packed", "Recording", "Stream", "asarray", "cache_info", "empty", "engines",
            "implementation", "prepack", "record", "set_cache_capacity", "set_verbose", "use", "version", "wait"]
           + elementwise.__all__ + images.__all__ + movement.__all__ + normalization.__all__ + products.__all__)
