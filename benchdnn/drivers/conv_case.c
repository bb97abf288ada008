// SPDX-License-Identifier: Apache-2.0
#include "conv_case.h"

#include <string.h>

#include "core/bench_engine.h"

const field_t conv_fields[] = {
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

bool conv_check_channels(const problem_t *problem, const char *name)
{
    if (problem->ic < 1 || problem->oc < 1)
        return problem_error("%s: ic and oc must be given and positive", name);
    if (problem->g < 1 || problem->ic % problem->g || problem->oc % problem->g)
        return problem_error(
                "%s: %lld groups do not divide ic and oc", name, (long long)problem->g);
    return true;
}

bool conv_verify(const prb_t *prb)
{
    static const int tags[] = {OPT_STAG, OPT_WTAG, OPT_DTAG};
    if (!product_verify_types(prb, OPT_DT)) return false;
    for (int i = 0; i < 3; ++i) {
        if (opt_strides(prb, OPT_STRIDES, i) && strcmp(opt_tag(prb, tags[i], 0), "any") != 0)
            return problem_error(
                    "%s: --strides and a layout are given for one tensor", prb->driver->name);
    }
    return true;
}

direction_t conv_direction(const prb_t *prb)
{
    return opt_direction(prb, OPT_DIR);
}

bool conv_has_bias(const prb_t *prb)
{
    return direction_has_bias(conv_direction(prb));
}

prim_data_type_t conv_bias_dt(const prb_t *prb)
{
    return product_bias_dt(prb, OPT_BIA_DT, OPT_DT);
}

bool conv_has_image(const prb_t *prb)
{
    return strcmp(opt_tag(prb, OPT_STAG, 0), "image") == 0 ||
           strcmp(opt_tag(prb, OPT_DTAG, 0), "image") == 0;
}

int conv_dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->oc, p->out, dims);
}

int conv_policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
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
} conv_t;

static prim_status_t describe(conv_t *c, const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    prim_dims_t dims = {0};
    *c = (conv_t){.strides = {0}};
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st = make_md(&c->src, prb, DT_SRC, OPT_STAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    ndims = weights_dims(p, dims);
    st = make_md(&c->wei, prb, DT_WEI, OPT_WTAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    ndims = conv_dst_dims(prb, dims);
    st = make_md(&c->dst, prb, DT_DST, OPT_DTAG, ndims, dims);
    if (st != PRIM_SUCCESS) return st;
    problem_spatial(p, p->stride, c->strides);
    problem_spatial(p, p->dilation, c->dilates);
    problem_spatial(p, p->pad, c->pad_l);
    problem_spatial(p, p->pad_back, c->pad_r);
    return conv_has_bias(prb) ? bench_md(&c->bia, 1, &p->oc, conv_bias_dt(prb), "any")
                              : PRIM_SUCCESS;
}

static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, const conv_t *c,
        prim_engine_t *engine, const prim_desc_t *hint, const prim_attr_t *attr,
        const conv_creators_t *creators)
{
    const prim_alg_kind_t alg = (prim_alg_kind_t)opt_word(prb, OPT_ALG);
    if (conv_direction(prb) == BWD_D)
        return creators->backward_data(pd, engine, alg, &c->src, &c->wei, &c->dst, c->strides,
                c->dilates, c->pad_l, c->pad_r, hint, attr);
    return creators->backward_weights(pd, engine, alg, &c->src, &c->wei, &c->bia, &c->dst,
            c->strides, c->dilates, c->pad_l, c->pad_r, hint, attr);
}

prim_status_t conv_create_desc(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_attr_t *attr, const conv_creators_t *creators)
{
    const direction_t direction = conv_direction(prb);
    const bool is_forward = !direction_is_backward(direction);
    conv_t c;
    prim_desc_t *forward = NULL;
    prim_status_t st = describe(&c, prb);
    if (st != PRIM_SUCCESS) return st;
    const prim_memory_desc_t dst = is_forward ? c.dst : bench_dense(&c.dst);
    st = creators->forward(is_forward ? pd : &forward, engine,
            is_forward ? direction_prop(direction) : PRIM_FORWARD_TRAINING,
            is_forward ? (prim_alg_kind_t)opt_word(prb, OPT_ALG) : creators->direct, &c.src, &c.wei,
            &c.bia, &dst, c.strides, c.dilates, c.pad_l, c.pad_r, is_forward ? attr : NULL);
    if (is_forward) return st;
    if (st == PRIM_SUCCESS) st = create_backward(pd, prb, &c, engine, forward, attr, creators);
    prim_desc_destroy(forward);
    return st;
}

int64_t conv_volume(const int64_t sizes[BENCH_NSPATIAL])
{
    return sizes[AXIS_D] * sizes[AXIS_H] * sizes[AXIS_W];
}

/// All taps of a channel are one k, wherever they meet src.
static product_t forward_product(const prb_t *prb, int64_t ntaps)
{
    const problem_t *const p = prb->problem;
    const int64_t ic = p->ic / p->g;
    return (product_t){
            .src = opt_dt(prb, OPT_DT, DT_SRC),
            .wei = opt_dt(prb, OPT_DT, DT_WEI),
            .dst = opt_dt(prb, OPT_DT, DT_DST),
            .n_acc = ic * ntaps,
            .src_axis = {.step = conv_volume(p->in), .count = ic},
            .wei_axis = {.step = conv_volume(p->kernel), .count = ic},
    };
}

static product_t backward_data_product(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t oc = p->oc / p->g, ntaps = conv_volume(p->kernel);
    return (product_t){
            .args = {PRIM_ARG_DIFF_DST, PRIM_ARG_WEIGHTS, PRIM_ARG_DIFF_SRC},
            .src = opt_dt(prb, OPT_DT, DT_DST),
            .wei = opt_dt(prb, OPT_DT, DT_WEI),
            .dst = opt_dt(prb, OPT_DT, DT_SRC),
            .n_acc = oc * ntaps,
            .src_axis = {.step = conv_volume(p->out), .count = oc},
            .wei_axis = {.step = p->ic / p->g * ntaps,
                    .count = oc,
                    .has_inner = true,
                    .run = ntaps},
    };
}

/// All pixels of an image are one k, those of a channel a line.
static product_t backward_weights_product(const prb_t *prb, int64_t npoints)
{
    const problem_t *const p = prb->problem;
    const int64_t nin = conv_volume(p->in), nout = conv_volume(p->out);
    const int64_t mb = p->mb > 0 ? p->mb : 1; // an axis of none has no elements either
    return (product_t){
            .args = {PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS},
            .src = opt_dt(prb, OPT_DT, DT_SRC),
            .wei = opt_dt(prb, OPT_DT, DT_DST),
            .dst = opt_dt(prb, OPT_DT, DT_WEI),
            .n_acc = p->mb * npoints,
            .src_axis = {.step = p->ic * nin, .count = mb, .has_inner = true, .run = nin},
            .wei_axis = {.step = p->oc * nout, .count = mb, .has_inner = true, .run = nout},
    };
}

product_t conv_product(const prb_t *prb, int64_t ntaps, int64_t npoints)
{
    const direction_t direction = conv_direction(prb);
    product_t product = !direction_is_backward(direction) ? forward_product(prb, ntaps)
                        : direction == BWD_D              ? backward_data_product(prb)
                                                          : backward_weights_product(prb, npoints);
    product.max_f32_src = product.max_f32_wei = 32;
    product.bias = conv_has_bias(prb) ? conv_bias_dt(prb) : PRIM_DATA_TYPE_UNDEF;
    return product;
}

bool conv_cuts_negatives(const prb_t *prb)
{
    if (opt_dt(prb, OPT_DT, DT_DST) == PRIM_U8) return true;
    static const prim_alg_kind_t algs_with_zeros[] = {PRIM_ELTWISE_RELU, PRIM_ELTWISE_CLIP,
            PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_HARDSIGMOID, PRIM_ELTWISE_HARDSWISH};
    for (int i = 0; i < 5; ++i) {
        if (attr_has_alg(prb->attr, algs_with_zeros[i])) return true;
    }
    return false;
}
