// SPDX-License-Identifier: Apache-2.0
// The driver of inner product: options, the reference, and what is known not to run.
#include "core/bench_engine.h"
#include "product.h"
#include "type_skip.h"

enum {
    OPT_DIR,
    OPT_DT,
    OPT_BIA_DT,
    OPT_STAG,
    OPT_WTAG,
    OPT_DTAG,
    OPT_MB,
};

enum { SRC, WEI, DST };

static const option_t options[] = {
        [OPT_DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_B"},
        [OPT_DT] = {.name = "dt",
                .kind = OPTION_DT,
                .fallback = "f32",
                .min_count = 1,
                .max_count = 3},
        [OPT_BIA_DT] = {.name = "bia-dt", .kind = OPTION_DT, .fallback = "undef"},
        [OPT_STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_WTAG] = {.name = "wtag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0", .inside_attr = true},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("mb", mb, 2),
        FIELD("oc", oc, 0),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    if (problem->ic < 1 || problem->oc < 1)
        return problem_error("ip: ic and oc must be given and positive");
    return problem_complete_input(problem);
}

static bool verify(const prb_t *prb)
{
    const int ndts = opt_count(prb, OPT_DT);
    if (ndts != 1 && ndts != 3)
        return problem_error("ip: --dt takes one type or three, src:wei:dst");
    return true;
}

static bool has_bias(const prb_t *prb)
{
    return direction_has_bias(opt_direction(prb, OPT_DIR));
}

static prim_data_type_t bias_dt(const prb_t *prb)
{
    const prim_data_type_t dt = opt_dt(prb, OPT_BIA_DT, 0);
    if (dt != PRIM_DATA_TYPE_UNDEF) return dt;
    return opt_dt(prb, OPT_DT, WEI) == PRIM_F64 ? PRIM_F64 : PRIM_F32;
}

static skip_reason_t skip(const prb_t *prb)
{
    return skip_types(prb, OPT_DT, OPT_BIA_DT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    dims[0] = prb->problem->mb;
    dims[1] = prb->problem->oc;
    return 2;
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    (void)has_groups;
    if (arg != PRIM_ARG_WEIGHTS) return attr_default_mask(policy, 2);
    if (policy == POLICY_COMMON) return 0;
    return attr_weights_mask(policy, prb->problem->has_groups);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src = {0}, wei = {0}, bias = {0}, dst = {0};
    prim_dims_t dims = {0};
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st =
            bench_md(&src, ndims, dims, opt_dt(prb, OPT_DT, SRC), opt_tag(prb, OPT_STAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = problem_tensor_dims(p, p->oc, p->ic, p->in, dims);
    st = bench_md(&wei, ndims, dims, opt_dt(prb, OPT_DT, WEI), opt_tag(prb, OPT_WTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = bench_md(&dst, ndims, dims, opt_dt(prb, OPT_DT, DST), opt_tag(prb, OPT_DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    if (has_bias(prb)) {
        st = bench_md(&bias, 1, &p->oc, bias_dt(prb), "any");
        if (st != PRIM_SUCCESS) return st;
    }
    return prim_inner_product_forward_desc_create(pd, engine,
            direction_prop(opt_direction(prb, OPT_DIR)), &src, &wei, has_bias(prb) ? &bias : NULL,
            &dst, attr);
}

/// Products in one sum.
static int64_t n_acc(const problem_t *p)
{
    return p->ic * p->in[AXIS_D] * p->in[AXIS_H] * p->in[AXIS_W];
}

static product_t product_of(const prb_t *prb)
{
    const product_axis_t axis = {.step = 1, .count = n_acc(prb->problem)};
    return (product_t){
            .src = opt_dt(prb, OPT_DT, SRC),
            .wei = opt_dt(prb, OPT_DT, WEI),
            .dst = opt_dt(prb, OPT_DT, DST),
            .bias = has_bias(prb) ? bias_dt(prb) : PRIM_DATA_TYPE_UNDEF,
            .max_f32_src = 32,
            .max_f32_wei = 32,
            .n_acc = n_acc(prb->problem),
            .src_axis = axis,
            .wei_axis = axis,
    };
}

typedef struct {
    const double *src, *wei, *bias;
    double *dst;
    int64_t mb, oc, length;
} ip_run_t;

/// In eight sums side by side, so that the compiler can use vectors.
static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
    enum { LANES = 8 };
    double sums[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int j = 0; j < LANES; ++j) sums[j] += a[i + j] * b[i + j];
    }
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    double sum = 0;
    for (int j = 0; j < LANES; ++j) sum += sums[j];
    return sum;
}

static void compute_channels(void *context, int64_t begin, int64_t end)
{
    const ip_run_t *const run = context;
    for (int64_t o = begin; o < end; ++o) {
        const double bias = run->bias ? run->bias[o] : 0;
        for (int64_t n = 0; n < run->mb; ++n) {
            const double sum =
                    dot(run->src + n * run->length, run->wei + o * run->length, run->length);
            run->dst[n * run->oc + o] = sum + bias;
        }
    }
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    ip_run_t run = {
            .src = src,
            .wei = wei,
            .bias = bias,
            .dst = dst,
            .mb = prb->problem->mb,
            .oc = prb->problem->oc,
            .length = n_acc(prb->problem),
    };
    (void)args;
    bench_parallel(run.oc, 1, compute_channels, &run);
}

static const product_driver_t product = {product_of, sum_products};

static double ops(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return 2.0 * (double)p->mb * (double)p->oc * (double)n_acc(p);
}

const driver_t bench_ip_driver = {
        .name = "ip",
        .primitive_kind = PRIM_INNER_PRODUCT,
        .family = FAMILY_FIELDS,
        .options = options,
        .fields = fields,
        .csv_columns = "%dir%,%sdt%,%stag%,%wtag%,%dtag%",
        .complete = complete,
        .verify = verify,
        .skip = skip,
        .dst_dims = dst_dims,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .product = &product,
        .data_classes = product_case_classes,
        .list_args = product_case_list_args,
        .fill = product_case_fill,
        .reference = product_case_reference,
        .ops = ops,
};
