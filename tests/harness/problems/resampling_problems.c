// SPDX-License-Identifier: Apache-2.0
// Problems of resampling.
#include "problem_gen.h"
#include "problem_image.h"

/// Returns the type of dst.
static const char *put_resampling_types(draw_t *d, const char *alg)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "u8", "s8", "s32"};
    const char *const from = PICK(d, types);
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "sdt", from);
    const char *const ddt = once_in(d, 2) ? from : PICK(d, types);
    set(d, "ddt", ddt);
    set(d, "alg", alg);
    return ddt;
}

/// Sizes of every sort.
static void put_sizes(draw_t *d, int nspatial)
{
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    if (nspatial == 3) {
        put(d, "id%d", small(d));
        put(d, "od%d", small(d));
    }
    if (nspatial > 1) {
        put(d, "ih%d", size_of(d, "ih", 37));
        put(d, "oh%d", size_of(d, "oh", 37));
    }
    put(d, "iw%d", size_of(d, "iw", 70));
    put(d, "ow%d", size_of(d, "ow", 70));
}

static int draw_nspatial(draw_t *d)
{
    const int nspatial = once_in(d, 4) ? 3 : once_in(d, 3) ? 1 : 2;
    note(d, "spatial=%d", nspatial);
    return nspatial;
}

static void family_resampling(draw_t *d)
{
    const char *const ddt = put_resampling_types(d, once_in(d, 2) ? "linear" : "nearest");
    const int nspatial = draw_nspatial(d);
    set(d, "tag", layout(d, nspatial + 2));
    draw_chain(d, allowed_steps(d), ddt, nspatial + 2);
    put_sizes(d, nspatial);
}

/// Heights and widths grow by integer factors, or by 2 in rows of vectors.
static void put_integer_factors(draw_t *d)
{
    static const char *const tags[] = {"abx", "abx", "axb", "aBx8b", "aBx16b"};
    set(d, "tag", PICK(d, tags));
    const int nspatial = once_in(d, 4) ? 3 : 2, h = 1 + (int)pick(d, 4), w = 1 + (int)pick(d, 4);
    note(d, "whole=%dx%d", h, w);
    note(d, "spatial=%d", nspatial);
    const int height = size_of(d, "ih", 20), width = size_of(d, "iw", 70), depth = small(d);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    if (nspatial == 3) put(d, "id%dod%d", depth, 2 * depth);
    put(d, "ih%diw%doh%dow%d", height, width, h * height, w * width);
}

static void family_resampling_whole(draw_t *d)
{
    put_resampling_types(d, once_in(d, 2) ? "linear" : "nearest");
    put(d, " --attr-post-ops=");
    put_integer_factors(d);
}

static void family_resampling_backward(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "f64", "f8_e5m2"};
    const uint32_t ntypes = d->is_gpu ? 4 : 6;
    const char *const from = types[pick(d, ntypes)];
    set(d, "dir", "BWD_D");
    set(d, "sdt", from);
    set(d, "ddt", once_in(d, 2) ? from : types[pick(d, ntypes)]);
    set(d, "alg", once_in(d, 2) ? "linear" : "nearest");
    if (once_in(d, 2)) {
        put_integer_factors(d);
    } else {
        const int nspatial = draw_nspatial(d);
        set(d, "tag", layout(d, nspatial + 2));
        put_sizes(d, nspatial);
    }
}

/// Rows of vectors doubled by linear, as networks have them.
static void family_resampling_doubled(draw_t *d)
{
    const char *const ddt = put_resampling_types(d, "linear");
    set(d, "tag", once_in(d, 4) ? "axb" : "abx");
    const int nspatial = once_in(d, 3) ? 3 : 2;
    note(d, "spatial=%d", nspatial);
    if (once_in(d, 2)) draw_chain(d, allowed_steps(d), ddt, nspatial + 2);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 20));
    const int depth = small(d), height = size_of(d, "ih", 20), width = 15 + size_of(d, "iw", 40);
    if (nspatial == 3) put(d, "id%dod%d", depth, depth * (1 + (int)pick(d, 2)));
    put(d, "ih%diw%doh%dow%d", height, width, 2 * height, 2 * width);
}

static void family_resampling_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    set(d, "dir", "FWD_I");
    put(d, " --sdt=%s", PICK(d, types));
    set(d, "tag", "image");
    set(d, "alg", once_in(d, 2) ? "linear" : "nearest");
    put_image_operand(d);
    const bool has_height = !once_in(d, 3);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    if (has_height) {
        put(d, "ih%d", size_of(d, "ih", 37));
        put(d, "oh%d", size_of(d, "oh", 37));
    }
    put(d, "iw%d", size_of(d, "iw", 37));
    put(d, "ow%d", size_of(d, "ow", 37));
}

const generator_t resampling_generator = {"resampling", PRIM_RESAMPLING,
        {family_resampling, family_resampling_whole, family_resampling_doubled,
                family_resampling_backward},
        .image = family_resampling_image};
