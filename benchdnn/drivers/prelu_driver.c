// SPDX-License-Identifier: Apache-2.0
// The driver of prelu: options, filling, thresholds, and its reference in double.
#include <math.h>

#include "core/driver.h"
#include "prelu_backward.h"
#include "type_skip.h"

enum { OPT_DIR, OPT_SDT, OPT_STAG };

enum { SRC, WEI };

static const option_t options[] = {
        [OPT_DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [OPT_SDT] = {.name = "sdt",
                .kind = OPTION_DT,
                .fallback = "f32:f32",
                .min_count = 1,
                .max_count = 2},
        [OPT_STAG] = {.name = "stag",
                .kind = OPTION_TAG,
                .fallback = "abx:any",
                .min_count = 2,
                .max_count = 2},
        {.name = NULL},
};

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, OPT_DIR));
}

static skip_reason_t skip(const prb_t *prb)
{
    // The operation has no post-ops.
    if (prb->attr->post_ops.count > 0) return SKIP_CASE_NOT_SUPPORTED;
    if (is_backward(prb) &&
            (dt_is_integer(opt_dt(prb, OPT_SDT, SRC)) || dt_is_integer(opt_dt(prb, OPT_SDT, WEI))))
        return skip_because(SKIP_INVALID_CASE, "prelu: integers have no gradient");
    return skip_types(prb, OPT_SDT, OPT_SDT);
}

static prim_status_t create_forward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, wei, dst;
    prim_status_t st = bench_md(
            &src, p->ndims, p->dims[SRC], opt_dt(prb, OPT_SDT, SRC), opt_tag(prb, OPT_STAG, SRC));
    if (st != PRIM_SUCCESS) return st;
    st = bench_md(
            &wei, p->ndims, p->dims[WEI], opt_dt(prb, OPT_SDT, WEI), opt_tag(prb, OPT_STAG, WEI));
    if (st != PRIM_SUCCESS) return st;
    st = bench_md(&dst, p->ndims, p->dims[SRC], opt_dt(prb, OPT_SDT, SRC), "any");
    if (st != PRIM_SUCCESS) return st;
    return prim_prelu_forward_desc_create(pd, engine, prop_kind, &src, &wei, &dst, attr);
}

/// The weights are laid out as the forward pass chose, the gradients as the backward pass does.
static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t diff, diff_wei;
    prim_status_t st = bench_md(&diff, p->ndims, p->dims[SRC], opt_dt(prb, OPT_SDT, SRC), "any");
    if (st == PRIM_SUCCESS)
        st = bench_md(&diff_wei, p->ndims, p->dims[WEI], opt_dt(prb, OPT_SDT, WEI), "any");
    if (st != PRIM_SUCCESS) return st;
    return prim_prelu_backward_desc_create(pd, engine,
            prim_desc_query_md(hint, PRIM_QUERY_SRC_MD, 0),
            prim_desc_query_md(hint, PRIM_QUERY_WEIGHTS_MD, 0), &diff, &diff_wei, &diff, hint,
            attr);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    if (!is_backward(prb))
        return create_forward(pd, prb, engine, direction_prop(opt_direction(prb, OPT_DIR)), attr);
    prim_desc_t *hint = NULL;
    prim_status_t st = create_forward(&hint, prb, engine, PRIM_FORWARD_TRAINING, NULL);
    if (st == PRIM_SUCCESS) st = create_backward(pd, prb, engine, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
        args_add(args, PRIM_ARG_WEIGHTS, ARG_IN, DATA_WEI);
        args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
        args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
        args_add(args, PRIM_ARG_DIFF_WEIGHTS, ARG_OUT, DATA_WEI);
        return;
    }
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_WEIGHTS, ARG_IN, DATA_WEI);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

// Half of the elements take the slope's branch; products with the slopes are exact.
static double src_value(const void *context, rng_t *rng, int64_t index)
{
    (void)index;
    const bool has_negatives = *(const bool *)context;
    const double x = (double)rng_int(rng, 1, 2);
    return has_negatives && rng_chance(rng, .5) ? -x : x;
}

// A power of two in 1/8..8, in 1..8 for integers.
static double slope_value(const void *context, rng_t *rng, int64_t index)
{
    (void)index;
    const bool has_fractions = *(const bool *)context;
    const double x = (double)(1 << rng_int(rng, 0, 3));
    return has_fractions && rng_chance(rng, .5) ? 1. / x : x;
}

static unsigned data_classes(const prb_t *prb)
{
    if (is_backward(prb)) return DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS);
    return data_classes_of(opt_dt(prb, OPT_SDT, SRC)) & data_classes_of(opt_dt(prb, OPT_SDT, WEI));
}

static void fill_small(const prb_t *prb, arg_t *arg)
{
    if (arg->kind == DATA_WEI) {
        const bool has_fractions = !dt_is_integer(opt_dt(prb, OPT_SDT, WEI));
        fill_by_rng(arg, slope_value, &has_fractions);
    } else {
        const bool has_negatives = opt_dt(prb, OPT_SDT, SRC) != PRIM_U8;
        fill_by_rng(arg, src_value, &has_negatives);
    }
}

/// Slopes and sources alike: all classes meet each other.
static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t values = {prb->data_class, arg->md.data_type, 29, 13};
    (void)args;
    if (is_backward(prb) && (prb->data_class == CLASS_REALS || arg->kind == DATA_DIFF_DST))
        prelu_backward_fill(arg, prb->data_class);
    else if (prb->data_class == CLASS_SMALL)
        fill_small(prb, arg);
    else
        fill_by_rng(arg, data_class_value, &values);
}

/// What the threads of the reference share.
typedef struct {
    const problem_t *problem;
    const double *src, *wei;
    bool is_exact; ///< integers alone
    bool is_wide;  ///< src is s32
    args_t *args;
} reference_t;

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const problem_t *const p = r->problem;
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i, wei_index = 0, wei_stride = 1;
        for (int d = p->ndims - 1; d >= 0; --d) {
            if (p->dims[WEI][d] != 1) wei_index += rest % p->dims[SRC][d] * wei_stride;
            wei_stride *= p->dims[WEI][d];
            rest /= p->dims[SRC][d];
        }
        const double x = r->src[i];
        const double y = x > 0. ? x : x * r->wei[wei_index];
        // s32 on either side may become f32; the product rounds.
        const double slack = r->is_exact || !isfinite(y) ? 0. : 3. * 0x1p-24 * fabs(y);
        ref_store(r->args, (bounded_t){y, x > 0. && !r->is_wide ? 0. : slack}, i);
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        prelu_backward_reference(prb->problem, args);
        return;
    }
    reference_t r = {.problem = prb->problem,
            .src = args_data(args, PRIM_ARG_SRC),
            .wei = args_data(args, PRIM_ARG_WEIGHTS),
            .is_exact = dt_is_integer(opt_dt(prb, OPT_SDT, SRC)) &&
                        dt_is_integer(opt_dt(prb, OPT_SDT, WEI)),
            .is_wide = opt_dt(prb, OPT_SDT, SRC) == PRIM_S32,
            .args = args};
    (void)args_slack(args, PRIM_ARG_DST);
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 1024, reference_range, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->zero_percent = 65.; // half the results of u8 and small slopes
    compare->allows_nan_inf = true;
}

const driver_t bench_prelu_driver = {
        .name = "prelu",
        .primitive_kind = PRIM_PRELU,
        .family = FAMILY_DIMS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_DW),
        .min_tensors = 2,
        .max_tensors = 2,
        .csv_columns = "%dir%,%sdt%,%stag%",
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
