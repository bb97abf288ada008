// SPDX-License-Identifier: Apache-2.0
// benchdnn --concat: tensors one after the other along an axis.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { SDT, DDT, STAG, DTAG, AXIS };

static const option_t options[] = {
        [SDT] = {.name = "sdt", .kind = OPTION_DT, .fallback = "f32"},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [STAG] = {.name = "stag",
                .kind = OPTION_TAG,
                .fallback = "abx",
                .min_count = 1,
                .max_count = BENCH_MAX_TUPLE},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "undef"},
        [AXIS] = {.name = "axis", .kind = OPTION_INT, .fallback = "1"},
        {.name = NULL},
};

static bool verify(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t axis = opt_int(prb, AXIS, 0);
    const int ntags = opt_count(prb, STAG);
    if (axis < 0 || axis >= p->ndims)
        return problem_error("concat: axis %lld is outside 0..%d", (long long)axis, p->ndims - 1);
    if (ntags != 1 && ntags != p->ntensors)
        return problem_error("concat: %d layouts for %d inputs", ntags, p->ntensors);
    for (int i = 1; i < p->ntensors; ++i) {
        for (int d = 0; d < p->ndims; ++d) {
            if (d != axis && p->dims[i][d] != p->dims[0][d])
                return problem_error("concat: input %d differs from input 0 in dimension %d", i, d);
        }
    }
    return true;
}

static skip_reason_t skip(const prb_t *prb)
{
    for (int i = 0; i < prb->attr->scales.count; ++i)
        if (prb->attr->scales.entries[i].policy != POLICY_COMMON)
            return skip_because(SKIP_CASE_NOT_SUPPORTED, "concat: sources have one scale each");
    return skip_types(prb, SDT, DDT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    const int axis = (int)opt_int(prb, AXIS, 0);
    memcpy(dims, p->dims[0], sizeof(prim_dims_t));
    for (int i = 1; i < p->ntensors; ++i) dims[axis] += p->dims[i][axis];
    return p->ndims;
}

static bool derives_dst(const prb_t *prb)
{
    return strcmp(opt_tag(prb, DTAG, 0), "undef") == 0;
}

/// Without a layout the library derives all of dst, its type too.
static prim_data_type_t dst_dt(const prb_t *prb)
{
    return opt_dt(prb, derives_dst(prb) ? SDT : DDT, 0);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t mds[BENCH_MAX_TUPLE], dst;
    const prim_memory_desc_t *srcs[BENCH_MAX_TUPLE];
    prim_dims_t dims;
    const int ndims = dst_dims(prb, dims);
    prim_status_t st = bench_md(&dst, ndims, dims, dst_dt(prb), opt_tag(prb, DTAG, 0));
    for (int i = 0; i < p->ntensors && st == PRIM_SUCCESS; ++i) {
        st = bench_md(&mds[i], ndims, p->dims[i], opt_dt(prb, SDT, 0), opt_tag(prb, STAG, i));
        srcs[i] = &mds[i];
    }
    if (st != PRIM_SUCCESS) return st;
    return prim_concat_desc_create(pd, engine, derives_dst(prb) ? NULL : &dst, p->ntensors,
            (int)opt_int(prb, AXIS, 0), srcs, attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    for (int i = 0; i < prb->problem->ntensors; ++i)
        args_add(args, PRIM_ARG_MULTIPLE_SRC + i, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

static unsigned data_classes(const prb_t *prb)
{
    return data_classes_of(opt_dt(prb, SDT, 0)) | DATA_BIT(CLASS_TIES);
}

static double class_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const prim_data_type_t sdt = opt_dt(prb, SDT, 0);
    data_class_t class_ = prb->data_class;
    if (class_ == CLASS_MIXED && dt_is_integer(sdt)) {
        class_ = index % 3 ? CLASS_RANGE : CLASS_SMALL;
    } else if (class_ == CLASS_MIXED) {
        static const data_class_t classes[] = {CLASS_SMALL, CLASS_REALS, CLASS_TIES, CLASS_REALS,
                CLASS_EXTREMES, CLASS_TIES, CLASS_REALS};
        class_ = index % 31 == 0 ? CLASS_SPECIAL : classes[index % 7];
    }
    return class_ == CLASS_TIES ? data_tie(rng, sdt, dst_dt(prb)) : data_value(rng, class_, sdt);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
    fill_by_rng(arg, class_value, prb);
}

/// One source, copied into its window of dst: `outer` runs of `run` elements, `dst_run` apart.
typedef struct {
    args_t *args;
    const double *src;
    double units; ///< of roundings before dst's
    int64_t run, dst_run, start;
} window_t;

static void reference_runs(void *context, int64_t begin, int64_t end)
{
    const window_t *const w = context;
    for (int64_t o = begin; o < end; ++o) {
        for (int64_t i = 0; i < w->run; ++i) {
            const int64_t at = o * w->dst_run + w->start + i;
            const double x = w->src[o * w->run + i];
            const double slack = isfinite(x) ? w->units * 0x1p-24 * fabs(x) : 0.;
            ref_store(w->args, (bounded_t){x, slack}, at);
        }
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    const problem_t *const p = prb->problem;
    const int axis = (int)opt_int(prb, AXIS, 0);
    prim_dims_t dims;
    (void)dst_dims(prb, dims);
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < p->ndims; ++d) {
        if (d < axis) outer *= dims[d];
        if (d > axis) inner *= dims[d];
    }
    // A scale is one product; s32 goes to floats through f32.
    const bool is_converted = opt_dt(prb, SDT, 0) == PRIM_S32 && !dt_is_integer(dst_dt(prb));
    window_t w = {.args = args,
            .units = prb->attr->scales.count ? 3.
                     : is_converted          ? 1.
                                             : 0.,
            .dst_run = dims[axis] * inner};
    (void)args_slack(args, PRIM_ARG_DST);
    for (int i = 0; i < p->ntensors; ++i) {
        w.src = args_dequantized(args, PRIM_ARG_MULTIPLE_SRC + i);
        w.run = p->dims[i][axis] * inner;
        bench_parallel(outer, 1 + 4096 / (w.run + 1), reference_runs, &w);
        w.start += w.run;
    }
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->allows_nan_inf = true;
    compare->zero_percent = fmax(compare->zero_percent, 80.);
}

const driver_t bench_concat_driver = {
        .name = "concat",
        .primitive_kind = PRIM_CONCAT,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = BENCH_MAX_TUPLE,
        .csv_columns = "%sdt%,%ddt%,%stag%,%dtag%,%axis%",
        .verify = verify,
        .skip = skip,
        .dst_dims = dst_dims,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
