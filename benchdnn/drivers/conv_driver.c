// SPDX-License-Identifier: Apache-2.0
// The driver of convolution and its gradients: options, filling, thresholds and what is known not
// to run.
#include <math.h>
#include <string.h>

#include "conv_backward.h"
#include "conv_case.h"
#include "conv_depthwise.h"
#include "conv_ref.h"
#include "core/bench_engine.h"
#include "type_skip.h"

static const word_t algs[] = {
        {"direct", PRIM_CONVOLUTION_DIRECT},
        {"convolution_direct", PRIM_CONVOLUTION_DIRECT},
        {"wino", PRIM_CONVOLUTION_WINOGRAD},
        {"convolution_wino", PRIM_CONVOLUTION_WINOGRAD},
        {"convolution_winograd", PRIM_CONVOLUTION_WINOGRAD},
        {"auto", PRIM_CONVOLUTION_AUTO},
        {"convolution_auto", PRIM_CONVOLUTION_AUTO},
        {NULL, 0},
};

static const option_t options[] = CONV_OPTIONS(algs);

static bool complete(problem_t *problem)
{
    return conv_check_channels(problem, "conv") && problem_complete_windows(problem, "conv");
}

static bool is_channels_last(const char *tag)
{
    return !strcmp(tag, "any") || !strcmp(tag, "axb") || !strcmp(tag, "nhwc") ||
           !strcmp(tag, "acdb");
}

/// The CPU engine's variant: channels last, and not the gradient of the weights.
static bool takes_winograd_on_cpu(const prb_t *prb)
{
    const direction_t direction = conv_direction(prb);
    if (direction == BWD_W) return false;
    for (int i = 0; i < 3; ++i) {
        const prim_data_type_t dt = opt_dt(prb, OPT_DT, i);
        if (opt_strides(prb, OPT_STRIDES, i)) return false;
        if (dt != PRIM_F32 && dt != PRIM_F16 && dt != PRIM_BF16) return false;
    }
    return is_channels_last(opt_tag(prb, OPT_STAG, 0)) &&
           is_channels_last(opt_tag(prb, OPT_DTAG, 0));
}

/// Whether the engine computes the case by Winograd's algorithm.
static bool takes_winograd(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    if (conv_direction(prb) == BWD_WB) return false;
    if (p->ndims != 4 || p->has_groups || p->g != 1) return false;
    if (!engine_is_gpu() && !takes_winograd_on_cpu(prb)) return false;
    for (int s = AXIS_H; s <= AXIS_W; ++s)
        if (p->kernel[s] != 3 || p->stride[s] != 1 || p->dilation[s] != 0) return false;
    static const int tags[] = {OPT_STAG, OPT_WTAG, OPT_DTAG};
    for (int i = 0; i < 3; ++i) {
        if (dt_is_integer(opt_dt(prb, OPT_DT, i))) return false;
        const char *const tag = opt_tag(prb, tags[i], 0);
        if (strcmp(tag, "any") != 0 && strpbrk(tag, "0123456789")) return false;
    }
    return true;
}

static skip_reason_t skip(const prb_t *prb)
{
    if (direction_is_backward(conv_direction(prb))) {
        const skip_reason_t reason = product_skip_gradient(prb, OPT_DT, OPT_BIA_DT, OPT_DIR);
        if (reason != SKIP_NONE) return reason;
        if (conv_has_image(prb))
            return skip_because(SKIP_CASE_NOT_SUPPORTED, "conv: gradients take no images");
    }
    if (opt_word(prb, OPT_ALG) == PRIM_CONVOLUTION_WINOGRAD && !takes_winograd(prb))
        return SKIP_CASE_NOT_SUPPORTED;
    if (attr_has_depthwise(prb->attr)) {
        const skip_reason_t reason = conv_depthwise_skip(prb);
        if (reason != SKIP_NONE) return reason;
    }
    return skip_types(prb, OPT_DT, OPT_BIA_DT);
}

static const conv_creators_t creators = {PRIM_CONVOLUTION_DIRECT,
        prim_convolution_forward_desc_create, prim_convolution_backward_data_desc_create,
        prim_convolution_backward_weights_desc_create};

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    return conv_create_desc(pd, prb, engine, attr, &creators);
}

static bool is_winograd(const prb_t *prb)
{
    return opt_word(prb, OPT_ALG) != PRIM_CONVOLUTION_DIRECT && takes_winograd(prb);
}

/// Of the sums, relative to their root mean square: doc/numerics.md derives it.
static double winograd_error(const prb_t *prb)
{
    static const double amplification = 10.8;
    const problem_t *const p = prb->problem;
    const int64_t tiles_h = (p->out[AXIS_H] + 3) / 4, tiles_w = (p->out[AXIS_W] + 3) / 4;
    const int64_t nterms = conv_direction(prb) == BWD_W   ? p->mb * tiles_h * tiles_w
                           : conv_direction(prb) == BWD_D ? p->oc
                                                          : p->ic;
    const double roundings = sqrt((16. + (double)nterms / 2) / 3);
    return 2 * amplification * 0x1p-24 * roundings;
}

static product_t product_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    product_t product = conv_product(prb, conv_volume(p->kernel), conv_volume(p->out));
    if (is_winograd(prb)) product.transform_error = winograd_error(prb);
    return product;
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    const direction_t direction = conv_direction(prb);
    (void)args;
    if (!direction_is_backward(direction))
        conv_ref(prb->problem, src, wei, bias, dst);
    else if (direction == BWD_D)
        conv_backward_data(prb->problem, src, wei, dst);
    else
        conv_backward_weights(prb->problem, src, wei, dst);
}

static const product_driver_t product = {product_of, sum_products};

static depthwise_types_t depthwise_types(const prb_t *prb)
{
    return (depthwise_types_t){.src = opt_dt(prb, OPT_DT, DT_DST),
            .wei = opt_dt(prb, OPT_DT, DT_WEI),
            .bia = conv_has_bias(prb) ? conv_bias_dt(prb) : PRIM_DATA_TYPE_UNDEF};
}

static void list_args(const prb_t *prb, args_t *args)
{
    product_case_list_args(prb, args);
    conv_depthwise_list_args(prb, args);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    if (!conv_depthwise_fill(arg)) product_case_fill(prb, args, arg);
}

static void reference(const prb_t *prb, args_t *args)
{
    product_case_reference(prb, args);
    if (!args_between(args)) return;
    const product_t of_case = product_of(prb);
    conv_depthwise_reference(prb, &of_case, args);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    const problem_t *const p = prb->problem;
    bool adds_zeros = conv_cuts_negatives(prb);
    for (int s = 0; s < BENCH_NSPATIAL; ++s)
        adds_zeros = adds_zeros || p->pad[s] > 0 || p->pad_back[s] > 0;
    double busy = adds_zeros ? 0.15 : 0.3;
    if (conv_direction(prb) == BWD_D) busy *= conv_backward_reached(p);
    if (product_of(prb).n_acc == 0) busy = 0.; // an empty sum is 0
    compare->is_norm = is_winograd(prb);
    compare->zero_percent = fmax(compare->zero_percent, 100 * (1 - busy));
}

static double ops(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return 2 * (double)p->mb * (double)p->oc * (double)(p->ic / p->g) * conv_ref_pairs(p);
}

const driver_t bench_conv_driver = {
        .name = "conv",
        .primitive_kind = PRIM_CONVOLUTION,
        .family = FAMILY_FIELDS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D) | DIRECTION_BIT(BWD_W) | DIRECTION_BIT(BWD_WB),
        .fields = conv_fields,
        .csv_columns = "%dir%,%sdt%,%stag%,%wtag%,%dtag%,%alg%",
        .complete = complete,
        .verify = conv_verify,
        .skip = skip,
        .dst_dims = conv_dst_dims,
        .policy_mask = conv_policy_mask,
        .depthwise_types = depthwise_types,
        .create_desc = create_desc,
        .product = &product,
        .data_classes = product_case_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
        .ops = ops,
};
