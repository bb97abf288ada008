# SPDX-License-Identifier: Apache-2.0
"""A Relax program whose convolution and softmax are Prim's, through call_dps_packed, against NumPy."""

import sys

import numpy as np
import tvm
from tvm import relax

import formulas as ref
import prim

TYPE = getattr(relax, "TensorStructInfo", None) or relax.TensorType


def words(*pairs):
    """Strings and numbers as expressions of Relax."""
    return [tvm.ir.StringImm(v) if isinstance(v, str) else relax.prim_value(v) for v in pairs]


def program():
    builder = relax.BlockBuilder()
    x, w = relax.Var("x", TYPE((2, 3, 8, 8), "float32")), relax.Var("w", TYPE((4, 3, 3, 3), "float32"))
    shape = TYPE((2, 4, 8, 8), "float32")
    with builder.function("main", [x, w]):
        y = builder.emit(relax.call_dps_packed(
            "prim.convolution", relax.Tuple([x, w] + words("padding", 1, "post_op", "relu")), shape))
        doubled = builder.emit(relax.op.add(y, y))  # compiled by TVM
        z = builder.emit(relax.call_dps_packed("prim.softmax", relax.Tuple([doubled] + words("axis", 1)), shape))
        builder.emit_func_output(z)
    return builder.get()


def main():
    random = np.random.default_rng(1)
    x, w = random.random((2, 3, 8, 8), np.float32) - 0.5, random.random((4, 3, 3, 3), np.float32) - 0.5
    machine = relax.VirtualMachine(tvm.compile(program(), target="llvm"), tvm.cpu())
    before = prim.cache_info()
    result = machine["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w)).numpy()
    calls = sum(prim.cache_info()[2:]) - sum(before[2:])
    right = ref.softmax(2 * np.maximum(ref.convolution(x.astype(float), w.astype(float), padding=1), 0), 1)
    worst = np.abs(result - right).max()
    print(f"Relax of TVM {tvm.__version__}: {calls} calls of Prim, the result differs by {worst:.2g}")
    return 0 if worst < 1e-6 and calls == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
