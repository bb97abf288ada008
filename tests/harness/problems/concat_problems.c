// SPDX-License-Identifier: Apache-2.0
// Problems of concat.
#include "problem_gen.h"
#include "problem_image.h"

static void family_concat(draw_t *d)
{
    const char *const from = draw_type(d);
    set(d, "sdt", from);
    set(d, "ddt", once_in(d, 3) ? draw_type(d) : from);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    set(d, "stag", tag);
    set(d, "dtag", once_in(d, 3) ? "undef" : once_in(d, 3) ? layout(d, ndims) : tag);
    const int axis = (int)pick(d, (uint32_t)ndims);
    put(d, " --axis=%d", axis);
    note(d, "axis=%s", axis == ndims - 1 ? "last" : axis == 0 ? "first" : "inner");
    if (once_in(d, 4)) {
        note(d, "scale=msrc0");
        put(d, " --attr-scales=msrc0:common:0.5");
    }
    static const int counts[] = {0, 1, 1, 2, 3, 8, 17};
    const int n = PICK(d, counts);
    note(d, "inputs=%d", n + 1);
    int first[PRIM_MAX_NDIMS];
    put_dims(d, ndims, first);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < ndims; ++k)
            put(d, "%s%d", k ? "x" : ":", k == axis ? size_of(d, "part", 37) : first[k]);
}

static void family_concat_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f16", "f32 --ddt=f16"};
    const int ndims = image_rank(d);
    const int axis = once_in(d, 2) ? 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --sdt=%s --axis=%d", PICK(d, types), axis);
    set(d, "stag", "image");
    set(d, "dtag", "image");
    const int n = 1 + (int)pick(d, 4);
    int first[PRIM_MAX_NDIMS];
    put_dims(d, ndims, first);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < ndims; ++k)
            put(d, "%s%d", k ? "x" : ":", k == axis ? small(d) : first[k]);
}

const generator_t concat_generator = {
        "concat", PRIM_CONCAT, {family_concat}, .image = family_concat_image};
