// SPDX-License-Identifier: Apache-2.0
// Problems whose tensors are images.
#include "problem_gen.h"

static const char *image_type(draw_t *d)
{
    return once_in(d, 3) ? "f16" : "f32";
}

/// What follows an operation on images; operands in buffers and in images.
static void put_chain(draw_t *d)
{
    static const char *const chains[] = {"", "relu", "relu:0.5", "add:f32:per_oc",
            "add:f32:per_tensor:image", "mul:f32:common+linear:2:1", "prelu:per_oc",
            "sub:f32:per_oc+div:f32:per_tensor:image", "max:f16:per_tensor+tanh",
            "clip:-2:3+add:f16:per_tensor:image+mul:f32:per_oc"};
    const char *const chain = PICK(d, chains);
    note(d, "chain=%s", chain);
    put(d, " --attr-post-ops=%s", chain);
}

static void put_operand(draw_t *d)
{
    static const char *const chains[] = {
            "", "add:f32:per_oc", "mul:f32:per_tensor:image", "sub:f16:per_tensor"};
    const char *const chain = PICK(d, chains);
    note(d, "chain=%s", chain);
    put(d, " --attr-post-ops=%s", chain);
}

static int image_rank(draw_t *d)
{
    const int ndims = 2 + (int)pick(d, 3);
    note(d, "ndims=%d", ndims);
    return ndims;
}

void family_reorder_image(draw_t *d)
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

void family_eltwise_image(draw_t *d)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "linear", "logistic", "exp", "swish",
            "clip", "hardswish", "gelu_erf", "abs", "square"};
    set(d, "dir", "FWD_I");
    set(d, "dt", image_type(d));
    set(d, "tag", "image");
    set(d, "alg", PICK(d, algs));
    put(d, " --alpha=0.25 --beta=1");
    put_operand(d);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, image_rank(d), unused);
}

/// One or two spatial dimensions.
static void put_windows(draw_t *d)
{
    for (int axis = once_in(d, 5); axis < 2; ++axis) {
        const char x = "hw"[axis];
        const int k = once_in(d, 3) ? 1 : 1 + (int)pick(d, 3), dilation = once_in(d, 5);
        const int reach = (k - 1) * (dilation + 1) + 1, stride = 1 + (int)pick(d, 2);
        const int pad = (int)pick(d, (uint32_t)(reach + 1) / 2);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, reach + (int)pick_size(d, 12), x, k, x, stride, x,
                pad, x, dilation);
        if (axis == 0) continue;
        note(d, "kernel=%d", k);
        note(d, "stride=%d", stride);
        note(d, "dilation=%d", dilation);
    }
}

void family_conv_image(draw_t *d)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    static const char *const directions[] = {"FWD_B", "FWD_I", "FWD_D"};
    const char *const types = PICK(d, weights), *const ddt = image_type(d);
    put(d, " --dt=%s:%s", types, ddt);
    note(d, "dt=%s:%s", types, ddt);
    set(d, "dir", PICK(d, directions));
    set(d, "stag", "image");
    set(d, "dtag", once_in(d, 2) ? "image" : "any");
    put_chain(d);
    const uint32_t kind = pick(d, 3);
    static const char *const names[] = {"depthwise", "3", "none"};
    note(d, "groups=%s", names[kind]);
    const int g = size_of(d, "g", 40);
    const int ic = kind == 0 ? g : kind == 1 ? 12 * small(d) : size_of(d, "ic", 40);
    const int oc = kind == 0 ? g : kind == 1 ? 12 * small(d) : size_of(d, "oc", 40);
    put(d, " g%dic%doc%d", kind == 0 ? g : kind == 1 ? 3 : 1, ic, oc);
    put(d, "mb%d", small(d));
    put_windows(d);
}

void family_pool_image(draw_t *d)
{
    static const char *const algs[] = {"max", "avg_np", "avg_p"};
    static const char *const types[] = {"f32", "f16", "f32:f16"};
    set(d, "dt", PICK(d, types));
    set(d, "dir", "FWD_I");
    set(d, "alg", PICK(d, algs));
    set(d, "tag", "image");
    put_operand(d);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    put_windows(d);
}

void family_binary_image(draw_t *d)
{
    static const char *const algs[] = {
            "add", "mul", "max", "min", "div", "sub", "ge", "gt", "le", "lt", "eq", "ne"};
    static const char *const types[] = {"f32:f32 --ddt=f32", "f16:f32 --ddt=f16", "f16:f16"};
    put(d, " --sdt=%s --stag=image:image", PICK(d, types));
    note(d, "src0-tag=image");
    set(d, "alg", PICK(d, algs));
    put_operand(d);
    int full[PRIM_MAX_NDIMS];
    const int ndims = image_rank(d);
    put_dims(d, ndims, full);
    put_broadcast(d, ndims, full);
}

void family_concat_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f16", "f32 --ddt=f16"};
    const int ndims = image_rank(d);
    const int axis = once_in(d, 2) ? 1 : (int)pick(d, (uint32_t)ndims);
    put(d, " --sdt=%s --axis=%d", PICK(d, types), axis);
    set(d, "stag", "image");
    set(d, "dtag", "image");
    const int n = 1 + (int)pick(d, 4);
    int first[PRIM_MAX_NDIMS];
    put_dims(d, ndims, first);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < ndims; ++k)
            put(d, "%s%d", k ? "x" : ":", k == axis ? small(d) : first[k]);
}

void family_softmax_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    const int ndims = image_rank(d);
    set(d, "dir", "FWD_I");
    put(d, " --sdt=%s", PICK(d, types));
    set(d, "stag", "image");
    set(d, "alg", once_in(d, 3) ? "LOGSOFTMAX" : "SOFTMAX");
    put(d, " --axis=%d", once_in(d, 2) ? 1 : (int)pick(d, (uint32_t)ndims));
    put(d, " --attr-post-ops=%s", once_in(d, 3) ? "linear:2:1" : "");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

void family_bnorm_image(draw_t *d)
{
    static const char *const flags[] = {"G", "GC", "GCH", "GCHR", "GCHA"};
    set(d, "dir", "FWD_I");
    set(d, "dt", image_type(d));
    set(d, "tag", "image");
    set(d, "flags", PICK(d, flags));
    put(d, " --attr-post-ops=%s", once_in(d, 3) ? "relu" : "");
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 40));
    put(d, "ih%d", size_of(d, "ih", 37));
    put(d, "iw%d", size_of(d, "iw", 37));
}

void family_resampling_image(draw_t *d)
{
    static const char *const types[] = {"f32 --ddt=f32", "f16 --ddt=f32", "f32 --ddt=f16"};
    set(d, "dir", "FWD_I");
    put(d, " --sdt=%s", PICK(d, types));
    set(d, "tag", "image");
    set(d, "alg", once_in(d, 2) ? "linear" : "nearest");
    put_operand(d);
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

void family_ip_image(draw_t *d)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    const char *const types = PICK(d, weights), *const ddt = image_type(d);
    put(d, " --dt=%s:%s", types, ddt);
    note(d, "dt=%s:%s", types, ddt);
    set(d, "dir", once_in(d, 2) ? "FWD_B" : "FWD_I");
    set(d, "stag", "image");
    set(d, "dtag", once_in(d, 2) ? "image" : "any");
    put_chain(d);
    const bool is_plane = once_in(d, 2);
    put(d, " mb%d", size_of(d, "m", 33));
    put(d, "ic%d", size_of(d, "k", 33));
    put(d, "oc%d", size_of(d, "n", 33));
    if (is_plane) {
        put(d, "ih%d", small(d));
        put(d, "iw%d", small(d));
    }
}
