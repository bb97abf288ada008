// SPDX-License-Identifier: Apache-2.0
// benchdnn --sum: dst = sum of scales[i]·src_i.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { SDT, DDT, STAG, DTAG, SCALES, INPLACE };

static const option_t options[] = {
        [SDT] = {.name = "sdt",
                .kind = OPTION_DT,
                .fallback = "f32:f32",
                .min_count = 1,
                .max_count = BENCH_MAX_TUPLE},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [STAG] = {.name = "stag",
                .kind = OPTION_TAG,
                .fallback = "abx",
                .min_count = 1,
                .max_count = BENCH_MAX_TUPLE},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "undef"},
        [SCALES] = {.name = "scales",
                .kind = OPTION_FLOAT,
                .fallback = "1",
                .min_count = 1,
                .max_count = BENCH_MAX_TUPLE,
                .is_always_printed = true},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static int count_inputs(const prb_t *prb)
{
    return opt_count(prb, SDT);
}

static bool fits(int count, int ninputs)
{
    return count == 1 || count == ninputs;
}

static bool verify(const prb_t *prb)
{
    const int n = count_inputs(prb);
    if (!fits(opt_count(prb, STAG), n))
        return problem_error("sum: %d layouts for %d inputs", opt_count(prb, STAG), n);
    if (!fits(opt_count(prb, SCALES), n))
        return problem_error("sum: %d scales for %d inputs", opt_count(prb, SCALES), n);
    return true;
}

static skip_reason_t skip(const prb_t *prb)
{
    const skip_reason_t reason = skip_types(prb, SDT, DDT);
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *const stag = opt_tag(prb, STAG, 0), *const dtag = opt_tag(prb, DTAG, 0);
    const bool is_derived = strcmp(dtag, "any") == 0 || strcmp(dtag, "undef") == 0;
    const bool same_dt = opt_dt(prb, DDT, 0) == opt_dt(prb, SDT, 0);
    if (!same_dt || !(is_derived || strcmp(stag, dtag) == 0)) return SKIP_INVALID_CASE;
    return SKIP_NONE;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const int n = count_inputs(prb);
    const bool is_derived = strcmp(opt_tag(prb, DTAG, 0), "undef") == 0;
    // Without a layout only the type of dst is given: it follows the first source's layout.
    const char *const dtag = is_derived ? "any" : opt_tag(prb, DTAG, 0);
    prim_memory_desc_t mds[BENCH_MAX_TUPLE], dst;
    const prim_memory_desc_t *srcs[BENCH_MAX_TUPLE];
    float scales[BENCH_MAX_TUPLE];
    prim_status_t st = bench_md(&dst, p->ndims, p->dims[0], opt_dt(prb, DDT, 0), dtag);
    for (int i = 0; i < n && st == PRIM_SUCCESS; ++i) {
        st = bench_md(&mds[i], p->ndims, p->dims[0], opt_dt(prb, SDT, i), opt_tag(prb, STAG, i));
        srcs[i] = &mds[i];
        scales[i] = (float)opt_float(prb, SCALES, i);
    }
    if (st != PRIM_SUCCESS) return st;
    return prim_sum_desc_create(pd, engine, &dst, n, scales, srcs, attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    for (int i = 0; i < count_inputs(prb); ++i) {
        arg_t *const src = args_add(args, PRIM_ARG_MULTIPLE_SRC + i, ARG_IN, DATA_SRC);
        if (i == 0 && opt_bool(prb, INPLACE)) src->inplace_with = PRIM_ARG_DST;
    }
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

static double fill_value_at(const void *context, int64_t index)
{
    const int64_t input = *(const int64_t *)context;
    const int64_t x = (97 * index - 17 * input + 101) % 16;
    return (double)(x < 0 ? x + 16 : x);
}

/// The types of all inputs have the class.
static unsigned data_classes(const prb_t *prb)
{
    unsigned classes = ~0u;
    for (int i = 0; i < count_inputs(prb); ++i) classes &= data_classes_of(opt_dt(prb, SDT, i));
    // Sums of the largest numbers overflow in some orders and not in others.
    return classes & ~DATA_BIT(CLASS_EXTREMES);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const int64_t input = arg->id - PRIM_ARG_MULTIPLE_SRC;
    const data_mixture_t values = {prb->data_class, arg->md.data_type, .nth_special = 29};
    (void)args;
    if (prb->data_class == CLASS_SMALL)
        fill_by_index(arg, fill_value_at, &input);
    else
        fill_by_rng(arg, data_class_value, &values);
}

typedef struct {
    int n;
    const double *src[BENCH_MAX_TUPLE];
    double scales[BENCH_MAX_TUPLE];
    args_t *args;
} reference_t;

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    for (int64_t i = begin; i < end; ++i) {
        double sum = 0, size = 0;
        for (int input = 0; input < r->n; ++input) {
            const double term = r->scales[input] * r->src[input][i];
            sum += term;
            size += fabs(term);
        }
        // Sources that become f32, products and additions, in any order.
        const double slack = (double)(r->n + 2) * 0x1p-24 * size;
        ref_store(r->args, (bounded_t){sum, isfinite(slack) ? slack : 0.}, i);
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    reference_t r = {.n = count_inputs(prb), .args = args};
    (void)args_slack(args, PRIM_ARG_DST);
    for (int i = 0; i < r.n; ++i) {
        r.src[i] = args_data(args, PRIM_ARG_MULTIPLE_SRC + i);
        r.scales[i] = (double)(float)opt_float(prb, SCALES, i);
    }
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 4096, reference_range, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->allows_nan_inf = true;
}

const driver_t bench_sum_driver = {
        .name = "sum",
        .primitive_kind = PRIM_SUM,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%sdt%,%ddt%,%stag%,%dtag%",
        .verify = verify,
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
