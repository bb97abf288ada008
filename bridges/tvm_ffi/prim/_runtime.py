# SPDX-License-Identifier: Apache-2.0
"""Engines, streams, settings of the library."""

import threading
from collections import namedtuple

from ._library import function

_here = threading.local()


class Engine:
    """A device: Engine("cpu"), Engine("gpu"), Engine("gpu:1"). Wherever an engine is asked for, its name will do."""

    def __init__(self, name="cpu"):
        self.name = str(name)
        self.device = function("engine_name")(self.name)
        self.kind = self.name.split(":")[0]

    def wait(self):
        """Waits until all calls on the engine's own stream are done."""
        function("stream_wait")(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"prim.Engine({self.name!r})  # {self.device}"

    def __eq__(self, other):
        return isinstance(other, Engine) and other.name == self.name

    def __hash__(self):
        return hash(self.name)


def engines():
    """All engines: the CPU's, then the OpenCL devices in the order of their numbers."""
    count = function("engine_count")("gpu")
    return [Engine("cpu")] + [Engine(f"gpu:{i}" if i else "gpu") for i in range(count)]


class Stream:
    """A queue on an engine. Inside ``with stream:`` the thread's calls go to it; wait() waits for them.

    On the CPU a call is done when it returns. On OpenCL devices calls with Arrays return at once, those with
    NumPy arrays when the result is there. With profiling=True, profile() returns the seconds that each call
    took on the device since the last profile().
    """

    def __init__(self, engine="cpu", *, out_of_order=False, profiling=False):
        self.engine = Engine(str(engine))
        self._handle = None
        self._handle = function("stream_create")(self.engine.name, out_of_order, profiling)
        self._uses = []

    def wait(self):
        function("stream_wait")(self._handle)

    def profile(self):
        return [int(ns) * 1e-9 for ns in function("stream_profile")(self._handle).split()]

    def __enter__(self):
        context = use(self)
        context.__enter__()
        self._uses.append(context)
        return self

    def __exit__(self, *error):
        self._uses.pop().__exit__(*error)

    def __del__(self):
        if self._handle is not None:
            function("stream_destroy")(self._handle)


class use:
    """``with prim.use(engine_or_stream):`` runs the thread's calls there. ``use(None)``: where the arrays are."""

    def __init__(self, place):
        self._place = place if isinstance(place, Stream) or place is None else Engine(str(place))

    def __enter__(self):
        self._before = getattr(_here, "place", None)
        _here.place = self._place
        return self._place

    def __exit__(self, *error):
        _here.place = self._before


class capture:
    """``with capture(stream) as kept:`` has the thread's calls recorded on the stream; `kept` takes what they use."""

    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        _here.recorded, self._use = (self._stream, []), use(self._stream)
        self._use.__enter__()
        return _here.recorded[1]

    def __exit__(self, *error):
        _here.recorded = None
        self._use.__exit__(*error)


def keep(words):
    """Has what a call uses live as long as the recording that the thread makes."""
    recorded = getattr(_here, "recorded", None)
    if recorded:
        recorded[1].append(words)


def is_recording():
    """Whether the thread's calls are captured, so that arrays have no values."""
    return getattr(_here, "recorded", None) is not None


def current_place():
    """What ``use`` chose for the thread, or None."""
    return getattr(_here, "place", None)


def place_words(engine):
    """The words of a call that say where it runs."""
    recorded = getattr(_here, "recorded", None)
    if recorded:
        stream = recorded[0]
        if current_place() is not stream or (engine is not None and str(engine) != str(stream.engine)):
            raise ValueError(f"a recording on {stream.engine} holds calls on {stream.engine} alone")
        return ("stream", stream._handle)
    place = engine if engine is not None else getattr(_here, "place", None)
    if place is None:
        return ()
    if isinstance(place, Stream):
        return ("stream", place._handle)
    return ("engine", str(place))


def wait():
    """Waits for the place that ``use`` chose, or for the first GPU."""
    place = getattr(_here, "place", None)
    if place is None:
        place = Engine("gpu") if function("engine_count")("gpu") else Engine("cpu")
    place.wait()


CacheInfo = namedtuple("CacheInfo", "capacity size hits misses")


def cache_info():
    """How many primitives the package keeps, and how often a call found one."""
    return CacheInfo(*map(int, function("cache_info")().split()))


def set_cache_capacity(primitives):
    """Limits the primitives that are kept, the least recently used ones go first; 1024 at the start."""
    function("set_cache_capacity")(primitives)


def set_verbose(levels):
    """What Prim logs: "none", "error", "dispatch", "profile_exec", "all", ... as PRIM_VERBOSE (doc/build.md)."""
    function("set_verbose")(levels)


def version():
    """The library's version: "0.1.0"."""
    return function("version")()
