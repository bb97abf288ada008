// SPDX-License-Identifier: Apache-2.0
// What the tests of the public functions share: engines of every kind present, small tensors.
#include "api_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ENGINES = 2 };

static prim_engine_t *engines[MAX_ENGINES + 1];

void *api_untouched(void)
{
    static char nobody;
    return &nobody;
}

prim_engine_t *api_engine(int index)
{
    return engines[index];
}

int api_open_engines(void **state)
{
    (void)state;
    int n = 0;
    if (prim_engine_create(&engines[n++], PRIM_CPU, 0) != PRIM_SUCCESS) return -1;
    if (prim_engine_get_count(PRIM_GPU) == 0) return 0;
    return prim_engine_create(&engines[n], PRIM_GPU, 0) == PRIM_SUCCESS ? 0 : -1;
}

int api_close_engines(void **state)
{
    (void)state;
    for (int i = 0; i < MAX_ENGINES; ++i) {
        prim_engine_destroy(engines[i]);
        engines[i] = NULL;
    }
    // Primitives that the cache holds keep their engines.
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

void api_expect(prim_status_t status, prim_status_t expected)
{
    assert_int_equal(status, expected);
    if (expected != PRIM_SUCCESS) assert_true(strlen(prim_last_error()) > 0);
}

prim_memory_desc_t api_md(int ndims, const prim_dim_t *dims, prim_format_tag_t tag)
{
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_tag(&md, ndims, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

prim_memory_desc_t api_vector(prim_dim_t n)
{
    return api_md(1, &n, PRIM_a);
}

prim_memory_t *api_memory(const prim_memory_desc_t *md, prim_engine_t *engine)
{
    prim_memory_t *memory = NULL;
    api_expect(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    return memory;
}

prim_stream_t *api_stream(prim_engine_t *engine)
{
    prim_stream_t *stream = NULL;
    api_expect(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    return stream;
}

prim_desc_t *api_relu_desc(prim_engine_t *engine, prim_dim_t n, const prim_attr_t *attr)
{
    const prim_memory_desc_t md = api_vector(n);
    prim_desc_t *pd = NULL;
    api_expect(prim_eltwise_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_RELU, &md, &md, 0, 0, attr),
            PRIM_SUCCESS);
    return pd;
}
