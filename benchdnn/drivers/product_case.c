// SPDX-License-Identifier: Apache-2.0
// What a driver of products hands to the core: the product of the case, then what all of them do.
#include <math.h>

#include "product.h"

unsigned product_case_classes(const prb_t *prb)
{
    const product_t product = prb->driver->product->of(prb);
    return product_classes(&product, prb);
}

void product_case_fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const product_t product = prb->driver->product->of(prb);
    (void)args;
    product_fill(&product, prb, arg);
}

product_args_t product_args(const product_t *product)
{
    const product_args_t *const a = &product->args;
    return (product_args_t){.src = a->src ? a->src : PRIM_ARG_SRC,
            .wei = a->wei ? a->wei : PRIM_ARG_WEIGHTS,
            .dst = a->dst ? a->dst : PRIM_ARG_DST};
}

/// Sums of n elements whose sizes add up to `size`; integers below 2^24 in sum have no rounding.
static double sum_error(double n, double size, bool is_exact)
{
    const double longest = 65536.;
    if (is_exact && size < 0x1p24) return 0.;
    return 0x1p-24 * size * (fmin(n, longest) + n / longest + 16.);
}

/// diff_bias(c) = Σ diff_dst(n, c, x) over all n and x.
static void bias_reference(args_t *args)
{
    const arg_t *const diff_dst = args_find(args, PRIM_ARG_DIFF_DST);
    const prim_memory_desc_t *const md = &diff_dst->md;
    double *const bias = args_data(args, PRIM_ARG_DIFF_BIAS);
    double *const slack = args_slack(args, PRIM_ARG_DIFF_BIAS);
    const int64_t channels = md->dims[1];
    int64_t inner = 1;
    bool is_exact = true;
    for (int d = 2; d < md->ndims; ++d) inner *= md->dims[d];
    for (int64_t c = 0; c < channels; ++c) bias[c] = slack[c] = 0.;
    // The slack collects the sizes first.
    for (int64_t i = 0; i < diff_dst->nelems; ++i) {
        const double x = diff_dst->data[i];
        bias[i / inner % channels] += x;
        slack[i / inner % channels] += fabs(x);
        is_exact = is_exact && x == rint(x);
    }
    for (int64_t c = 0; c < channels; ++c)
        slack[c] = sum_error((double)diff_dst->nelems / (double)channels, slack[c], is_exact);
}

void product_case_reference(const prb_t *prb, args_t *args)
{
    const product_driver_t *const driver = prb->driver->product;
    const product_t product = driver->of(prb);
    product_reference(&product, args, driver->sum);
    if (args_find(args, PRIM_ARG_DIFF_BIAS)) bias_reference(args);
}

static data_kind_t kind_of(int id)
{
    switch (id) {
    case PRIM_ARG_DIFF_SRC: return DATA_DIFF_SRC;
    case PRIM_ARG_DIFF_DST: return DATA_DIFF_DST;
    case PRIM_ARG_WEIGHTS:
    case PRIM_ARG_DIFF_WEIGHTS: return DATA_WEI;
    case PRIM_ARG_DST: return DATA_DST;
    default: return DATA_SRC;
    }
}

void product_case_list_args(const prb_t *prb, args_t *args)
{
    const product_t product = prb->driver->product->of(prb);
    const product_args_t ids = product_args(&product);
    const bool has_bias = product.bias != PRIM_DATA_TYPE_UNDEF;
    args_add(args, ids.src, ARG_IN, kind_of(ids.src));
    args_add(args, ids.wei, ARG_IN, kind_of(ids.wei));
    if (has_bias && ids.dst == PRIM_ARG_DST) args_add(args, PRIM_ARG_BIAS, ARG_IN, DATA_BIA);
    args_add(args, ids.dst, ARG_OUT, kind_of(ids.dst));
    if (has_bias && ids.dst == PRIM_ARG_DIFF_WEIGHTS)
        args_add(args, PRIM_ARG_DIFF_BIAS, ARG_OUT, DATA_BIA);
}

bool product_verify_types(const prb_t *prb, int dt_option)
{
    const int ndts = opt_count(prb, dt_option);
    if (ndts == 1 || ndts == 3) return true;
    return problem_error("%s: --dt takes one type or three, src:wei:dst", prb->driver->name);
}

prim_data_type_t product_bias_dt(const prb_t *prb, int bias_option, int dt_option)
{
    enum { WEI = 1 };
    const prim_data_type_t dt = opt_dt(prb, bias_option, 0);
    if (dt != PRIM_DATA_TYPE_UNDEF) return dt;
    return opt_dt(prb, dt_option, WEI) == PRIM_F64 ? PRIM_F64 : PRIM_F32;
}

skip_reason_t product_skip_gradient(
        const prb_t *prb, int dt_option, int bias_option, int direction_option)
{
    bool has_integer = direction_has_bias(opt_direction(prb, direction_option)) &&
                       dt_is_integer(product_bias_dt(prb, bias_option, dt_option));
    for (int i = 0; i < opt_count(prb, dt_option); ++i)
        has_integer = has_integer || dt_is_integer(opt_dt(prb, dt_option, i));
    return skip_gradient(prb, has_integer);
}
