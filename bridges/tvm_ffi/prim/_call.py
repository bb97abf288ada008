# SPDX-License-Identifier: Apache-2.0
"""One way from every function to the library."""

import threading

import numpy as np
import tvm_ffi

from ._arrays import Array, Packed, dense_tensor_of, new_result, operand, tensor_of, type_name
from ._library import function
from ._runtime import Stream, current_place, is_recording, keep, place_words

_asked = threading.local()


class _Answer(BaseException):
    """Ends a function at its first call of the library, whose query it carries."""


def implementation(f, *args, **kwargs):
    """The name of the implementation that a call would run: ``prim.implementation(prim.matmul, a, b)``."""
    _asked.query = "implementation"
    try:
        f(*args, **kwargs)
    except _Answer as answer:
        return answer.args[0]
    finally:
        _asked.query = None
    return ""


def prepack(f, *args, **kwargs):
    """The weights of a call, brought once to the layout that its implementation wants:

        packed = prim.prepack(prim.convolution, x, w, padding=1)
        y = prim.convolution(x, packed, padding=1)

    A Packed stands for the weights in that call and in others of the same engine, with other values, and with other
    batches as long as an implementation takes the layout (NotImplementedError else). On a device the weights are there.
    """
    if is_recording():
        raise RuntimeError("weights have no values while calls are recorded")
    _asked.query = "weights"
    try:
        f(*args, **kwargs)
    except _Answer as answer:
        return Packed(*answer.args[0])
    finally:
        _asked.query = None
    raise TypeError(f"{f.__name__} makes no call of Prim")


def _engine_name(arrays, engine):
    place = engine if engine is not None else current_place()
    if isinstance(place, Stream):
        place = place.engine
    return str(place) if place is not None else next((x.engine for x in arrays if isinstance(x, Array)), "cpu")


_WITH_OPERAND = {"prelu", "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne"}


def _post_op_words(post_ops):
    words = []
    for entry in post_ops or ():
        name, *rest = (entry,) if isinstance(entry, str) else entry
        if name in _WITH_OPERAND and rest:
            take = dense_tensor_of if name == "prelu" else tensor_of
            words += ["post_op", name, take(operand(rest[0]))]
        else:
            words += ["post_op", ":".join([name] + [repr(float(v)) for v in rest])]
    return words


def _quant_words(word, values, dtype):
    words = []
    for name, value in (values or {}).items():
        if not hasattr(value, "__dlpack__"):
            value = np.asarray(value, dtype)
        words += [word, name, dense_tensor_of(value)]
    return words


def attribute_words(*, post_ops=None, scales=None, zero_points=None, fpmath=None, accumulation=None,
                    deterministic=False):
    """The words of a call for the attributes that the module's docstring lists."""
    words = _post_op_words(post_ops)
    words += _quant_words("scale_of", scales, np.float32)
    words += _quant_words("zero_point_of", zero_points, np.int32)
    if fpmath is not None:
        mode, integers = (fpmath, False) if isinstance(fpmath, str) else fpmath
        words += ["fpmath", mode, "fpmath_int", bool(integers)]
    if accumulation is not None:
        words += ["accumulation", accumulation]
    if deterministic:
        words += ["deterministic", True]
    return words


def _value(value):
    return tvm_ffi.Shape(value) if isinstance(value, (tuple, list)) and all(
        isinstance(v, (int, np.integer)) for v in value) else value


def run(op, inputs, outputs, params=None, *, engine=None, out=None, **attributes):
    """Calls prim.<op>. `inputs`: (name, array or None) pairs; `outputs`: (name, shape, type) triples, of which `out`
    takes the first. Returns the first result, or a tuple of all."""
    words = []
    arrays = [x for _, x in inputs if x is not None]
    for name, x in inputs:
        if isinstance(x, Packed):
            words += [name, *x.words()]
        elif x is not None:
            words += [name, tensor_of(x)]
    for name, value in (params or {}).items():
        words += [name, _value(value)]
    words += attribute_words(**attributes)
    words += place_words(engine)
    finish = []
    for i, (name, shape, dtype) in enumerate(outputs):
        if i == 0 and out is not None:
            words += [name, tensor_of(out, writes=True)]
            finish.append(lambda: out)
        else:
            tensor, made = new_result(shape, type_name(dtype), arrays)
            words += [name, tensor]
            finish.append(made)
    if getattr(_asked, "query", None) == "weights":
        weights = dict(inputs).get("weights")
        raise _Answer((function(op)(*words, "query", "weights"), weights, _engine_name(arrays, engine)))
    if getattr(_asked, "query", None):
        raise _Answer(function(op)(*words, "query", _asked.query))
    function(op)(*words)
    keep(words)
    results = tuple(made() for made in finish)
    return results[0] if len(results) == 1 else results


def workspace_bytes(op, inputs, outputs, params, *, engine=None, **attributes):
    """The size of the workspace of a call in training: `inputs` and `outputs` as in run()."""
    words = []
    for name, x in inputs:
        if x is not None:
            words += [name, tensor_of(x)]
    arrays = [x for _, x in inputs if x is not None]
    for name, shape, dtype in outputs:
        words += [name, new_result(shape, type_name(dtype), arrays)[0]]
    for name, value in params.items():
        words += [name, _value(value)]
    words += attribute_words(**attributes)
    return function(op)(*words, *place_words(engine), "query", "workspace_bytes")
