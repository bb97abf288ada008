// SPDX-License-Identifier: Apache-2.0
// The generators of problem_gen.h, one short function an operation.
#include "problem_gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u; // Numerical Recipes' linear congruential generator
    return (*seed >> 8) % n;
}

#define PICK(seed, array) ((array)[draw((seed), sizeof(array) / sizeof *(array))])

static int edge(uint32_t *seed)
{
    static const int edges[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 23, 31, 32, 33, 37};
    return PICK(seed, edges);
}

static int small(uint32_t *seed)
{
    return 1 + (int)draw(seed, 5);
}

static void add(char *line, size_t line_bytes, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void add(char *line, size_t line_bytes, const char *format, ...)
{
    const size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, line_bytes - used, format, arguments);
    va_end(arguments);
}

static const char *layout(uint32_t *seed)
{
    static const char *const tags[] = {
            "abx", "abx", "abx", "axb", "axb", "aBx4b", "aBx8b", "aBx16b"};
    return PICK(seed, tags);
}

static const char *post_ops(uint32_t *seed)
{
    static const char *const chains[] = {"", "", "", "", "relu", "relu:0.5", "sum:0.5", "sum+relu",
            "add:f32:per_oc", "mul:f32:common+linear:2:1", "prelu:per_oc",
            "clip:-2:3+add:f32:per_oc", "sum:0.25+add:f32:per_oc+relu"};
    return PICK(seed, chains);
}

/// Types of src, wei and dst of the operations with weights; int8 may carry scales.
static void weighted_types(char *line, size_t bytes, uint32_t *seed, const char *wei_policy)
{
    static const char *const types[] = {"f32", "f32", "f32", "f32", "bf16", "f16", "f16:f16:f32",
            "bf16:bf16:f32", "u8:s8:s32", "s8:s8:f32", "u8:s8:u8", "s8:s8:s8"};
    const char *const type = PICK(seed, types);
    add(line, bytes, " --dt=%s", type);
    if (strstr(type, "8:") == NULL) return;
    if (draw(seed, 2))
        add(line, bytes, " --attr-scales=src:common:0.5+wei:%s+dst:common:2", wei_policy);
}

static void spatial(char *line, size_t bytes, uint32_t *seed, bool has_channels_out)
{
    static const char letters[] = "dhw";
    const int first = draw(seed, 8) == 0 ? 0 : draw(seed, 4) == 0 ? 2 : 1;
    for (int axis = first; axis < 3; ++axis) {
        const char x = letters[axis];
        const int k = 1 + (int)draw(seed, 3) * (draw(seed, 3) != 0);
        const int dilation = draw(seed, 6) == 0 ? 1 : 0;
        const int reach = (k - 1) * (dilation + 1) + 1;
        const int in = reach + (int)draw(seed, axis == 2 ? 34 : 9);
        const int pad = (int)draw(seed, (uint32_t)(reach + 1) / 2 + 1) * (draw(seed, 2) != 0);
        add(line, bytes, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, in, x, k, x, 1 + (int)draw(seed, 2), x,
                pad >= reach ? 0 : pad, x, dilation);
    }
    (void)has_channels_out;
}

/// What Winograd's algorithm takes: floats, plain layouts, 3×3.
static void gen_conv_3x3(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32", "f32", "f16", "bf16"};
    static const char *const algorithms[] = {"wino", "wino", "auto"};
    const char *const tag = draw(seed, 2) ? "abx" : "axb";
    add(line, bytes, " --dt=%s --dir=%s --stag=%s --wtag=any --dtag=%s --alg=%s", PICK(seed, types),
            draw(seed, 2) ? "FWD_B" : "FWD_I", tag, draw(seed, 3) ? tag : "any",
            PICK(seed, algorithms));
    add(line, bytes, " --attr-post-ops=%s ", post_ops(seed));
    add(line, bytes, "mb%dic%doc%d", small(seed), edge(seed), edge(seed));
    add(line, bytes, "ih%diw%dkh3kw3ph%dpw%d", 2 + edge(seed), 2 + edge(seed), (int)draw(seed, 3),
            (int)draw(seed, 3));
}

static void gen_conv(char *line, size_t bytes, uint32_t *seed)
{
    if (draw(seed, 4) == 0) {
        gen_conv_3x3(line, bytes, seed);
        return;
    }
    weighted_types(line, bytes, seed, "per_oc");
    static const char *const dirs[] = {"FWD_B", "FWD_I", "FWD_D"};
    const char *const tag = layout(seed);
    static const char *const weights[] = {"any", "any", "abx"};
    add(line, bytes, " --dir=%s --stag=%s --wtag=%s --dtag=%s", PICK(seed, dirs), tag,
            PICK(seed, weights), draw(seed, 3) ? tag : "any");
    add(line, bytes, " --attr-post-ops=%s ", post_ops(seed));
    const int kind = (int)draw(seed, 4);
    const int g = kind == 0 ? edge(seed) : kind == 1 ? small(seed) : 1;
    const int ic = kind == 0 ? g : g * (kind == 1 ? small(seed) : edge(seed));
    const int oc = kind == 0 ? g : g * (kind == 1 ? small(seed) : edge(seed));
    if (kind < 2) add(line, bytes, "g%d", g);
    add(line, bytes, "mb%dic%doc%d", small(seed), ic, oc);
    spatial(line, bytes, seed, true);
}

static void gen_matmul(char *line, size_t bytes, uint32_t *seed)
{
    weighted_types(line, bytes, seed, "per_oc");
    const int nbatch = (int)draw(seed, 3);
    static const char *const tags[3][2] = {{"ab", "ba"}, {"abc", "acb"}, {"abcd", "abdc"}};
    add(line, bytes, " --stag=%s --wtag=%s", tags[nbatch][draw(seed, 2)],
            tags[nbatch][draw(seed, 2)]);
    add(line, bytes, " --dtag=%s", tags[nbatch][0]);
    if (draw(seed, 3) == 0) add(line, bytes, " --bia-dt=f32 --bia_mask=%d", 2 << nbatch);
    if (draw(seed, 4) == 0) add(line, bytes, " --runtime_dims_masks=%d:0", 1 << nbatch);
    add(line, bytes, " --attr-post-ops=%s ", post_ops(seed));
    int batch[2];
    for (int i = 0; i < nbatch; ++i) add(line, bytes, "%dx", batch[i] = small(seed));
    const int k = edge(seed) * (draw(seed, 4) == 0 ? 9 : 1);
    add(line, bytes, "%dx%d:", edge(seed), k);
    for (int i = 0; i < nbatch; ++i) add(line, bytes, "%dx", draw(seed, 3) ? batch[i] : 1);
    add(line, bytes, "%dx%d", k, edge(seed) * (draw(seed, 4) == 0 ? 5 : 1));
}

static void gen_ip(char *line, size_t bytes, uint32_t *seed)
{
    weighted_types(line, bytes, seed, "per_oc");
    static const char *const tags[] = {"abx", "axb", "any"};
    const char *const tag = PICK(seed, tags);
    add(line, bytes, " --dir=%s --stag=%s --wtag=%s --attr-post-ops=%s ",
            draw(seed, 2) ? "FWD_B" : "FWD_I", tag, draw(seed, 2) ? tag : "any", post_ops(seed));
    add(line, bytes, "mb%dic%doc%d", edge(seed), edge(seed) * 3, edge(seed) * 2);
    if (draw(seed, 2)) add(line, bytes, "ih%diw%d", small(seed), small(seed));
}

// Rows without holes under small windows, as networks have them.
static void gen_pool_windows(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16", "u8"};
    static const char *const algs[] = {"max", "avg_np", "avg_p"};
    const int kernel = 2 + (int)draw(seed, 3), stride = 1 + (int)draw(seed, 2);
    add(line, bytes, " --dt=%s --dir=FWD_I --alg=%s --tag=abx --attr-post-ops= mb%dic%d",
            PICK(seed, types), PICK(seed, algs), small(seed), small(seed));
    const int pad = (int)draw(seed, (uint32_t)kernel);
    add(line, bytes, "ih%diw%dkh%dkw%dsh%dsw%dph%dpw%d", kernel + (int)draw(seed, 12),
            kernel + (int)draw(seed, 50), kernel, kernel, stride, stride, pad, pad);
}

static void gen_pool(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32", "f32", "f32", "bf16", "f16", "s8", "u8"};
    static const char *const algs[] = {"max", "avg_np", "avg_p"};
    if (draw(seed, 4) == 0) {
        gen_pool_windows(line, bytes, seed);
        return;
    }
    const char *const type = PICK(seed, types);
    const bool is_integer = type[1] == '8';
    add(line, bytes, " --dt=%s --dir=%s --alg=%s --tag=%s", type,
            is_integer || draw(seed, 2) ? "FWD_I" : "FWD_D", PICK(seed, algs), layout(seed));
    add(line, bytes, " --attr-post-ops=%s mb%dic%d", draw(seed, 4) ? "" : "relu+add:f32:per_oc",
            small(seed), edge(seed));
    if (draw(seed, 4)) {
        spatial(line, bytes, seed, false);
    } else { // global
        const int h = 1 + (int)draw(seed, 9), w = 1 + (int)draw(seed, 17);
        add(line, bytes, "ih%diw%doh1ow1kh%dkw%d", h, w, h, w);
    }
}

static void dims(char *line, size_t bytes, uint32_t *seed, int ndims, int *out)
{
    for (int d = 0; d < ndims; ++d) {
        out[d] = d == 0 ? small(seed) : edge(seed);
        add(line, bytes, "%s%d", d ? "x" : " ", out[d]);
    }
}

static void broadcast_dims(char *line, size_t bytes, uint32_t *seed, int ndims, const int *of)
{
    const int kind = (int)draw(seed, 4); // full, per channel, one value, any
    for (int d = 0; d < ndims; ++d) {
        const bool keeps = kind == 0 || (kind == 1 && d == 1) || (kind == 3 && draw(seed, 2));
        add(line, bytes, "%s%d", d ? "x" : ":", keeps ? of[d] : 1);
    }
}

static void gen_eltwise(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "square", "abs", "sqrt", "linear",
            "soft_relu", "hardsigmoid", "logistic", "exp", "gelu_tanh", "swish", "log", "clip",
            "clip_v2", "pow", "gelu_erf", "mish", "hardswish", "relu_dst", "exp_dst"};
    static const char *const types[] = {"f32", "f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
    const char *const type = PICK(seed, types);
    const bool is_integer = type[0] == 's' || type[0] == 'u';
    static const char *const integer_algs[] = {"relu", "linear", "clip"};
    add(line, bytes, " --dir=FWD_I --dt=%s --tag=%s --alg=%s --alpha=0.25 --beta=1 --inplace=%s",
            type, layout(seed), is_integer ? PICK(seed, integer_algs) : PICK(seed, algs),
            draw(seed, 2) ? "true" : "false");
    add(line, bytes, " --attr-post-ops=%s", draw(seed, 3) ? "" : "add:f32:per_oc");
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 3 + (int)draw(seed, 3), unused);
}

static void gen_binary(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne", "select"};
    static const char *const types[] = {"f32:f32 --ddt=f32", "f32:f32 --ddt=f32",
            "bf16:bf16 --ddt=bf16", "f16:f16 --ddt=f16", "s8:u8 --ddt=s8", "f32:s8 --ddt=f32",
            "s32:s32 --ddt=s32"};
    const char *const tag = layout(seed);
    add(line, bytes, " --sdt=%s --stag=%s:%s --alg=%s", PICK(seed, types), tag,
            draw(seed, 3) ? tag : "abx", PICK(seed, algs));
    add(line, bytes, " --attr-post-ops=%s", draw(seed, 3) ? "" : "relu+add:f32:per_oc");
    int full[PRIM_MAX_NDIMS];
    const int ndims = 3 + (int)draw(seed, 3);
    dims(line, bytes, seed, ndims, full);
    broadcast_dims(line, bytes, seed, ndims, full);
}

static void gen_softmax(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32 --ddt=f32", "f32 --ddt=f32", "f32 --ddt=f32",
            "bf16 --ddt=bf16", "f16 --ddt=f32", "f32 --ddt=u8 --attr-scales=dst:common:0.0078125"};
    const int ndims = 3 + (int)draw(seed, 3);
    add(line, bytes, " --dir=FWD_I --sdt=%s --stag=%s --alg=%s --axis=%d", PICK(seed, types),
            layout(seed), draw(seed, 3) ? "SOFTMAX" : "LOGSOFTMAX",
            draw(seed, 2) ? ndims - 1 : (int)draw(seed, (uint32_t)ndims));
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, ndims, unused);
    if (draw(seed, 2)) add(line, bytes, "%d", (int)draw(seed, 10)); // a longer last axis
}

static void gen_bnorm(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const flags[] = {"", "G", "C", "CH", "GCH", "GCHR", "CHR", "CHA"};
    static const char *const types[] = {"f32", "f32", "f32", "bf16", "f16"};
    add(line, bytes, " --dir=%s --dt=%s --tag=%s --flags=%s --inplace=%s",
            draw(seed, 2) ? "FWD_D" : "FWD_I", PICK(seed, types), layout(seed), PICK(seed, flags),
            draw(seed, 2) ? "true" : "false");
    add(line, bytes, " mb%dic%dih%diw%d", small(seed), edge(seed), edge(seed), edge(seed));
}

static void gen_sum(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32:f32 --ddt=f32", "f32:f32 --ddt=f32",
            "f32:bf16:f32 --ddt=f32", "f16:f16:f16 --ddt=f16", "s8:s8 --ddt=s32",
            "f32:f32:f32:f32:f32 --ddt=bf16"};
    const char *const tag = layout(seed);
    add(line, bytes, " --sdt=%s --stag=%s --dtag=%s --scales=0.5", PICK(seed, types), tag,
            draw(seed, 2) ? tag : "undef");
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 3 + (int)draw(seed, 3), unused);
}

static void gen_concat(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {
            "f32 --ddt=f32", "f32 --ddt=f32", "bf16 --ddt=bf16", "u8 --ddt=u8", "f32 --ddt=f16"};
    const int axis = (int)draw(seed, 3);
    const char *const tag = layout(seed);
    add(line, bytes, " --sdt=%s --stag=%s --dtag=%s --axis=%d", PICK(seed, types), tag, tag, axis);
    int first[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 4, first);
    for (int i = 0, n = 1 + (int)draw(seed, 3); i < n; ++i)
        for (int d = 0; d < 4; ++d)
            add(line, bytes, "%s%d", d ? "x" : ":", d == axis ? edge(seed) : first[d]);
}

static void gen_resampling(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {
            "f32 --ddt=f32", "f32 --ddt=f32", "bf16 --ddt=f32", "u8 --ddt=u8"};
    add(line, bytes, " --dir=FWD_I --sdt=%s --tag=%s --alg=%s --attr-post-ops=%s",
            PICK(seed, types), layout(seed), draw(seed, 2) ? "linear" : "nearest",
            draw(seed, 3) ? "" : "relu");
    add(line, bytes, " mb%dic%dih%diw%doh%dow%d", small(seed), edge(seed), edge(seed), edge(seed),
            edge(seed), edge(seed));
}

static void gen_prelu(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32:f32", "f32:f32", "bf16:bf16", "f16:f32", "s8:f32"};
    const char *const tag = layout(seed);
    add(line, bytes, " --dir=FWD_I --sdt=%s --stag=%s:%s", PICK(seed, types), tag,
            draw(seed, 2) ? "any" : "abx");
    int full[PRIM_MAX_NDIMS];
    const int ndims = 3 + (int)draw(seed, 3);
    dims(line, bytes, seed, ndims, full);
    broadcast_dims(line, bytes, seed, ndims, full);
}

static void gen_reorder(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32", "f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
    static const char *const attrs[] = {
            "", "", "", "--attr-scales=src:per_dim_1+dst:common:2 ", "--attr-post-ops=sum:0.5 "};
    const char *const from = PICK(seed, types);
    add(line, bytes, " --sdt=%s --ddt=%s --stag=%s --dtag=%s %s", from,
            draw(seed, 2) ? from : PICK(seed, types), layout(seed), layout(seed),
            PICK(seed, attrs));
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 3 + (int)draw(seed, 3), unused);
}

// ---- Images: f32 and f16, at most 4 dimensions ------------------------------------------------

static const char *image_type(uint32_t *seed)
{
    return draw(seed, 3) ? "f32" : "f16";
}

/// What follows an operation on images; operands in buffers and in images.
static const char *image_post_ops(uint32_t *seed)
{
    static const char *const chains[] = {"", "", "relu", "relu:0.5", "add:f32:per_oc",
            "add:f32:per_tensor:image", "mul:f32:common+linear:2:1", "prelu:per_oc",
            "clip:-2:3+add:f16:per_tensor:image+mul:f32:per_oc"};
    return PICK(seed, chains);
}

static const char *image_operand(uint32_t *seed)
{
    static const char *const chains[] = {"", "add:f32:per_oc", "mul:f32:per_tensor:image"};
    return PICK(seed, chains);
}

static void gen_reorder_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32", "f32", "f16", "bf16", "s8"};
    const int kind = (int)draw(seed, 3); // to, from, between
    add(line, bytes, " --sdt=%s --ddt=%s --stag=%s --dtag=%s",
            kind == 0 ? PICK(seed, types) : image_type(seed),
            kind == 1 ? PICK(seed, types) : image_type(seed), kind == 0 ? layout(seed) : "image",
            kind == 1 ? layout(seed) : "image");
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 3 + (int)draw(seed, 2), unused);
}

static void gen_eltwise_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {
            "relu", "tanh", "elu", "linear", "logistic", "exp", "swish", "clip", "hardswish"};
    add(line, bytes, " --dir=FWD_I --dt=%s --tag=image --alg=%s --alpha=0.25 --beta=1",
            image_type(seed), PICK(seed, algs));
    add(line, bytes, " --attr-post-ops=%s", image_operand(seed));
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, 2 + (int)draw(seed, 3), unused);
}

/// One or two spatial dimensions.
static void image_spatial(char *line, size_t bytes, uint32_t *seed)
{
    for (int axis = draw(seed, 5) == 0; axis < 2; ++axis) {
        const char x = "hw"[axis];
        const int k = 1 + (int)draw(seed, 3) * (draw(seed, 3) != 0);
        const int dilation = draw(seed, 5) == 0;
        const int reach = (k - 1) * (dilation + 1) + 1;
        const int pad = (int)draw(seed, (uint32_t)(reach + 1) / 2);
        add(line, bytes, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, reach + (int)draw(seed, 12), x, k, x,
                1 + (int)draw(seed, 2), x, pad, x, dilation);
    }
}

static void gen_conv_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    static const char *const dirs[] = {"FWD_B", "FWD_I", "FWD_D"};
    add(line, bytes, " --dt=%s:%s --dir=%s --stag=image --dtag=%s --attr-post-ops=%s ",
            PICK(seed, weights), image_type(seed), PICK(seed, dirs),
            draw(seed, 2) ? "image" : "any", image_post_ops(seed));
    const int kind = (int)draw(seed, 3), g = edge(seed);
    if (kind == 0)
        add(line, bytes, "g%dic%doc%d", g, g, g);
    else if (kind == 1)
        add(line, bytes, "g3ic%doc%d", 12 * small(seed), 12 * small(seed));
    else
        add(line, bytes, "ic%doc%d", edge(seed), edge(seed));
    add(line, bytes, "mb%d", small(seed));
    image_spatial(line, bytes, seed);
}

static void gen_pool_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {"max", "avg_np", "avg_p"};
    static const char *const types[] = {"f32", "f16", "f32:f16"};
    add(line, bytes, " --dt=%s --dir=FWD_I --alg=%s --tag=image --attr-post-ops=%s mb%dic%d",
            PICK(seed, types), PICK(seed, algs), draw(seed, 2) ? "" : "relu+add:f32:per_oc",
            small(seed), edge(seed));
    image_spatial(line, bytes, seed);
}

static void gen_binary_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne"};
    static const char *const types[] = {"f32:f32 --ddt=f32", "f16:f32 --ddt=f16", "f16:f16"};
    add(line, bytes, " --sdt=%s --stag=image:image --alg=%s --attr-post-ops=%s", PICK(seed, types),
            PICK(seed, algs), draw(seed, 2) ? "" : "relu+mul:f32:per_tensor:image+add:f32:per_oc");
    int full[PRIM_MAX_NDIMS];
    const int ndims = 2 + (int)draw(seed, 3);
    dims(line, bytes, seed, ndims, full);
    broadcast_dims(line, bytes, seed, ndims, full);
}

static void gen_concat_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f16", "f32 --ddt=f16"};
    const int ndims = 2 + (int)draw(seed, 3);
    const int axis = draw(seed, 2) ? 1 : (int)draw(seed, (uint32_t)ndims);
    add(line, bytes, " --sdt=%s --stag=image --dtag=image --axis=%d", PICK(seed, types), axis);
    int first[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, ndims, first);
    for (int i = 0, n = 1 + (int)draw(seed, 4); i < n; ++i)
        for (int d = 0; d < ndims; ++d)
            add(line, bytes, "%s%d", d ? "x" : ":", d == axis ? small(seed) : first[d]);
}

static void gen_softmax_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    const int ndims = 2 + (int)draw(seed, 3);
    add(line, bytes, " --dir=FWD_I --sdt=%s --stag=image --alg=%s --axis=%d --attr-post-ops=%s",
            PICK(seed, types), draw(seed, 3) ? "SOFTMAX" : "LOGSOFTMAX",
            draw(seed, 2) ? 1 : (int)draw(seed, (uint32_t)ndims),
            draw(seed, 3) ? "" : "linear:2:1");
    int unused[PRIM_MAX_NDIMS];
    dims(line, bytes, seed, ndims, unused);
}

static void gen_bnorm_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const flags[] = {"G", "GC", "GCH", "GCHR", "GCHA"};
    add(line, bytes, " --dir=FWD_I --dt=%s --tag=image --flags=%s --attr-post-ops=%s",
            image_type(seed), PICK(seed, flags), draw(seed, 3) ? "" : "relu");
    add(line, bytes, " mb%dic%dih%diw%d", small(seed), edge(seed), edge(seed), edge(seed));
}

static void gen_resampling_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    add(line, bytes, " --dir=FWD_I --sdt=%s --tag=image --alg=%s --attr-post-ops=%s",
            PICK(seed, types), draw(seed, 2) ? "linear" : "nearest", image_operand(seed));
    add(line, bytes, " mb%dic%d", small(seed), edge(seed));
    if (draw(seed, 3)) add(line, bytes, "ih%doh%d", edge(seed), edge(seed));
    add(line, bytes, "iw%dow%d", edge(seed), edge(seed));
}

static void gen_ip_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    add(line, bytes, " --dt=%s:%s --dir=%s --stag=image --dtag=%s --attr-post-ops=%s ",
            PICK(seed, weights), image_type(seed), draw(seed, 2) ? "FWD_B" : "FWD_I",
            draw(seed, 2) ? "image" : "any", image_post_ops(seed));
    add(line, bytes, "mb%dic%doc%d", edge(seed), edge(seed), edge(seed));
    if (draw(seed, 2)) add(line, bytes, "ih%diw%d", small(seed), small(seed));
}

const generator_t problem_generators[] = {
        {"reorder", PRIM_REORDER, gen_reorder, gen_reorder_image},
        {"eltwise", PRIM_ELTWISE, gen_eltwise, gen_eltwise_image},
        {"binary", PRIM_BINARY, gen_binary, gen_binary_image},
        {"sum", PRIM_SUM, gen_sum, NULL},
        {"concat", PRIM_CONCAT, gen_concat, gen_concat_image},
        {"softmax", PRIM_SOFTMAX, gen_softmax, gen_softmax_image},
        {"prelu", PRIM_PRELU, gen_prelu, NULL},
        {"bnorm", PRIM_BATCH_NORMALIZATION, gen_bnorm, gen_bnorm_image},
        {"pool", PRIM_POOLING, gen_pool, gen_pool_image},
        {"resampling", PRIM_RESAMPLING, gen_resampling, gen_resampling_image},
        {"ip", PRIM_INNER_PRODUCT, gen_ip, gen_ip_image},
        {"matmul", PRIM_MATMUL, gen_matmul, NULL},
        {"conv", PRIM_CONVOLUTION, gen_conv, gen_conv_image},
};
const int problem_ngenerators = sizeof problem_generators / sizeof *problem_generators;
