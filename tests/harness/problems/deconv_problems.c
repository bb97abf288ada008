// SPDX-License-Identifier: Apache-2.0
// Problems of deconvolution.
#include "problem_gen.h"

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

/// `nspatial` windows. Sizes of dst follow, and are larger than the windows need now and then.
static void put_windows(draw_t *d, int nspatial, int largest)
{
    static const char letters[] = "dhw";
    note(d, "spatial=%d", nspatial);
    for (int axis = 3 - nspatial; axis < 3; ++axis) {
        const char x = letters[axis];
        const int k = once_in(d, 4) ? 1 : 1 + (int)pick(d, 4), dilation = once_in(d, 6);
        const int reach = (k - 1) * (dilation + 1) + 1, stride = 1 + (int)pick(d, 3);
        const int in = size_of(d, axis == 2 ? "iw" : "ih", axis == 2 ? largest : 9);
        const int room = (in - 1) * stride + reach - 1;
        const int pad =
                once_in(d, 2) ? 0 : (int)pick(d, (uint32_t)(room / 2 < k ? room / 2 : k) + 1);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, in, x, k, x, stride, x, pad, x, dilation);
        if (stride > 1 && once_in(d, 2))
            put(d, "o%c%d", x, room + 1 - 2 * pad + (int)pick(d, (uint32_t)stride));
        if (axis < 2) continue;
        note(d, "kernel=%d", k);
        note(d, "stride=%d", stride);
        note(d, "pad=%d", pad);
        note(d, "dilation=%d", dilation);
    }
}

static int spatial_rank(draw_t *d)
{
    return once_in(d, 6) ? 3 : once_in(d, 4) ? 1 : 2;
}

/// Channels: of one group, of a few, or one of each.
static void put_channels(draw_t *d)
{
    const uint32_t kind = pick(d, 6);
    if (kind == 0) {
        const int g = size_of(d, "g", 40);
        note(d, "groups=depthwise");
        put(d, "g%dic%doc%d", g, g, g);
    } else if (kind == 1) {
        const int g = 1 + (int)pick(d, 3);
        note(d, "groups=%d", g);
        put(d, "g%dic%d", g, g * size_of(d, "ic", 40));
        put(d, "oc%d", g * size_of(d, "oc", 40));
    } else {
        note(d, "groups=none");
        put(d, "ic%d", size_of(d, "ic", 70));
        put(d, "oc%d", size_of(d, "oc", 70));
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

static void family_deconv(draw_t *d)
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
    put_channels(d);
    put_windows(d, nspatial, 19);
}

/// Scales and zero points of every mask and type.
static void family_deconv_quant(draw_t *d)
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
    put_channels(d);
    put_windows(d, nspatial, 13);
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

/// Every window, group, layout and mixture of types.
static void family_deconv_gradient(draw_t *d)
{
    const char *const types =
            !d->is_gpu && once_in(d, 6) ? PICK(d, other_types) : PICK(d, float_types);
    const int nspatial = spatial_rank(d);
    set(d, "dt", types);
    put_gradient(d);
    put_layouts(d, nspatial + 2);
    if (once_in(d, 4)) set(d, "attr-scratchpad", "user");
    put(d, " ");
    put_channels(d);
    put_windows(d, nspatial, 19);
}

/// Layouts, types and sizes that the convolutions inside were written for: channels last in
/// multiples of 8, and one filter a channel.
static void family_deconv_aligned(draw_t *d)
{
    static const char *const types[] = {"f16", "f16:f16:f32", "bf16", "bf16:bf16:f32", "f32"};
    static const char *const directions[] = {"FWD_B", "FWD_I", "BWD_D", "BWD_W"};
    const char *const type = PICK(d, types), *const tag = once_in(d, 4) ? "abx" : "axb";
    const int nspatial = once_in(d, 3) ? 1 : 2;
    const bool is_depthwise = once_in(d, 3);
    set(d, "dt", type);
    set(d, "dir", PICK(d, directions));
    set(d, "stag", tag);
    set(d, "wtag", once_in(d, 3) ? "axb" : "any");
    set(d, "dtag", tag);
    note(d, "groups=%s", is_depthwise ? "depthwise" : "none");
    const int g = 8 * (1 + (int)pick_size(d, 4));
    // Arguments are drawn before: calls evaluate theirs in any order.
    const int oc = is_depthwise ? g : 8 * (1 + (int)pick_size(d, 8));
    const int ic = is_depthwise ? g : 8 * (1 + (int)pick_size(d, 8));
    put(d, " g%dic%doc%d", is_depthwise ? g : 1, ic, oc);
    put(d, "mb%d", 1 + (int)pick_size(d, 3));
    put_windows(d, nspatial, 19);
}

/// The convolution inside is asked for direct sums, and these gradients by src add no bias.
static const char *const never_nested[] = {"winograd", "backward_weights_winograd",
        "conv_bias+backward_data_depthwise", "conv_bias+backward_data_polyphase", NULL};

const generator_t deconv_generator = {"deconv", PRIM_DECONVOLUTION,
        {family_deconv, family_deconv_quant, family_deconv_gradient, family_deconv_aligned},
        .never_nested = never_nested};
