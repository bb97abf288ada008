// SPDX-License-Identifier: Apache-2.0
// The driver of inner product and its gradients: options, the reference, and what is known not to
// run.
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
    return product_verify_types(prb, OPT_DT);
}

static direction_t direction_of(const prb_t *prb)
{
    return opt_direction(prb, OPT_DIR);
}

static bool has_bias(const prb_t *prb)
{
    return direction_has_bias(direction_of(prb));
}

static prim_data_type_t bias_dt(const prb_t *prb)
{
    return product_bias_dt(prb, OPT_BIA_DT, OPT_DT);
}

static skip_reason_t skip(const prb_t *prb)
{
    if (direction_is_backward(direction_of(prb))) {
        const skip_reason_t reason = product_skip_gradient(prb, OPT_DT, OPT_BIA_DT, OPT_DIR);
        if (reason != SKIP_NONE) return reason;
    }
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

typedef struct {
    prim_memory_desc_t src, wei, bias, dst;
} mds_t;

static prim_status_t make_mds(mds_t *mds, const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    prim_dims_t dims = {0};
    *mds = (mds_t){.bias = {0}};
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st =
            bench_md(&mds->src, ndims, dims, opt_dt(prb, OPT_DT, SRC), opt_tag(prb, OPT_STAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = problem_tensor_dims(p, p->oc, p->ic, p->in, dims);
    st = bench_md(&mds->wei, ndims, dims, opt_dt(prb, OPT_DT, WEI), opt_tag(prb, OPT_WTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = bench_md(&mds->dst, ndims, dims, opt_dt(prb, OPT_DT, DST), opt_tag(prb, OPT_DTAG, 0));
    if (st != PRIM_SUCCESS || !has_bias(prb)) return st;
    return bench_md(&mds->bias, 1, &p->oc, bias_dt(prb), "any");
}

/// A bias that is absent is passed as such.
static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const direction_t direction = direction_of(prb);
    const bool is_backward = direction_is_backward(direction);
    mds_t mds;
    prim_desc_t *hint = NULL;
    prim_status_t st = make_mds(&mds, prb);
    if (st != PRIM_SUCCESS) return st;
    if (!is_backward)
        return prim_inner_product_forward_desc_create(pd, engine, direction_prop(direction),
                &mds.src, &mds.wei, &mds.bias, &mds.dst, attr);
    const prim_memory_desc_t dst = bench_dense(&mds.dst);
    st = prim_inner_product_forward_desc_create(
            &hint, engine, PRIM_FORWARD_TRAINING, &mds.src, &mds.wei, &mds.bias, &dst, NULL);
    if (st == PRIM_SUCCESS)
        st = direction == BWD_D ? prim_inner_product_backward_data_desc_create(
                                          pd, engine, &mds.src, &mds.wei, &mds.dst, hint, attr)
                                : prim_inner_product_backward_weights_desc_create(pd, engine,
                                          &mds.src, &mds.wei, &mds.bias, &mds.dst, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

/// Elements of an image.
static int64_t image_elems(const problem_t *p)
{
    return p->ic * p->in[AXIS_D] * p->in[AXIS_H] * p->in[AXIS_W];
}

static product_t forward_product(const prb_t *prb)
{
    const product_axis_t axis = {.step = 1, .count = image_elems(prb->problem)};
    return (product_t){
            .src = opt_dt(prb, OPT_DT, SRC),
            .wei = opt_dt(prb, OPT_DT, WEI),
            .dst = opt_dt(prb, OPT_DT, DST),
            .n_acc = axis.count,
            .src_axis = axis,
            .wei_axis = axis,
    };
}

static product_t backward_data_product(const prb_t *prb)
{
    const int64_t oc = prb->problem->oc;
    return (product_t){
            .args = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC},
            .src = opt_dt(prb, OPT_DT, DST),
            .wei = opt_dt(prb, OPT_DT, WEI),
            .dst = opt_dt(prb, OPT_DT, SRC),
            .n_acc = oc,
            .src_axis = {.step = 1, .count = oc},
            .wei_axis = {.step = image_elems(prb->problem), .count = oc, .has_inner = true},
    };
}

static product_t backward_weights_product(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t mb = p->mb > 0 ? p->mb : 1; // an axis of none has no elements either
    return (product_t){
            .args = {PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS},
            .src = opt_dt(prb, OPT_DT, SRC),
            .wei = opt_dt(prb, OPT_DT, DST),
            .dst = opt_dt(prb, OPT_DT, WEI),
            .n_acc = p->mb,
            .src_axis = {.step = image_elems(p), .count = mb, .has_inner = true},
            .wei_axis = {.step = p->oc, .count = mb, .has_inner = true},
    };
}

static product_t product_of(const prb_t *prb)
{
    const direction_t direction = direction_of(prb);
    product_t product = !direction_is_backward(direction) ? forward_product(prb)
                        : direction == BWD_D              ? backward_data_product(prb)
                                                          : backward_weights_product(prb);
    product.max_f32_src = product.max_f32_wei = 32;
    product.bias = has_bias(prb) ? bias_dt(prb) : PRIM_DATA_TYPE_UNDEF;
    return product;
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

/// to(a, p) = Σ_b factor·from(b, p) of images of `length` elements.
typedef struct {
    const double *factors, *from;
    double *to;
    int64_t nfrom, length;
    int64_t step_a, step_b; ///< of the factors
} gradient_run_t;

static void compute_images(void *context, int64_t begin, int64_t end)
{
    const gradient_run_t *const run = context;
    for (int64_t a = begin; a < end; ++a) {
        double *const to = run->to + a * run->length;
        for (int64_t i = 0; i < run->length; ++i) to[i] = 0.;
        for (int64_t b = 0; b < run->nfrom; ++b) {
            const double factor = run->factors[a * run->step_a + b * run->step_b];
            const double *const from = run->from + b * run->length;
            for (int64_t i = 0; i < run->length; ++i) to[i] += factor * from[i];
        }
    }
}

/// The operands of product_of(): gradients of the output, and weights or images.
static void sum_gradients(const prb_t *prb, const double *src, const double *wei, double *dst)
{
    const problem_t *const p = prb->problem;
    const bool is_data = direction_of(prb) == BWD_D;
    gradient_run_t run = {
            .factors = is_data ? src : wei,
            .from = is_data ? wei : src,
            .to = dst,
            .nfrom = is_data ? p->oc : p->mb,
            .length = image_elems(p),
            .step_a = is_data ? p->oc : 1,
            .step_b = is_data ? 1 : p->oc,
    };
    bench_parallel(is_data ? p->mb : p->oc, 1, compute_images, &run);
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    if (direction_is_backward(direction_of(prb))) {
        sum_gradients(prb, src, wei, dst);
        return;
    }
    ip_run_t run = {
            .src = src,
            .wei = wei,
            .bias = bias,
            .dst = dst,
            .mb = prb->problem->mb,
            .oc = prb->problem->oc,
            .length = image_elems(prb->problem),
    };
    (void)args;
    bench_parallel(run.oc, 1, compute_channels, &run);
}

static const product_driver_t product = {product_of, sum_products};

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    if (product_of(prb).n_acc == 0) compare->zero_percent = 100.; // an empty sum is 0
}

static double ops(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return 2.0 * (double)p->mb * (double)p->oc * (double)image_elems(p);
}

const driver_t bench_ip_driver = {
        .name = "ip",
        .primitive_kind = PRIM_INNER_PRODUCT,
        .family = FAMILY_FIELDS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D) | DIRECTION_BIT(BWD_W) | DIRECTION_BIT(BWD_WB),
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
        .set_compare = set_compare,
        .ops = ops,
};
