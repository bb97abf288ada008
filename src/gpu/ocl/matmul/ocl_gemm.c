// SPDX-License-Identifier: Apache-2.0
// Problems, options and arguments of clh/gemm.h.
#include "ocl_gemm.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/memory_desc_tag.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_measured.h"

static const int tensor_args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};

static bool has_bit(const quant_t *quant, int dim)
{
    return quant->mask >> dim & 1;
}

// How a setting is used; false if values change along a batch dimension.
static bool classify(gemm_quant_t *use, const quant_t *quant, const prim_memory_desc_t *md, int arg)
{
    *use = GEMM_QUANT_NONE;
    if (!quant) return true;
    const int row = md->ndims - 2, col = md->ndims - 1;
    if (quant->mask & ~(1 << row | 1 << col)) return false;
    const bool is_along_k = (arg == PRIM_ARG_SRC && has_bit(quant, col)) ||
                            (arg == PRIM_ARG_WEIGHTS && has_bit(quant, row));
    *use = is_along_k ? GEMM_QUANT_ELEMENTS : GEMM_QUANT_SUMS;
    return true;
}

static prim_status_t init_quants(ocl_gemm_t *gemm, prim_desc_t *pd)
{
    const struct {
        int arg;
        gemm_quant_t *scales, *zero_points;
    } all[] = {
            {PRIM_ARG_SRC, &gemm->src_scales, &gemm->src_zps},
            {PRIM_ARG_WEIGHTS, &gemm->wei_scales, &gemm->wei_zps},
            {PRIM_ARG_DST, &gemm->dst_scales, &gemm->dst_zps},
    };
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, all[i].arg);
        const quant_t *const scale = prim__attr_scale(&pd->attr, all[i].arg);
        const quant_t *const zero_point = prim__attr_zero_point(&pd->attr, all[i].arg);
        REQUIRE(pd,
                classify(all[i].scales, scale, md, all[i].arg) &&
                        classify(all[i].zero_points, zero_point, md, all[i].arg),
                "scales or zero points change along a batch dimension");
    }
    return PRIM_SUCCESS;
}

static prim_status_t init_layouts(ocl_gemm_t *gemm, prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const bia = prim__pd_md(pd, PRIM_ARG_BIAS);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    for (int i = 0; i < 4; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, tensor_args[i]);
        gemm->has_runtime = gemm->has_runtime || prim__md_has_runtime(md);
    }
    REQUIRE(pd, !prim__post_ops_any_md(&pd->attr.post_ops, prim__md_has_runtime),
            "the shape of a post-op's operand is known only at execution");
    if (gemm->has_runtime) {
        for (int i = 0; i < 4; ++i) {
            const prim_memory_desc_t *const md = prim__pd_md(pd, tensor_args[i]);
            REQUIRE(pd, prim__md_is_zero(md) || prim__md_is_plain(md),
                    "a tensor has a blocked layout");
        }
        REQUIRE(pd, dst->ndims - 2 <= OCL_GEMM_BATCH, "more than three batch dimensions");
        REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
                "a post-op has an operand, and the shape of dst is known only at execution");
        return PRIM_SUCCESS;
    }
    REQUIRE(pd, prim__matmul_shape(&gemm->shape, src, wei, bia, dst),
            "a tensor has a blocked layout, or src orders K differently from the weights");
    REQUIRE(pd, gemm->shape.nbatch <= OCL_GEMM_BATCH,
            "more than three batch dimensions are left after merging");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_gemm_init(ocl_gemm_t *gemm, prim_desc_t *pd)
{
    *gemm = (ocl_gemm_t){0};
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, true));
    TRY(init_layouts(gemm, pd));
    TRY(init_quants(gemm, pd));
    gemm->has_quants = pd->attr.nscales > 0 || pd->attr.nzero_points > 0;
    gemm->is_int = prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) &&
                   prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type) &&
                   gemm->src_scales != GEMM_QUANT_ELEMENTS &&
                   gemm->wei_scales != GEMM_QUANT_ELEMENTS;
    return PRIM_SUCCESS;
}

prim_dim_t prim__ocl_gemm_longest(const ocl_gemm_t *gemm, const prim_desc_t *pd, int nsums)
{
    if (!gemm->is_int) return (prim_dim_t)OCL_LONGEST_SUM * nsums;
    return prim__ocl_longest_s32(prim__pd_md(pd, PRIM_ARG_SRC)->data_type,
            gemm->src_zps != GEMM_QUANT_NONE, prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type,
            gemm->wei_zps != GEMM_QUANT_NONE);
}

bool prim__ocl_gemm_is_plain(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    return !gemm->has_quants && !prim__pd_has(pd, PRIM_ARG_BIAS) && pd->attr.post_ops.len == 0;
}

bool prim__ocl_gemm_may_swap(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    return !gemm->has_quants && !prim__post_ops_have_operand(&pd->attr.post_ops);
}

bool prim__ocl_gemm_are_multiples(
        const matmul_shape_t *shape, prim_dim_t stride, const prim_dim_t *batch, prim_dim_t unit)
{
    bool are = stride % unit == 0;
    for (int i = 0; i < shape->nbatch; ++i) are = are && batch[i] % unit == 0;
    return are;
}

static void swap_dims(prim_dim_t *a, prim_dim_t *b)
{
    const prim_dim_t kept = *a;
    *a = *b;
    *b = kept;
}

void prim__ocl_gemm_swap(matmul_shape_t *s)
{
    swap_dims(&s->m, &s->n);
    swap_dims(&s->src_m, &s->wei_n);
    swap_dims(&s->src_k, &s->wei_k);
    swap_dims(&s->dst_m, &s->dst_n);
    swap_dims(&s->bia_m, &s->bia_n);
    for (int i = 0; i < s->nbatch; ++i) swap_dims(&s->src_batch[i], &s->wei_batch[i]);
}

prim_status_t prim__ocl_gemm_set_row_major(prim_desc_t *pd)
{
    for (int i = 0; i < 4; ++i) {
        if (prim__pd_has(pd, tensor_args[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, tensor_args[i])));
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_gemm_set_along_k(prim_desc_t *pd)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    if (prim__md_is_any(wei)) {
        layout_t to = {.ndims = wei->ndims};
        for (int i = 0; i < to.ndims; ++i) to.order[i] = i;
        to.order[to.ndims - 2] = to.ndims - 1;
        to.order[to.ndims - 1] = to.ndims - 2;
        TRY(prim__layout_apply(&to, wei));
    }
    return prim__ocl_gemm_set_row_major(pd);
}

prim_status_t prim__ocl_gemm_set_for_units(prim_desc_t *pd)
{
    return prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type)
                   ? prim__ocl_gemm_set_along_k(pd)
                   : prim__ocl_gemm_set_row_major(pd);
}

void prim__ocl_gemm_options_init(ocl_options_t *options, const prim_desc_t *pd, int int_dot)
{
    if (int_dot == OCL_INT_DOT_EXTENSION)
        prim__ocl_options_init_newer(options, prim__ocl_device(pd->engine)->opencl_major);
    else
        prim__ocl_options_init(options);
    prim__ocl_options_type(options, "SRC", prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(options, "WEI", prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_int(options, "INT_DOT", int_dot);
}

// A program takes as long to compile as some thousand executions of fewer products.
static bool is_large(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    const matmul_shape_t *const s = &gemm->shape;
    const double nproducts = (double)prim__matmul_nbatches(s) * (double)s->m * (double)s->n;
    const int large = prim__ocl_measured_int(
            prim__ocl_device(pd->engine), MEASURED_MATMUL_STATIC_PRODUCTS, 1000000);
    return gemm->has_runtime || nproducts * (double)s->k >= large;
}

static void number_options(ocl_options_t *options, const ocl_gemm_t *gemm)
{
    prim__ocl_options_int(options, "IS_INT", gemm->is_int);
    prim__ocl_options_int(options, "WITH_QUANT", gemm->has_quants);
}

void prim__ocl_gemm_options(ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    const bool is_static = is_large(gemm, pd) && pd->attr.post_ops.len <= 2;
    number_options(options, gemm);
    prim__ocl_post_ops_options(options, pd, is_static);
    if (!is_static) prim__ocl_post_ops_operand_options(options, pd);
}

int prim__ocl_gemm_vector_width(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    const bool has_chain = pd->attr.post_ops.len > 0;
    if (gemm->is_int || gemm->has_quants || gemm->has_runtime || gemm->shape.dst_n != 1) return 1;
    if (!has_chain) return prim__pd_has(pd, PRIM_ARG_BIAS) ? 4 : 1;
    return is_large(gemm, pd) && prim__ocl_post_ops_take_vectors(pd) ? 4 : 1;
}

void prim__ocl_gemm_options_vectors(
        ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd, int width)
{
    if (width == 1)
        prim__ocl_gemm_options(options, gemm, pd);
    else
        number_options(options, gemm);
    const int dim = prim__pd_md(pd, PRIM_ARG_DST)->ndims - 1;
    prim__ocl_post_ops_options_vectors(options, pd, width, dim);
}

void prim__ocl_gemm_type_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    prim__ocl_options_int(options, "GEMM_DST_DT", (int)prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(
            options, "GEMM_BIA_DT", has_bias ? (int)prim__pd_md(pd, PRIM_ARG_BIAS)->data_type : 0);
}

prim_status_t prim__ocl_gemm_add_data(ocl_primitive_t *primitive, const ocl_gemm_t *gemm)
{
    const prim_desc_t *const pd = primitive->base.pd;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    int64_t dims[PRIM_MAX_NDIMS] = {0};
    for (int d = 0; d < dst->ndims && !gemm->has_runtime; ++d) dims[d] = dst->dims[d];
    TRY(prim__ocl_primitive_add_data(primitive, dims, sizeof dims));
    return prim__ocl_primitive_add_post_ops(primitive);
}

matmul_shape_t prim__ocl_gemm_shape(
        const ocl_gemm_t *gemm, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    matmul_shape_t shape = gemm->shape;
    if (gemm->has_runtime) {
        // Plain layouts always make a shape; init_layouts() has seen that they are.
        (void)prim__matmul_shape(&shape, prim__ctx_md(ctx, pd, PRIM_ARG_SRC),
                prim__ctx_md(ctx, pd, PRIM_ARG_WEIGHTS), prim__ctx_md(ctx, pd, PRIM_ARG_BIAS),
                prim__ctx_md(ctx, pd, PRIM_ARG_DST));
    }
    return shape;
}

static void add_vector(
        ocl_args_t *args, ocl_gemm_vectors_t *vectors, int64_t x, int64_t y, int64_t z, int64_t w)
{
    cl_long4 *const v = &vectors->vectors[vectors->n++];
    *v = (cl_long4){.s = {x, y, z, w}};
    prim__ocl_args_struct(args, v, sizeof *v);
}

void prim__ocl_gemm_args_batch(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const matmul_shape_t *shape, const prim_dim_t *numbers, prim_dim_t fallback)
{
    int64_t all[OCL_GEMM_BATCH];
    const int missing = OCL_GEMM_BATCH - shape->nbatch;
    for (int i = 0; i < OCL_GEMM_BATCH; ++i) all[i] = i < missing ? fallback : numbers[i - missing];
    add_vector(args, vectors, all[0], all[1], all[2], 0);
}

void prim__ocl_gemm_args_operands(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const matmul_shape_t *shape, const exec_ctx_t *ctx)
{
    const int64_t numbers[] = {shape->n, shape->k, shape->src_m, shape->src_k, shape->wei_k,
            shape->wei_n, shape->dst_m, shape->dst_n};
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_DST);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        prim__ocl_args_i64(args, numbers[i]);
    prim__ocl_gemm_args_batch(args, vectors, shape, shape->src_batch, 0);
    prim__ocl_gemm_args_batch(args, vectors, shape, shape->wei_batch, 0);
    prim__ocl_gemm_args_batch(args, vectors, shape, shape->dst_batch, 0);
}

// The values of a setting and their view: rows in groups of x are y values apart, columns in groups
// of z are w apart.
static void add_values(ocl_args_t *args, ocl_gemm_vectors_t *vectors, const exec_ctx_t *ctx,
        const prim_memory_desc_t *md, int arg, const quant_t *quant)
{
    prim__ocl_args_tensor(args, ctx, arg);
    if (!quant) {
        add_vector(args, vectors, 1, 0, 1, 0);
        prim__ocl_args_i32(args, 0);
        return;
    }
    const bool has_row = has_bit(quant, md->ndims - 2), has_col = has_bit(quant, md->ndims - 1);
    const int64_t row_group = quant->ngroups ? quant->groups[0] : 1;
    const int64_t col_group = quant->ngroups ? quant->groups[1] : 1;
    const int64_t ncols = has_col ? prim__ceil_div(md->dims[md->ndims - 1], col_group) : 1;
    add_vector(args, vectors, row_group, has_row ? ncols : 0, col_group, has_col ? 1 : 0);
    prim__ocl_args_i32(args, (int32_t)quant->data_type);
}

static void add_bias(ocl_args_t *args, ocl_gemm_vectors_t *vectors, const matmul_shape_t *shape,
        const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_BIAS);
    prim__ocl_gemm_args_batch(args, vectors, shape, shape->bia_batch, 0);
    prim__ocl_args_i64(args, shape->bia_m);
    prim__ocl_args_i64(args, shape->bia_n);
    prim__ocl_args_i32(args, (int32_t)prim__pd_md(pd, PRIM_ARG_BIAS)->data_type);
}

static void add_quants(ocl_args_t *args, ocl_gemm_vectors_t *vectors, const ocl_gemm_t *gemm,
        const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    // In the order of GEMM_PARAMS: scales of src and wei, their zero points, those of dst.
    static const struct {
        int arg;
        bool is_zero_point;
    } order[] = {{PRIM_ARG_SRC, false}, {PRIM_ARG_WEIGHTS, false}, {PRIM_ARG_SRC, true},
            {PRIM_ARG_WEIGHTS, true}, {PRIM_ARG_DST, false}, {PRIM_ARG_DST, true}};
    prim__ocl_args_i32(args, gemm->src_scales == GEMM_QUANT_ELEMENTS);
    prim__ocl_args_i32(args, gemm->wei_scales == GEMM_QUANT_ELEMENTS);
    for (int i = 0; i < 6; ++i) {
        const int arg = order[i].arg;
        const bool is_zero_point = order[i].is_zero_point;
        const quant_t *const quant = is_zero_point ? prim__attr_zero_point(&pd->attr, arg)
                                                   : prim__attr_scale(&pd->attr, arg);
        const int base = is_zero_point ? PRIM_ARG_ATTR_ZERO_POINTS : PRIM_ARG_ATTR_SCALES;
        add_values(args, vectors, ctx, prim__ctx_md(ctx, pd, arg), base | arg, quant);
    }
}

void prim__ocl_gemm_args(ocl_args_t *args, ocl_gemm_vectors_t *vectors, const ocl_gemm_t *gemm,
        const matmul_shape_t *shape, const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        bool with_all)
{
    const prim_desc_t *const pd = primitive->base.pd;
    const prim_memory_desc_t *const dst = prim__ctx_md(ctx, pd, PRIM_ARG_DST);
    prim__ocl_gemm_args_batch(args, vectors, shape, shape->batch, 1);
    prim__ocl_args_i64(args, shape->m);
    prim__ocl_args_i64(args, dst->dims[dst->ndims - 2]);
    prim__ocl_args_buffer(args, primitive->data[0]);
    prim__ocl_args_i32(args, dst->ndims);
    prim__ocl_args_i32(args, (int32_t)dst->data_type);
    add_bias(args, vectors, shape, pd, ctx);
    if (gemm->has_quants || with_all) add_quants(args, vectors, gemm, pd, ctx);
    if (!with_all) prim__ocl_args_post_ops(args, ctx, primitive);
}
