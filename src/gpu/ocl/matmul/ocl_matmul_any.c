// SPDX-License-Identifier: Apache-2.0
// Matmul on OpenCL devices for every problem: two programs (run-time dimensions or not), all else
// is run-time data.
#include <string.h>

#include "common/post_ops_check.h"
#include "gpu/ocl/clh/shared/matmul_any_data.h"
#include "gpu/ocl/kit/ocl_md_open.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

extern const ocl_source_t prim__ocl_matmul_any_cl;
extern const impl_t prim__ocl_matmul_any;

typedef struct {
    prim_desc_t base;
    bool has_runtime;
} matmul_pd_t;

_Static_assert(offsetof(matmul_pd_t, base) == 0, "the base comes first");

static const int tensor_args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};

// An operand of a post-op whose shape is known at execution.
typedef struct {
    int arg;
    int number; // among the buffers of the chain
    const prim_memory_desc_t *md;
} open_t;

// All of them; returns how many there are.
static int find_open(const prim_desc_t *pd, open_t open[PO_MAX_LEN])
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    int n = 0, noperands = 0;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const entry = &chain->entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k) {
            const prim_memory_desc_t *const md = prim__post_op_operand_md(entry, k);
            if (prim__md_has_runtime(md))
                open[n++] = (open_t){prim__post_op_operand_arg(entry, i, k), noperands, md};
            ++noperands;
        }
    }
    return n;
}

static prim_status_t check_open(prim_desc_t *pd)
{
    open_t open[PO_MAX_LEN];
    const int n = find_open(pd, open);
    REQUIRE(pd, n == 0 || prim__pd_md(pd, PRIM_ARG_DST)->ndims <= MATMUL_OPEN_NDIMS,
            "dst has more than 6 dimensions, and the shape of a post-op's operand is known only at "
            "execution");
    REQUIRE(pd, n <= MATMUL_MAX_OPEN,
            "the shapes of more than 5 operands of post-ops are known only at execution");
    for (int i = 0; i < n; ++i)
        REQUIRE(pd, prim__md_is_plain(open[i].md),
                "the operand of a post-op is blocked, and its shape is known only at execution");
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    matmul_pd_t *const p = (matmul_pd_t *)pd;
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, true));
    for (int i = 0; i < 4; ++i) {
        if (!prim__pd_has(pd, tensor_args[i])) continue;
        prim_memory_desc_t *const md = prim__pd_md_mutable(pd, tensor_args[i]);
        TRY(prim__md_set_row_major_if_any(md));
        p->has_runtime = p->has_runtime || prim__md_has_runtime(md);
    }
    p->has_runtime =
            p->has_runtime || prim__post_ops_any_md(&pd->attr.post_ops, prim__md_has_runtime);
    return check_open(pd);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The group of a setting along k, if its values change there; else 0, which every number divides.
static int64_t k_group(const quant_t *quant, int ndims, bool is_src)
{
    const int k = is_src ? ndims - 1 : ndims - 2;
    if (!quant || !(quant->mask >> k & 1)) return 0;
    return quant->ngroups ? quant->groups[is_src ? 1 : 0] : 1;
}

static int64_t period_of(const prim_attr_t *attr, int ndims)
{
    int64_t period = 0;
    for (int i = 0; i < 2; ++i) {
        const int arg = i == 0 ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS;
        period = gcd(period, k_group(prim__attr_scale(attr, arg), ndims, i == 0));
        period = gcd(period, k_group(prim__attr_zero_point(attr, arg), ndims, i == 0));
    }
    return period ? period : INT64_MAX / 2;
}

// Bits of the dimensions that are 1.
static int64_t ones(const prim_memory_desc_t *md)
{
    int64_t bits = 0;
    for (int d = 0; d < md->ndims; ++d) bits |= (int64_t)(md->dims[d] == 1) << d;
    return bits;
}

static void fill_geometry(int64_t *g, const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    for (int d = 0; d < dst->ndims; ++d) {
        g[MATMUL_DIMS + d] = dst->dims[d];
        g[MATMUL_SRC + d] = src->strides[d];
        g[MATMUL_WEI + d] = wei->strides[d];
        g[MATMUL_BIA + d] = d < bia->ndims ? bia->strides[d] : 0;
        g[MATMUL_DST + d] = dst->strides[d];
    }
    g[MATMUL_K] = src->dims[src->ndims - 1];
    g[MATMUL_BROADCAST] = ones(src) | ones(wei) << 12 | ones(bia) << 24;
}

// 0 where an operand is broadcast.
static void fill_open(int64_t *g, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    open_t open[PO_MAX_LEN];
    const int n = find_open(pd, open);
    for (int i = 0; i < n; ++i) {
        const prim_memory_desc_t *const md = prim__ctx_md(ctx, pd, open[i].arg);
        for (int d = 0; d < md->ndims; ++d)
            g[MATMUL_OPEN(i) + d] = md->dims[d] == 1 ? 0 : md->strides[d];
    }
}

static void fill_data(ocl_matmul_any_data_t *data, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_data_type_t src_dt = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_attr_t *const attr = &pd->attr;
    data->ndims = dst->ndims;
    data->period = period_of(attr, dst->ndims);
    data->src = prim__ocl_md_open(prim__pd_md(pd, PRIM_ARG_SRC));
    data->wei = prim__ocl_md_open(prim__pd_md(pd, PRIM_ARG_WEIGHTS));
    data->bia = prim__ocl_md_open(prim__pd_md(pd, PRIM_ARG_BIAS));
    data->dst = prim__ocl_md_open(dst);
    data->src_scales = prim__ocl_quant_open(prim__attr_scale(attr, PRIM_ARG_SRC));
    data->wei_scales = prim__ocl_quant_open(prim__attr_scale(attr, PRIM_ARG_WEIGHTS));
    data->dst_scales = prim__ocl_quant_open(prim__attr_scale(attr, PRIM_ARG_DST));
    data->src_zps = prim__ocl_quant_open(prim__attr_zero_point(attr, PRIM_ARG_SRC));
    data->wei_zps = prim__ocl_quant_open(prim__attr_zero_point(attr, PRIM_ARG_WEIGHTS));
    data->dst_zps = prim__ocl_quant_open(prim__attr_zero_point(attr, PRIM_ARG_DST));
    data->is_int = src_dt == PRIM_S8 || src_dt == PRIM_U8;
    open_t open[PO_MAX_LEN];
    data->nopen = find_open(pd, open);
    for (int i = 0; i < data->nopen; ++i) data->open[i] = open[i].number;
    for (int d = 0; d < dst->ndims; ++d) {
        const bool is_runtime = dst->dims[d] == PRIM_RUNTIME_DIM_VAL;
        data->padding[d] = is_runtime ? 0 : dst->padded_dims[d] - dst->dims[d];
    }
}

static prim_status_t init(prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    const bool has_runtime = ((const matmul_pd_t *)pd)->has_runtime;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "WITH_RUNTIME", has_runtime);
    prim__ocl_post_ops_options(&options, pd, false);
    ocl_matmul_any_data_t data = {0};
    fill_data(&data, pd);
    if (!has_runtime) {
        fill_geometry(data.geometry, prim__pd_md(pd, PRIM_ARG_SRC),
                prim__pd_md(pd, PRIM_ARG_WEIGHTS), prim__pd_md(pd, PRIM_ARG_BIAS),
                prim__pd_md(pd, PRIM_ARG_DST));
    }
    return prim__ocl_single_init(
            primitive, &options, &prim__ocl_matmul_any_cl, "matmul_any", &data, sizeof data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const dst = prim__ctx_md(ctx, pd, PRIM_ARG_DST);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    for (int i = 0; i < 4; ++i) prim__ocl_args_tensor(&args, ctx, tensor_args[i]);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_DST);
    int64_t geometry[MATMUL_GEOMETRY] = {0};
    ocl_matmul_chunk_t chunks[MATMUL_CHUNKS];
    if (((const matmul_pd_t *)pd)->has_runtime) {
        fill_geometry(geometry, prim__ctx_md(ctx, pd, PRIM_ARG_SRC),
                prim__ctx_md(ctx, pd, PRIM_ARG_WEIGHTS), prim__ctx_md(ctx, pd, PRIM_ARG_BIAS), dst);
        fill_open(geometry, pd, ctx);
        memcpy(chunks, geometry, sizeof chunks);
        for (int i = 0; i < MATMUL_CHUNKS; ++i)
            prim__ocl_args_struct(&args, &chunks[i], sizeof chunks[i]);
    }
    return prim__ocl_single_run(primitive, ctx, &args, prim__md_nelems_padded(dst));
}

const impl_t prim__ocl_matmul_any = {
        .name = "ocl:matmul:any",
        .pd_size = sizeof(matmul_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
