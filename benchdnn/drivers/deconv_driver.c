// SPDX-License-Identifier: Apache-2.0
// The driver of deconvolution: options, filling, thresholds and what is known not to run.
#include <math.h>
#include <string.h>

#include "deconv_ref.h"
#include "product.h"
#include "type_skip.h"

enum {
    OPT_DIR,
    OPT_DT,
    OPT_BIA_DT,
    OPT_STAG,
    OPT_WTAG,
    OPT_DTAG,
    OPT_STRIDES,
    OPT_ALG,
    OPT_MB,
};

enum { DT_SRC, DT_WEI, DT_DST };

static const word_t algs[] = {
        {"direct", PRIM_DECONVOLUTION_DIRECT},
        {"deconvolution_direct", PRIM_DECONVOLUTION_DIRECT},
        {"wino", PRIM_DECONVOLUTION_WINOGRAD},
        {"deconvolution_wino", PRIM_DECONVOLUTION_WINOGRAD},
        {"deconvolution_winograd", PRIM_DECONVOLUTION_WINOGRAD},
        {NULL, 0},
};

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
        [OPT_STRIDES] = {.name = "strides",
                .kind = OPTION_STRIDES,
                .fallback = "",
                .min_count = 3,
                .max_count = 3},
        [OPT_ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "direct", .words = algs},
        [OPT_MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0", .inside_attr = true},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("g", g, 1),
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD("oc", oc, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        FIELD_TRIPLE("kd", "kh", "kw", kernel, 0),
        FIELD_TRIPLE("sd", "sh", "sw", stride, 1),
        FIELD_TRIPLE("pd", "ph", "pw", pad, -1),
        FIELD_TRIPLE("dd", "dh", "dw", dilation, 0),
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    if (problem->ic < 1 || problem->oc < 1)
        return problem_error("deconv: ic and oc must be given and positive");
    if (problem->g < 1 || problem->ic % problem->g || problem->oc % problem->g)
        return problem_error("deconv: %lld groups do not divide ic and oc", (long long)problem->g);
    return problem_complete_transposed_windows(problem, "deconv");
}

static bool verify(const prb_t *prb)
{
    const int ndts = opt_count(prb, OPT_DT);
    if (ndts != 1 && ndts != 3)
        return problem_error("deconv: --dt takes one type or three, src:wei:dst");
    static const int tags[] = {OPT_STAG, OPT_WTAG, OPT_DTAG};
    for (int i = 0; i < 3; ++i) {
        if (opt_strides(prb, OPT_STRIDES, i) && strcmp(opt_tag(prb, tags[i], 0), "any") != 0)
            return problem_error("deconv: --strides and a layout are given for one tensor");
    }
    return true;
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
    const prim_data_type_t dt = opt_dt(prb, OPT_BIA_DT, 0);
    if (dt != PRIM_DATA_TYPE_UNDEF) return dt;
    return opt_dt(prb, OPT_DT, DT_WEI) == PRIM_F64 ? PRIM_F64 : PRIM_F32;
}

/// Gradients are of reals, without attributes.
static skip_reason_t skip_backward(const prb_t *prb)
{
    const attr_spec_t *const attr = prb->attr;
    for (int i = 0; i < opt_count(prb, OPT_DT); ++i)
        if (dt_is_integer(opt_dt(prb, OPT_DT, i)))
            return skip_because(SKIP_INVALID_CASE, "deconv: integers have no gradient");
    if (has_bias(prb) && dt_is_integer(bias_dt(prb)))
        return skip_because(SKIP_INVALID_CASE, "deconv: integers have no gradient");
    if (attr->scales.count > 0 || attr->zero_points.count > 0 || attr->post_ops.count > 0)
        return skip_because(SKIP_INVALID_CASE, "deconv: a gradient takes no scales and post-ops");
    return SKIP_NONE;
}

static skip_reason_t skip(const prb_t *prb)
{
    const char *const stag = opt_tag(prb, OPT_STAG, 0), *const dtag = opt_tag(prb, OPT_DTAG, 0);
    if (strcmp(stag, "image") == 0 || strcmp(dtag, "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "deconv: images are not taken");
    if (direction_is_backward(direction_of(prb))) {
        const skip_reason_t reason = skip_backward(prb);
        if (reason != SKIP_NONE) return reason;
    }
    if (opt_word(prb, OPT_ALG) == PRIM_DECONVOLUTION_WINOGRAD)
        return skip_because(
                SKIP_CASE_NOT_SUPPORTED, "deconv: no engine takes Winograd's algorithm");
    // The fused depthwise step is none of Prim's post-ops.
    if (attr_post_op(prb->attr, PRIM_CONVOLUTION)) return SKIP_CASE_NOT_SUPPORTED;
    return skip_types(prb, OPT_DT, OPT_BIA_DT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->oc, p->out, dims);
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    (void)has_groups;
    if (arg == PRIM_ARG_WEIGHTS) {
        if (policy == POLICY_COMMON) return 0;
        return attr_weights_mask(policy, prb->problem->has_groups);
    }
    return attr_default_mask(policy, prb->problem->ndims);
}

static int weights_dims(const problem_t *p, prim_dims_t dims)
{
    const int ndims = problem_tensor_dims(p, p->oc / p->g, p->ic / p->g, p->kernel, dims);
    if (!p->has_groups) return ndims;
    for (int d = ndims; d > 0; --d) dims[d] = dims[d - 1];
    dims[0] = p->g;
    return ndims + 1;
}

static prim_status_t make_md(prim_memory_desc_t *md, const prb_t *prb, int which, int tag_option,
        int ndims, const prim_dim_t *dims)
{
    return bench_md_strided(md, ndims, dims, opt_dt(prb, OPT_DT, which),
            opt_tag(prb, tag_option, 0), opt_strides(prb, OPT_STRIDES, which));
}

/// The tensors of the forward pass, or gradients of the same shapes; bias absent: none.
typedef struct {
    prim_memory_desc_t src, wei, bia, dst;
    prim_dims_t strides, dilates, pad_l, pad_r;
} deconv_t;

static prim_status_t describe(deconv_t *c, const prb_t *prb)
{
    const problem_t *p = prb->problem;
    prim_dims_t dims = {0};
    *c = (deconv_t){.strides = {0}};
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st = make_md(&c->src, prb, DT_SRC, OPT_STAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    ndims = weights_dims(p, dims);
    st = make_md(&c->wei, prb, DT_WEI, OPT_WTAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = make_md(&c->dst, prb, DT_DST, OPT_DTAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    problem_spatial(p, p->stride, c->strides);
    problem_spatial(p, p->dilation, c->dilates);
    problem_spatial(p, p->pad, c->pad_l);
    problem_spatial(p, p->pad_back, c->pad_r);
    return has_bias(prb) ? bench_md(&c->bia, 1, &p->oc, bias_dt(prb), "any") : PRIM_SUCCESS;
}

static prim_status_t create_forward(prim_desc_t **pd, const deconv_t *c, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_attr_t *attr)
{
    return prim_deconvolution_forward_desc_create(pd, engine, prop_kind, alg, &c->src, &c->wei,
            &c->bia, &c->dst, c->strides, c->dilates, c->pad_l, c->pad_r, attr);
}

static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, const deconv_t *c,
        prim_engine_t *engine, const prim_desc_t *hint, const prim_attr_t *attr)
{
    const prim_alg_kind_t alg = (prim_alg_kind_t)opt_word(prb, OPT_ALG);
    if (direction_of(prb) == BWD_D)
        return prim_deconvolution_backward_data_desc_create(pd, engine, alg, &c->src, &c->wei,
                &c->dst, c->strides, c->dilates, c->pad_l, c->pad_r, hint, attr);
    return prim_deconvolution_backward_weights_desc_create(pd, engine, alg, &c->src, &c->wei,
            &c->bia, &c->dst, c->strides, c->dilates, c->pad_l, c->pad_r, hint, attr);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const direction_t direction = direction_of(prb);
    deconv_t c;
    prim_desc_t *hint = NULL;
    prim_status_t st = describe(&c, prb);
    if (st != PRIM_SUCCESS) return st;
    if (!direction_is_backward(direction))
        return create_forward(pd, &c, engine, direction_prop(direction),
                (prim_alg_kind_t)opt_word(prb, OPT_ALG), attr);
    st = create_forward(&hint, &c, engine, PRIM_FORWARD_TRAINING, PRIM_DECONVOLUTION_DIRECT, NULL);
    if (st == PRIM_SUCCESS) st = create_backward(pd, prb, &c, engine, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static int64_t volume(const int64_t sizes[BENCH_NSPATIAL])
{
    return sizes[AXIS_D] * sizes[AXIS_H] * sizes[AXIS_W];
}

/// All taps of a channel are one k, wherever they meet src.
static product_t forward_product(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t ic = p->ic / p->g;
    return (product_t){
            .src = opt_dt(prb, OPT_DT, DT_SRC),
            .wei = opt_dt(prb, OPT_DT, DT_WEI),
            .dst = opt_dt(prb, OPT_DT, DT_DST),
            .n_acc = ic * deconv_ref_most_taps(p),
            .src_axis = {.step = volume(p->in), .count = ic},
            .wei_axis = {.step = volume(p->kernel), .count = ic},
    };
}

static product_t backward_data_product(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t oc = p->oc / p->g, ntaps = volume(p->kernel);
    return (product_t){
            .args = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC},
            .src = opt_dt(prb, OPT_DT, DT_DST),
            .wei = opt_dt(prb, OPT_DT, DT_WEI),
            .dst = opt_dt(prb, OPT_DT, DT_SRC),
            .n_acc = oc * ntaps,
            .src_axis = {.step = volume(p->out), .count = oc},
            .wei_axis = {.step = p->ic / p->g * ntaps,
                    .count = oc,
                    .has_inner = true,
                    .run = ntaps},
    };
}

/// All pixels of an image are one k, those of a channel a line.
static product_t backward_weights_product(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t nin = volume(p->in), nout = volume(p->out);
    const int64_t mb = p->mb > 0 ? p->mb : 1; // an axis of none has no elements either
    return (product_t){
            .args = {PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS},
            .src = opt_dt(prb, OPT_DT, DT_SRC),
            .wei = opt_dt(prb, OPT_DT, DT_DST),
            .dst = opt_dt(prb, OPT_DT, DT_WEI),
            .n_acc = p->mb * nin,
            .src_axis = {.step = p->ic * nin, .count = mb, .has_inner = true, .run = nin},
            .wei_axis = {.step = p->oc * nout, .count = mb, .has_inner = true, .run = nout},
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

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    const direction_t direction = direction_of(prb);
    (void)args;
    if (!direction_is_backward(direction))
        deconv_ref_forward(prb->problem, src, wei, bias, dst);
    else if (direction == BWD_D)
        deconv_ref_backward_data(prb->problem, src, wei, dst);
    else
        deconv_ref_backward_weights(prb->problem, src, wei, dst);
}

static const product_driver_t product = {product_of, sum_products};

static bool cuts_negatives(const prb_t *prb)
{
    if (opt_dt(prb, OPT_DT, DT_DST) == PRIM_U8) return true;
    static const prim_alg_kind_t algs_with_zeros[] = {PRIM_ELTWISE_RELU, PRIM_ELTWISE_CLIP,
            PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_HARDSIGMOID, PRIM_ELTWISE_HARDSWISH};
    for (int i = 0; i < 5; ++i) {
        if (attr_has_alg(prb->attr, algs_with_zeros[i])) return true;
    }
    return false;
}

/// Where fewer taps, or none, reach dst there are zeros.
static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    const problem_t *const p = prb->problem;
    bool has_edges = cuts_negatives(prb);
    for (int a = 0; a < BENCH_NSPATIAL; ++a) has_edges = has_edges || p->kernel[a] > 1;
    double busy = has_edges ? 0.15 : 0.3;
    if (!direction_is_backward(direction_of(prb))) busy *= deconv_ref_reached(p);
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
        .fields = fields,
        .csv_columns = "%dir%,%sdt%,%stag%,%wtag%,%dtag%,%alg%",
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
