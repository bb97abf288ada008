// SPDX-License-Identifier: Apache-2.0
// Problems of matmul.
#include "problem_gen.h"
#include "problem_product.h"

static void put_bias(draw_t *d, int ndims)
{
    if (!once_in(d, 2)) return;
    const int masks[] = {1 << (ndims - 1), 1 << (ndims - 1), 1 << (ndims - 2), 3 << (ndims - 2), 0};
    static const char *const names[] = {"n", "n", "m", "mn", "one"};
    const uint32_t kind = pick(d, 5);
    set(d, "bia-dt", product_bias_type(d));
    put(d, " --bia_mask=%d", masks[kind]);
    note(d, "bias=%s", names[kind]);
}

/// m×k times k×n in `nbatch` dimensions, of which weights may lack some.
static void put_product(draw_t *d, int nbatch, int m, int k, int n)
{
    int batch[10];
    const bool is_shared = nbatch > 0 && once_in(d, 3);
    if (is_shared) note(d, "batch=shared");
    put(d, " ");
    for (int i = 0; i < nbatch; ++i)
        put(d, "%dx", batch[i] = nbatch > 2 ? 1 + (int)pick_size(d, 2) : small(d));
    put(d, "%dx%d:", m, k);
    for (int i = 0; i < nbatch; ++i) put(d, "%dx", is_shared && i == 0 ? 1 : batch[i]);
    put(d, "%dx%d", k, n);
}

/// Rows that lie further apart than they are long.
static void put_strides(draw_t *d, int m, int k, int n)
{
    char src[64], wei[64], dst[64];
    strides_text(src, sizeof src, 2, (const int[]){m, k}, (int)pick(d, 4));
    strides_text(wei, sizeof wei, 2, (const int[]){k, n}, (int)pick(d, 4));
    strides_text(dst, sizeof dst, 2, (const int[]){m, n}, (int)pick(d, 4));
    note(d, "strides=rows");
    put(d, " --strides=%s:%s:%s", src, wei, dst);
}

static int depth_of(draw_t *d)
{
    return pick_size(d, 5) == 0 ? 9 * size_of(d, "any", 300) : size_of(d, "k", 300);
}

static void put_runtime(draw_t *d, int ndims)
{
    static const char *const names[] = {"m", "mn", "mnk", "all"};
    const int m = 1 << (ndims - 2), last = 1 << (ndims - 1), all = 2 * last - 1;
    const int masks[][2] = {{m, 0}, {m, last}, {m | last, m | last}, {all, all}};
    const uint32_t kind = pick(d, 4);
    note(d, "runtime=%s", names[kind]);
    put(d, " --runtime_dims_masks=%d:%d", masks[kind][0], masks[kind][1]);
}

static void family_matmul(draw_t *d)
{
    const char *const types = product_types(d);
    set(d, "dt", types);
    const int nbatch = once_in(d, 8) ? 3 + (int)pick(d, 8) : (int)pick(d, 3), ndims = nbatch + 2;
    const bool is_deep = ndims > 4;
    const int m = is_deep ? small(d) : size_of(d, "m", 300);
    const int k = is_deep ? size_of(d, "k", 33) : depth_of(d);
    const int n = size_of(d, "n", is_deep ? 33 : 300);
    note(d, "ndims=%d", ndims);
    if (ndims <= 4 && once_in(d, 4)) {
        static const char *const blocked[] = {"AB8a8b", "BA16a16b", "aB16b"};
        set(d, "stag", product_layout(d, ndims));
        set(d, "wtag", ndims == 2 ? PICK(d, blocked) : "any");
        set(d, "dtag", "any");
    } else if (ndims == 2 && once_in(d, 3)) {
        put_strides(d, m, k, n);
    } else if (ndims <= 4) {
        set(d, "stag", product_layout(d, ndims));
        set(d, "wtag", product_layout(d, ndims));
        set(d, "dtag", once_in(d, 4) ? product_layout(d, ndims) : "abx");
        if (once_in(d, 4)) put_runtime(d, ndims);
    } else {
        set(d, "stag", "abx");
        set(d, "wtag", "abx");
        set(d, "dtag", "abx");
    }
    put_bias(d, ndims);
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), ndims);
    put_product(d, nbatch, m, k, n);
}

static void family_matmul_aligned(draw_t *d)
{
    static const char *const types[] = {"f16", "f16:f16:f32", "bf16", "bf16:bf16:f32", "s8:s8:s32",
            "u8:s8:f32", "s8:u8:f32", "s8:s8:s8", "f32"};
    const char *const type = PICK(d, types);
    set(d, "dt", type);
    set(d, "stag", product_layout(d, 2));
    set(d, "wtag", product_layout(d, 2));
    set(d, "dtag", "ab");
    put_bias(d, 2);
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(type), 2);
    const int slices = pick_size(d, 3) == 0 ? 4 : 1;
    const int m = size_of(d, "m", 300), k = slices * multiple_of_16(d);
    const int n = pick_size(d, 2) ? multiple_of_16(d) : size_of(d, "n", 300);
    put_product(d, 0, m, k, n);
}

/// Integers, or integer weights of floats; scales and zero points of every mask and type.
static void family_matmul_quant(draw_t *d)
{
    static const quant_choice_t scales[] = {
            {"src", {"common", "per_dim_0", "per_oc", "per_ocic", "per_ocic/1x8", "per_tensor"}},
            {"wei", {"common", "per_oc", "per_dim_0", "per_ocic", "per_ocic/8x1", "per_tensor"}},
            {"dst", {"common", "per_dim_0", "per_oc", "per_tensor"}}, {NULL, {NULL}}};
    static const quant_choice_t zero_points[] = {
            {"src", {"common", "per_oc", "per_dim_0", "per_ocic/1x8"}},
            {"wei", {"common", "per_oc", "per_ocic/8x1", "per_tensor"}},
            {"dst", {"common", "per_oc", "per_dim_0"}}, {NULL, {NULL}}};
    static const quant_choice_t weights_only[] = {
            {"wei", {"common", "per_oc", "per_ocic/8x1"}}, {NULL, {NULL}}};
    static const char *const mixed_types[] = {
            "f32:s8:f32", "f16:s8:f16", "bf16:u8:bf16", "f16:u8:f32"};
    const bool is_mixed = once_in(d, 3);
    const char *const types = is_mixed        ? PICK(d, mixed_types)
                              : once_in(d, 4) ? product_float_types(d)
                                              : product_integer_types(d);
    const int nbatch = (int)pick(d, 3), ndims = nbatch + 2;
    const bool is_integer = types[0] == 's' || types[0] == 'u';
    set(d, "dt", types);
    note(d, "ndims=%d", ndims);
    set(d, "stag", product_layout(d, ndims));
    set(d, "wtag", product_layout(d, ndims));
    set(d, "dtag", "abx");
    if (is_mixed) set(d, "attr-fpmath", once_in(d, 2) ? "any:true" : "strict:true");
    put_bias(d, ndims);
    draw_scales(d, scales);
    if (is_integer || is_mixed) draw_zero_points(d, is_mixed ? weights_only : zero_points);
    if (once_in(d, 3)) draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), ndims);
    const int m = size_of(d, "m", 70), k = 8 * (1 + (int)pick_size(d, 12));
    put_product(d, nbatch, m, k, size_of(d, "n", 140));
}

/// Few rows and much depth.
static void family_matmul_rows(draw_t *d)
{
    static const char *const types[] = {
            "f32", "f32", "f16", "bf16", "f16:f16:f32", "u8:s8:s32", "s8:s8:f32", "bf16:bf16:f32"};
    const char *const type = PICK(d, types);
    const int nbatch = once_in(d, 3), ndims = nbatch + 2;
    set(d, "dt", type);
    set(d, "stag", nbatch ? "abc" : "ab");
    set(d, "wtag", product_layout(d, ndims));
    set(d, "dtag", nbatch ? "abc" : "ab");
    put_bias(d, ndims);
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(type), ndims);
    const int m = size_of(d, "m", 33), k = 16 * (14 + (int)pick_size(d, 60));
    put_product(d, nbatch, m, k, 8 * (1 + (int)pick_size(d, 24)));
}

static prim_desc_t *probe(prim_engine_t *engine, int which)
{
    prim_memory_desc_t mds[3];
    prim_desc_t *pd = NULL;
    probe_product(mds, which, which >= 6 ? "any" : "ab");
    prim_matmul_desc_create(&pd, engine, &mds[0], &mds[1], NULL, &mds[2], NULL);
    return pd;
}

const generator_t matmul_generator = {"matmul", PRIM_MATMUL,
        {family_matmul, family_matmul_aligned, family_matmul_quant, family_matmul_rows},
        .probe = probe};
