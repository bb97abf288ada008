// SPDX-License-Identifier: Apache-2.0
// From the tensors of an inner product's gradient to those of a matmul over the same memory.
#include "ip_gradient_as_matmul.h"

#include "data_type.h"
#include "int_math.h"
#include "ip_layout.h"
#include "ip_matrix.h"

enum { PRODUCT, COPY }; // the slots
enum { ALIGNED_BYTES = 16 };

/// dst = a·b; each over the memory of one of the parent's arguments.
typedef struct {
    prim_memory_desc_t a, b, dst;
} product_t;

/// The parent's arguments of the nested src, weights and dst.
typedef struct {
    int a, b, dst;
} sources_t;

static bool is_by_weights(const prim_desc_t *pd)
{
    return prim__pd_has(pd, PRIM_ARG_DIFF_WEIGHTS);
}

static sources_t sources_of(const ip_gradient_t *gradient, const prim_desc_t *pd)
{
    const bool by_weights = is_by_weights(pd);
    const int other = by_weights ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS;
    const int dst = by_weights ? PRIM_ARG_DIFF_WEIGHTS : PRIM_ARG_DIFF_SRC;
    if (gradient->is_transposed) return (sources_t){other, PRIM_ARG_DIFF_DST, dst};
    return (sources_t){PRIM_ARG_DIFF_DST, other, dst};
}

static void swap_dims(prim_dim_t dims[2])
{
    const prim_dim_t first = dims[0];
    dims[0] = dims[1];
    dims[1] = first;
}

static void transpose(prim_memory_desc_t *md)
{
    swap_dims(md->dims);
    swap_dims(md->padded_dims);
    swap_dims(md->strides);
}

static prim_status_t init_product(product_t *product, prim_desc_t *pd)
{
    const bool by_weights = is_by_weights(pd);
    const prim_memory_desc_t *const diff = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    const prim_memory_desc_t *const images =
            prim__pd_md(pd, by_weights ? PRIM_ARG_SRC : PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const wei =
            prim__pd_md(pd, by_weights ? PRIM_ARG_DIFF_WEIGHTS : PRIM_ARG_WEIGHTS);
    ip_axis_t k;
    REQUIRE(pd, prim__ip_is_matrix(images) && prim__ip_is_matrix(wei) && prim__ip_is_matrix(diff),
            "src, weights or diff_dst has a blocked layout or is padded");
    REQUIRE(pd, prim__ip_flatten(&k, images, wei),
            "src or weights have gaps, or order channels and spatial positions differently: they "
            "are no matrices");
    const prim_memory_desc_t image_rows =
            prim__ip_matrix(images, images->dims[0], k.dim, images->strides[0], k.src);
    const prim_memory_desc_t wei_rows =
            prim__ip_matrix(wei, wei->dims[0], k.dim, wei->strides[0], k.wei);
    product->a = *diff;
    product->b = by_weights ? image_rows : wei_rows;
    product->dst = by_weights ? wei_rows : image_rows;
    if (by_weights) transpose(&product->a);
    return PRIM_SUCCESS;
}

/// Cᵀ = Bᵀ·Aᵀ.
static void transpose_product(product_t *product)
{
    const prim_memory_desc_t a = product->a;
    product->a = product->b;
    product->b = a;
    transpose(&product->a);
    transpose(&product->b);
    transpose(&product->dst);
}

/// A copy of `a` that is contiguous along the sums.
static prim_memory_desc_t copy_along_k(const prim_memory_desc_t *a)
{
    const prim_dim_t unit = ALIGNED_BYTES / (prim_dim_t)prim_data_type_size(a->data_type);
    prim_memory_desc_t copy = *a;
    copy.offset0 = 0;
    copy.strides[0] = prim__round_up(a->dims[1], unit);
    copy.strides[1] = 1;
    return copy;
}

static prim_status_t nest(prim_desc_t *pd, int slot, const op_schema_t *schema, const op_desc_t *op,
        const prim_memory_desc_t *const *mds)
{
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, slot, schema, op, &request));

done:
    prim__attr_fini(&attr);
    return st;
}

extern const op_schema_t prim__reorder_schema;

prim_status_t prim__ip_gradient_as_matmul_init_pd(
        ip_gradient_t *gradient, prim_desc_t *pd, bool along_k)
{
    product_t product;
    TRY(prim__ip_set_layouts(pd));
    TRY(init_product(&product, pd));
    const prim_dim_t *const strides = product.dst.strides;
    gradient->is_transposed = strides[0] == 1 && strides[1] != 1;
    if (gradient->is_transposed) transpose_product(&product);

    const prim_memory_desc_t original = product.a;
    gradient->copies_diff = along_k && is_by_weights(pd) && !gradient->is_transposed &&
                            original.strides[1] != 1 && original.dims[1] > 1;
    if (gradient->copies_diff) product.a = copy_along_k(&original);
    const prim_memory_desc_t *const mds[] = {&product.a, &product.b, NULL, &product.dst};
    TRY(nest(pd, PRODUCT, pd->impl->nests, &(op_desc_t){.kind = PRIM_MATMUL}, mds));
    if (!gradient->copies_diff) return PRIM_SUCCESS;
    const prim_memory_desc_t *const copied[] = {&original, &product.a};
    gradient->diff_offset_bytes = prim__pd_book_scratchpad(pd, prim__md_bytes(&product.a));
    return nest(pd, COPY, &prim__reorder_schema, &(op_desc_t){.kind = PRIM_REORDER}, copied);
}

static prim_status_t copy_diff(
        const ip_gradient_t *gradient, const prim_t *primitive, const exec_ctx_t *ctx)
{
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, COPY);
    prim__nested_pass(&run, PRIM_ARG_FROM, PRIM_ARG_DIFF_DST);
    prim__nested_pass_view(&run, PRIM_ARG_TO, PRIM_ARG_SCRATCHPAD, gradient->diff_offset_bytes);
    return prim__nested_execute(&run);
}

prim_status_t prim__ip_gradient_as_matmul_execute(
        const ip_gradient_t *gradient, const prim_t *primitive, const exec_ctx_t *ctx)
{
    const sources_t sources = sources_of(gradient, primitive->pd);
    nested_run_t run;
    if (gradient->copies_diff) TRY(copy_diff(gradient, primitive, ctx));
    prim__nested_begin(&run, primitive, ctx, PRODUCT);
    if (gradient->copies_diff)
        prim__nested_pass_view(
                &run, PRIM_ARG_SRC, PRIM_ARG_SCRATCHPAD, gradient->diff_offset_bytes);
    else
        prim__nested_pass(&run, PRIM_ARG_SRC, sources.a);
    prim__nested_pass(&run, PRIM_ARG_WEIGHTS, sources.b);
    prim__nested_pass(&run, PRIM_ARG_DST, sources.dst);
    return prim__nested_execute(&run);
}

prim_status_t prim__ip_gradient_matmul_init_pd(prim_desc_t *pd)
{
    return prim__ip_gradient_as_matmul_init_pd(&((ip_gradient_pd_t *)pd)->gradient, pd, false);
}

prim_status_t prim__ip_gradient_matmul_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ip_gradient_pd_t *const pd = (const ip_gradient_pd_t *)primitive->pd;
    return prim__ip_gradient_as_matmul_execute(&pd->gradient, primitive, ctx);
}
