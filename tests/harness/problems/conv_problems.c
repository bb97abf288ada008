// SPDX-License-Identifier: Apache-2.0
// Problems of convolution and its gradients.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static const char *const float_types[] = {
        "f32", "f32", "f32", "bf16", "f16", "f16:f16:f32", "bf16:bf16:f32", "f32:f32:f16"};

static const char *const integer_types[] = {
        "u8:s8:s32", "s8:s8:f32", "u8:s8:u8", "s8:s8:s8", "u8:s8:f32", "s8:s8:bf16", "u8:s8:f16"};

static const char *const other_types[] = {"f64", "f8_e5m2", "f8_e4m3:f8_e4m3:f32"};

static const char *const bias_types[] = {"f32", "bf16", "f16", "s32"};

static void put_direction(draw_t *d)
{
    static const char *const directions[] = {"FWD_B", "FWD_B", "FWD_I", "FWD_D"};
    const char *const direction = PICK(d, directions);
    set(d, "dir", direction);
    if (strcmp(direction, "FWD_B") == 0 && once_in(d, 3)) set(d, "bia-dt", PICK(d, bias_types));
}

/// `nspatial` windows. Kernels, strides and padding belong to the style.
static void put_windows(draw_t *d, int nspatial, int largest)
{
    static const char letters[] = "dhw";
    note(d, "spatial=%d", nspatial);
    for (int axis = 3 - nspatial; axis < 3; ++axis) {
        const char x = letters[axis];
        const int k = once_in(d, 3) ? 1 : 1 + (int)pick(d, 3), dilation = once_in(d, 6);
        const int reach = (k - 1) * (dilation + 1) + 1, stride = 1 + (int)pick(d, 2);
        const int pad = once_in(d, 2) ? 0 : (int)pick(d, (uint32_t)(reach + 1) / 2 + 1);
        const int most = axis == 2 ? largest : 9;
        const int in = reach - 1 + stride * size_of(d, axis == 2 ? "ow" : "oh", most);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, in, x, k, x, stride, x, pad >= reach ? 0 : pad, x,
                dilation);
        if (axis < 2) continue;
        note(d, "kernel=%d", k);
        note(d, "stride=%d", stride);
        note(d, "pad=%d", pad >= reach ? 0 : pad);
        note(d, "dilation=%d", dilation);
    }
}

static int spatial_rank(draw_t *d)
{
    return once_in(d, 6) ? 3 : once_in(d, 4) ? 1 : 2;
}

/// Channels: of one group, of a few, or one of each.
static void put_channels(draw_t *d, int ndense)
{
    const uint32_t kind = pick(d, (uint32_t)ndense + 2);
    if (kind == 0) {
        const int g = size_of(d, "g", 40);
        note(d, "groups=depthwise");
        put(d, "g%dic%doc%d", g, g, g);
    } else if (kind == 1) {
        const int g = 1 + (int)pick(d, 3);
        note(d, "groups=%d", g);
        put(d, "g%dic%d", g, g * size_of(d, "ic", 40));
        put(d, "oc%d", g * size_of(d, "oc", 70));
    } else {
        note(d, "groups=none");
        put(d, "ic%d", size_of(d, "ic", 140));
        put(d, "oc%d", size_of(d, "oc", 140));
    }
    put(d, "mb%d", 1 + (int)pick_size(d, 3));
}

static void put_layouts(draw_t *d, int ndims)
{
    const char *const tag = layout(d, ndims);
    static const char *const weights[] = {"any", "any", "abx", "axb"};
    set(d, "stag", once_in(d, 6) ? "any" : tag);
    set(d, "wtag", PICK(d, weights));
    set(d, "dtag", once_in(d, 3) ? "any" : once_in(d, 4) ? layout(d, ndims) : tag);
}

/// A depthwise convolution among the post-ops of 1×1 windows. A sum has its place behind it alone.
static void family_conv_depthwise_post_op(draw_t *d)
{
    static const char *const types[] = {
            "f32", "f32", "f16", "bf16", "f16:f16:f32", "f32:f32:f16", "u8:s8:s8", "s8:s8:f32"};
    static const char *const before[] = {"", "", "relu+", "add:f32:per_oc+", "prelu:per_oc+"};
    static const char *const behind[] = {
            "", "", "+relu", "+sum:0.5", "+mul:f32:per_tensor", "+prelu:per_oc+linear:2:1"};
    static const char *const dst_types[] = {"f32", "f32", "f16", "s8"};
    const char *const type = PICK(d, types), *const dst_type = PICK(d, dst_types);
    const int k = 1 + (int)pick(d, 5), stride = 1 + (int)pick(d, 2);
    const int pad = (int)pick(d, (uint32_t)k), step_h = 1 + (int)pick(d, 2),
              step_w = 1 + (int)pick(d, 2);
    const char *const first = PICK(d, before), *const last = PICK(d, behind);
    set(d, "dt", type);
    put_direction(d);
    put_layouts(d, 4);
    if (once_in(d, 4)) set(d, "attr-scratchpad", "user");
    put(d, " --attr-post-ops=%sdw:k%ds%dp%d:%s%s", first, k, stride, pad, dst_type, last);
    note(d, "dw-dt=%s", dst_type);
    put(d, " ");
    put_channels(d, 2);
    put(d, "ih%dkh1sh%dph0", 2 * k + size_of(d, "oh", 12), step_h);
    put(d, "iw%dkw1sw%dpw0", 2 * k + size_of(d, "ow", 37), step_w);
}

static void family_conv(draw_t *d)
{
    const char *const types = !d->is_gpu && once_in(d, 6) ? PICK(d, other_types)
                              : once_in(d, 3)             ? PICK(d, integer_types)
                                                          : PICK(d, float_types);
    const int nspatial = spatial_rank(d);
    set(d, "dt", types);
    put_direction(d);
    put_layouts(d, nspatial + 2);
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), nspatial + 2);
    put(d, " ");
    put_channels(d, 4);
    put_windows(d, nspatial, 37);
}

/// Scales and zero points of every mask and type.
static void family_conv_quant(draw_t *d)
{
    const bool is_integer = !once_in(d, 4);
    const char *const types = is_integer ? PICK(d, integer_types) : PICK(d, float_types);
    const int nspatial = spatial_rank(d);
    set(d, "dt", types);
    put_direction(d);
    put_layouts(d, nspatial + 2);
    draw_scales(d, NULL);
    if (is_integer && once_in(d, 2)) draw_zero_points(d, NULL);
    if (once_in(d, 2))
        draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), nspatial + 2);
    put(d, " ");
    put_channels(d, 4);
    put_windows(d, nspatial, 19);
}

/// What matrix units take: channels last, in multiples of 16 bytes.
static void family_conv_aligned(draw_t *d)
{
    static const char *const types[] = {
            "f16", "f16:f16:f32", "bf16", "bf16:bf16:f32", "u8:s8:s32", "s8:s8:f32", "u8:s8:u8"};
    const char *const type = PICK(d, types);
    const int nspatial = spatial_rank(d), g = once_in(d, 3) ? 2 : 1;
    set(d, "dt", type);
    put_direction(d);
    set(d, "stag", "axb");
    set(d, "wtag", once_in(d, 3) ? "axb" : "any");
    set(d, "dtag", "axb");
    draw_modes(d);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(type), nspatial + 2);
    note(d, "groups=%d", g);
    const int few = once_in(d, 4); // some take few input channels alone
    note(d, "channels=%s", few ? "few" : "16");
    put(d, " g%dic%d", g,
            few ? g * (1 + (int)pick_size(d, 4)) : g * 16 * (1 + (int)pick_size(d, 8)));
    put(d, "oc%d", g * 8 * (1 + (int)pick_size(d, 12)));
    put(d, "mb%d", 1 + (int)pick_size(d, 3));
    put_windows(d, nspatial, 19);
}

/// What Winograd's algorithm takes: floats, plain layouts, 3×3.
static void family_conv_3x3(draw_t *d)
{
    static const char *const algorithms[] = {"wino", "wino", "auto", "direct"};
    static const char *const types[] = {"f32", "f32", "f16", "bf16"};
    const char *const type = PICK(d, types);
    const char *const tag = once_in(d, 2) ? "abx" : "axb";
    set(d, "dt", type);
    put_direction(d);
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "abx" : "any");
    set(d, "dtag", once_in(d, 3) ? "any" : tag);
    set(d, "alg", PICK(d, algorithms));
    if (once_in(d, 4)) set(d, "attr-scratchpad", "user");
    draw_chain(d, allowed_steps(d), type, 4);
    const int ph = (int)pick(d, 3), pw = (int)pick(d, 3);
    note(d, "kernel=3");
    note(d, "pad=%d", pw);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 70));
    put(d, "oc%d", size_of(d, "oc", 70));
    put(d, "ih%d", 2 + size_of(d, "oh", 20));
    put(d, "iw%dkh3kw3ph%dpw%d", 2 + size_of(d, "ow", 37), ph, pw);
}

/// One filter a channel; rows that start aligned and not.
static void family_conv_depthwise(draw_t *d)
{
    static const char *const types[] = {
            "f32", "f32", "f16", "bf16", "f16:f16:f32", "f32:f32:f16", "u8:s8:u8", "s8:s8:f32"};
    static const char *const tags[] = {"abx", "abx", "axb", "axb", "aBx8b", "aBx16b"};
    const char *const type = PICK(d, types), *const tag = PICK(d, tags);
    const int k = once_in(d, 4) ? 5 : once_in(d, 4) ? 2 : 3, stride = 1 + (int)pick(d, 2);
    const int pad = (int)pick(d, (uint32_t)k), dilation = once_in(d, 6);
    set(d, "dt", type);
    put_direction(d);
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "abx" : "any");
    set(d, "dtag", once_in(d, 3) ? "any" : tag);
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(type), 4);
    note(d, "groups=depthwise");
    note(d, "kernel=%d", k);
    note(d, "stride=%d", stride);
    note(d, "pad=%d", pad);
    note(d, "dilation=%d", dilation);
    const int g = pick_size(d, 2) ? size_of(d, "g", 70) : 4 * (1 + (int)pick_size(d, 16));
    put(d, " g%dic%doc%dmb%d", g, g, g, 1 + (int)pick_size(d, 3));
    const int reach = (k - 1) * (dilation + 1) + 1;
    put(d, "ih%dkh%dsh%dph%ddh%d", reach - 1 + size_of(d, "ih", 20), k, stride, pad, dilation);
    put(d, "iw%dkw%dsw%dpw%ddw%d", reach - 1 + size_of(d, "iw", 70), k, stride, pad, dilation);
}

static void put_gradient(draw_t *d)
{
    static const char *const directions[] = {"BWD_D", "BWD_D", "BWD_W", "BWD_WB"};
    static const char *const diff_bias_types[] = {"f32", "bf16", "f16"};
    const char *const direction = PICK(d, directions);
    const bool has_bias = strcmp(direction, "BWD_WB") == 0;
    set(d, "dir", direction);
    if (has_bias && once_in(d, 3)) set(d, "bia-dt", PICK(d, diff_bias_types));
}

/// One window for all of `nspatial` dimensions, padded as a rule.
static void put_square_windows(draw_t *d, int nspatial)
{
    static const char letters[] = "dhw";
    const int k = once_in(d, 4) ? 1 : 2 + (int)pick(d, 2), stride = 1 + (int)pick(d, 2);
    const int pad = once_in(d, 4) ? 0 : k - 1, dilation = once_in(d, 4);
    const int reach = (k - 1) * (dilation + 1) + 1;
    note(d, "spatial=%d", nspatial);
    note(d, "kernel=%d", k);
    note(d, "stride=%d", stride);
    note(d, "pad=%d", pad);
    note(d, "dilation=%d", dilation);
    for (int axis = 3 - nspatial; axis < 3; ++axis) {
        const char x = letters[axis];
        const int in = reach - 1 + size_of(d, axis == 2 ? "ow" : "oh", axis == 2 ? 37 : 9);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, in, x, k, x, stride, x, pad, x, dilation);
    }
}

static void put_gradient_by_weights(draw_t *d)
{
    static const char *const types[] = {"f32", "bf16", "f16"};
    const bool has_bias = once_in(d, 2);
    set(d, "dir", has_bias ? "BWD_WB" : "BWD_W");
    if (has_bias) set(d, "bia-dt", PICK(d, types));
}

/// What matrix units take: pixels of whole 16 bytes, but for a few channels of src.
static void put_aligned_gradient(draw_t *d)
{
    static const char *const types[] = {"f16", "bf16", "f16:f32:f16", "bf16:f32:bf16"};
    const int nspatial = spatial_rank(d), g = once_in(d, 3) ? 2 : 1;
    set(d, "dt", PICK(d, types));
    put_gradient_by_weights(d);
    set(d, "stag", "axb");
    set(d, "wtag", once_in(d, 2) ? "axb" : "abx");
    set(d, "dtag", once_in(d, 2) ? "axb" : "any");
    const int few = once_in(d, 3);
    note(d, "groups=%d", g);
    note(d, "channels=%s", few ? "few" : "8");
    put(d, " g%dic%d", g, g * (few ? 1 + (int)pick_size(d, 7) : 8 * (1 + (int)pick_size(d, 9))));
    put(d, "oc%d", g * 8 * (1 + (int)pick_size(d, 9)));
    put(d, "mb%d", 1 + (int)pick_size(d, 3));
    put_square_windows(d, nspatial);
}

static void put_depthwise_gradient(draw_t *d)
{
    static const char *const types[] = {"f32", "f32", "f16", "bf16", "f16:f32:f16", "f32:f16:f32"};
    const char *const tag = once_in(d, 2) ? "abx" : "axb";
    set(d, "dt", PICK(d, types));
    put_gradient_by_weights(d);
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "axb" : "any");
    set(d, "dtag", once_in(d, 3) ? "any" : tag);
    note(d, "groups=depthwise");
    const int g = once_in(d, 2) ? size_of(d, "g", 70) : 2 * (1 + (int)pick_size(d, 32));
    put(d, " g%dic%doc%dmb%d", g, g, g, 1 + (int)pick_size(d, 3));
    put_square_windows(d, once_in(d, 4) ? 1 : 2);
}

/// Every window, group, layout and mixture of types; on GPU engines a third of
/// them what special variants take.
static void family_conv_gradient(draw_t *d)
{
    const uint32_t kind = d->is_gpu ? pick(d, 6) : 6;
    if (kind == 0) {
        put_aligned_gradient(d);
        return;
    }
    if (kind == 1) {
        put_depthwise_gradient(d);
        return;
    }
    const char *const types =
            !d->is_gpu && once_in(d, 6) ? PICK(d, other_types) : PICK(d, float_types);
    const int nspatial = spatial_rank(d);
    set(d, "dt", types);
    put_gradient(d);
    put_layouts(d, nspatial + 2);
    if (once_in(d, 4)) set(d, "attr-scratchpad", "user");
    put(d, " ");
    put_channels(d, 4);
    put_windows(d, nspatial, 37);
}

/// By Winograd's algorithm: by src with a convolution inside, by weights.
static void gradient_3x3(draw_t *d)
{
    static const char *const algorithms[] = {"wino", "wino", "auto"};
    static const char *const types[] = {"f32", "f32", "f16", "bf16"};
    set(d, "dt", PICK(d, types));
    set(d, "stag", once_in(d, 2) ? "abx" : "axb");
    set(d, "alg", PICK(d, algorithms));
    const int ph = (int)pick(d, 3), pw = (int)pick(d, 3);
    const bool is_by_weights = once_in(d, 2);
    set(d, "dir", is_by_weights ? "BWD_W" : "BWD_D");
    set(d, "dtag", !is_by_weights ? "any" : once_in(d, 2) ? "abx" : "axb");
    note(d, "kernel=3");
    note(d, "pad=%d", pw);
    put(d, " mb%d", small(d));
    put(d, "ic%d", size_of(d, "ic", 70));
    put(d, "oc%d", size_of(d, "oc", 70));
    put(d, "ih%d", 2 + size_of(d, "ih", 20));
    put(d, "iw%dkh3kw3ph%dpw%d", 2 + size_of(d, "iw", 37), ph, pw);
}

/// What matrix units take: channels last, in multiples of 16 bytes; or one filter a channel.
static void gradient_aligned(draw_t *d, bool is_depthwise)
{
    static const char *const types[] = {
            "f16", "f16:f16:f32", "f32:f16:f16", "bf16", "f32:bf16:bf16"};
    const int nspatial = is_depthwise ? 2 : spatial_rank(d), g = once_in(d, 3) ? 2 : 1;
    const char *const tag = is_depthwise && once_in(d, 2) ? "abx" : "axb";
    set(d, "dt", is_depthwise && once_in(d, 2) ? "f32" : PICK(d, types));
    set(d, "dir", "BWD_D");
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "axb" : "any");
    set(d, "dtag", tag);
    if (is_depthwise) {
        const int channels =
                pick_size(d, 2) ? size_of(d, "g", 70) : 4 * (1 + (int)pick_size(d, 16));
        note(d, "groups=depthwise");
        put(d, " g%dic%doc%d", channels, channels, channels);
    } else {
        note(d, "groups=%d", g);
        put(d, " g%dic%d", g, g * 8 * (1 + (int)pick_size(d, 12)));
        put(d, "oc%d",
                once_in(d, 4) && g == 1 ? 1 + (int)pick_size(d, 4)
                                        : g * 16 * (1 + (int)pick_size(d, 8)));
    }
    put(d, "mb%d", 1 + (int)pick_size(d, 3));
    put_windows(d, nspatial, 19);
}

/// What the variants of convolution take that a gradient by src nests.
static void family_conv_gradient_by_src(draw_t *d)
{
    const uint32_t kind = pick(d, 4);
    if (kind == 0)
        gradient_3x3(d);
    else
        gradient_aligned(d, kind == 1);
}

/// What matrix units take, in all directions; forward the few that all of them do.
static void family_conv_units(draw_t *d)
{
    static const char *const types[] = {"f16", "bf16", "f16:f16:f32"};
    const uint32_t kind = pick(d, 4);
    if (kind < 2) {
        set(d, "dt", PICK(d, types));
        put_direction(d);
        set(d, "stag", "axb");
        set(d, "wtag", "axb");
        set(d, "dtag", "axb");
        draw_chain(d, allowed_steps(d), "f16", 4);
        put(d, " mb%dic%d", 1 + small(d), 16 * (1 + (int)pick_size(d, 4)));
        put(d, "oc%d", 8 * (1 + (int)pick_size(d, 12)));
        put_windows(d, 2, 19);
    } else if (kind == 2)
        put_aligned_gradient(d);
    else
        gradient_aligned(d, false);
}

static void family_conv_image(draw_t *d)
{
    static const char *const weights[] = {"f32:f32", "f32:f16", "f16:f16", "f16:bf16"};
    static const char *const directions[] = {"FWD_B", "FWD_I", "FWD_D"};
    const char *const types = PICK(d, weights), *const ddt = image_type(d);
    put(d, " --dt=%s:%s", types, ddt);
    note(d, "dt=%s:%s", types, ddt);
    set(d, "dir", PICK(d, directions));
    set(d, "stag", "image");
    set(d, "dtag", once_in(d, 2) ? "image" : "any");
    put_image_chain(d);
    const uint32_t kind = pick(d, 3);
    static const char *const names[] = {"depthwise", "3", "none"};
    note(d, "groups=%s", names[kind]);
    const int g = size_of(d, "g", 40);
    const int ic = kind == 0 ? g : kind == 1 ? 12 * small(d) : size_of(d, "ic", 40);
    const int oc = kind == 0 ? g : kind == 1 ? 12 * small(d) : size_of(d, "oc", 40);
    put(d, " g%dic%doc%d", kind == 0 ? g : kind == 1 ? 3 : 1, ic, oc);
    put(d, "mb%d", small(d));
    put_image_windows(d);
}

/// A zero point of src in its own type, as models quantised without symmetry have it.
static void family_conv_source_zero(draw_t *d)
{
    const char *const types = PICK(d, integer_types), *const tag = once_in(d, 2) ? "abx" : "axb";
    const bool is_u8 = types[0] == 'u';
    const int nspatial = spatial_rank(d);
    set(d, "dt", types);
    put_direction(d);
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "abx" : "any");
    set(d, "dtag", tag);
    draw_scales(d, NULL);
    note(d, "zero_point=src:common");
    note(d, "zero_point-dt=src:%s", is_u8 ? "u8" : "s8");
    put(d, " --attr-zero-points=src:common:%s", is_u8 ? "131:u8" : "-57:s8");
    if (once_in(d, 2))
        draw_chain(d, allowed_steps(d) | CHAIN_ORDER, last_type(types), nspatial + 2);
    put(d, " ");
    put_channels(d, 2);
    put_windows(d, nspatial, 37);
}

static void family_conv_rare(draw_t *d)
{
    if (!d->is_gpu && once_in(d, 3))
        family_conv_source_zero(d);
    else
        family_conv_depthwise_post_op(d);
}

static prim_desc_t *probe(prim_engine_t *engine, int which)
{
    const char *const tag = which >= 3 ? "acdb" : "abcd";
    const prim_dim_t one[] = {1, 1}, side = which >= 6 ? 7 : 56;
    const prim_dim_t image[] = {8, 256, side, side}, window[] = {256, 256, 3, 3};
    const prim_memory_desc_t src = probe_md(4, image, probe_type(which), tag);
    const prim_memory_desc_t wei = probe_md(4, window, probe_type(which), "any");
    const prim_memory_desc_t dst = probe_md(4, image, probe_dst_type(which), tag);
    prim_desc_t *pd = NULL;
    prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, &src, &wei, NULL, &dst, one, NULL, one, one, NULL);
    return pd;
}

const generator_t conv_generator = {"conv", PRIM_CONVOLUTION,
        {family_conv, family_conv_quant, family_conv_aligned, family_conv_3x3,
                family_conv_depthwise, family_conv_gradient, family_conv_gradient,
                family_conv_gradient_by_src},
        .image = family_conv_image, .rare = family_conv_rare, .broadcast = family_conv_units,
        .probe = probe};
