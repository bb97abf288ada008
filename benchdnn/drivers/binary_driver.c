// SPDX-License-Identifier: Apache-2.0
// benchdnn --binary: dst = op(src0, src1) with broadcast on either side, and select.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { SDT, DDT, STAG, DTAG, ALG, INPLACE };

static const option_t options[] = {
        [SDT] = {.name = "sdt",
                .kind = OPTION_DT,
                .fallback = "f32:f32",
                .min_count = 2,
                .max_count = 2},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [STAG] = {.name = "stag",
                .kind = OPTION_TAG,
                .fallback = "abx:any",
                .min_count = 2,
                .max_count = 2},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},
        [ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "add", .words = binary_words},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static bool is_comparison(int alg)
{
    return alg >= PRIM_BINARY_GE && alg <= PRIM_BINARY_NE;
}

static bool src0_is_dst_shaped(const problem_t *p)
{
    for (int d = 0; d < p->ndims; ++d) {
        if (p->dims[0][d] != p->dst_dims[d]) return false;
    }
    return true;
}

/// Whether everything is s32 and nothing leaves the integers, so that the result must be exact.
static bool is_exact_s32(const prb_t *prb)
{
    return opt_dt(prb, SDT, 0) == PRIM_S32 && opt_dt(prb, SDT, 1) == PRIM_S32 &&
           opt_dt(prb, DDT, 0) == PRIM_S32 && prb->attr->scales.count == 0 &&
           prb->attr->post_ops.count == 0;
}

/// Integers to an integer without attributes are computed in integers.
static bool is_integer(const prb_t *prb)
{
    return dt_is_integer(opt_dt(prb, SDT, 0)) && dt_is_integer(opt_dt(prb, SDT, 1)) &&
           dt_is_integer(opt_dt(prb, DDT, 0)) && prb->attr->scales.count == 0 &&
           prb->attr->post_ops.count == 0;
}

static skip_reason_t skip(const prb_t *prb)
{
    const skip_reason_t reason = skip_types(prb, SDT, DDT);
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *const dtag = opt_tag(prb, DTAG, 0);
    const bool same_tag = strcmp(dtag, "any") == 0 || strcmp(dtag, opt_tag(prb, STAG, 0)) == 0;
    const bool same_dt = opt_dt(prb, DDT, 0) == opt_dt(prb, SDT, 0);
    if (!same_tag || !same_dt || !src0_is_dst_shaped(prb->problem)) return SKIP_INVALID_CASE;
    return SKIP_NONE;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const prim_alg_kind_t alg = (prim_alg_kind_t)opt_word(prb, ALG);
    prim_memory_desc_t src[2], src2, dst;
    prim_status_t st = PRIM_SUCCESS;
    for (int i = 0; i < 2 && st == PRIM_SUCCESS; ++i)
        st = bench_md(&src[i], p->ndims, p->dims[i], opt_dt(prb, SDT, i), opt_tag(prb, STAG, i));
    if (st == PRIM_SUCCESS && alg == PRIM_BINARY_SELECT)
        st = bench_md(&src2, p->ndims, p->dst_dims, PRIM_S8, opt_tag(prb, STAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, p->ndims, p->dst_dims, opt_dt(prb, DDT, 0), opt_tag(prb, DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    return prim_binary_desc_create(pd, engine, alg, &src[0], &src[1],
            alg == PRIM_BINARY_SELECT ? &src2 : NULL, &dst, attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    arg_t *const src0 = args_add(args, PRIM_ARG_SRC_0, ARG_IN, DATA_SRC);
    if (opt_bool(prb, INPLACE)) src0->inplace_with = PRIM_ARG_DST;
    args_add(args, PRIM_ARG_SRC_1, ARG_IN, DATA_SRC_1);
    if (opt_word(prb, ALG) == PRIM_BINARY_SELECT)
        args_add(args, PRIM_ARG_SRC_2, ARG_IN, DATA_SRC_2);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

/// What one source holds: integers lo..hi times unit, 0 replaced by 1 where it may not be.
typedef struct {
    int64_t lo, hi;
    double unit;
    bool skips_zero;
} range_t;

static double range_value(const void *context, rng_t *rng, int64_t index)
{
    const range_t *const range = context;
    const int64_t x = rng_int(rng, range->lo, range->hi);
    (void)index;
    return (double)(x == 0 && range->skips_zero ? 1 : x) * range->unit;
}

/// s32 beyond the 24 bits of a float; products stay within the 53 bits of the reference.
static void set_exact_range(range_t *range, int alg, int arg)
{
    const bool is_divisor = alg == PRIM_BINARY_DIV && arg == PRIM_ARG_SRC_1;
    const int64_t large = INT64_C(1) << 30;
    if (is_comparison(alg)) {
        range->lo = large - 4;
        range->hi = large + 4;
    } else {
        range->hi = alg == PRIM_BINARY_MUL || is_divisor ? 46340 : large;
        range->lo = -range->hi;
    }
}

/// NaN, infinities and what overflows have no meaning to share with every scale and post-op.
static bool has_attributes(const prb_t *prb)
{
    return prb->attr->post_ops.count > 0 || prb->attr->scales.count > 0;
}

static unsigned data_classes(const prb_t *prb)
{
    const unsigned classes =
            data_classes_of(opt_dt(prb, SDT, 0)) & data_classes_of(opt_dt(prb, SDT, 1));
    return has_attributes(prb) ? classes & ~DATA_BIT(CLASS_EXTREMES) : classes;
}

static void fill_small(const prb_t *prb, arg_t *arg)
{
    const int alg = opt_word(prb, ALG);
    const prim_data_type_t dt = arg->md.data_type;
    range_t range = {.lo = dt == PRIM_U8 ? 0 : -8, .hi = 8, .unit = 1};
    if (arg->id == PRIM_ARG_SRC_0 && !dt_is_integer(dt)) range.unit = 0.5;
    range.skips_zero = arg->id == PRIM_ARG_SRC_1;
    if (arg->id == PRIM_ARG_SRC_2) range.lo = 0;
    if (is_exact_s32(prb) && arg->id != PRIM_ARG_SRC_2) set_exact_range(&range, alg, arg->id);
    fill_by_rng(arg, range_value, &range);
}

/// Small integers beside the rest: comparisons meet equal values.
static data_class_t mixed_class(rng_t *rng, prim_data_type_t dt, bool takes_specials)
{
    const int64_t draw = rng_int(rng, 0, 9);
    if (draw < 4) return CLASS_SMALL;
    if (dt_is_integer(dt)) return CLASS_RANGE;
    if (draw < 8 || !takes_specials) return CLASS_REALS;
    return draw == 8 ? CLASS_EXTREMES : CLASS_SPECIAL;
}

/// What a source holds.
typedef struct {
    const arg_t *arg;
    bool is_compared; ///< its elements are to be less, greater and equal
    bool takes_specials;
} mixture_t;

static double class_value(const void *context, rng_t *rng, int64_t index)
{
    const mixture_t *const m = context;
    const prim_data_type_t dt = m->arg->md.data_type;
    // Less, greater, equal, whatever the types are.
    const bool is_first = m->arg->id == PRIM_ARG_SRC_0;
    if (m->is_compared && index % 4 == 1) return is_first ? 1. : 2.;
    if (m->is_compared && index % 4 == 2) return is_first ? 2. : 1.;
    if (m->is_compared && index % 4 == 3) return (double)(index / 4 % 3);
    const double x = data_value(rng, mixed_class(rng, dt, m->takes_specials), dt);
    return x == 0. && !m->takes_specials && m->arg->id == PRIM_ARG_SRC_1 ? 1. : x;
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t forced = {.data_class = prb->data_class, .dt = arg->md.data_type};
    const mixture_t mixture = {arg, is_comparison(opt_word(prb, ALG)), !has_attributes(prb)};
    (void)args;
    if (prb->data_class == CLASS_SMALL || arg->id == PRIM_ARG_SRC_2 || arg->role == ARG_OUT ||
            is_exact_s32(prb))
        fill_small(prb, arg);
    else if (prb->data_class != CLASS_MIXED)
        fill_by_rng(arg, data_class_value, &forced);
    else
        fill_by_rng(arg, class_value, &mixture);
}

/// In units of f32: 2 for a scaled source (the scale, the product), 1 for s32 beyond 2^24.
static double args_error(const args_t *args, int id, double x)
{
    const bool is_scaled = attr_scale(args_prb(args)->attr, id) != NULL;
    const bool is_long = args_find(args, id)->md.data_type == PRIM_S32 && fabs(x) > 0x1p24;
    return fabs(x) * ((is_scaled ? 2. : 0.) + (is_long ? 1. : 0.));
}

typedef struct {
    args_t *args;
    const problem_t *problem;
    prim_alg_kind_t alg;
    const double *src[2], *condition;
    bool is_integer;        ///< computed in integers
    prim_dims_t strides[2]; ///< of the sources, 0 where they broadcast
} reference_t;

static void broadcast_strides(prim_dims_t strides, int ndims, const prim_dim_t *dims)
{
    prim_dim_t stride = 1;
    for (int d = ndims - 1; d >= 0; --d) {
        strides[d] = dims[d] == 1 ? 0 : stride;
        stride *= dims[d];
    }
}

/// The sources round when they become f32 or are scaled, the result once; a quotient has 2.5 ulp.
static double error_of(const reference_t *r, double x0, double x1, double y)
{
    static const double unit = 0x1p-24;
    if (r->is_integer || !isfinite(y)) return 0.;
    const double a = args_error(r->args, PRIM_ARG_SRC_0, x0);
    const double b = args_error(r->args, PRIM_ARG_SRC_1, x1);
    switch (r->alg) {
    case PRIM_BINARY_ADD:
    case PRIM_BINARY_SUB: return unit * (a + b + fabs(y));
    case PRIM_BINARY_MUL: return unit * (a * fabs(x1) + b * fabs(x0) + fabs(y));
    case PRIM_BINARY_DIV: return unit * (a / fabs(x1) + b * fabs(y / x1) + 5. * fabs(y));
    case PRIM_BINARY_MIN:
    case PRIM_BINARY_MAX:
    case PRIM_BINARY_SELECT: return unit * fmax(a, b);
    default: return fabs(x0 - x1) <= unit * (a + b) && a + b > 0. ? 1. : 0.;
    }
}

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i, at[2] = {0, 0};
        for (int d = r->problem->ndims - 1; d >= 0; --d) {
            const int64_t position = rest % r->problem->dst_dims[d];
            rest /= r->problem->dst_dims[d];
            for (int s = 0; s < 2; ++s) at[s] += position * r->strides[s][d];
        }
        const double x0 = r->src[0][at[0]], x1 = r->src[1][at[1]];
        const double x = ref_binary(r->alg, x0, x1, r->condition ? r->condition[i] : 0);
        ref_store(r->args, (bounded_t){x, error_of(r, x0, x1, x)}, i);
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    const problem_t *const p = prb->problem;
    reference_t r = {.args = args,
            .problem = p,
            .alg = (prim_alg_kind_t)opt_word(prb, ALG),
            .src = {args_dequantized(args, PRIM_ARG_SRC_0), args_dequantized(args, PRIM_ARG_SRC_1)},
            .condition = args_data(args, PRIM_ARG_SRC_2),
            .is_integer = is_integer(prb)};
    (void)args_slack(args, PRIM_ARG_DST);
    for (int s = 0; s < 2; ++s) broadcast_strides(r.strides[s], p->ndims, p->dims[s]);
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 1024, reference_range, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    const int alg = opt_word(prb, ALG);
    (void)args;
    (void)arg;
    // Half of the quotients and more is below one half; u8 clips the negative results, three in
    // four of MIN.
    double zeros = compare->zero_percent;
    if (alg == PRIM_BINARY_DIV && dt_is_integer(opt_dt(prb, DDT, 0))) zeros = fmax(zeros, 85);
    if (opt_dt(prb, DDT, 0) == PRIM_U8) zeros = fmax(zeros, 95);
    compare->zero_percent = is_comparison(alg) ? fmax(zeros, 99) : zeros;
    compare->allows_nan_inf = true;
}

const driver_t bench_binary_driver = {
        .name = "binary",
        .primitive_kind = PRIM_BINARY,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 2,
        .max_tensors = 2,
        .csv_columns = "%sdt%,%ddt%,%stag%,%dtag%,%alg%",
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
