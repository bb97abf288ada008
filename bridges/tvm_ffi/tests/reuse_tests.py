# SPDX-License-Identifier: Apache-2.0
"""What is made once and used again: recordings, packed weights."""

import concurrent.futures
import gc
import re
import resource
import sys
import unittest

import numpy as np
import tvm_ffi

import formulas as ref
import prim

# --engine=cpu: on that one alone.
ENGINES = tuple(w[9:] for w in sys.argv[1:] if w.startswith("--engine=")) or ("cpu", "gpu")
on_gpu = unittest.skipUnless("gpu" in ENGINES, "not on the GPU engine")
random = np.random.default_rng(4)


def array(*shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


class Recordings(unittest.TestCase):
    def test_replays(self):
        """New arrays of the host and of the engine, in any order; results of before keep their values."""
        w = array(8, 5)
        for engine in ENGINES:
            step = prim.record(lambda x: prim.softmax(prim.matmul(x, w, post_ops=["relu"]), axis=1), array(4, 8),
                               engine=engine)
            self.assertEqual(len(step), 2)
            self.assertEqual(step.engine, engine)
            inputs = [array(4, 8) for _ in range(6)]
            results = [step(x if i % 2 else prim.asarray(x, engine=engine)) for i, x in enumerate(inputs)]
            for i, (x, y) in enumerate(zip(inputs, results)):
                self.assertIsInstance(y, np.ndarray if i % 2 else prim.Array)
                np.testing.assert_allclose(y, softmax(np.maximum(x @ w, 0)), atol=1e-5)

    def test_several(self):
        """Two inputs and four results, of which one is an input, one a view and one a constant; an operand of a post-op."""
        bias = array(6)
        for engine in ENGINES:
            constant = prim.asarray(bias, engine=engine)

            def f(a, b):
                sums = prim.add(a, b, post_ops=[("mul", constant)])
                return sums, a, prim.relu(sums).reshape(2, 9), constant

            step = prim.record(f, array(3, 6), array(3, 6), engine=engine)
            for _ in range(3):
                a, b = array(3, 6), array(3, 6)
                sums, same, view, kept = step(prim.asarray(a, engine=engine), prim.asarray(b, engine=engine))
                np.testing.assert_allclose(sums, (a + b) * bias, atol=1e-5)
                np.testing.assert_array_equal(same, a)
                np.testing.assert_array_equal(kept, bias)
                np.testing.assert_allclose(view, np.maximum((a + b) * bias, 0).reshape(2, 9), atol=1e-5)
            first, again = array(3, 6), array(3, 6)
            np.testing.assert_allclose(step(first, first)[0], 2 * first * bias, atol=1e-5)
            np.testing.assert_allclose(step(first, again)[0], (first + again) * bias, atol=1e-5)

    def test_in_place_and_training(self):
        """A call in place writes the array that is given; a workspace lives in the recording."""
        for engine in ENGINES:
            step = prim.record(lambda x: prim.square(x, out=x), array(5), engine=engine)
            x = array(5)
            a = prim.asarray(x, engine=engine)
            step(a)
            np.testing.assert_allclose(a, x * x, rtol=1e-6)

            def gradient(x, dy):
                y, workspace = prim.max_pool(x, 2, training=True)
                return y, prim.max_pool_backward(dy, workspace, x.shape, 2)

            step = prim.record(gradient, array(1, 2, 4, 4), array(1, 2, 2, 2), engine=engine)
            for _ in range(2):
                x, dy = array(1, 2, 4, 4), array(1, 2, 2, 2)
                y, dx = step(x, dy)
                np.testing.assert_array_equal(y, x.reshape(1, 2, 2, 2, 2, 2).max((3, 5)))
                self.assertAlmostEqual(float(dx.sum()), float(dy.sum()), places=4)

    def test_types_and_layouts(self):
        for engine in ENGINES:
            step = prim.record(lambda x: prim.relu(x), prim.asarray(array(6, 4), dtype="bf16"), engine=engine)
            x = prim.asarray(array(6, 4), dtype="bf16", engine=engine)
            y = step(x)
            self.assertEqual(y.dtype, "bfloat16")
            np.testing.assert_array_equal(prim.reorder(y, "f32"), np.maximum(prim.reorder(x, "f32").numpy(), 0))
            step = prim.record(prim.relu, array(6, 4), engine=engine)
            wide = array(4, 12)
            np.testing.assert_array_equal(step(wide.T[::2]), np.maximum(wide.T[::2], 0))  # with gaps, transposed
            tensor = tvm_ffi.from_dlpack(wide.reshape(12, 4)[:6])
            np.testing.assert_array_equal(np.from_dlpack(step(tensor)) if engine == "cpu" else step(tensor),
                                          np.maximum(wide.reshape(12, 4)[:6], 0))

    def test_streams(self):
        """On the stream that is in use, each execution with its time; two streams in turn share the intermediate arrays."""
        w = array(32, 32)
        for engine in ENGINES:
            step = prim.record(lambda x: prim.matmul(prim.matmul(x, w), w), array(32, 32), engine=engine)
            x = prim.asarray(array(32, 32), engine=engine)
            right = x.numpy() @ w @ w
            with prim.Stream(engine, profiling=True) as stream:
                y = step(x)
                stream.wait()
                self.assertEqual(len(stream.profile()), 2)
            for _ in range(4):
                z = step(x)
                with stream:
                    y = step(x)
                np.testing.assert_allclose(z, right, atol=1e-2)
                np.testing.assert_allclose(y, right, atol=1e-2)
            waits = []
            stream.wait = lambda: waits.append(prim.Stream.wait(stream))
            step(x)
            step(x)
            self.assertEqual(len(waits), 1)  # for what the other stream has of the recording

    def test_threads_and_growth(self):
        w = array(16, 16)
        for engine in ENGINES:
            step = prim.record(lambda x: prim.relu(prim.matmul(x, w)), array(16, 16), engine=engine)

            def work(seed):
                draw = np.random.default_rng(seed)
                for _ in range(10):
                    x = draw.standard_normal((16, 16)).astype(np.float32)
                    np.testing.assert_allclose(step(x), np.maximum(x @ w, 0), atol=1e-4)

            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(work, range(8)))

        def live():
            big = prim.record(lambda x: prim.add(prim.relu(x), x), np.empty((256, 1024), np.float32))
            big(np.ones((256, 1024), np.float32))

        for _ in range(10):
            live()
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(200):
            live()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 20 << 10)  # of 600 MiB

    def test_errors(self):
        w = array(8, 5)
        for engine in ENGINES:
            step = prim.record(lambda x: prim.matmul(x, w), array(4, 8), engine=engine)
            for wrong in (array(3, 8), array(4, 8).astype(np.float16)):
                with self.assertRaisesRegex(ValueError, r"array 0 is .*, the recording's is float32\[4, 8\]"):
                    step(wrong)
            with self.assertRaisesRegex(TypeError, "takes 1 arrays, not 2"):
                step(array(4, 8), array(4, 8))
            with self.assertRaisesRegex(RuntimeError, "no values"):
                prim.record(lambda x: prim.relu(x).numpy(), array(3), engine=engine)
            with self.assertRaisesRegex(TypeError, "returns Arrays, not int"):
                prim.record(lambda x: 3, array(3), engine=engine)
            with self.assertRaisesRegex(ValueError, "holds calls on"):
                prim.record(lambda x: prim.relu(x, engine="gpu" if engine == "cpu" else "cpu"), array(3), engine=engine)
            with self.assertRaisesRegex(ValueError, "softmax axis"):
                prim.record(lambda x: prim.softmax(x, axis=4), array(3), engine=engine)
            with self.assertRaisesRegex(TypeError, "does not record"):
                prim.record(lambda x: prim.record(prim.relu, x), array(3), engine=engine)
            np.testing.assert_allclose(prim.relu(w, engine=engine), np.maximum(w, 0))  # calls run again
            np.testing.assert_allclose(step(array(4, 8) * 0), np.zeros((4, 5)))
        if "gpu" in ENGINES:
            with self.assertRaisesRegex(ValueError, "no results on the host"):
                prim.record(lambda x: prim.add(x, prim.relu(w)), w, engine="gpu")


class PackedWeights(unittest.TestCase):
    def test_operations(self):
        """In every operation with weights; the result is that of the weights as they were."""
        x, w, bias = array(2, 16, 9, 9), array(32, 16, 3, 3), array(32)
        a, b = array(40, 64), array(64, 96)
        calls = [
            (prim.convolution, (x, w), {"padding": 1}), (prim.convolution, (x, w, bias), {"strides": 2}),
            (prim.convolution, (x, array(32, 4, 3, 3)), {"groups": 4}), (prim.deconvolution, (x, w), {"strides": 2}),
            (prim.convolution_backward_data, (array(2, 32, 7, 7), w, x.shape), {}),
            (prim.matmul, (a, b), {}), (prim.matmul, (a, b.T.copy().T), {"post_ops": ["relu"]}),
            (prim.matmul, (array(3, 40, 64), b), {}), (prim.inner_product, (a, array(24, 64), array(24)), {}),
            (prim.inner_product, (x, array(8, 16, 9, 9)), {}),
        ]
        for engine in ENGINES:
            for f, arguments, options in calls:
                packed = prim.prepack(f, *arguments, engine=engine, **options)
                self.assertEqual((packed.engine, packed.dtype), (engine, "float32"))
                y = f(arguments[0], packed, *arguments[2:], engine=engine, **options)
                right = f(*arguments, engine=engine, **options)
                np.testing.assert_allclose(y, right, rtol=1e-5, atol=1e-4, err_msg=f"{f.__name__} {options} {engine}")

    def test_reuse(self):
        """Arrays on the device, another batch, other weights; recorded; in integers with their scales."""
        x, w = array(2, 16, 8, 8), array(16, 16, 3, 3)
        for engine in ENGINES:
            a = prim.asarray(x, engine=engine)
            packed = prim.prepack(prim.convolution, a, w, padding=1)
            self.assertEqual(packed.engine, engine)
            right = ref.convolution(x, w, padding=1)
            np.testing.assert_allclose(prim.convolution(a, packed, padding=1), right, atol=1e-4)
            np.testing.assert_allclose(prim.convolution(x[:1], packed, padding=1, engine=engine), right[:1], atol=1e-4)
            other = prim.prepack(prim.convolution, a, 2 * w, padding=1)
            np.testing.assert_allclose(prim.convolution(a, other, padding=1), 2 * right, atol=2e-4)
            step = prim.record(lambda v: prim.convolution(v, packed, padding=1), a)
            np.testing.assert_allclose(step(a), right, atol=1e-4)
            q, k = random.integers(0, 256, (8, 64), np.uint8), random.integers(-128, 128, (64, 32), np.int8)
            packed = prim.prepack(prim.matmul, q, k, engine=engine)
            np.testing.assert_array_equal(prim.matmul(q, packed, engine=engine), q.astype(np.int32) @ k.astype(np.int32))

    @on_gpu
    def test_layout(self):
        """The GPU engine wants blocks for this window; only such a tensor is a call of its own."""
        x, w = array(1, 3, 8, 8), array(16, 3, 3, 3)
        packed = prim.prepack(prim.convolution, x, w, padding=1, engine="gpu")
        self.assertRegex(packed.layout, "[A-Z].*[0-9]")
        self.assertIn(packed.layout, repr(packed))
        prim.convolution(x, packed, padding=1, engine="gpu")
        misses = prim.cache_info().misses
        prim.convolution(x, packed, padding=1, engine="gpu")
        self.assertEqual(prim.cache_info().misses, misses)
        prim.convolution(x, w, padding=1, engine="gpu")
        self.assertEqual(prim.cache_info().misses, misses + 1)

    def test_strides_like_blocks(self):
        """Plain weights whose strides are those of the blocks of packed ones are another call."""
        x, w = array(8, 64), array(64, 96)
        for engine in ENGINES:
            packed = prim.prepack(prim.matmul, x, w, engine=engine)
            block = int(re.fullmatch(r"Ba([0-9]+)b", packed.layout)[1]) if packed.layout.startswith("B") else 16
            plain = np.zeros((96, 64, block), np.float32)[:, :, 0].T  # with the strides block and 64 * block
            np.testing.assert_array_equal(prim.matmul(x, plain, engine=engine), np.zeros((8, 96)))
            np.testing.assert_allclose(prim.matmul(x, packed, engine=engine), x @ w, atol=1e-4)

    @on_gpu
    def test_errors(self):
        x, w = array(1, 3, 8, 8), array(16, 3, 3, 3)
        packed = prim.prepack(prim.convolution, x, w, padding=1, engine="gpu")
        with self.assertRaisesRegex(ValueError, "different engines"):
            prim.convolution(x, packed, padding=1, engine="cpu")
        with self.assertRaisesRegex(ValueError, "packed for another engine"):
            prim.convolution(x, prim.prepack(prim.convolution, x, w, padding=1, engine="cpu"), padding=1, engine="gpu")
        with self.assertRaisesRegex(ValueError, "channels"):
            prim.convolution(array(1, 4, 8, 8), packed, engine="gpu")
        with self.assertRaisesRegex(TypeError, "no weights"):
            prim.prepack(prim.relu, x)
        with self.assertRaisesRegex(TypeError, "no weights"):
            prim.prepack(prim.convolution, x, packed, engine="gpu")
        with self.assertRaisesRegex(TypeError, "makes no call"):
            prim.prepack(abs, 3)
        raw = tvm_ffi.get_global_func("prim.convolution")
        with self.assertRaisesRegex(ValueError, "packed weights are [0-9]+ bytes"):
            raw(prim.asarray(x, engine="gpu"), "weights", prim.asarray(w, engine="gpu"), "packed", packed._handle,
                "padding", 1, prim.empty((1, 16, 8, 8), engine="gpu"))
        with self.assertRaisesRegex(ValueError, "other weights"):
            tvm_ffi.get_global_func("prim.pack")(packed._handle, w[:8], packed._array._tensor)


if __name__ == "__main__":
    unittest.main(argv=[w for w in sys.argv if not w.startswith("--engine=")])
