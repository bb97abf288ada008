// SPDX-License-Identifier: Apache-2.0
// The generators of problems in images.
#include "problem_draw.h"

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

void gen_reorder_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_eltwise_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_conv_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_pool_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const algs[] = {"max", "avg_np", "avg_p"};
    static const char *const types[] = {"f32", "f16", "f32:f16"};
    add(line, bytes, " --dt=%s --dir=FWD_I --alg=%s --tag=image --attr-post-ops=%s mb%dic%d",
            PICK(seed, types), PICK(seed, algs), draw(seed, 2) ? "" : "relu+add:f32:per_oc",
            small(seed), edge(seed));
    image_spatial(line, bytes, seed);
}

void gen_binary_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_concat_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_softmax_image(char *line, size_t bytes, uint32_t *seed)
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

void gen_bnorm_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const flags[] = {"G", "GC", "GCH", "GCHR", "GCHA"};
    add(line, bytes, " --dir=FWD_I --dt=%s --tag=image --flags=%s --attr-post-ops=%s",
            image_type(seed), PICK(seed, flags), draw(seed, 3) ? "" : "relu");
    add(line, bytes, " mb%dic%dih%diw%d", small(seed), edge(seed), edge(seed), edge(seed));
}

void gen_resampling_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    add(line, bytes, " --dir=FWD_I --sdt=%s --tag=image --alg=%s --attr-post-ops=%s",
            PICK(seed, types), draw(seed, 2) ? "linear" : "nearest", image_operand(seed));
    add(line, bytes, " mb%dic%d", small(seed), edge(seed));
    if (draw(seed, 3)) add(line, bytes, "ih%doh%d", edge(seed), edge(seed));
    add(line, bytes, "iw%dow%d", edge(seed), edge(seed));
}

void gen_ip_image(char *line, size_t bytes, uint32_t *seed)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    add(line, bytes, " --dt=%s:%s --dir=%s --stag=image --dtag=%s --attr-post-ops=%s ",
            PICK(seed, weights), image_type(seed), draw(seed, 2) ? "FWD_B" : "FWD_I",
            draw(seed, 2) ? "image" : "any", image_post_ops(seed));
    add(line, bytes, "mb%dic%doc%d", edge(seed), edge(seed), edge(seed));
    if (draw(seed, 2)) add(line, bytes, "ih%diw%d", small(seed), small(seed));
}
