// SPDX-License-Identifier: Apache-2.0
// Streams for tests of threads. In a library built without OpenMP a CPU stream without a pool works
// on its caller alone; these bring a pool, so that the parallel regions of primitives have threads.
#ifndef PRIM_TESTS_TEST_POOL_H
#define PRIM_TESTS_TEST_POOL_H

#include <prim/prim.h>

enum { TEST_POOL_MAX = 3 };

/// An in-order stream; of a CPU engine in such a library, one on a pool of TEST_POOL_MAX threads.
prim_status_t test_pool_stream_create(prim_stream_t **stream, prim_engine_t *engine);
/// A stream on a pool of 1 to TEST_POOL_MAX threads, of a CPU engine in any library.
prim_status_t test_pool_stream_create_of(
        prim_stream_t **stream, prim_engine_t *engine, int nthreads);

#endif
