# SPDX-License-Identifier: Apache-2.0
"""What is no formula: arrays, errors, threads, memory, the functions as TVM FFI sees them."""

import concurrent.futures
import gc
import os
import resource
import unittest

import numpy as np
import tvm_ffi

import formulas as ref
import prim
from opencl_tensor import Context

ENGINES = ("cpu", "gpu")
random = np.random.default_rng(3)


def array(*shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def packed(name):
    return tvm_ffi.get_global_func("prim." + name)


class Arrays(unittest.TestCase):
    def test_layouts(self):
        """Transposed, cut and repeated arrays, and those that must not be written, are taken as they are."""
        x = array(4, 6)
        frozen = x.copy()
        frozen.flags.writeable = False
        for view in (x.T, x[::2, 1:], x[::-1], np.broadcast_to(x[:1], (3, 6)), frozen, x[:0], x.astype(">f4")):
            np.testing.assert_array_equal(prim.relu(view), np.maximum(view, 0))
        self.assertEqual(prim.relu(np.float32(-1) * np.ones(())).shape, ())

    def test_broadcasts(self):
        """Repeated arrays, whose strides are 0, and those that must not be written go without a copy."""
        x, w, bias = array(1, 6), array(6, 5), array(5)
        frozen = x.copy()
        frozen.flags.writeable = False
        rows, columns = np.broadcast_to(x, (4, 6)), np.broadcast_to(x.T, (6, 5))
        for view in (rows, columns, frozen, frozen[:, ::2], np.broadcast_to(frozen[0, 0], (4, 6))):
            seen = np.from_dlpack(prim._arrays.tensor_of(view))
            self.assertTrue(np.shares_memory(seen, view), view.strides)
            self.assertEqual(seen.strides, view.strides)
        for engine in ENGINES:
            np.testing.assert_array_equal(prim.relu(rows, engine=engine), np.maximum(rows, 0))
            np.testing.assert_allclose(prim.matmul(rows, w, engine=engine), rows @ w, atol=1e-5)
            y = prim.matmul(rows, columns, np.broadcast_to(bias[0], (5,)), engine=engine,
                            post_ops=[("add", np.broadcast_to(bias, (4, 5))), ("prelu", np.broadcast_to(bias[1:2], (5,)))],
                            scales={"weights": np.broadcast_to(np.float32(2), (5,))})
            right = 2 * (rows @ columns) + bias[0] + bias
            np.testing.assert_allclose(y, np.where(right > 0, right, right * bias[1]), atol=1e-5)
        np.testing.assert_array_equal(rows, np.repeat(x, 4, 0))
        with self.assertRaisesRegex(ValueError, "zero strides"):
            prim.relu(rows, out=np.lib.stride_tricks.as_strided(x, rows.shape, rows.strides))

    def test_out(self):
        x, big = array(4, 6), np.full((4, 12), 7, np.float32)
        for engine in ENGINES:
            y = big.copy()
            self.assertIs(prim.relu(x, out=y[:, ::2], engine=engine).base, y)
            np.testing.assert_array_equal(y[:, ::2], np.maximum(x, 0))
            np.testing.assert_array_equal(y[:, 1::2], 7)
        z = x.copy()
        prim.relu(z, out=z)
        np.testing.assert_array_equal(z, np.maximum(x, 0))
        with self.assertRaises(ValueError):
            prim.relu(x, out=x[::-1])

    def test_device_arrays(self):
        x, w = array(2, 3, 8, 8), array(4, 3, 3, 3)
        for engine in ENGINES:
            a = prim.asarray(x, engine=engine)
            y = 1.0 - prim.convolution(a, prim.asarray(w, engine=engine), padding=1) * 2.0 / a.reshape(2, 3, 64).size
            self.assertIsInstance(y, prim.Array)
            self.assertEqual((y.engine, y.shape, y.dtype), (engine, (2, 4, 8, 8), "float32"))
            right = 1 - ref.convolution(x, w, padding=1) * 2 / x.size
            np.testing.assert_allclose(y, right, atol=1e-5)
            mixed = prim.convolution(a, w, padding=1)  # the weights are the host's
            np.testing.assert_allclose(mixed.numpy(), ref.convolution(x, w, padding=1), atol=1e-4)

    def test_types(self):
        x = array(3, 5)
        half = prim.matmul(x.astype(np.float16), x.T.astype(np.float16))
        self.assertEqual(half.dtype, np.float16)
        for engine in ENGINES:
            b = prim.asarray(x, dtype="bf16", engine=engine)
            self.assertEqual(b.dtype, "bfloat16")
            np.testing.assert_allclose(prim.reorder(b + b, "f32").numpy(), 2 * x, rtol=1e-2)
        self.assertEqual(prim.relu(np.arange(-3, 3, dtype=np.int8)).dtype, np.int8)

    def test_dlpack(self):
        """An Array goes through DLPack and comes back; on OpenCL its data is the descriptor of a buffer."""
        for engine in ENGINES:
            a = prim.asarray(array(3, 4), engine=engine)
            tensor = tvm_ffi.from_dlpack(a)
            self.assertEqual(a.__dlpack_device__()[0], 4 if engine == "gpu" else 1)
            result = prim.empty((3, 4), engine=engine)
            packed("eltwise")(tensor, "algorithm", "square", result)
            np.testing.assert_allclose(result, a.numpy() ** 2, rtol=1e-6)
        y = prim.relu(tvm_ffi.from_dlpack(array(3, 4)))
        self.assertIsInstance(y, tvm_ffi.Tensor)

    def test_opencl_tensors(self):
        """Buffers of another context, at an offset; with those of Prim's engine they do not mix."""
        context = Context()
        x, w = array(5, 7), array(7, 3)
        a, b, y = context.tensor(x, 6), context.tensor(w), context.tensor(np.zeros((5, 3), np.float32), 3)
        packed("matmul")(a, b, "post_op", "relu", y)
        np.testing.assert_allclose(context.read(2, (5, 3)), np.maximum(x @ w, 0), atol=1e-5)
        self.assertIn("ocl:", packed("matmul")(a, b, "query", "implementation", y))
        with self.assertRaisesRegex(ValueError, "different engines"):
            packed("matmul")(a, prim.asarray(w, engine="gpu"), y)
        with self.assertRaisesRegex(ValueError, "bytes"):  # a tensor beyond the end of its buffer
            packed("eltwise")(a, context.tensor(x[:2], shape=(5, 7)))

    def test_zero_elements(self):
        for engine in ENGINES:
            y = prim.matmul(np.zeros((3, 0), np.float32), np.zeros((0, 2), np.float32), engine=engine)
            np.testing.assert_array_equal(y, np.zeros((3, 2)))


class Places(unittest.TestCase):
    def test_engines(self):
        names = [str(e) for e in prim.engines()]
        self.assertEqual(names[:2], ["cpu", "gpu"])
        x = array(8, 8)
        self.assertIn("ocl:", prim.implementation(prim.relu, x, engine="gpu"))
        with prim.use("gpu"):
            self.assertIn("ocl:", prim.implementation(prim.relu, x))
            with prim.use("cpu"):
                self.assertNotIn("ocl:", prim.implementation(prim.relu, x))
            self.assertIn("ocl:", prim.implementation(prim.relu, x))
        self.assertNotIn("ocl:", prim.implementation(prim.relu, x))

    def test_streams(self):
        x = array(64, 64)
        for engine in ENGINES:
            with prim.Stream(engine, profiling=True) as stream:
                a = prim.asarray(x, engine=engine)
                y = prim.matmul(a, a)
                stream.wait()
                times = stream.profile()
            self.assertEqual(len(times), 1)
            self.assertGreater(times[0], 0)
            np.testing.assert_allclose(y, x @ x, atol=1e-4)
        with self.assertRaisesRegex(NotImplementedError, "."):
            prim.Stream("cpu", out_of_order=True)
        with prim.Stream("cpu"), self.assertRaisesRegex(ValueError, "another engine"):
            prim.relu(prim.asarray(x, engine="gpu"))

    def test_tensors_of_two_engines(self):
        with self.assertRaisesRegex(ValueError, "different engines"):
            prim.relu(prim.asarray(array(3), engine="gpu"), engine="cpu")


class Errors(unittest.TestCase):
    def fails(self, kind, sentence, call):
        for engine in ENGINES:
            with self.assertRaisesRegex(kind, sentence):
                call(engine=engine)

    def test_shapes(self):
        x, w = array(1, 3, 8, 8), array(4, 3, 3, 3)
        self.fails(ValueError, "softmax axis 4 is outside 0..3", lambda **k: prim.softmax(x, 4, **k))
        self.fails(ValueError, "[Ii]nput channels|channels|dimension", lambda **k: prim.convolution(x[:, :2], w, **k))
        self.fails(ValueError, "groups", lambda **k: prim.convolution(x, w, groups=3, **k))
        self.fails(ValueError, "2 spatial dimensions", lambda **k: prim.convolution(x, w, strides=(1, 1, 1), **k))
        self.fails(ValueError, "dst", lambda **k: prim.relu(x, out=np.empty((2, 2), np.float32), **k))
        self.fails(ValueError, "matmul", lambda **k: prim.matmul(array(3, 4), array(5, 6), **k))
        self.fails(ValueError, "scale", lambda **k: prim.matmul(array(3, 4), array(4, 6), scales={"weights": array(5, 6)}, **k))

    def test_types(self):
        self.fails(TypeError, "int64", lambda **k: prim.relu(np.arange(3), **k))
        self.fails(TypeError, "complex", lambda **k: prim.relu(np.ones(3, complex), **k))
        self.fails(ValueError, "'shrink'", lambda **k: prim.relu(array(3), post_ops=["shrink"], **k))
        self.fails(ValueError, "fpmath", lambda **k: prim.matmul(array(2, 2), array(2, 2), fpmath="f8", **k))
        self.fails(ValueError, "algorithm", lambda **k: prim.eltwise(array(3), "shrink", **k))
        self.fails(TypeError, "unexpected", lambda **k: prim.relu(array(3), colour="red", **k))
        self.fails(ValueError, "integers take", lambda **k: prim.exp(np.ones(3, np.int8), **k))
        with self.assertRaisesRegex(NotImplementedError, "f64"):
            prim.relu(np.ones(3), engine="gpu")

    def test_devices(self):
        with self.assertRaisesRegex(ValueError, "no engine 'tpu'"):
            prim.relu(array(3), engine="tpu")
        with self.assertRaisesRegex(ValueError, "31"):
            prim.relu(array(3), engine="gpu:31")

    def test_packed_arguments(self):
        relu = packed("eltwise")
        x = array(3)
        for wrong in ((), (1,), (x,), (x, "alpha"), (x, "alpha", "much", x), (x, "colour", 1, x), (x, x, x),
                      (x, "src", x, x), (x, "axis", 1, x), ("src", x, "dst", 5)):
            with self.assertRaises(TypeError, msg=str(wrong)):
                relu(*wrong)
        with self.assertRaisesRegex(ValueError, "bytes"):  # a workspace of the wrong size
            packed("pooling")(array(1, 1, 4, 4), "kernel", 2, "strides", 2, "training", True,
                              np.empty((1, 1, 2, 2), np.float32), np.empty(3, np.uint8))
        with self.assertRaisesRegex(ValueError, "elements"):
            packed("view")(prim.empty((2, 3))._tensor, "float32", (2, 2))
        with self.assertRaisesRegex(ValueError, "values"):
            packed("pooling")(array(1, 1, 4, 4), "kernel", (2, 2, 2), np.empty((1, 1, 2, 2), np.float32))


class Calls(unittest.TestCase):
    def test_destination_passing(self):
        """Inputs, words, outputs by position, as Relax' call_dps_packed passes them."""
        x, w = array(1, 3, 8, 8), array(4, 3, 3, 3)
        y = np.empty((1, 4, 4, 4), np.float32)
        packed("convolution")(x, w, "strides", (2, 2), "padding", 1, "post_op", "relu", y)
        np.testing.assert_allclose(y, np.maximum(ref.convolution(x, w, strides=2, padding=1), 0), atol=1e-5)
        z = np.empty_like(y)
        packed("sum")(y, y, z)
        np.testing.assert_allclose(z, 2 * y)
        packed("matmul")(x[0, 0], x[0, 1], None, out := np.empty((8, 8), np.float32))
        np.testing.assert_allclose(out, x[0, 0] @ x[0, 1], atol=1e-5)

    def test_cache(self):
        before = prim.cache_info()
        x = array(3, 7, 5)
        for _ in range(3):
            prim.softmax(x, 1)
        after = prim.cache_info()
        self.assertEqual((after.misses - before.misses, after.hits - before.hits), (1, 2))
        prim.set_cache_capacity(4)
        for n in range(1, 20):
            prim.relu(array(n))
        self.assertEqual(prim.cache_info().size, 4)
        prim.set_cache_capacity(0)
        np.testing.assert_array_equal(prim.relu(x), np.maximum(x, 0))
        self.assertEqual(prim.cache_info().size, 0)
        prim.set_cache_capacity(before.capacity)

    def test_threads(self):
        """Eight threads, ten shapes, a cache that is too small for them: the bits of one thread."""
        inputs = [(array(1, 2 + n, 6, 6), array(3, 2 + n, 3, 3)) for n in range(10)]
        for engine in ENGINES:
            alone = [prim.softmax(prim.convolution(x, w, padding=1, engine=engine), 1, engine=engine) for x, w in inputs]

            def work(seed, engine=engine, alone=alone):
                wrong = 0
                with prim.use(engine):
                    for i in np.random.default_rng(seed).integers(0, 10, 30):
                        y = prim.softmax(prim.convolution(*inputs[i], padding=1), 1)
                        wrong += not np.array_equal(y, alone[i])
                return wrong
            before = prim.cache_info().capacity
            prim.set_cache_capacity(12)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                self.assertEqual(sum(pool.map(work, range(8))), 0)
            prim.set_cache_capacity(before)

    def test_no_growth(self):
        """A thousand calls, of changing shapes and with failures, leave nothing behind."""
        def resident():
            gc.collect()
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * resource.getpagesize()

        def calls(n, engine):
            for i in range(n):
                x = np.ones((256, 65 + i % 3), np.float32)
                prim.relu(x, engine=engine)
                a = prim.asarray(x, engine=engine)
                (a + a).numpy()
                with self.assertRaises(ValueError):
                    prim.softmax(a, 3)
        before_capacity = prim.cache_info().capacity
        # With one place in the cache every call drops the primitive of the one before.
        for engine, n, capacity in (("cpu", 1000, 64), ("cpu", 1000, 1), ("gpu", 300, 64)):
            prim.set_cache_capacity(capacity)
            calls(100, engine)
            before = resident()
            calls(n, engine)
            self.assertLess(resident() - before, 1 << 20, engine)  # each call alone has 64 KiB of arrays
        prim.set_cache_capacity(before_capacity)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    unittest.main()
