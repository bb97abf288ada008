// SPDX-License-Identifier: Apache-2.0
// Problems of reorder.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static void put_types(draw_t *d)
{
    const char *const from = draw_type(d), *const to = once_in(d, 2) ? from : draw_type(d);
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

static bool is_plain_tag(const char *tag)
{
    return strpbrk(tag, "0123456789") == NULL;
}

static void family_reorder(draw_t *d)
{
    put_types(d);
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const bool is_strided = once_in(d, 5);
    const char *const stag = is_strided ? "any" : layout(d, ndims);
    const char *const dtag = layout(d, ndims);
    set(d, "stag", is_strided ? "abx" : stag);
    set(d, "dtag", dtag);
    put_reorder_attr(d, ndims);
    static const char *const crossings[] = {"cpu2gpu", "gpu2cpu"};
    static const char *const masks[] = {"1", "2", "3", "4095"};
    if (d->is_gpu && once_in(d, 6))
        set(d, "cross-engine", PICK(d, crossings));
    else if (!is_strided && once_in(d, 6) && is_plain_tag(stag) && is_plain_tag(dtag))
        set(d, "runtime-dim-mask", PICK(d, masks));
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

/// From plain to blocked weights and activations and back, whose blocks are padded.
static void family_reorder_blocks(draw_t *d)
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

static void family_reorder_image(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "f16", "bf16", "s8"};
    const uint32_t kind = pick(d, 3); // to, from, between
    const int ndims = 3 + (int)pick(d, 2);
    set(d, "sdt", kind == 0 ? PICK(d, types) : image_type(d));
    set(d, "ddt", kind == 1 ? PICK(d, types) : image_type(d));
    set(d, "stag", kind == 0 ? layout(d, ndims) : "image");
    set(d, "dtag", kind == 1 ? layout(d, ndims) : "image");
    note(d, "ndims=%d", ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

const generator_t reorder_generator = {"reorder", PRIM_REORDER,
        {family_reorder, family_reorder_blocks}, .image = family_reorder_image};
