// SPDX-License-Identifier: Apache-2.0
// Problems of prelu.
#include "problem_gen.h"

static void family_prelu(draw_t *d)
{
    const char *const type = draw_type(d), *const slopes = once_in(d, 2) ? type : draw_type(d);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    put(d, " --sdt=%s:%s", type, slopes);
    note(d, "src=%s", type);
    note(d, "wei=%s", slopes);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const other = once_in(d, 2) ? "any" : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src-tag=%s", tag);
    note(d, "wei-tag=%s", other);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

static void family_prelu_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "bf16", "f16", "f64", "f8_e5m2", "f8_e4m3"};
    const uint32_t ntypes = d->is_gpu ? 3 : 6;
    const char *const type = types[pick(d, ntypes)], *const slopes = types[pick(d, ntypes)];
    set(d, "dir", "BWD_DW");
    put(d, " --sdt=%s:%s", type, slopes);
    note(d, "src=%s", type);
    note(d, "wei=%s", slopes);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    const char *const other = once_in(d, 2) ? "any" : layout(d, ndims);
    put(d, " --stag=%s:%s", tag, other);
    note(d, "src-tag=%s", tag);
    note(d, "wei-tag=%s", other);
    int full[PRIM_MAX_NDIMS];
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

const generator_t prelu_generator = {
        "prelu", PRIM_PRELU, {family_prelu, family_prelu, family_prelu_backward}, .image = NULL};
