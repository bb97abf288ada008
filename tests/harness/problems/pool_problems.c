// SPDX-License-Identifier: Apache-2.0
// Problems of pooling.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static const char *const algs[] = {"max", "avg_np", "avg_p"};

/// src and dst of pooling.
static void put_pool_types(draw_t *d)
{
    static const char *const gpu[] = {"f32", "f32", "bf16", "f16", "s8", "u8", "s32", "f16:f32",
            "f32:f16", "bf16:f32", "s8:f32", "u8:s8"};
    static const char *const cpu[] = {"f32", "bf16", "f16", "s8", "u8", "s32", "f64", "f16:f32"};
    const char *const type = d->is_gpu ? PICK(d, gpu) : PICK(d, cpu);
    set(d, "dir", strchr(type, '8') || once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "dt", type);
    set(d, "alg", PICK(d, algs));
}

/// Images of the rank with windows of every sort.
static void put_windows(draw_t *d, int nspatial)
{
    static const char letters[] = "dhw";
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 70));
    for (int axis = 3 - nspatial; axis < 3; ++axis) {
        const char x = letters[axis];
        const int k = 1 + (int)pick(d, 4), dilation = once_in(d, 5), stride = 1 + (int)pick(d, 3);
        const int reach = (k - 1) * (dilation + 1) + 1, pad = (int)pick(d, (uint32_t)k);
        const int in = reach - 1 + size_of(d, axis == 2 ? "iw" : "ih", axis == 2 ? 70 : 17);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, in, x, k, x, stride, x, pad, x, dilation);
        if (axis < 2) continue;
        note(d, "kernel=%d", k);
        note(d, "stride=%d", stride);
        note(d, "pad=%d", pad);
        note(d, "dilation=%d", dilation);
    }
}

static int draw_nspatial(draw_t *d)
{
    const int nspatial = once_in(d, 4) ? 3 : once_in(d, 3) ? 1 : 2;
    note(d, "spatial=%d", nspatial);
    return nspatial;
}

static void family_pool(draw_t *d)
{
    put_pool_types(d);
    const int nspatial = draw_nspatial(d);
    set(d, "tag", layout(d, nspatial + 2));
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, "f32", nspatial + 2);
    put_windows(d, nspatial);
}

static void put_gradient_types(draw_t *d)
{
    static const char *const types[] = {
            "f32", "f32", "bf16", "f16", "f32:bf16", "f16:f32", "f64", "f8_e5m2"};
    set(d, "dir", "BWD_D");
    set(d, "dt", types[pick(d, d->is_gpu ? 6 : 8)]);
    set(d, "alg", PICK(d, algs));
}

/// Rows without holes under small windows, as networks have them.
static void put_small_windows(draw_t *d)
{
    static const char *const tags[] = {"abx", "abx", "axb", "aBx16b"};
    set(d, "tag", PICK(d, tags));
    const int kernel = 2 + (int)pick(d, 3), stride = 1 + (int)pick(d, 2);
    const int pad = (int)pick(d, (uint32_t)kernel);
    note(d, "window=%ds%d", kernel, stride);
    note(d, "pad=%d", pad);
    put(d, " --attr-post-ops= mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    put(d, "ih%d", kernel - 1 + size_of(d, "ih", 20));
    put(d, "iw%dkh%dkw%dsh%dsw%dph%dpw%d", kernel - 1 + size_of(d, "iw", 140), kernel, kernel,
            stride, stride, pad, pad);
}

static void family_pool_windows(draw_t *d)
{
    put_pool_types(d);
    put_small_windows(d);
}

static void put_global_window(draw_t *d)
{
    const int h = size_of(d, "ih", 17), w = size_of(d, "iw", 37);
    note(d, "window=global");
    put(d, " mb%d", small(d));
    put(d, "ic%dih%diw%doh1ow1kh%dkw%d", size_of(d, "ic", 140), h, w, h, w);
}

static void family_pool_global(draw_t *d)
{
    put_pool_types(d);
    set(d, "tag", layout(d, 4));
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, "f32", 4);
    put_global_window(d);
}

static void family_pool_backward(draw_t *d)
{
    put_gradient_types(d);
    if (once_in(d, 3)) {
        put_small_windows(d);
    } else if (once_in(d, 4)) {
        set(d, "tag", layout(d, 4));
        put_global_window(d);
    } else {
        const int nspatial = draw_nspatial(d);
        set(d, "tag", layout(d, nspatial + 2));
        put_windows(d, nspatial);
    }
}

/// Gradients of maxima in 16 bits, rows and channels of whole vectors.
static void family_pool_pairs(draw_t *d)
{
    static const char *const types[] = {"f16", "bf16"};
    static const char *const tags[] = {"abx", "abx", "axb", "aBx8b"};
    set(d, "dir", "BWD_D");
    set(d, "dt", PICK(d, types));
    set(d, "alg", "max");
    set(d, "tag", PICK(d, tags));
    const int kernel = 2 + (int)pick(d, 2), stride = 1 + (int)pick(d, 2);
    const int pad = kernel == 3, iw = 4 * size_of(d, "iw", 35);
    note(d, "window=%ds%d", kernel, stride);
    put(d, " --attr-post-ops= mb%d", small(d));
    put(d, "ic%dih%diw%d", 8 * size_of(d, "ic", 5), 2 + size_of(d, "ih", 20), iw);
    put(d, "kh%dkw%dsh%dsw%dph%dpw%d", kernel, kernel, stride, stride, pad, pad);
}

static void family_pool_image(draw_t *d)
{
    static const char *const types[] = {"f32", "f16", "f32:f16"};
    set(d, "dt", PICK(d, types));
    set(d, "dir", "FWD_I");
    set(d, "alg", PICK(d, algs));
    set(d, "tag", "image");
    put_image_operand(d);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    put_image_windows(d);
}

const generator_t pool_generator = {"pool", PRIM_POOLING,
        {family_pool, family_pool_windows, family_pool_global, family_pool_windows,
                family_pool_global, family_pool_backward},
        .image = family_pool_image, .rare = family_pool_pairs};
