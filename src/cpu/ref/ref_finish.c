// SPDX-License-Identifier: Apache-2.0
// What the reference implementations share: quantisation values, post-ops, padding, and the walk
// over all positions of a tensor.
#include "ref_finish.h"

#include <math.h>

#include "common/data_type.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "ref_row.h"

/// Elements below which a second thread costs more than it gives.
enum { MIN_PARALLEL_ELEMS = 1024 };

void *prim__ref_pointer(const exec_ctx_t *ctx, int arg)
{
    const prim_memory_t *memory = prim__ctx_memory(ctx, arg);
    void *pointer = NULL;
    if (memory) (void)memory->engine->ops->memory_get_handle(memory, &pointer);
    return pointer;
}

void *prim__ref_pointer_if_any(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg)
{
    return prim__pd_has(pd, arg) ? prim__ref_pointer(ctx, arg) : NULL;
}

static bool takes_types(const prim_desc_t *pd)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        if (!prim__dt_is_supported(pd->tensors[i].md.data_type)) return false;
    }
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *entry = &pd->attr.post_ops.entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k)
            if (!prim__dt_is_supported(prim__post_op_operand_md(entry, k)->data_type)) return false;
        if (entry->kind == PRIM_SUM && entry->data_type && !prim__dt_is_supported(entry->data_type))
            return false;
    }
    return true;
}

prim_status_t prim__ref_require_types(prim_desc_t *pd)
{
    REQUIRE(pd, takes_types(pd), "a tensor has a data type that is stored but not computed with");
    return PRIM_SUCCESS;
}

static void init_quant(ref_quant_t *quant, const quant_t *setting, const exec_ctx_t *ctx, int arg,
        const prim_memory_desc_t *md)
{
    *quant = (ref_quant_t){0};
    if (!setting) return;
    const prim_memory_t *memory = prim__ctx_memory(ctx, arg);
    const char *base = prim__ref_pointer(ctx, arg);
    if (!memory || !base) return;
    quant->values = base + (size_t)memory->md.offset0 * prim__dt_bytes(setting->data_type);
    quant->data_type = setting->data_type;
    quant->ndims = md->ndims;
    prim_dims_t dims;
    (void)prim__quant_dims(dims, setting, md);
    prim_dim_t stride = 1;
    for (int d = md->ndims - 1; d >= 0; --d) {
        const int in_group = d - (md->ndims - setting->ngroups);
        quant->groups[d] = in_group >= 0 ? setting->groups[in_group] : 1;
        if (!(setting->mask >> d & 1)) continue;
        quant->strides[d] = stride;
        stride *= dims[d];
    }
}

void prim__ref_scales_init(ref_quant_t *quant, const prim_desc_t *pd, const exec_ctx_t *ctx,
        int arg, const prim_memory_desc_t *md)
{
    const quant_t *setting = prim__attr_scale(&pd->attr, arg);
    init_quant(quant, setting, ctx, PRIM_ARG_ATTR_SCALES | arg, md);
}

void prim__ref_zero_points_init(ref_quant_t *quant, const prim_desc_t *pd, const exec_ctx_t *ctx,
        int arg, const prim_memory_desc_t *md)
{
    const quant_t *setting = prim__attr_zero_point(&pd->attr, arg);
    init_quant(quant, setting, ctx, PRIM_ARG_ATTR_ZERO_POINTS | arg, md);
}

double prim__ref_quant_at(const ref_quant_t *quant, const prim_dim_t *position, double fallback)
{
    if (!quant->values) return fallback;
    prim_dim_t index = 0;
    for (int d = 0; d < quant->ndims; ++d) {
        if (quant->strides[d]) index += position[d] / quant->groups[d] * quant->strides[d];
    }
    return prim__load(quant->values, quant->data_type, index);
}

double prim__ref_scale(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    static const prim_dims_t origin = {0};
    ref_quant_t scale;
    prim__ref_scales_init(&scale, pd, ctx, arg, prim__pd_md(pd, arg));
    return prim__ref_quant_at(&scale, origin, 1);
}

double prim__ref_zero_point(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    static const prim_dims_t origin = {0};
    ref_quant_t zero_point;
    prim__ref_zero_points_init(&zero_point, pd, ctx, arg, prim__pd_md(pd, arg));
    return prim__ref_quant_at(&zero_point, origin, 0);
}

void prim__ref_finish_init(ref_finish_t *finish, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    finish->post_ops = &pd->attr.post_ops;
    finish->dst = prim__ref_pointer(ctx, PRIM_ARG_DST);
    finish->dst_md = prim__ctx_md(ctx, pd, PRIM_ARG_DST);
    for (int i = 0; i < finish->post_ops->len; ++i) {
        for (int k = 0; k < STEP_OPERANDS; ++k) {
            const int arg = prim__post_op_operand_arg(&finish->post_ops->entries[i], i, k);
            finish->operands[i][k] = arg ? prim__ref_pointer(ctx, arg) : NULL;
            finish->operand_mds[i][k] = arg ? prim__ctx_md(ctx, pd, arg) : NULL;
        }
    }
    prim__ref_scales_init(&finish->scales, pd, ctx, PRIM_ARG_DST, finish->dst_md);
    prim__ref_zero_points_init(&finish->zero_points, pd, ctx, PRIM_ARG_DST, finish->dst_md);
    finish->is_plain =
            finish->post_ops->len == 0 && !finish->scales.values && !finish->zero_points.values;
}

static double load_operand(const ref_finish_t *finish, int index, int k, const prim_dim_t *position)
{
    const prim_memory_desc_t *md = finish->operand_mds[index][k];
    prim_dims_t at;
    for (int d = 0; d < md->ndims; ++d) at[d] = md->dims[d] == 1 ? 0 : position[d];
    return prim__load(finish->operands[index][k], md->data_type, prim__md_offset(md, at));
}

static double apply_binary(
        const ref_finish_t *finish, int index, double x, const prim_dim_t *position)
{
    const prim_alg_kind_t alg = finish->post_ops->entries[index].alg;
    const bool is_select = alg == PRIM_BINARY_SELECT;
    const double condition = is_select ? load_operand(finish, index, 1, position) : 0;
    return prim__ref_binary(alg, x, load_operand(finish, index, 0, position), condition);
}

static double apply_post_op(
        const ref_finish_t *finish, int index, double x, const prim_dim_t *position)
{
    const post_op_t *entry = &finish->post_ops->entries[index];
    switch (entry->kind) {
    case PRIM_ELTWISE: return prim__ref_eltwise(entry->alg, x, entry->alpha, entry->beta);
    case PRIM_BINARY: return apply_binary(finish, index, x, position);
    case PRIM_PRELU: return x > 0 ? x : x * load_operand(finish, index, 0, position);
    case PRIM_SUM: {
        const prim_data_type_t dt = entry->data_type ? entry->data_type : finish->dst_md->data_type;
        const double old = prim__load(finish->dst, dt, prim__md_offset(finish->dst_md, position));
        return x + (double)entry->scale * (old - entry->zero_point);
    }
    default: return x;
    }
}

double prim__ref_finish(const ref_finish_t *finish, double x, const prim_dim_t *position)
{
    if (finish->is_plain) return x;
    for (int i = 0; i < finish->post_ops->len; ++i) x = apply_post_op(finish, i, x, position);
    if (finish->scales.values) x /= prim__ref_quant_at(&finish->scales, position, 1);
    return x + prim__ref_quant_at(&finish->zero_points, position, 0);
}

static void finish_row(
        const ref_finish_t *finish, double *row, const prim_dim_t *position, int dim, prim_dim_t n)
{
    if (finish->is_plain) return;
    prim_dims_t at;
    for (int d = 0; d < finish->dst_md->ndims; ++d) at[d] = position[d];
    for (prim_dim_t i = 0; i < n; ++i) {
        row[i] = prim__ref_finish(finish, row[i], at);
        if (dim >= 0) ++at[dim];
    }
}

void prim__ref_finish_store_row(
        const ref_finish_t *finish, double *row, const prim_dim_t *position, int dim, prim_dim_t n)
{
    finish_row(finish, row, position, dim, n);
    prim__ref_store_at(row, finish->dst, finish->dst_md, position, dim, n);
}

void prim__ref_finish_store(const ref_finish_t *finish, double x, const prim_dim_t *position)
{
    prim__store(finish->dst, finish->dst_md->data_type, prim__md_offset(finish->dst_md, position),
            prim__ref_finish(finish, x, position));
}

static double clamp(double x, double low, double high)
{
    if (x < low) return low;
    return x > high ? high : x; // NaN passes
}

static double soft_relu(double x, double alpha)
{
    // e^700 is near the end of double; there ln(1 + e^y) is y to the last bit.
    return alpha * x > 700 ? x : log1p(exp(alpha * x)) / alpha;
}

double prim__ref_eltwise(prim_alg_kind_t alg, double x, double alpha, double beta)
{
    static const double sqrt_2_over_pi = 0.79788456080286535588;
    static const double sqrt_half = 0.70710678118654752440;
    switch (alg) {
    case PRIM_ELTWISE_RELU:
    case PRIM_ELTWISE_RELU_USE_DST_FOR_BWD: return x > 0 ? x : alpha * x;
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD: return tanh(x);
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: return x > 0 ? x : alpha * expm1(x);
    case PRIM_ELTWISE_SQUARE: return x * x;
    case PRIM_ELTWISE_ABS: return fabs(x);
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD: return sqrt(x);
    case PRIM_ELTWISE_LINEAR: return alpha * x + beta;
    case PRIM_ELTWISE_SOFT_RELU: return soft_relu(x, alpha);
    case PRIM_ELTWISE_HARDSIGMOID: return clamp(alpha * x + beta, 0, 1);
    case PRIM_ELTWISE_LOGISTIC:
    case PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD: return 1 / (1 + exp(-x));
    case PRIM_ELTWISE_EXP:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD: return exp(x);
    case PRIM_ELTWISE_GELU_TANH:
        return x / 2 * (1 + tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x)));
    case PRIM_ELTWISE_SWISH: return x / (1 + exp(-alpha * x));
    case PRIM_ELTWISE_LOG: return log(x);
    case PRIM_ELTWISE_CLIP:
    case PRIM_ELTWISE_CLIP_V2:
    case PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD: return clamp(x, alpha, beta);
    case PRIM_ELTWISE_POW: return alpha * pow(x, beta);
    case PRIM_ELTWISE_GELU_ERF: return x / 2 * (1 + erf(x * sqrt_half));
    case PRIM_ELTWISE_ROUND: return nearbyint(x);
    case PRIM_ELTWISE_MISH: return x * tanh(log1p(exp(x)));
    case PRIM_ELTWISE_HARDSWISH: return x * clamp(alpha * x + beta, 0, 1);
    default: return (double)NAN;
    }
}

double prim__ref_binary(prim_alg_kind_t alg, double a, double b, double condition)
{
    switch (alg) {
    case PRIM_BINARY_ADD: return a + b;
    case PRIM_BINARY_MUL: return a * b;
    case PRIM_BINARY_MAX: return a > b ? a : b;
    case PRIM_BINARY_MIN: return a < b ? a : b;
    case PRIM_BINARY_DIV: return a / b;
    case PRIM_BINARY_SUB: return a - b;
    case PRIM_BINARY_GE: return a >= b;
    case PRIM_BINARY_GT: return a > b;
    case PRIM_BINARY_LE: return a <= b;
    case PRIM_BINARY_LT: return a < b;
    case PRIM_BINARY_EQ: return a == b;
    case PRIM_BINARY_NE: return a != b;
    case PRIM_BINARY_SELECT: return condition != 0 ? a : b;
    default: return (double)NAN;
    }
}

/// The padding that one dimension brings: a slab over the padded tensor.
typedef struct {
    void *base;
    const prim_memory_desc_t *md;
    int dim;
    prim_dims_t slab; ///< padded_dims, but for `dim`: how many of its indices are padding
} padding_t;

static void clear_element(prim_dim_t index, void *arg)
{
    const padding_t *padding = arg;
    const prim_memory_desc_t *md = padding->md;
    const int d = padding->dim;
    prim_dims_t position;
    prim__position(position, md->ndims, padding->slab, index);
    if (position[d] >= md->padded_offsets[d]) position[d] += md->dims[d];
    prim__store(padding->base, md->data_type, prim__md_offset_padded(md, position), 0);
}

void prim__ref_clear_padding(void *base, const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d) {
        if (md->padded_dims[d] == md->dims[d]) continue;
        padding_t padding = {.base = base, .md = md, .dim = d};
        prim_dim_t n = 1;
        for (int i = 0; i < md->ndims; ++i) {
            padding.slab[i] = md->padded_dims[i] - (i == d ? md->dims[i] : 0);
            n *= padding.slab[i];
        }
        prim__parallel_for(n, clear_element, &padding);
    }
}

typedef struct {
    int ndims;
    const prim_dim_t *dims;
    prim_dim_t nelems;
    void (*body)(const prim_dim_t *position, void *arg);
    void *arg;
} for_each_t;

static void for_each_share(int ithr, int nthr, void *arg)
{
    const for_each_t *walk = arg;
    prim_dim_t start, end;
    prim__balance211(walk->nelems, nthr, ithr, &start, &end);
    if (start >= end) return;
    prim_dims_t position;
    prim__position(position, walk->ndims, walk->dims, start);
    for (prim_dim_t i = start; i < end; ++i) {
        walk->body(position, walk->arg);
        for (int d = walk->ndims - 1; d >= 0 && ++position[d] == walk->dims[d]; --d)
            position[d] = 0;
    }
}

void prim__ref_for_each(const prim_memory_desc_t *md,
        void (*body)(const prim_dim_t *position, void *arg), void *arg)
{
    for_each_t walk = {md->ndims, md->dims, prim__md_nelems(md), body, arg};
    prim__parallel(walk.nelems < MIN_PARALLEL_ELEMS ? 1 : 0, for_each_share, &walk);
}
