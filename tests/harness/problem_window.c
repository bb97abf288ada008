// SPDX-License-Identifier: Apache-2.0
// Problems of pooling, resampling and batch normalisation.
#include "problem_gen.h"

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

void family_pool(draw_t *d)
{
    static const char letters[] = "dhw";
    put_pool_types(d);
    const int nspatial = once_in(d, 4) ? 3 : once_in(d, 3) ? 1 : 2;
    note(d, "spatial=%d", nspatial);
    set(d, "tag", layout(d, nspatial + 2));
    draw_chain(d, CHAIN_ELTWISE | CHAIN_BINARY | CHAIN_ORDER, "f32", nspatial + 2);
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

/// Rows without holes under small windows, as networks have them.
void family_pool_windows(draw_t *d)
{
    put_pool_types(d);
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

void family_pool_global(draw_t *d)
{
    put_pool_types(d);
    set(d, "tag", layout(d, 4));
    draw_chain(d, CHAIN_ELTWISE | CHAIN_BINARY | CHAIN_ORDER, "f32", 4);
    const int h = size_of(d, "ih", 17), w = size_of(d, "iw", 37);
    note(d, "window=global");
    put(d, " mb%d", small(d));
    put(d, "ic%dih%diw%doh1ow1kh%dkw%d", size_of(d, "ic", 140), h, w, h, w);
}

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

void family_resampling(draw_t *d)
{
    const char *const ddt = put_resampling_types(d, once_in(d, 2) ? "linear" : "nearest");
    const int nspatial = once_in(d, 4) ? 3 : once_in(d, 3) ? 1 : 2;
    note(d, "spatial=%d", nspatial);
    set(d, "tag", layout(d, nspatial + 2));
    draw_chain(d, CHAIN_ELTWISE | CHAIN_BINARY | CHAIN_SUM, ddt, nspatial + 2);
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

/// Heights and widths grow by whole numbers, or by 2 in rows of vectors.
void family_resampling_whole(draw_t *d)
{
    put_resampling_types(d, once_in(d, 2) ? "linear" : "nearest");
    static const char *const tags[] = {"abx", "abx", "axb", "aBx8b", "aBx16b"};
    set(d, "tag", PICK(d, tags));
    put(d, " --attr-post-ops=");
    const int nspatial = once_in(d, 4) ? 3 : 2, h = 1 + (int)pick(d, 4), w = 1 + (int)pick(d, 4);
    note(d, "whole=%dx%d", h, w);
    note(d, "spatial=%d", nspatial);
    const int height = size_of(d, "ih", 20), width = size_of(d, "iw", 70), depth = small(d);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    if (nspatial == 3) put(d, "id%dod%d", depth, 2 * depth);
    put(d, "ih%diw%doh%dow%d", height, width, h * height, w * width);
}

/// Rows of vectors doubled by linear, as networks have them.
void family_resampling_doubled(draw_t *d)
{
    const char *const ddt = put_resampling_types(d, "linear");
    set(d, "tag", once_in(d, 4) ? "axb" : "abx");
    const int nspatial = once_in(d, 3) ? 3 : 2;
    note(d, "spatial=%d", nspatial);
    const unsigned kinds = CHAIN_ELTWISE | CHAIN_BINARY | CHAIN_SUM;
    if (once_in(d, 2)) draw_chain(d, kinds, ddt, nspatial + 2);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 20));
    const int depth = small(d), height = size_of(d, "ih", 20), width = 15 + size_of(d, "iw", 40);
    if (nspatial == 3) put(d, "id%dod%d", depth, depth * (1 + (int)pick(d, 2)));
    put(d, "ih%diw%doh%dow%d", height, width, 2 * height, 2 * width);
}

void family_bnorm(draw_t *d)
{
    static const char *const flags[] = {
            "", "G", "C", "H", "CH", "GCH", "GCHR", "CHR", "R", "CHA", "A"};
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "s8"};
    const char *const type = PICK(d, types), *const flag = PICK(d, flags);
    const bool is_global = strchr(flag, 'G') != NULL, is_integer = is_integer_type(type);
    set(d, "dir", is_integer || once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "dt", type);
    const int nspatial = once_in(d, 4) ? 3 : (int)pick(d, 3);
    set(d, "tag", layout(d, nspatial + 2));
    put(d, " --flags=%s%s", is_integer && !is_global ? "G" : "", flag);
    note(d, "flags=%s%s", is_integer && !is_global ? "G" : "", flag);
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    if (once_in(d, 4)) {
        note(d, "eltwise=relu");
        put(d, " --attr-post-ops=relu");
    }
    note(d, "spatial=%d", nspatial);
    put(d, " mb%d", 1 + (int)pick_size(d, 9));
    put(d, "ic%d", size_of(d, "ic", 140));
    if (nspatial == 3) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", size_of(d, "ih", 37));
    if (nspatial > 0) put(d, "iw%d", size_of(d, "iw", 70));
}
