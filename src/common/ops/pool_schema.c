// SPDX-License-Identifier: Apache-2.0
// Pooling, the maximum or the mean of windows, and its gradient. doc/primitives/pooling.md has the
// rules in words.
#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema_create.h"
#include "window.h"

enum { SRC, DST, WORKSPACE, NTENSORS };
enum { DIFF_DST, BACKWARD_WORKSPACE, DIFF_SRC, NBACKWARD_TENSORS };

/// The images of a pass, by their rules: src and dst, or their gradients.
static prim_status_t check_ranks(const shapes_t *shapes, int src_rule, int dst_rule)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const prim_memory_desc_t *const src = shapes->mds[src_rule], *const dst = shapes->mds[dst_rule];
    CHECK(src->ndims >= 3 && src->ndims <= 5, "pooling %s has %d dimensions, not 3, 4 or 5",
            rules[src_rule].name, src->ndims);
    CHECK(dst->ndims == src->ndims, "pooling %s has %d dimensions, %s has %d", rules[dst_rule].name,
            dst->ndims, rules[src_rule].name, src->ndims);
    for (int d = 0; d < 2; ++d)
        CHECK(dst->dims[d] == src->dims[d], "pooling %s has %lld in dimension %d, %s has %lld",
                rules[dst_rule].name, (long long)dst->dims[d], d, rules[src_rule].name,
                (long long)src->dims[d]);
    return PRIM_SUCCESS;
}

static prim_status_t check_window(const spatial_params_t *p, int i)
{
    CHECK(p->strides[i] >= 1 && p->strides[i] <= WINDOW_LIMIT,
            "pooling stride %lld is not positive or too large", (long long)p->strides[i]);
    CHECK(p->kernel[i] >= 1 && p->kernel[i] <= WINDOW_LIMIT,
            "pooling kernel %lld is not positive or too large", (long long)p->kernel[i]);
    CHECK(p->dilates[i] >= 0 && p->dilates[i] <= WINDOW_LIMIT / p->kernel[i],
            "pooling dilation %lld is negative or too large", (long long)p->dilates[i]);
    CHECK(p->pad_l[i] >= 0 && p->pad_l[i] <= WINDOW_LIMIT,
            "pooling padding %lld in front is negative or too large", (long long)p->pad_l[i]);
    CHECK(p->pad_r[i] >= -p->strides[i] && p->pad_r[i] <= WINDOW_LIMIT,
            "pooling padding %lld behind is below -stride or too large", (long long)p->pad_r[i]);
    return PRIM_SUCCESS;
}

static prim_status_t check_images(const shapes_t *shapes, int src_rule, int dst_rule)
{
    const prim_memory_desc_t *const src = shapes->mds[src_rule], *const dst = shapes->mds[dst_rule];
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const spatial_params_t *const p = &shapes->op->u.spatial;
    TRY(check_ranks(shapes, src_rule, dst_rule));
    for (int i = 0; i < src->ndims - 2; ++i) {
        TRY(check_window(p, i));
        const prim_dim_t expected = prim__window_out(p, i, p->kernel[i], src->dims[2 + i]);
        CHECK(dst->dims[2 + i] == expected,
                "pooling %s has spatial size %lld where %s and window give %lld",
                rules[dst_rule].name, (long long)dst->dims[2 + i], rules[src_rule].name,
                (long long)expected);
    }
    const bool needs_taps = shapes->op->alg_kind == PRIM_POOLING_AVG_EXCLUDE_PADDING;
    CHECK(!needs_taps || prim__md_is_empty(dst) || !prim__window_is_hollow(p, src, dst),
            "a pooling window lies entirely in the padding, where the mean without padding is "
            "undefined");
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    return check_images(shapes, SRC, DST);
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    static const int gradients[] = {DIFF_SRC, DIFF_DST};
    TRY(check_images(shapes, DIFF_SRC, DIFF_DST));
    for (int i = 0; i < 2; ++i) {
        const prim_data_type_t dt = shapes->mds[gradients[i]]->data_type;
        if (prim__dt_is_integer(dt))
            return prim__fail(PRIM_UNIMPLEMENTED, "pooling backward takes no integers: %s is %s",
                    shapes->schema->tensors[gradients[i]].name, prim_data_type_name(dt));
    }
    return PRIM_SUCCESS;
}

static const prim_alg_kind_t max_alone[] = {PRIM_POOLING_MAX, PRIM_ALG_UNDEF};

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        [WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_BY_IMPLEMENTATION,
                .when = {.algs = max_alone, .prop_kind = PRIM_FORWARD_TRAINING},
                .follows = PRIM_ARG_DST,
                .query = PRIM_QUERY_WORKSPACE_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_WORKSPACE,
                .or_follows = PRIM_ARG_DIFF_SRC,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [BACKWARD_WORKSPACE] = {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .log_name = "ws",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_HINT,
                .when = {.algs = max_alone},
                .hint = PRIM_ARG_WORKSPACE,
                .query = PRIM_QUERY_WORKSPACE_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_DIFF_DST,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        {0},
};

static const param_rule_t params[] = {
        {"strides", PARAM_DIMS, offsetof(op_desc_t, u.spatial.strides), PRIM_QUERY_STRIDES, false,
                NULL},
        {"dilations", PARAM_DIMS, offsetof(op_desc_t, u.spatial.dilates), PRIM_QUERY_DILATIONS,
                false, NULL},
        {"pad_l", PARAM_DIMS, offsetof(op_desc_t, u.spatial.pad_l), PRIM_QUERY_PADDING_L, false,
                NULL},
        {"pad_r", PARAM_DIMS, offsetof(op_desc_t, u.spatial.pad_r), PRIM_QUERY_PADDING_R, false,
                NULL},
        {"kernel", PARAM_DIMS, offsetof(op_desc_t, u.spatial.kernel), PRIM_QUERY_KERNEL, false,
                NULL},
        {0},
};

static const prim_alg_kind_t algs[] = {PRIM_POOLING_MAX, PRIM_POOLING_AVG_INCLUDE_PADDING,
        PRIM_POOLING_AVG_EXCLUDE_PADDING, PRIM_ALG_UNDEF};

static const repro_alg_t alg_words[] = {{PRIM_POOLING_MAX, "max"},
        {PRIM_POOLING_AVG_INCLUDE_PADDING, "avg_p"}, {PRIM_POOLING_AVG_EXCLUDE_PADDING, "avg_np"},
        {0}};

static void add_windows(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    (void)word;
    prim__repro_add_windows(out, pd, pd->op.u.spatial.kernel);
}

#define REPRO(src, dst)                                                                            \
    {                                                                                              \
        {.add = prim__repro_dir}, {.add = prim__repro_type, .text = " --dt=", .arg = (src)},       \
                {.add = prim__repro_type, .text = ":", .arg = (dst)},                              \
                {.add = prim__repro_tag, .text = " --tag=", .arg = (src)},                         \
                {.add = prim__repro_alg, .text = " --alg=", .algs = alg_words}, {.is_attr = true}, \
                {.add = prim__repro_images, .text = " ", .arg = (src)}, {.add = add_windows}, {0}, \
    }

static const repro_word_t forward_repro[] = REPRO(PRIM_ARG_SRC, PRIM_ARG_DST);
static const repro_word_t backward_repro[] = REPRO(PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST);

extern const impl_t *const *const prim__pool_forward_lists[];
extern const impl_t *const *const prim__pool_backward_lists[];

const op_schema_t prim__pool_forward_schema = {
        .kind = PRIM_POOLING,
        .direction = FORWARD,
        .name = "pooling",
        .driver = "pool",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .repro = forward_repro,
        .lists = prim__pool_forward_lists,
};

const op_schema_t prim__pool_backward_schema = {
        .kind = PRIM_POOLING,
        .direction = BACKWARD,
        .name = "pooling backward",
        .driver = "pool",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = backward_repro,
        .lists = prim__pool_backward_lists,
};

prim_status_t prim_pooling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *kernel,
        const prim_dim_t *dilation, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(strides);
    CHECK_NOT_NULL(kernel);
    CHECK_NOT_NULL(pad_l);
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    const window_arrays_t arrays = {strides, kernel, dilation, pad_l, pad_r};
    op_desc_t op = {.kind = PRIM_POOLING, .prop_kind = prop_kind, .alg_kind = alg};
    prim__window_take(&op.u.spatial, &arrays, src_md);
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__pool_forward_schema, &op, &request);
}

prim_status_t prim_pooling_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_dim_t *strides, const prim_dim_t *kernel,
        const prim_dim_t *dilation, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
        const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(diff_src_md);
    CHECK_NOT_NULL(strides);
    CHECK_NOT_NULL(kernel);
    CHECK_NOT_NULL(pad_l);
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {
            [DIFF_DST] = diff_dst_md, [DIFF_SRC] = diff_src_md};
    const window_arrays_t arrays = {strides, kernel, dilation, pad_l, pad_r};
    op_desc_t op = {.kind = PRIM_POOLING, .prop_kind = PRIM_BACKWARD_DATA, .alg_kind = alg};
    prim__window_take(&op.u.spatial, &arrays, diff_src_md);
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__pool_backward_schema, &op, &request);
}
