// SPDX-License-Identifier: Apache-2.0
// Engines, and what lives for one round on them.
#include "fuzz_world.h"

#include <stdlib.h>
#include <string.h>

static fuzz_side_t sides[FUZZ_SIDES];
static int nsides;

void fuzz_expect(const char *where, prim_status_t status, prim_status_t expected)
{
    if (status != expected) fuzz_fail(where, prim_status_name(status));
    if (status != PRIM_SUCCESS && prim_last_error()[0] == '\0')
        fuzz_fail(where, "failures have a sentence");
}

prim_memory_desc_t fuzz_tensor_md(void)
{
    const prim_dim_t dims[] = {FUZZ_ELEMS};
    prim_memory_desc_t md;
    fuzz_expect(
            __func__, prim_memory_desc_init_by_tag(&md, 1, dims, PRIM_F32, PRIM_a), PRIM_SUCCESS);
    return md;
}

static void open_step(fuzz_side_t *side)
{
    const prim_memory_desc_t md = fuzz_tensor_md();
    fuzz_expect(__func__,
            prim_eltwise_forward_desc_create(&side->pd, side->engine, PRIM_FORWARD_INFERENCE,
                    PRIM_ELTWISE_LINEAR, &md, &md, 0.5f, 1.0f, NULL),
            PRIM_SUCCESS);
    fuzz_expect(__func__, prim_create(&side->step, side->pd), PRIM_SUCCESS);
    if (side->kind == PRIM_CPU) return;
    fuzz_expect(__func__, prim_get_cache_blob(side->step, &side->blob_bytes, NULL), PRIM_SUCCESS);
    side->blob = malloc(side->blob_bytes);
    if (!side->blob) exit(2);
    fuzz_expect(
            __func__, prim_get_cache_blob(side->step, &side->blob_bytes, side->blob), PRIM_SUCCESS);
}

void fuzz_world_open(void)
{
    static const prim_engine_kind_t kinds[] = {PRIM_CPU, PRIM_GPU};
    for (int i = 0; i < FUZZ_SIDES; ++i) {
        if (prim_engine_get_count(kinds[i]) == 0) continue;
        fuzz_side_t *const side = &sides[nsides++];
        side->kind = kinds[i];
        fuzz_expect(__func__, prim_engine_create(&side->engine, kinds[i], 0), PRIM_SUCCESS);
        open_step(side);
    }
    FUZZ_PROMISE(nsides > 0, "there is a CPU engine");
    fuzz_expect(__func__, prim_set_verbose("none"), PRIM_SUCCESS);
}

void fuzz_world_close(void)
{
    fuzz_ocl_close();
    for (; nsides > 0; --nsides) {
        fuzz_side_t *const side = &sides[nsides - 1];
        free(side->blob);
        prim_destroy(side->step);
        prim_desc_destroy(side->pd);
        prim_engine_destroy(side->engine);
    }
}

void fuzz_round_begin(void)
{
    for (int s = 0; s < nsides; ++s) {
        memset(sides[s].tensors, 0, sizeof sides[s].tensors);
        memset(sides[s].streams, 0, sizeof sides[s].streams);
        memset(sides[s].recordings, 0, sizeof sides[s].recordings);
    }
}

void fuzz_round_end(void)
{
    for (int s = 0; s < nsides; ++s) {
        fuzz_side_t *const side = &sides[s];
        for (int i = 0; i < FUZZ_TENSORS; ++i)
            if (side->tensors[i].memory) fuzz_tensor_check(&side->tensors[i]);
        for (int i = 0; i < FUZZ_TENSORS; ++i) fuzz_tensor_destroy(side, &side->tensors[i]);
        for (int i = 0; i < FUZZ_STREAMS; ++i) prim_stream_destroy(side->streams[i].stream);
        for (int i = 0; i < FUZZ_RECORDINGS; ++i)
            prim_recording_destroy(side->recordings[i].recording);
    }
}

fuzz_side_t *fuzz_side(fuzz_input_t *in)
{
    return &sides[fuzz_below(in, nsides)];
}

void fuzz_tensor_draw(float values[FUZZ_ELEMS], fuzz_input_t *in)
{
    const int first = fuzz_byte(in);
    for (int i = 0; i < FUZZ_ELEMS; ++i) values[i] = (float)((first + i * 5) % 32 + 1) / 4;
}

void fuzz_tensor_step(fuzz_tensor_t *dst, const fuzz_tensor_t *src)
{
    for (int i = 0; i < FUZZ_ELEMS; ++i) dst->values[i] = src->values[i] * 0.5f + 1;
}
