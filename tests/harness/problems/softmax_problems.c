// SPDX-License-Identifier: Apache-2.0
// Problems of softmax.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static void family_softmax(draw_t *d)
{
    const char *const type = draw_type(d), *const ddt = once_in(d, 2) ? type : draw_type(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "sdt", type);
    set(d, "ddt", ddt);
    const bool is_log = once_in(d, 3);
    set(d, "alg", is_log ? "LOGSOFTMAX" : "SOFTMAX");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    set(d, "stag", tag);
    const bool has_dtag = once_in(d, 3);
    if (has_dtag) set(d, "dtag", layout(d, ndims));
    const int axis = once_in(d, 2) ? ndims - 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    if (!has_dtag && strcmp(type, ddt) == 0 && once_in(d, 2)) set(d, "inplace", "true");
    if (is_integer_type(ddt))
        put(d, " --attr-scales=dst:common:0.0078125");
    else if (once_in(d, 3))
        draw_scales(d, NULL);
    // A logarithm next to 0 may round to 0: comparisons and functions with a border there would
    // jump.
    const unsigned order = is_log ? 0 : CHAIN_ORDER;
    draw_chain(d, CHAIN_BINARY | order | (once_in(d, 2) ? CHAIN_ELTWISE : 0), ddt, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static void family_softmax_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "bf16", "f16", "f64", "f8_e5m2", "f8_e4m3"};
    const uint32_t ntypes = d->is_gpu ? 3 : 6;
    const char *const type = types[pick(d, ntypes)];
    const char *const ddt = once_in(d, 2) ? type : types[pick(d, ntypes)];
    set(d, "dir", "BWD_D");
    set(d, "sdt", type);
    set(d, "ddt", ddt);
    set(d, "alg", once_in(d, 2) ? "LOGSOFTMAX" : "SOFTMAX");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    set(d, "stag", layout(d, ndims));
    const bool has_dtag = once_in(d, 3);
    if (has_dtag) set(d, "dtag", layout(d, ndims));
    const int axis = once_in(d, 2) ? ndims - 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    if (!has_dtag && strcmp(type, ddt) == 0 && once_in(d, 2)) set(d, "inplace", "true");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static void family_softmax_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    const int ndims = image_rank(d);
    set(d, "dir", "FWD_I");
    put(d, " --sdt=%s", PICK(d, types));
    set(d, "stag", "image");
    set(d, "alg", once_in(d, 3) ? "LOGSOFTMAX" : "SOFTMAX");
    put(d, " --axis=%d", once_in(d, 2) ? 1 : (int)pick(d, (uint32_t)ndims));
    put(d, " --attr-post-ops=%s", once_in(d, 3) ? "linear:2:1" : "");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static prim_desc_t *probe(prim_engine_t *engine, int which)
{
    const prim_dim_t dims[] = {2048, which < 3 ? 300 : 5000};
    const prim_memory_desc_t md = probe_md(2, dims, probe_dst_type(which), "ab");
    prim_desc_t *pd = NULL;
    prim_softmax_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, &md, &md, 1, NULL);
    return pd;
}

const generator_t softmax_generator = {"softmax", PRIM_SOFTMAX,
        {family_softmax, family_softmax, family_softmax, family_softmax_backward},
        .image = family_softmax_image, .probe = probe};
