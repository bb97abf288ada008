// SPDX-License-Identifier: Apache-2.0
// Problems of reorder, sum and concat.
#include "problem_gen.h"

#include <stdio.h>
#include <string.h>

static const char *const gpu_types[] = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
static const char *const cpu_types[] = {
        "f32", "f32", "bf16", "f16", "s32", "s8", "u8", "f64", "f8_e5m2", "f8_e4m3"};

static const char *type_of(draw_t *d)
{
    return d->is_gpu ? PICK(d, gpu_types) : PICK(d, cpu_types);
}

static void put_types(draw_t *d)
{
    const char *const from = type_of(d), *const to = once_in(d, 2) ? from : type_of(d);
    set(d, "sdt", from);
    set(d, "ddt", to);
}

/// Scales, zero points and a sum; groups divide the last two dimensions.
static void put_reorder_attr(draw_t *d, int ndims)
{
    static const quant_choice_t flat[] = {{"src", {"common", "per_dim_0", "per_tensor"}},
            {"dst", {"common", "per_dim_0", "per_tensor"}}, {NULL, {NULL}}};
    static const quant_choice_t deep[] = {
            {"src", {"common", "per_dim_0", "per_dim_1", "per_dim_01", "per_tensor"}},
            {"dst", {"common", "per_dim_0", "per_dim_1", "per_dim_01", "per_tensor"}},
            {NULL, {NULL}}};
    const quant_choice_t *const choices = ndims < 2 ? flat : deep;
    if (once_in(d, 2)) return;
    if (once_in(d, 2)) draw_scales(d, choices);
    if (once_in(d, 2)) draw_zero_points(d, choices);
    if (!once_in(d, 2)) return;
    static const char *const sums[] = {"sum", "sum:0.5", "sum:2"};
    const char *const sum = PICK(d, sums);
    note(d, "%s", strcmp(sum, "sum") == 0 ? "sum" : "sum=scale");
    put(d, " --attr-post-ops=%s", sum);
}

void family_reorder(draw_t *d)
{
    put_types(d);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const bool is_strided = once_in(d, 5);
    const char *const stag = is_strided ? "any" : layout(d, ndims);
    set(d, "stag", is_strided ? "abx" : stag);
    set(d, "dtag", layout(d, ndims));
    put_reorder_attr(d, ndims);
    static const char *const crossings[] = {"cpu2gpu", "gpu2cpu"};
    if (d->is_gpu && once_in(d, 6)) set(d, "cross-engine", PICK(d, crossings));
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

/// From plain to blocked weights and activations and back, whose blocks are padded.
void family_reorder_blocks(draw_t *d)
{
    static const char *const pairs[][2] = {{"abcd", "ABcd4b4a"}, {"abcd", "ABcd16b16a"},
            {"abcd", "aBcd16b"}, {"acdb", "aBcd16b"}, {"abcd", "acdb"}, {"acdb", "abcd"},
            {"abcd", "Acdb16a"}, {"ab", "ba"}, {"ab", "AB8a8b"}, {"ab", "BA16a16b"}, {"abc", "acb"},
            {"abc", "aCB16b16c"}, {"abcd", "bacd"}, {"abcd", "abdc"}, {"abcde", "acdeb"}};
    put_types(d);
    const char *const *const pair = pairs[pick(d, sizeof pairs / sizeof *pairs)];
    const bool is_back = once_in(d, 2);
    set(d, "stag", pair[is_back]);
    set(d, "dtag", pair[!is_back]);
    const int ndims = (int)strlen(pair[0]);
    put_reorder_attr(d, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_sum(draw_t *d)
{
    static const int counts[] = {1, 2, 2, 3, 4, 5, 8, 9, 17, 33};
    const int n = PICK(d, counts);
    const char *const first = type_of(d), *const ddt = once_in(d, 2) ? first : type_of(d);
    const bool is_mixed = once_in(d, 3);
    note(d, "inputs=%d", n);
    note(d, "sdt=%s", is_mixed ? "mixed" : first);
    for (int i = 0; i < n; ++i) put(d, "%s%s", i ? ":" : " --sdt=", is_mixed ? type_of(d) : first);
    set(d, "ddt", ddt);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const tag = layout(d, ndims);
    set(d, "stag", tag);
    set(d, "dtag", once_in(d, 2) ? "undef" : once_in(d, 2) ? tag : layout(d, ndims));
    static const char *const scales[] = {"1", "0.5", "2", "-1"};
    for (int i = 0; i < n; ++i) put(d, "%s%s", i ? ":" : " --scales=", PICK(d, scales));
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_concat(draw_t *d)
{
    const char *const from = type_of(d);
    set(d, "sdt", from);
    set(d, "ddt", once_in(d, 3) ? type_of(d) : from);
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
