// SPDX-License-Identifier: Apache-2.0
// The driver of deconvolution: options, filling, thresholds and what is known not to run.
#include <math.h>

#include "conv_case.h"
#include "deconv_ref.h"
#include "type_skip.h"

static const word_t algs[] = {
        {"direct", PRIM_DECONVOLUTION_DIRECT},
        {"deconvolution_direct", PRIM_DECONVOLUTION_DIRECT},
        {"wino", PRIM_DECONVOLUTION_WINOGRAD},
        {"deconvolution_wino", PRIM_DECONVOLUTION_WINOGRAD},
        {"deconvolution_winograd", PRIM_DECONVOLUTION_WINOGRAD},
        {NULL, 0},
};

static const option_t options[] = CONV_OPTIONS(algs);

static bool complete(problem_t *problem)
{
    return conv_check_channels(problem, "deconv") &&
           problem_complete_transposed_windows(problem, "deconv");
}

static skip_reason_t skip(const prb_t *prb)
{
    if (conv_has_image(prb))
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "deconv: images are not taken");
    if (direction_is_backward(conv_direction(prb))) {
        const skip_reason_t reason = product_skip_gradient(prb, OPT_DT, OPT_BIA_DT, OPT_DIR);
        if (reason != SKIP_NONE) return reason;
    }
    if (opt_word(prb, OPT_ALG) == PRIM_DECONVOLUTION_WINOGRAD)
        return skip_because(
                SKIP_CASE_NOT_SUPPORTED, "deconv: no engine takes Winograd's algorithm");
    // The fused depthwise step is none of Prim's post-ops.
    if (attr_post_op(prb->attr, PRIM_CONVOLUTION)) return SKIP_CASE_NOT_SUPPORTED;
    return skip_types(prb, OPT_DT, OPT_BIA_DT);
}

static const conv_creators_t creators = {PRIM_DECONVOLUTION_DIRECT,
        prim_deconvolution_forward_desc_create, prim_deconvolution_backward_data_desc_create,
        prim_deconvolution_backward_weights_desc_create};

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    return conv_create_desc(pd, prb, engine, attr, &creators);
}

static product_t product_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return conv_product(prb, deconv_ref_most_taps(p), conv_volume(p->in));
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    const direction_t direction = conv_direction(prb);
    (void)args;
    if (!direction_is_backward(direction))
        deconv_ref_forward(prb->problem, src, wei, bias, dst);
    else if (direction == BWD_D)
        deconv_ref_backward_data(prb->problem, src, wei, dst);
    else
        deconv_ref_backward_weights(prb->problem, src, wei, dst);
}

static const product_driver_t product = {product_of, sum_products};

/// Where fewer taps, or none, reach dst there are zeros.
static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    const problem_t *const p = prb->problem;
    bool has_edges = conv_cuts_negatives(prb);
    for (int a = 0; a < BENCH_NSPATIAL; ++a) has_edges = has_edges || p->kernel[a] > 1;
    double busy = has_edges ? 0.15 : 0.3;
    if (!direction_is_backward(conv_direction(prb))) busy *= deconv_ref_reached(p);
    if (product_of(prb).n_acc == 0) busy = 0.; // an empty sum is 0
    compare->zero_percent = fmax(compare->zero_percent, 100 * (1 - busy));
}

static double ops(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return 2 * (double)p->mb * (double)p->oc * (double)(p->ic / p->g) * deconv_ref_pairs(p);
}

const driver_t bench_deconv_driver = {
        .name = "deconv",
        .primitive_kind = PRIM_DECONVOLUTION,
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
        .create_desc = create_desc,
        .product = &product,
        .data_classes = product_case_classes,
        .list_args = product_case_list_args,
        .fill = product_case_fill,
        .reference = product_case_reference,
        .set_compare = set_compare,
        .ops = ops,
};
