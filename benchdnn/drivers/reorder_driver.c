// SPDX-License-Identifier: Apache-2.0
// benchdnn --reorder: another layout, type or engine.
#include <math.h>
#include <string.h>

#include "core/bench_args.h"
#include "core/bench_engine.h"
#include "core/bench_text.h"
#include "core/driver.h"
#include "type_skip.h"

enum { SDT, DDT, STAG, DTAG, STRIDES, OFLAG, CROSS_ENGINE, RUNTIME_DIM_MASK };
enum { SAME_ENGINE, CPU_TO_GPU, GPU_TO_CPU };

/// s8s8_comp:MASK or zp_comp:MASK, or an older word for a mask of 1 (conv) and 3 (gconv).
static bool is_oflag(const char *text, size_t length)
{
    static const word_t kinds[] = {{"s8s8_comp", 0}, {"zp_comp", 0}, {NULL, 0}};
    static const word_t older[] = {{"conv_s8s8", 1}, {"gconv_s8s8", 3}, {"conv_zp_comp", 1},
            {"gconv_zp_comp", 3}, {NULL, 0}};
    const char *const colon = memchr(text, ':', length);
    int64_t mask = 0;
    if (!colon) return word_find(older, text, length) != NULL;
    const size_t kind_length = (size_t)(colon - text);
    return word_find(kinds, text, kind_length) &&
           parse_int(colon + 1, length - kind_length - 1, &mask) && mask >= 0 &&
           mask < 1 << PRIM_MAX_NDIMS;
}

/// none, or flags joined by +.
static bool takes_oflags(const char *text)
{
    if (strcmp(text, "none") == 0) return true;
    for (const char *rest = text; rest;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, '+', &length);
        if (!is_oflag(piece, length)) return false;
    }
    return true;
}

static const word_t cross_engines[] = {
        {"none", SAME_ENGINE},
        {"cpu2gpu", CPU_TO_GPU},
        {"gpu2cpu", GPU_TO_CPU},
        {NULL, 0},
};

static const option_t options[] = {
        [SDT] = {.name = "sdt", .kind = OPTION_DT, .fallback = "f32", .is_always_printed = true},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32", .is_always_printed = true},
        [STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "abx", .is_always_printed = true},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "abx", .is_always_printed = true},
        [STRIDES] = {.name = "strides",
                .kind = OPTION_STRIDES,
                .fallback = "",
                .min_count = 2,
                .max_count = 2},
        [OFLAG] = {.name = "oflag",
                .kind = OPTION_TEXT,
                .fallback = "none",
                .takes_text = takes_oflags},
        [CROSS_ENGINE] = {.name = "cross-engine",
                .kind = OPTION_WORD,
                .fallback = "none",
                .words = cross_engines},
        [RUNTIME_DIM_MASK] = {.name = "runtime-dim-mask",
                .kind = OPTION_INT,
                .fallback = "0",
                .inside_attr = true,
                .is_printed_last = true},
        {.name = NULL},
};

static skip_reason_t skip(const prb_t *prb)
{
    const bool is_gpu = engine_is_gpu();
    if (strcmp(opt_text(prb, OFLAG), "none") != 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "reorder: there are no compensations");
    if (opt_word(prb, CROSS_ENGINE) != SAME_ENGINE && !is_gpu) return SKIP_INVALID_CASE;
    if (opt_int(prb, RUNTIME_DIM_MASK, 0) != 0 && opt_word(prb, CROSS_ENGINE) != SAME_ENGINE)
        return skip_because(SKIP_CASE_NOT_SUPPORTED,
                "reorder: between two engines all dimensions must be known at creation");
    return skip_types(prb, SDT, DDT);
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    const bool names_channels = policy == POLICY_PER_OC || policy == POLICY_PER_OCIC;
    (void)arg;
    if (names_channels && !has_groups) return -1;
    // Groups share a value among the last two dimensions.
    const int ndims = prb->problem->ndims;
    if (names_channels && ndims < 2) return -1;
    if (names_channels) return policy == POLICY_PER_OC ? 1 << (ndims - 1) : 3 << (ndims - 2);
    return attr_default_mask(policy, ndims);
}

/// The descriptor of one side; `is_known`: with all dimensions, as at execution.
static prim_status_t side_md(prim_memory_desc_t *md, const prb_t *prb, int side, bool is_known)
{
    const problem_t *const p = prb->problem;
    const int64_t mask = is_known ? 0 : opt_int(prb, RUNTIME_DIM_MASK, 0);
    prim_dims_t dims;
    for (int d = 0; d < p->ndims; ++d)
        dims[d] = mask >> d & 1 ? PRIM_RUNTIME_DIM_VAL : p->dims[0][d];
    return bench_md_strided(md, p->ndims, dims, opt_dt(prb, side == 0 ? SDT : DDT, 0),
            opt_tag(prb, side == 0 ? STAG : DTAG, 0), opt_strides(prb, STRIDES, side));
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const int cross = opt_word(prb, CROSS_ENGINE);
    prim_memory_desc_t src, dst;
    prim_engine_t *cpu = NULL; // one object for the whole process
    prim_status_t st = side_md(&src, prb, 0, false);
    if (st == PRIM_SUCCESS) st = side_md(&dst, prb, 1, false);
    if (st == PRIM_SUCCESS) st = prim_engine_create(&cpu, PRIM_CPU, 0);
    if (st != PRIM_SUCCESS) return st;
    st = prim_reorder_desc_create(pd, &src, cross == CPU_TO_GPU ? cpu : engine, &dst,
            cross == GPU_TO_CPU ? cpu : engine, attr);
    prim_engine_destroy(cpu);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    const int cross = opt_word(prb, CROSS_ENGINE);
    arg_t *const src = args_add(args, PRIM_ARG_FROM, ARG_IN, DATA_SRC);
    arg_t *const dst = args_add(args, PRIM_ARG_TO, ARG_OUT, DATA_DST);
    src->on_cpu = cross == CPU_TO_GPU;
    dst->on_cpu = cross == GPU_TO_CPU;
    if (opt_int(prb, RUNTIME_DIM_MASK, 0) == 0) return;
    (void)side_md(&src->md, prb, 0, true);
    (void)side_md(&dst->md, prb, 1, true);
}

/// The largest integer up to which the type is exact.
static double max_exact(prim_data_type_t dt)
{
    return dt_is_integer(dt) ? dt_max(dt) : ldexp(1, dt_digits(dt));
}

static double fill_value_at(const void *context, int64_t index)
{
    static const double values[] = {0, 0.25, 0.5, 1, 1.5, 2, 16, 64};
    enum { NVALUES = sizeof(values) / sizeof(values[0]) };
    const prim_data_type_t dt = *(const prim_data_type_t *)context;
    // The cycle's length is prime to common extents, so that rows differ.
    const int64_t place = index % (NVALUES + 3);
    if (place == 0) return max_exact(dt);
    if (place == 1) return dt_is_integer(dt) ? dt_lowest(dt) : -max_exact(dt);
    if (place == 2) return dt_lowest(dt) < 0 ? -(double)(index % 7) : (double)(index % 7);
    return values[place - 3];
}

static unsigned data_classes(const prb_t *prb)
{
    const unsigned classes = data_classes_of(opt_dt(prb, SDT, 0)) | DATA_BIT(CLASS_TIES);
    // A scale may overflow and another one undo it.
    return prb->attr->scales.count ? classes & ~DATA_BIT(CLASS_EXTREMES) : classes;
}

static double class_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const prim_data_type_t sdt = opt_dt(prb, SDT, 0), ddt = opt_dt(prb, DDT, 0);
    data_class_t class_ = prb->data_class;
    if (class_ == CLASS_MIXED) {
        static const data_class_t of_floats[] = {CLASS_SMALL, CLASS_REALS, CLASS_TIES, CLASS_REALS,
                CLASS_TIES, CLASS_EXTREMES, CLASS_AUTO};
        static const data_class_t of_integers[] = {CLASS_SMALL, CLASS_RANGE, CLASS_RANGE};
        class_ = dt_is_integer(sdt) ? of_integers[index % 3] : of_floats[index % 7];
        if (class_ == CLASS_EXTREMES && prb->attr->scales.count) class_ = CLASS_REALS;
    }
    // The edges of exact integers, now and then NaN or an infinity.
    if (class_ == CLASS_AUTO)
        return index % 3 ? fill_value_at(&sdt, index) : data_value(rng, CLASS_SPECIAL, sdt);
    return class_ == CLASS_TIES ? data_tie(rng, sdt, ddt) : data_value(rng, class_, sdt);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const prim_data_type_t dt = arg->md.data_type;
    (void)args;
    // What a sum reads: finite.
    if (prb->data_class == CLASS_SMALL || arg->role == ARG_OUT)
        fill_by_index(arg, fill_value_at, &dt);
    else
        fill_by_rng(arg, class_value, prb);
}

typedef struct {
    args_t *args;
    const double *src, *values;
    double units; ///< of roundings before the post-ops
} reference_t;

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    static const double unit = 0x1p-24;
    for (int64_t i = begin; i < end; ++i) {
        // src − zero point rounds by the larger of both, the product with the scale once more.
        const double scale = fabs(args_scale(r->args, PRIM_ARG_FROM, i));
        const double point = fabs(args_zero_point(r->args, PRIM_ARG_FROM, i));
        const double terms = scale * (fabs(r->values[i]) + point);
        // What f32 holds comes out exactly, so that halves are seen to be rounded to even.
        const bool is_exact = !(r->units > 0.) || !isfinite(terms) ||
                              (is_power_of_two(scale) && is_exact_in_f32(r->values[i]) &&
                                      is_exact_in_f32(r->src[i]));
        const double slack = is_exact ? 0. : r->units * unit * terms;
        ref_store(r->args, (bounded_t){r->src[i], slack}, i);
    }
}

static bool has_arithmetic(const prb_t *prb)
{
    return prb->attr->scales.count || prb->attr->zero_points.count || prb->attr->post_ops.count;
}

static void reference(const prb_t *prb, args_t *args)
{
    const prim_data_type_t sdt = opt_dt(prb, SDT, 0), ddt = opt_dt(prb, DDT, 0);
    reference_t r = {.args = args,
            .src = args_dequantized(args, PRIM_ARG_FROM),
            .values = args_data(args, PRIM_ARG_FROM)};
    (void)args_slack(args, PRIM_ARG_TO);
    // A conversion is exact to the last bit, but s32 goes to short floats through f32.
    if (sdt == PRIM_S32 && !dt_is_integer(ddt)) r.units = 1.;
    if (has_arithmetic(prb)) r.units = 4.;
    bench_parallel(args_find(args, PRIM_ARG_TO)->nelems, 4096, reference_range, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->zero_percent = fmax(compare->zero_percent, 80.);
    compare->allows_nan_inf = true;
}

const driver_t bench_reorder_driver = {
        .name = "reorder",
        .primitive_kind = PRIM_REORDER,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%sdt%,%ddt%,%stag%,%dtag%,%flags%",
        .skip = skip,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
