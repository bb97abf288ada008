// SPDX-License-Identifier: Apache-2.0
// One step between two vectors, run and recorded.
#include "recording_rig.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

prim_t *rig_create(prim_desc_t *pd)
{
    prim_t *primitive = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return primitive;
}

rig_t rig_open(prim_engine_t *engine)
{
    const prim_memory_desc_t md = api_vector(N);
    prim_desc_t *pd = NULL;
    api_expect(prim_eltwise_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_LINEAR, &md, &md, 0.5f, 1, NULL),
            PRIM_SUCCESS);
    return (rig_t){.engine = engine,
            .stream = api_stream(engine),
            .step = rig_create(pd),
            .a = api_memory(&md, engine),
            .b = api_memory(&md, engine)};
}

void rig_close(rig_t *rig)
{
    prim_memory_destroy(rig->a);
    prim_memory_destroy(rig->b);
    prim_destroy(rig->step);
    prim_stream_destroy(rig->stream);
}

void rig_fill(prim_memory_t *memory, float value)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < N; ++i) values[i] = value;
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

float rig_read(prim_memory_t *memory)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    const float value = values[0];
    for (int i = 0; i < N; ++i) assert_true(values[i] == value);
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
    return value;
}

void rig_step(const rig_t *rig, prim_memory_t *src, prim_memory_t *dst)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(rig->step, rig->stream, 2, args), PRIM_SUCCESS);
}

prim_recording_t *rig_end(prim_stream_t *stream)
{
    prim_recording_t *recording = NULL;
    api_expect(prim_recording_end(&recording, stream), PRIM_SUCCESS);
    assert_non_null(recording);
    return recording;
}

prim_recording_t *rig_record_step(const rig_t *rig)
{
    api_expect(prim_recording_begin(rig->stream), PRIM_SUCCESS);
    rig_step(rig, rig->a, rig->b);
    return rig_end(rig->stream);
}

void rig_replay(
        prim_recording_t *recording, prim_stream_t *stream, int n, const prim_memory_swap_t *swaps)
{
    api_expect(prim_recording_replay(recording, stream, n, swaps), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
}
