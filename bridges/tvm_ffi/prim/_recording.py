# SPDX-License-Identifier: Apache-2.0
"""Sequences of calls that are captured once and replayed."""

import threading

import numpy as np

from ._arrays import Array, empty, host_array, new_result, operand, tensor_of, type_name_of
from ._library import function
from ._runtime import Stream, capture, current_place


def record(f, *examples, engine=None):
    """``f(*examples)`` as a Recording: `f` is called once, its calls of Prim are captured, and every call of the
    Recording replays them with new arrays.

        step = prim.record(lambda x: prim.softmax(prim.matmul(x, w), axis=1), x)
        y = step(x2)

    `f` gets Arrays of the shapes and types of the examples, and returns an Array, or a tuple or list of them. Nothing
    is computed while it runs: it may not look at values. Other arrays that it uses are constants; on a device those of
    the host are copied there now. All its calls are on one engine: ``engine=``, the one that ``prim.use`` chose, that of
    the examples, or the CPU.
    """
    return Recording(f, examples, engine)


def _engine_of(arrays, engine):
    place = engine if engine is not None else current_place()
    if isinstance(place, Stream):
        place = place.engine
    if place is None:
        place = next((x.engine for x in arrays if isinstance(x, Array)), "cpu")
    return str(place)


class Recording:
    """A captured sequence of calls; prim.record() makes it. len() is the number of calls.

    A call takes arrays of the shapes and types of the examples. Arrays on the recording's engine are read where they
    are, and the results are new Arrays. With arrays of the host the results are such as well, after they were copied
    to a device and back. Any thread may call, one at a time computes.
    """

    def __init__(self, f, examples, engine=None):
        arrays = [operand(x) for x in examples]
        self.engine = _engine_of(arrays, engine)
        self._inputs = [empty(x.shape, type_name_of(x), self.engine) for x in arrays]
        self._lock = threading.Lock()
        self._place = None
        self._handle = None
        stream = Stream(self.engine)
        begun = function("recording_begin")(stream._handle)
        try:
            with capture(stream) as self._kept:
                results = f(*self._inputs)
        finally:
            self._count = function("recording_end")(begun)
            self._handle = begun
        self._kind = type(results) if isinstance(results, (tuple, list)) else None
        self._results = list(results) if self._kind else [results]
        for y in self._results:
            if not isinstance(y, Array):
                raise TypeError(f"a recorded function returns Arrays, not {type(y).__name__}")
        self._made = [self._is_made(y) for y in self._results]

    def _is_made(self, y):
        return function("recording_writes")(self._handle, y._tensor) and all(
            x._tensor.data_ptr() != y._tensor.data_ptr() for x in self._inputs)

    def __len__(self):
        return self._count

    def __repr__(self):
        shapes = ", ".join(f"{x.dtype}{list(x.shape)}" for x in self._inputs)
        return f"<prim.Recording of {len(self)} calls on {self.engine}: {shapes}>"

    def _bind(self, arrays):
        """Pairs of tensors: an example's, and what stands in its place."""
        if len(arrays) != len(self._inputs):
            raise TypeError(f"the recording takes {len(self._inputs)} arrays, not {len(arrays)}")
        pairs = []
        for i, (x, place) in enumerate(zip(arrays, self._inputs)):
            if tuple(x.shape) != place.shape or type_name_of(x) != place.dtype:
                raise ValueError(f"array {i} is {type_name_of(x)}{list(x.shape)}, the recording's is "
                                 f"{place.dtype}{list(place.shape)}")
            if isinstance(x, Array) and x.engine == self.engine:
                pairs += [place._tensor, x._tensor]
            elif self.engine == "cpu":
                pairs += [place._tensor, tensor_of(host_array(x))]
            else:
                function("copy")(tensor_of(host_array(x)), place._tensor)
                pairs += [place._tensor, place._tensor]
        return pairs

    def _result(self, y, is_made, arrays, pairs):
        """What the call returns for the result `y` of the recorded function, as a function of nothing; adds to the pairs."""
        if not is_made:
            given = [a for x, a in zip(self._inputs, arrays) if x._tensor.data_ptr() == y._tensor.data_ptr()]
            return lambda: given[0].reshape(y.shape) if given else y
        if self.engine == "cpu" and arrays:
            tensor, made = new_result(y.shape, y.dtype, arrays)
            pairs += [y._tensor, tensor]
            return made
        made = empty(y.shape, y.dtype, self.engine)
        pairs += [y._tensor, made._tensor]
        return made.numpy if arrays and not any(isinstance(x, Array) for x in arrays) else lambda: made

    def _stream(self):
        """Where the replay goes; what another stream has of the recording is done then."""
        place = current_place()
        place = place if isinstance(place, Stream) and str(place.engine) == self.engine else None
        if place is not self._place and self._count:
            self._place.wait() if self._place else function("stream_wait")(self.engine)
        self._place = place
        return place._handle if place else self.engine

    def __call__(self, *arrays):
        arrays = [operand(x, like) for x, like in zip(arrays, self._inputs)] + list(arrays[len(self._inputs):])
        with self._lock:
            pairs = self._bind(arrays)
            made = [self._result(y, m, arrays, pairs) for y, m in zip(self._results, self._made)]
            function("recording_replay")(self._handle, self._stream(), *pairs)
            results = [make() for make in made]
        return self._kind(results) if self._kind else results[0]

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            function("recording_destroy")(self._handle)
