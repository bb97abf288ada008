// SPDX-License-Identifier: Apache-2.0
// What the tests of the public functions share: engines of every kind present, small tensors.
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include <prim/prim.h>

/// A pointer no function may touch: outputs are preset to it and must still hold it on failure.
#define UNTOUCHED(type) ((type)api_untouched())
void *api_untouched(void);

/// The CPU engine, and GPU engine 0 where there is one; NULL past the end. Owned by the fixture.
prim_engine_t *api_engine(int index);
int api_open_engines(void **state);
int api_close_engines(void **state);

/// Fails the test unless `status` is `expected` and, for failures, there is a sentence.
void api_expect(prim_status_t status, prim_status_t expected);

/// f32 in the numbered layout.
prim_memory_desc_t api_md(int ndims, const prim_dim_t *dims, prim_format_tag_t tag);
/// A vector of `n` f32.
prim_memory_desc_t api_vector(prim_dim_t n);
prim_memory_t *api_memory(const prim_memory_desc_t *md, prim_engine_t *engine);
prim_stream_t *api_stream(prim_engine_t *engine);
/// dst = relu(src) on vectors of `n`.
prim_desc_t *api_relu_desc(prim_engine_t *engine, prim_dim_t n, const prim_attr_t *attr);

#endif
