// SPDX-License-Identifier: Apache-2.0
// Problems of inner product.
#include "problem_gen.h"
#include "problem_image.h"
#include "problem_product.h"

static void put_ip_attr(draw_t *d, const char *types)
{
    if (once_in(d, 3)) set(d, "bia-dt", product_bias_type(d));
    if (once_in(d, 3)) draw_scales(d, NULL);
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), 2);
}

static void family_ip(draw_t *d)
{
    const char *const types = product_types(d);
    set(d, "dir", once_in(d, 2) ? "FWD_B" : "FWD_I");
    set(d, "dt", types);
    const int nspatial = (int)pick(d, 4);
    static const char *const tags[] = {"abx", "axb", "aBx8b", "any"};
    static const char *const flat[] = {"ab", "ba", "any"};
    set(d, "stag", nspatial ? PICK(d, tags) : PICK(d, flat));
    set(d, "wtag", nspatial ? PICK(d, tags) : PICK(d, flat));
    set(d, "dtag", once_in(d, 2) ? "any" : "ab");
    put_ip_attr(d, types);
    note(d, "spatial=%d", nspatial);
    put(d, " mb%d", size_of(d, "m", 140));
    put(d, "ic%d", size_of(d, "k", nspatial ? 40 : 300));
    put(d, "oc%d", size_of(d, "n", 300));
    if (nspatial > 2) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", small(d));
    if (nspatial > 0) put(d, "iw%d", small(d));
}

/// What matrix units take, and few rows with much depth.
static void family_ip_aligned(draw_t *d)
{
    static const char *const types[] = {
            "f16", "bf16:bf16:f32", "f16:f16:f32", "bf16", "f32", "s8:s8:s32", "u8:s8:f32"};
    const char *const type = PICK(d, types);
    set(d, "dir", once_in(d, 2) ? "FWD_B" : "FWD_I");
    set(d, "dt", type);
    set(d, "stag", "ab");
    set(d, "wtag", once_in(d, 3) ? "any" : once_in(d, 2) ? "ab" : "ba");
    set(d, "dtag", "ab");
    put_ip_attr(d, type);
    const int rows = pick_size(d, 2) ? size_of(d, "m", 33) : size_of(d, "m", 140);
    const int slices = pick_size(d, 2) ? 5 : 1, k = slices * multiple_of_16(d);
    put(d, " mb%dic%doc%d", rows, k, multiple_of_16(d));
}

/// Gradients: of src, of the weights, of the weights and the bias.
static void family_ip_backward(draw_t *d)
{
    static const char *const directions[] = {"BWD_D", "BWD_W", "BWD_WB"};
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "f32:f32:bf16",
            "bf16:f32:bf16", "f16:f32:f32", "f64", "f8_e5m2:f8_e4m3:f32"};
    static const char *const tags[] = {"abx", "abx", "axb", "aBx8b", "any"};
    static const char *const weights_tags[] = {"abx", "abx", "axb", "xba", "ABx8a8b", "any"};
    static const char *const flat[] = {"ab", "ab", "ba", "any"};
    const char *const direction = PICK(d, directions);
    set(d, "dir", direction);
    set(d, "dt", types[pick(d, d->is_gpu ? 7 : 9)]);
    if (direction == directions[2] && once_in(d, 3))
        set(d, "bia-dt", once_in(d, 2) ? "bf16" : "f16");
    const int nspatial = (int)pick(d, 4);
    set(d, "stag", nspatial ? PICK(d, tags) : PICK(d, flat));
    set(d, "wtag", nspatial ? PICK(d, weights_tags) : PICK(d, flat));
    set(d, "dtag", PICK(d, flat));
    draw_modes(d);
    note(d, "spatial=%d", nspatial);
    put(d, " mb%d", size_of(d, "m", 300));
    put(d, "ic%d", size_of(d, "k", nspatial ? 40 : 300));
    put(d, "oc%d", size_of(d, "n", 300));
    if (nspatial > 2) put(d, "id%d", small(d));
    if (nspatial > 1) put(d, "ih%d", small(d));
    if (nspatial > 0) put(d, "iw%d", small(d));
}

/// Gradients that matrix units take.
static void family_ip_backward_aligned(draw_t *d)
{
    static const char *const directions[] = {"BWD_D", "BWD_W", "BWD_WB"};
    static const char *const types[] = {"f16", "bf16", "f16:f16:f32", "f32:bf16:bf16", "f32"};
    static const char *const tags[] = {"ab", "ab", "ba", "any"};
    set(d, "dir", PICK(d, directions));
    set(d, "dt", PICK(d, types));
    set(d, "stag", PICK(d, tags));
    set(d, "wtag", PICK(d, tags));
    set(d, "dtag", once_in(d, 3) ? "ba" : "ab");
    draw_modes(d);
    put(d, " mb%dic%doc%d", multiple_of_16(d), multiple_of_16(d), multiple_of_16(d));
}

static void family_ip_image(draw_t *d)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    const char *const types = PICK(d, weights), *const ddt = image_type(d);
    put(d, " --dt=%s:%s", types, ddt);
    note(d, "dt=%s:%s", types, ddt);
    set(d, "dir", once_in(d, 2) ? "FWD_B" : "FWD_I");
    set(d, "stag", "image");
    set(d, "dtag", once_in(d, 2) ? "image" : "any");
    put_image_chain(d);
    const bool is_plane = once_in(d, 2);
    put(d, " mb%d", size_of(d, "m", 33));
    put(d, "ic%d", size_of(d, "k", 33));
    put(d, "oc%d", size_of(d, "n", 33));
    if (is_plane) {
        put(d, "ih%d", small(d));
        put(d, "iw%d", small(d));
    }
}

static prim_desc_t *probe(prim_engine_t *engine, int which)
{
    prim_memory_desc_t mds[3];
    prim_desc_t *pd = NULL;
    probe_product(mds, which, "any");
    prim_inner_product_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, &mds[0], &mds[1], NULL, &mds[2], NULL);
    return pd;
}

const generator_t ip_generator = {"ip", PRIM_INNER_PRODUCT,
        {family_ip, family_ip_aligned, family_ip, family_ip_aligned, family_ip_backward,
                family_ip_backward_aligned},
        .image = family_ip_image, .probe = probe};
