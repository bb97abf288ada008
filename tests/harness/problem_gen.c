// SPDX-License-Identifier: Apache-2.0
// The generators of problem_gen.h, one short function an operation.
#include "problem_gen.h"

#include <string.h>

#include "problem_draw.h"

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

static void spatial(char *line, size_t bytes, uint32_t *seed)
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

// What matrix units take: rows that lie multiples of 16 bytes apart.
static int even(uint32_t *seed)
{
    static const int evens[] = {16, 32, 48, 64, 80, 128, 144};
    return PICK(seed, evens);
}

static void gen_conv_even(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f16", "f16:f16:f32", "bf16", "bf16:bf16:f32"};
    add(line, bytes, " --dt=%s --dir=FWD_B --stag=axb --wtag=any --dtag=axb --attr-post-ops=%s ",
            PICK(seed, types), post_ops(seed));
    const int g = 1 + (int)draw(seed, 2);
    add(line, bytes, "g%dmb%dic%doc%d", g, small(seed), g * even(seed), g * even(seed));
    spatial(line, bytes, seed);
}

static void gen_conv(char *line, size_t bytes, uint32_t *seed)
{
    if (draw(seed, 4) == 0) {
        gen_conv_3x3(line, bytes, seed);
        return;
    }
    if (draw(seed, 6) == 0) {
        gen_conv_even(line, bytes, seed);
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
    spatial(line, bytes, seed);
}

static void gen_matmul_even(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f16", "bf16:bf16:f32", "s8:s8:s32", "u8:s8:f32"};
    add(line, bytes, " --dt=%s --stag=ab --wtag=%s --dtag=ab --attr-post-ops=%s ",
            PICK(seed, types), draw(seed, 2) ? "ab" : "ba", post_ops(seed));
    const int k = even(seed);
    add(line, bytes, "%dx%d:%dx%d", edge(seed), k, k, even(seed));
}

static void gen_matmul(char *line, size_t bytes, uint32_t *seed)
{
    if (draw(seed, 4) == 0) {
        gen_matmul_even(line, bytes, seed);
        return;
    }
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
        spatial(line, bytes, seed);
    } else { // global
        const int h = 1 + (int)draw(seed, 9), w = 1 + (int)draw(seed, 17);
        add(line, bytes, "ih%diw%doh1ow1kh%dkw%d", h, w, h, w);
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

/// Heights and widths of whole numbers, of 2 alone in rows of vectors, and any.
static void gen_resampling(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {
            "f32 --ddt=f32", "f32 --ddt=f32", "bf16 --ddt=f32", "u8 --ddt=u8"};
    const bool is_doubled = draw(seed, 4) == 0;
    add(line, bytes, " --dir=FWD_I --sdt=%s --tag=%s --alg=%s --attr-post-ops=%s",
            PICK(seed, types), is_doubled ? "abx" : layout(seed),
            is_doubled || draw(seed, 2) ? "linear" : "nearest",
            is_doubled || draw(seed, 3) ? "" : "relu");
    const int height = edge(seed), width = is_doubled ? 15 + edge(seed) : edge(seed);
    add(line, bytes, " mb%dic%dih%diw%d", small(seed), edge(seed), height, width);
    if (is_doubled) {
        add(line, bytes, "oh%dow%d", 2 * height, 2 * width);
        return;
    }
    const bool is_whole = draw(seed, 2);
    add(line, bytes, "oh%dow%d", is_whole ? height * (1 + (int)draw(seed, 4)) : edge(seed),
            is_whole ? width * (1 + (int)draw(seed, 2)) : edge(seed));
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
