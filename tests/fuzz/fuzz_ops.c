// SPDX-License-Identifier: Apache-2.0
// Random problems, operation by operation: shapes that fit each other, then broken now and then.
#include "fuzz_ops.h"

#include <string.h>

enum { MAX_TENSORS = 5 };

/// A problem in the making.
typedef struct {
    fuzz_input_t *in;
    prim_engine_t *engine;
    int ndims; ///< of dst
    prim_dims_t dst;
    prim_memory_desc_t mds[MAX_TENSORS];
    prim_attr_t *attr;
    prim_prop_kind_t prop_kind;
} call_t;

/// Tensor `t` of the shape, which may be spoilt.
static void draw(call_t *c, int t, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    prim_dims_t given = {0};
    for (int d = 0; d < ndims; ++d) given[d] = fuzz_seldom(c->in, 60) ? fuzz_dim(c->in) : dims[d];
    fuzz_md_of(&c->mds[t], c->in, ndims, given, data_type);
}

static void draw_shape(call_t *c, int least, int most)
{
    c->ndims = least + fuzz_below(c->in, most - least + 1);
    for (int d = 0; d < c->ndims; ++d) c->dst[d] = fuzz_dim(c->in);
}

static void draw_attr(call_t *c)
{
    c->attr = fuzz_attr(c->in, c->ndims, c->dst);
}

/// Some of the dimensions are 1.
static void draw_broadcast(call_t *c, int t)
{
    prim_dims_t dims;
    for (int d = 0; d < c->ndims; ++d) dims[d] = fuzz_seldom(c->in, 3) ? 1 : c->dst[d];
    draw(c, t, c->ndims, dims, fuzz_type(c->in));
}

static prim_alg_kind_t draw_alg(call_t *c, int first, int n)
{
    return (prim_alg_kind_t)(fuzz_seldom(c->in, 40) ? (int)fuzz_number(c->in)
                                                    : first + fuzz_below(c->in, n));
}

static prim_status_t reorder(prim_desc_t **pd, call_t *c, prim_engine_t *other)
{
    draw_shape(c, 1, 6);
    draw(c, 0, c->ndims, c->dst, fuzz_type(c->in));
    draw(c, 1, c->ndims, c->dst, fuzz_type(c->in));
    draw_attr(c);
    return prim_reorder_desc_create(pd, &c->mds[0], c->engine, &c->mds[1], other, c->attr);
}

static prim_status_t concat(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 5);
    const int n = 1 + fuzz_below(c->in, 3), axis = fuzz_below(c->in, c->ndims);
    const prim_data_type_t dt = fuzz_type(c->in);
    const prim_memory_desc_t *mds[MAX_TENSORS] = {
            &c->mds[0], &c->mds[1], &c->mds[2], &c->mds[3], &c->mds[4]};
    prim_dims_t dims;
    uint64_t sum = 0;
    memcpy(dims, c->dst, sizeof dims);
    for (int i = 0; i < n; ++i) {
        dims[axis] = fuzz_dim(c->in);
        sum += (uint64_t)dims[axis];
        draw(c, i, c->ndims, dims, dt);
    }
    c->dst[axis] = (prim_dim_t)sum;
    draw(c, n, c->ndims, c->dst, dt);
    draw_attr(c);
    const int given = fuzz_seldom(c->in, 60) ? (int)fuzz_number(c->in) : n;
    return prim_concat_desc_create(pd, c->engine, fuzz_seldom(c->in, 3) ? NULL : mds[n],
            given > n ? n : given, fuzz_seldom(c->in, 40) ? (int)fuzz_number(c->in) : axis, mds,
            c->attr);
}

static prim_status_t sum(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 5);
    const int n = 1 + fuzz_below(c->in, 4);
    const prim_data_type_t dt = fuzz_type(c->in);
    const prim_memory_desc_t *mds[MAX_TENSORS] = {
            &c->mds[0], &c->mds[1], &c->mds[2], &c->mds[3], &c->mds[4]};
    float scales[MAX_TENSORS];
    for (int i = 0; i < n; ++i) {
        scales[i] = fuzz_float(c->in);
        draw(c, i, c->ndims, c->dst, fuzz_seldom(c->in, 4) ? fuzz_type(c->in) : dt);
    }
    draw(c, n, c->ndims, c->dst, dt);
    draw_attr(c);
    return prim_sum_desc_create(
            pd, c->engine, fuzz_seldom(c->in, 3) ? NULL : mds[n], n, scales, mds, c->attr);
}

/// The window of one spatial dimension; returns the size of dst.
typedef struct {
    prim_dims_t kernel, stride, dilation, pad_l, pad_r;
} windows_t;

/// One of n numbers from `least` on, seldom any.
static prim_dim_t small(fuzz_input_t *in, int least, int n)
{
    return fuzz_seldom(in, 100) ? fuzz_number(in) : least + fuzz_below(in, n);
}

static prim_dim_t draw_window(windows_t *w, fuzz_input_t *in, int i, prim_dim_t size)
{
    w->kernel[i] = fuzz_seldom(in, 20) ? fuzz_dim(in) : small(in, 1, 5);
    w->stride[i] = small(in, 1, 3);
    w->dilation[i] = fuzz_seldom(in, 4) ? small(in, 0, 4) : 0;
    w->pad_l[i] = small(in, 0, 4);
    w->pad_r[i] = fuzz_seldom(in, 3) ? small(in, -2, 6) : w->pad_l[i];
    const uint64_t extent =
            ((uint64_t)w->kernel[i] - 1) * ((uint64_t)w->dilation[i] + 1) + 1; // wraps if absurd
    const prim_dim_t room =
            (prim_dim_t)((uint64_t)size - extent + (uint64_t)w->pad_l[i] + (uint64_t)w->pad_r[i]);
    if (w->stride[i] < 1 || room < 0) return 0;
    return room / w->stride[i] + (room < INT64_MAX);
}

static prim_status_t conv(prim_desc_t **pd, call_t *c)
{
    fuzz_input_t *const in = c->in;
    const int nspatial = 1 + fuzz_below(in, 3), has_groups = fuzz_seldom(in, 3);
    const prim_dim_t g = has_groups ? fuzz_dim(in) : 1, mb = fuzz_dim(in);
    const prim_dim_t ic = has_groups && fuzz_seldom(in, 2) ? 1 : fuzz_dim(in);
    const prim_dim_t oc = has_groups && fuzz_seldom(in, 2) ? 1 : fuzz_dim(in);
    windows_t w;
    prim_dims_t src = {mb, (prim_dim_t)((uint64_t)g * (uint64_t)ic)}, wei = {g, oc, ic};
    c->dst[0] = mb;
    c->dst[1] = (prim_dim_t)((uint64_t)g * (uint64_t)oc);
    c->ndims = nspatial + 2;
    for (int i = 0; i < nspatial; ++i) {
        src[2 + i] = fuzz_dim(in);
        c->dst[2 + i] = draw_window(&w, in, i, src[2 + i]);
        wei[3 + i] = w.kernel[i];
    }
    const prim_data_type_t dt = fuzz_type(in), mixed = fuzz_type(in);
    draw(c, 0, c->ndims, src, dt);
    draw(c, 1, c->ndims + has_groups, has_groups ? wei : wei + 1, fuzz_seldom(in, 4) ? mixed : dt);
    draw(c, 2, 1, &c->dst[1], fuzz_seldom(in, 2) ? PRIM_F32 : mixed);
    draw(c, 3, c->ndims, c->dst, fuzz_seldom(in, 3) ? mixed : dt);
    draw_attr(c);
    return prim_convolution_forward_desc_create(pd, c->engine, c->prop_kind,
            draw_alg(c, PRIM_CONVOLUTION_DIRECT, 3), &c->mds[0], &c->mds[1],
            fuzz_seldom(in, 2) ? &c->mds[2] : NULL, &c->mds[3], w.stride, w.dilation, w.pad_l,
            w.pad_r, c->attr);
}

static prim_status_t pool(prim_desc_t **pd, call_t *c)
{
    static const prim_alg_kind_t algs[] = {
            PRIM_POOLING_MAX, PRIM_POOLING_AVG_INCLUDE_PADDING, PRIM_POOLING_AVG_EXCLUDE_PADDING};
    prim_dims_t src;
    windows_t w;
    draw_shape(c, 3, 5);
    memcpy(src, c->dst, sizeof src);
    for (int i = 0; i < c->ndims - 2; ++i) c->dst[2 + i] = draw_window(&w, c->in, i, src[2 + i]);
    const prim_data_type_t dt = fuzz_type(c->in);
    draw(c, 0, c->ndims, src, dt);
    draw(c, 1, c->ndims, c->dst, dt);
    draw_attr(c);
    return prim_pooling_forward_desc_create(pd, c->engine, c->prop_kind, algs[fuzz_below(c->in, 3)],
            &c->mds[0], &c->mds[1], w.stride, w.kernel, w.dilation, w.pad_l, w.pad_r, c->attr);
}

static prim_status_t matmul(prim_desc_t **pd, call_t *c)
{
    fuzz_input_t *const in = c->in;
    prim_dims_t src, wei, bias;
    draw_shape(c, 2, 5);
    const int m = c->ndims - 2, n = c->ndims - 1;
    const prim_dim_t k = fuzz_dim(in);
    for (int d = 0; d < c->ndims; ++d) {
        const int ones = fuzz_below(in, 6);
        src[d] = d < m && ones == 4 ? 1 : c->dst[d];
        wei[d] = d < m && ones == 5 ? 1 : c->dst[d];
        bias[d] = fuzz_seldom(in, 2) ? 1 : c->dst[d];
    }
    src[n] = wei[m] = k;
    const prim_data_type_t dt = fuzz_type(in), mixed = fuzz_type(in);
    draw(c, 0, c->ndims, src, dt);
    draw(c, 1, c->ndims, wei, fuzz_seldom(in, 3) ? mixed : dt);
    draw(c, 2, c->ndims, bias, fuzz_seldom(in, 2) ? PRIM_F32 : mixed);
    draw(c, 3, c->ndims, c->dst, fuzz_seldom(in, 3) ? mixed : dt);
    draw_attr(c);
    return prim_matmul_desc_create(pd, c->engine, &c->mds[0], &c->mds[1],
            fuzz_seldom(in, 2) ? &c->mds[2] : NULL, &c->mds[3], c->attr);
}

static prim_status_t inner_product(prim_desc_t **pd, call_t *c)
{
    prim_dims_t src, wei;
    draw_shape(c, 2, 5);
    const int ndims = c->ndims;
    const prim_dim_t oc = fuzz_dim(c->in);
    memcpy(src, c->dst, sizeof src);
    memcpy(wei, c->dst, sizeof wei);
    wei[0] = c->dst[1] = oc;
    c->ndims = 2;
    const prim_data_type_t dt = fuzz_type(c->in), mixed = fuzz_type(c->in);
    draw(c, 0, ndims, src, dt);
    draw(c, 1, ndims, wei, fuzz_seldom(c->in, 3) ? mixed : dt);
    draw(c, 2, 1, &oc, PRIM_F32);
    draw(c, 3, 2, c->dst, fuzz_seldom(c->in, 3) ? mixed : dt);
    draw_attr(c);
    return prim_inner_product_forward_desc_create(pd, c->engine, c->prop_kind, &c->mds[0],
            &c->mds[1], fuzz_seldom(c->in, 2) ? &c->mds[2] : NULL, &c->mds[3], c->attr);
}

static prim_status_t eltwise(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 6);
    draw(c, 0, c->ndims, c->dst, fuzz_type(c->in));
    draw(c, 1, c->ndims, c->dst, fuzz_type(c->in));
    draw_attr(c);
    if (fuzz_seldom(c->in, 3)) {
        draw(c, 2, c->ndims, c->dst, fuzz_type(c->in));
        const bool takes_dst = fuzz_seldom(c->in, 3);
        return prim_eltwise_backward_desc_create(pd, c->engine,
                takes_dst ? draw_alg(c, PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, 8)
                          : draw_alg(c, PRIM_ELTWISE_RELU, 22),
                &c->mds[0], &c->mds[1], &c->mds[2], fuzz_float(c->in), fuzz_float(c->in), NULL,
                c->attr);
    }
    return prim_eltwise_forward_desc_create(pd, c->engine, c->prop_kind,
            draw_alg(c, PRIM_ELTWISE_RELU, 22), &c->mds[0], &c->mds[1], fuzz_float(c->in),
            fuzz_float(c->in), c->attr);
}

static prim_status_t binary(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 6);
    draw_broadcast(c, 0);
    draw_broadcast(c, 1);
    draw(c, 2, c->ndims, c->dst, PRIM_S8);
    draw(c, 3, c->ndims, c->dst, fuzz_type(c->in));
    draw_attr(c);
    const prim_alg_kind_t alg = draw_alg(c, PRIM_BINARY_ADD, 13);
    const bool has_condition = (alg == PRIM_BINARY_SELECT) != fuzz_seldom(c->in, 30);
    return prim_binary_desc_create(pd, c->engine, alg, &c->mds[0], &c->mds[1],
            has_condition ? &c->mds[2] : NULL, &c->mds[3], c->attr);
}

static prim_status_t softmax(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 5);
    draw(c, 0, c->ndims, c->dst, fuzz_type(c->in));
    draw(c, 1, c->ndims, c->dst, fuzz_type(c->in));
    draw_attr(c);
    const int axis = fuzz_seldom(c->in, 30) ? (int)fuzz_number(c->in) : fuzz_below(c->in, c->ndims);
    if (fuzz_seldom(c->in, 3)) {
        draw(c, 2, c->ndims, c->dst, fuzz_type(c->in));
        return prim_softmax_backward_desc_create(pd, c->engine,
                draw_alg(c, PRIM_SOFTMAX_ACCURATE, 2), &c->mds[0], &c->mds[1], &c->mds[2], axis,
                NULL, c->attr);
    }
    return prim_softmax_forward_desc_create(pd, c->engine, c->prop_kind,
            draw_alg(c, PRIM_SOFTMAX_ACCURATE, 2), &c->mds[0], &c->mds[1], axis, c->attr);
}

static prim_status_t bnorm(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 2, 5);
    const prim_data_type_t dt = fuzz_type(c->in);
    draw(c, 0, c->ndims, c->dst, dt);
    draw(c, 1, c->ndims, c->dst, fuzz_seldom(c->in, 4) ? fuzz_type(c->in) : dt);
    draw_attr(c);
    const unsigned flags =
            fuzz_seldom(c->in, 20) ? (unsigned)fuzz_number(c->in) : (unsigned)fuzz_below(c->in, 32);
    return prim_batch_normalization_forward_desc_create(
            pd, c->engine, c->prop_kind, &c->mds[0], &c->mds[1], fuzz_float(c->in), flags, c->attr);
}

static prim_status_t lnorm(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 2, 5);
    draw(c, 0, c->ndims, c->dst, fuzz_type(c->in));
    draw(c, 1, c->ndims, c->dst, fuzz_type(c->in));
    draw(c, 2, c->ndims - 1, c->dst, fuzz_seldom(c->in, 20) ? fuzz_type(c->in) : PRIM_F32);
    draw_attr(c);
    const unsigned flags =
            fuzz_seldom(c->in, 20) ? (unsigned)fuzz_number(c->in) : (unsigned)fuzz_below(c->in, 8);
    return prim_layer_normalization_forward_desc_create(pd, c->engine, c->prop_kind, &c->mds[0],
            &c->mds[1], fuzz_seldom(c->in, 3) ? NULL : &c->mds[2],
            fuzz_seldom(c->in, 4) ? fuzz_type(c->in) : PRIM_F32, fuzz_float(c->in), flags, c->attr);
}

static prim_status_t resampling(prim_desc_t **pd, call_t *c)
{
    prim_dims_t src;
    float factors[3];
    draw_shape(c, 3, 5);
    memcpy(src, c->dst, sizeof src);
    for (int d = 2; d < c->ndims; ++d) {
        src[d] = fuzz_dim(c->in);
        factors[d - 2] =
                fuzz_seldom(c->in, 6) ? fuzz_float(c->in) : (float)c->dst[d] / (float)src[d];
    }
    draw(c, 0, c->ndims, src, fuzz_type(c->in));
    draw(c, 1, c->ndims, c->dst, fuzz_type(c->in));
    draw_attr(c);
    const int given = fuzz_below(c->in, 4);
    return prim_resampling_forward_desc_create(pd, c->engine, c->prop_kind,
            draw_alg(c, PRIM_RESAMPLING_NEAREST, 2), given & 1 ? factors : NULL, &c->mds[0],
            given & 2 ? NULL : &c->mds[1], c->attr);
}

static prim_status_t prelu(prim_desc_t **pd, call_t *c)
{
    draw_shape(c, 1, 6);
    const prim_data_type_t dt = fuzz_type(c->in);
    draw(c, 0, c->ndims, c->dst, dt);
    draw_broadcast(c, 1);
    draw(c, 2, c->ndims, c->dst, fuzz_seldom(c->in, 3) ? fuzz_type(c->in) : dt);
    draw_attr(c);
    return prim_prelu_forward_desc_create(
            pd, c->engine, c->prop_kind, &c->mds[0], &c->mds[1], &c->mds[2], c->attr);
}

static prim_status_t create(prim_desc_t **pd, call_t *c, prim_engine_t *other)
{
    switch (fuzz_below(c->in, 15)) {
    case 0: return reorder(pd, c, other);
    case 1: return concat(pd, c);
    case 2: return sum(pd, c);
    case 3: return pool(pd, c);
    case 4:
    case 5: return matmul(pd, c);
    case 6: return inner_product(pd, c);
    case 7: return eltwise(pd, c);
    case 8: return binary(pd, c);
    case 9: return softmax(pd, c);
    case 10: return bnorm(pd, c);
    case 11: return resampling(pd, c);
    case 12: return prelu(pd, c);
    case 13: return lnorm(pd, c);
    default: return conv(pd, c);
    }
}

/// Every tensor that the descriptor tells of is one that the library takes.
static void ask(const prim_desc_t *pd, fuzz_input_t *in)
{
    union {
        prim_dims_t dims;
        const void *pointer;
    } answer;
    for (int what = -1; what < 258; ++what) {
        const int index = fuzz_seldom(in, 200) ? (int)fuzz_number(in) : what & 1;
        fuzz_check_status(prim_desc_query(pd, (prim_query_t)what, index, &answer));
        const prim_memory_desc_t *const md = prim_desc_query_md(pd, (prim_query_t)what, index);
        if (md && md->ndims != 0) fuzz_md_read(md);
    }
    static const int bases[] = {0, PRIM_ARG_ATTR_SCALES, PRIM_ARG_ATTR_ZERO_POINTS,
            PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_ATTR_MULTIPLE_POST_OP(0),
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(1)};
    const int base = bases[fuzz_below(in, (int)(sizeof bases / sizeof *bases))];
    for (int i = 0; i < PRIM_ARG_BIAS + 1; ++i) {
        const prim_memory_desc_t *const md =
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, base | i);
        char tag[64];
        FUZZ_PROMISE(md && prim_memory_desc_get_tag(md, tag, sizeof tag) == PRIM_SUCCESS,
                "tensors of descriptors are valid");
    }
}

static void walk(prim_desc_t *pd, fuzz_input_t *in)
{
    enum { MORE_THAN_ANY_LIST = 100 };
    prim_desc_t *copy = NULL;
    const prim_attr_t *attr = NULL;
    if (fuzz_seldom(in, 4)) ask(pd, in);
    FUZZ_PROMISE(prim_desc_get_attr(pd, &attr) == PRIM_SUCCESS && attr, "there are attributes");
    FUZZ_PROMISE(prim_desc_clone(&copy, pd) == PRIM_SUCCESS, "descriptors can be copied");
    int nimpls = 1;
    for (; prim_desc_next_impl(copy) == PRIM_SUCCESS; ++nimpls) {
        FUZZ_PROMISE(nimpls < MORE_THAN_ANY_LIST, "lists of implementations end");
        if (fuzz_seldom(in, 4)) ask(copy, in);
    }
    prim_desc_destroy(copy);
}

/// A memory without a buffer: nothing is allocated for absurd sizes.
static void make_memory(fuzz_input_t *in, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    fuzz_md(&md, in);
    const prim_status_t status = prim_memory_create(&memory, &md, engine, PRIM_MEMORY_NONE);
    fuzz_check_status(status);
    if (status != PRIM_SUCCESS) return;
    FUZZ_PROMISE(prim_memory_desc_equal(&md, prim_memory_get_desc(memory)),
            "a memory has the descriptor it was made with");
    prim_memory_destroy(memory);
}

void fuzz_op_call(fuzz_input_t *in, prim_engine_t *const *engines, int nengines)
{
    static char untouched;
    prim_desc_t *pd = (prim_desc_t *)&untouched;
    call_t c = {.in = in, .engine = engines[fuzz_below(in, nengines)]};
    if (fuzz_seldom(in, 16)) {
        make_memory(in, c.engine);
        return;
    }
    in->layout = fuzz_layout(in);
    c.prop_kind = fuzz_seldom(in, 2) ? PRIM_FORWARD_TRAINING : PRIM_FORWARD_INFERENCE;
    if (fuzz_seldom(in, 60)) c.prop_kind = (prim_prop_kind_t)fuzz_number(in);
    prim_engine_t *const other = fuzz_seldom(in, 4) ? engines[fuzz_below(in, nengines)] : c.engine;
    const prim_status_t status = create(&pd, &c, other);
    fuzz_check_status(status);
    prim_attr_destroy(c.attr);
    in->layout = 0;
    if (status == PRIM_SUCCESS) {
        walk(pd, in);
        prim_desc_destroy(pd);
    } else {
        FUZZ_PROMISE(pd == (prim_desc_t *)&untouched, "failures leave outputs as they are");
    }
}
