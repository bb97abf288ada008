// SPDX-License-Identifier: Apache-2.0
// The benchdnn command that repeats a problem; dimensions that are known at execution only are
// replaced by 1.
#include "verbose_repro.h"

#include "dispatch.h"
#include "verbose.h"

enum { TAG_BYTES = 64 };

static const prim_memory_desc_t *md_of(const prim_desc_t *pd, int arg)
{
    return prim__pd_md(pd, arg);
}

static const prim_memory_desc_t *original_md(const prim_desc_t *pd, int arg)
{
    const desc_origin_t *const origin = pd->origin;
    for (int i = 0; i < origin->ntensors; i++)
        if (origin->tensors[i].arg == arg) return &origin->tensors[i].md;
    return md_of(pd, arg);
}

/// The layout as the user asked for it: "any", or its name. A layout with holes gets the name of
/// the dense one in the same order.
static const char *tag_of(const prim_desc_t *pd, int arg, char tag[TAG_BYTES])
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    if (prim__md_is_any(md)) return "any";
    prim__md_tag_text(md, tag);
    if (tag[0] != '\0') return tag;
    prim_memory_desc_t dense = *md;
    dense.format_kind = PRIM_FORMAT_KIND_ANY;
    if (prim__md_has_runtime(md) || prim__md_set_like_if_any(&dense, md) != PRIM_SUCCESS)
        return "any";
    prim__md_tag_text(&dense, tag);
    return tag[0] != '\0' ? tag : "any";
}

static void add_tag(text_buffer_t *out, const char *option, const prim_desc_t *pd, int arg)
{
    char tag[TAG_BYTES];
    prim__text_add(out, "%s%s", option, tag_of(pd, arg, tag));
}

static void add_type(text_buffer_t *out, const char *option, const prim_desc_t *pd, int arg)
{
    prim__text_add(out, "%s%s", option, prim_data_type_name(md_of(pd, arg)->data_type));
}

static bool has_holes(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    char tag[TAG_BYTES];
    if (md->ndims == 0 || prim__md_is_any(md) || prim__md_has_runtime(md)) return false;
    prim__md_tag_text(md, tag);
    return tag[0] == '\0' && prim__md_is_plain(md);
}

/// --strides=S:W:D, with nothing for tensors that have a name.
static void add_strides(text_buffer_t *out, const prim_desc_t *pd, const int *args, int nargs)
{
    bool is_needed = false;
    for (int i = 0; i < nargs; i++) is_needed = is_needed || has_holes(pd, args[i]);
    if (!is_needed) return;
    prim__text_add(out, " --strides=");
    for (int i = 0; i < nargs; i++) {
        const prim_memory_desc_t *const md = original_md(pd, args[i]);
        if (i > 0) prim__text_add(out, ":");
        if (has_holes(pd, args[i])) prim__text_add_dims(out, md->ndims, md->strides);
    }
}

/// A tag option that gives way to --strides.
static void add_tag_or_any(text_buffer_t *out, const char *option, const prim_desc_t *pd, int arg)
{
    if (has_holes(pd, arg))
        prim__text_add(out, "%sany", option);
    else
        add_tag(out, option, pd, arg);
}

static void add_shape(text_buffer_t *out, const char *before, const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = md_of(pd, arg);
    prim_dims_t dims = {0};
    for (int d = 0; d < md->ndims; d++)
        dims[d] = md->dims[d] == PRIM_RUNTIME_DIM_VAL ? 1 : md->dims[d];
    prim__text_add(out, "%s", before);
    prim__text_add_dims(out, md->ndims, dims);
}

static int runtime_mask(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    int mask = 0;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL) mask |= 1 << d;
    return mask;
}

static void add_dir(text_buffer_t *out, const prim_desc_t *pd)
{
    const bool is_inference = pd->op.prop_kind == PRIM_FORWARD_INFERENCE;
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    prim__text_add(out, " --dir=%s", has_bias ? "FWD_B" : is_inference ? "FWD_I" : "FWD_D");
}

static int nth_source(const prim_desc_t *pd, int index)
{
    return prim__pd_has(pd, PRIM_ARG_MULTIPLE_SRC + index) ? PRIM_ARG_MULTIPLE_SRC + index
                                                           : PRIM_ARG_UNDEF;
}

// --- problems of fields

/// The letter of spatial dimension `i` out of `n`: the last one is always the width.
static char letter(int i, int n)
{
    return "dhw"[3 - n + i];
}

static void add_windows(text_buffer_t *out, const prim_desc_t *pd, const prim_dim_t *kernel)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = md_of(pd, PRIM_ARG_DST);
    const spatial_params_t *const spatial = &pd->op.u.spatial;
    const int n = src->ndims - 2;
    for (int i = 0; i < n; i++) {
        const char c = letter(i, n);
        prim__text_add(out, "_i%c%lldo%c%lldk%c%llds%c%lldd%c%lldp%c%lld", c,
                (long long)src->dims[2 + i], c, (long long)dst->dims[2 + i], c,
                (long long)kernel[i], c, (long long)spatial->strides[i], c,
                (long long)spatial->dilates[i], c, (long long)spatial->pad_l[i]);
    }
}

static void add_types_and_tags(text_buffer_t *out, const prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    add_type(out, " --dt=", pd, PRIM_ARG_SRC);
    add_type(out, ":", pd, PRIM_ARG_WEIGHTS);
    add_type(out, ":", pd, PRIM_ARG_DST);
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) add_type(out, " --bia-dt=", pd, PRIM_ARG_BIAS);
    if (pd->op.kind == PRIM_INNER_PRODUCT) {
        add_tag(out, " --stag=", pd, PRIM_ARG_SRC);
        add_tag(out, " --wtag=", pd, PRIM_ARG_WEIGHTS);
        add_tag(out, " --dtag=", pd, PRIM_ARG_DST);
        return;
    }
    add_tag_or_any(out, " --stag=", pd, PRIM_ARG_SRC);
    add_tag_or_any(out, " --wtag=", pd, PRIM_ARG_WEIGHTS);
    add_tag_or_any(out, " --dtag=", pd, PRIM_ARG_DST);
    add_strides(out, pd, args, 3);
}

static void add_convolution(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = md_of(pd, PRIM_ARG_WEIGHTS);
    const prim_alg_kind_t alg = pd->op.alg_kind;
    const bool has_groups = wei->ndims > src->ndims;
    add_dir(out, pd);
    add_types_and_tags(out, pd);
    prim__text_add(out, " --alg=%s",
            alg == PRIM_CONVOLUTION_WINOGRAD ? "wino"
            : alg == PRIM_CONVOLUTION_AUTO   ? "auto"
                                             : "direct");
    prim__repro_add_attr(out, pd);
    prim__text_add(out, " ");
    if (has_groups) prim__text_add(out, "g%lld", (long long)wei->dims[0]);
    prim__text_add(out, "mb%lldic%lldoc%lld", (long long)src->dims[0], (long long)src->dims[1],
            (long long)md_of(pd, PRIM_ARG_DST)->dims[1]);
    add_windows(out, pd, &wei->dims[has_groups ? 3 : 2]);
}

static void add_inputs(text_buffer_t *out, const prim_memory_desc_t *src)
{
    const int n = src->ndims - 2;
    for (int i = 0; i < n; i++)
        prim__text_add(out, "i%c%lld", letter(i, n), (long long)src->dims[2 + i]);
}

static void add_inner_product(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    add_dir(out, pd);
    add_types_and_tags(out, pd);
    prim__repro_add_attr(out, pd);
    prim__text_add(out, " mb%lldic%lldoc%lld", (long long)src->dims[0], (long long)src->dims[1],
            (long long)md_of(pd, PRIM_ARG_DST)->dims[1]);
    add_inputs(out, src);
}

static void add_pooling(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const prim_alg_kind_t alg = pd->op.alg_kind;
    add_dir(out, pd);
    add_type(out, " --dt=", pd, PRIM_ARG_SRC);
    add_type(out, ":", pd, PRIM_ARG_DST);
    add_tag(out, " --tag=", pd, PRIM_ARG_SRC);
    prim__text_add(out, " --alg=%s",
            alg == PRIM_POOLING_MAX                   ? "max"
            : alg == PRIM_POOLING_AVG_INCLUDE_PADDING ? "avg_p"
                                                      : "avg_np");
    prim__repro_add_attr(out, pd);
    prim__text_add(out, " mb%lldic%lld", (long long)src->dims[0], (long long)src->dims[1]);
    add_windows(out, pd, pd->op.u.spatial.kernel);
}

static void add_batch_normalization(text_buffer_t *out, const prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_DST};
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const unsigned flags = pd->op.u.norm.flags;
    add_dir(out, pd);
    add_type(out, " --dt=", pd, PRIM_ARG_SRC);
    add_tag(out, " --tag=", pd, PRIM_ARG_SRC);
    add_strides(out, pd, args, 2);
    prim__text_add(out, " --flags=%s%s%s%s%s", flags & PRIM_USE_GLOBAL_STATS ? "G" : "",
            flags & PRIM_USE_SCALE ? "C" : "", flags & PRIM_USE_SHIFT ? "H" : "",
            flags & PRIM_FUSE_NORM_RELU ? "R" : "", flags & PRIM_FUSE_NORM_ADD_RELU ? "A" : "");
    prim__repro_add_attr(out, pd);
    prim__text_add(out, " mb%lldic%lld", (long long)src->dims[0], (long long)src->dims[1]);
    add_inputs(out, src);
    prim__text_add(out, "eps%.9g", (double)pd->op.u.norm.epsilon);
}

static void add_resampling(text_buffer_t *out, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = md_of(pd, PRIM_ARG_DST);
    const int n = src->ndims - 2;
    add_dir(out, pd);
    add_type(out, " --sdt=", pd, PRIM_ARG_SRC);
    add_type(out, " --ddt=", pd, PRIM_ARG_DST);
    add_tag(out, " --tag=", pd, PRIM_ARG_SRC);
    prim__repro_add_alg(out, " --alg=", pd->op.alg_kind);
    prim__repro_add_attr(out, pd);
    prim__text_add(out, " mb%lldic%lld", (long long)src->dims[0], (long long)src->dims[1]);
    for (int i = 0; i < n; i++)
        prim__text_add(out, "_i%c%lldo%c%lld", letter(i, n), (long long)src->dims[2 + i],
                letter(i, n), (long long)dst->dims[2 + i]);
}

// --- problems of shapes

static void add_matmul(text_buffer_t *out, const prim_desc_t *pd)
{
    const int src_mask = runtime_mask(pd, PRIM_ARG_SRC);
    const int wei_mask = runtime_mask(pd, PRIM_ARG_WEIGHTS);
    add_types_and_tags(out, pd);
    if (src_mask != 0 || wei_mask != 0)
        prim__text_add(out, " --runtime_dims_masks=%d:%d", src_mask, wei_mask);
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        prim__text_add(out, " --bia_mask=%d",
                prim__repro_broadcast_mask(md_of(pd, PRIM_ARG_BIAS), md_of(pd, PRIM_ARG_DST)));
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_SRC);
    add_shape(out, ":", pd, PRIM_ARG_WEIGHTS);
}

static void add_eltwise(text_buffer_t *out, const prim_desc_t *pd)
{
    add_dir(out, pd);
    add_type(out, " --dt=", pd, PRIM_ARG_SRC);
    add_tag(out, " --tag=", pd, PRIM_ARG_SRC);
    prim__repro_add_alg(out, " --alg=", pd->op.alg_kind);
    prim__text_add(out, " --alpha=%.9g --beta=%.9g", (double)pd->op.u.eltwise.alpha,
            (double)pd->op.u.eltwise.beta);
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_SRC);
}

static void add_binary(text_buffer_t *out, const prim_desc_t *pd)
{
    add_type(out, " --sdt=", pd, PRIM_ARG_SRC_0);
    add_type(out, ":", pd, PRIM_ARG_SRC_1);
    add_type(out, " --ddt=", pd, PRIM_ARG_DST);
    add_tag(out, " --stag=", pd, PRIM_ARG_SRC_0);
    add_tag(out, ":", pd, PRIM_ARG_SRC_1);
    add_tag(out, " --dtag=", pd, PRIM_ARG_DST);
    prim__repro_add_alg(out, " --alg=", pd->op.alg_kind);
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_SRC_0);
    add_shape(out, ":", pd, PRIM_ARG_SRC_1);
}

static void add_softmax(text_buffer_t *out, const prim_desc_t *pd)
{
    add_dir(out, pd);
    add_type(out, " --sdt=", pd, PRIM_ARG_SRC);
    add_type(out, " --ddt=", pd, PRIM_ARG_DST);
    add_tag(out, " --stag=", pd, PRIM_ARG_SRC);
    add_tag(out, " --dtag=", pd, PRIM_ARG_DST);
    prim__text_add(out, " --alg=%s --axis=%d",
            pd->op.alg_kind == PRIM_SOFTMAX_LOG ? "LOGSOFTMAX" : "SOFTMAX", pd->op.u.axis.axis);
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_SRC);
}

static void add_prelu(text_buffer_t *out, const prim_desc_t *pd)
{
    add_dir(out, pd);
    add_type(out, " --sdt=", pd, PRIM_ARG_SRC);
    add_type(out, ":", pd, PRIM_ARG_WEIGHTS);
    add_tag(out, " --stag=", pd, PRIM_ARG_SRC);
    add_tag(out, ":", pd, PRIM_ARG_WEIGHTS);
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_SRC);
    add_shape(out, ":", pd, PRIM_ARG_WEIGHTS);
}

static void add_source_tags(text_buffer_t *out, const prim_desc_t *pd)
{
    for (int i = 0, arg; (arg = nth_source(pd, i)) != PRIM_ARG_UNDEF; i++)
        add_tag(out, i == 0 ? " --stag=" : ":", pd, arg);
    add_tag(out, " --dtag=", pd, PRIM_ARG_DST);
}

static void add_concat(text_buffer_t *out, const prim_desc_t *pd)
{
    add_type(out, " --sdt=", pd, PRIM_ARG_MULTIPLE_SRC);
    add_type(out, " --ddt=", pd, PRIM_ARG_DST);
    add_source_tags(out, pd);
    prim__text_add(out, " --axis=%d", pd->op.u.axis.axis);
    prim__repro_add_attr(out, pd);
    for (int i = 0, arg; (arg = nth_source(pd, i)) != PRIM_ARG_UNDEF; i++)
        add_shape(out, i == 0 ? " " : ":", pd, arg);
}

static void add_sum(text_buffer_t *out, const prim_desc_t *pd)
{
    for (int i = 0, arg; (arg = nth_source(pd, i)) != PRIM_ARG_UNDEF; i++)
        add_type(out, i == 0 ? " --sdt=" : ":", pd, arg);
    add_type(out, " --ddt=", pd, PRIM_ARG_DST);
    add_source_tags(out, pd);
    bool is_first = true;
    for (int i = 0; i < pd->ntensors; i++) {
        if (pd->tensors[i].is_output) continue;
        prim__text_add(out, "%s%.9g", is_first ? " --scales=" : ":", (double)pd->tensors[i].scale);
        is_first = false;
    }
    prim__repro_add_attr(out, pd);
    add_shape(out, " ", pd, PRIM_ARG_DST);
}

static void add_reorder(text_buffer_t *out, const prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_FROM, PRIM_ARG_TO};
    add_type(out, " --sdt=", pd, PRIM_ARG_FROM);
    add_type(out, " --ddt=", pd, PRIM_ARG_TO);
    add_tag(out, " --stag=", pd, PRIM_ARG_FROM);
    add_tag(out, " --dtag=", pd, PRIM_ARG_TO);
    add_strides(out, pd, args, 2);
    if (pd->peer) {
        bool is_from_peer = false;
        for (int i = 0; i < pd->ntensors; i++)
            if (pd->tensors[i].arg == PRIM_ARG_FROM) is_from_peer = pd->tensors[i].is_on_peer;
        prim__text_add(out, " --cross-engine=%s", is_from_peer ? "cpu2gpu" : "gpu2cpu");
    }
    prim__repro_add_attr(out, pd);
    const int mask = runtime_mask(pd, PRIM_ARG_FROM);
    if (mask != 0) prim__text_add(out, " --runtime-dim-mask=%d", mask);
    add_shape(out, " ", pd, PRIM_ARG_FROM);
}

typedef struct {
    prim_primitive_kind_t kind;
    const char *driver;
    void (*add)(text_buffer_t *out, const prim_desc_t *pd);
} driver_t;

static const driver_t drivers[] = {
        {PRIM_REORDER, "reorder", add_reorder},
        {PRIM_CONCAT, "concat", add_concat},
        {PRIM_SUM, "sum", add_sum},
        {PRIM_CONVOLUTION, "conv", add_convolution},
        {PRIM_ELTWISE, "eltwise", add_eltwise},
        {PRIM_BATCH_NORMALIZATION, "bnorm", add_batch_normalization},
        {PRIM_INNER_PRODUCT, "ip", add_inner_product},
        {PRIM_BINARY, "binary", add_binary},
        {PRIM_MATMUL, "matmul", add_matmul},
        {PRIM_RESAMPLING, "resampling", add_resampling},
        {PRIM_POOLING, "pool", add_pooling},
        {PRIM_PRELU, "prelu", add_prelu},
        {PRIM_SOFTMAX, "softmax", add_softmax},
};

void prim__verbose_repro(const prim_desc_t *pd, char *text, size_t text_bytes)
{
    text_buffer_t out = prim__text_buffer(text, text_bytes);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        if (drivers[i].kind != pd->op.kind) continue;
        prim__text_add(&out, "--%s --engine=%s", drivers[i].driver,
                prim_engine_kind_name(pd->engine->ops->kind));
        if (pd->engine->index > 0) prim__text_add(&out, ":%zu", pd->engine->index);
        drivers[i].add(&out, pd);
    }
}
