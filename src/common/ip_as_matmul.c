// SPDX-License-Identifier: Apache-2.0
// From the tensors of an inner product to those of a matmul over the same memory.
#include "ip_as_matmul.h"

#include "ip_matrix.h"
#include "matmul_shape.h"
#include "memory_desc_tag.h"

enum { PRODUCT }; // the slot

/// The problem as matmul has it.
typedef struct {
    prim_memory_desc_t src, wei, bia, dst;
} product_t;

static prim_memory_desc_t weights_matrix(
        const prim_memory_desc_t *wei, const ip_axis_t *k, bool along_k)
{
    const prim_dim_t n = wei->dims[0];
    prim_memory_desc_t md = prim__ip_matrix(wei, k->dim, n, k->wei, wei->strides[0]);
    if (prim__md_is_any(wei) && along_k) return prim__ip_matrix(wei, k->dim, n, 1, k->dim);
    if (prim__md_is_any(wei)) {
        md = prim__ip_matrix(wei, k->dim, n, 0, 0);
        md.format_kind = PRIM_FORMAT_KIND_ANY;
    } else if (wei->inner_nblks > 0) {
        md.inner_nblks = 1;
        md.inner_blks[0] = wei->inner_blks[0];
        md.inner_idxs[0] = 1;
        md.padded_dims[1] = wei->padded_dims[0];
    }
    return md;
}

static prim_status_t init_product(product_t *product, prim_desc_t *pd, bool along_k)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const bia = prim__pd_md(pd, PRIM_ARG_BIAS);
    ip_axis_t k;
    REQUIRE(pd, prim__ip_is_matrix(src), "src has a blocked layout or is padded");
    REQUIRE(pd, prim__md_is_any(wei) || prim__md_is_blocked_by(wei, 0),
            "weights have blocks of input channels or are padded");
    REQUIRE(pd, prim__md_is_zero(bia) || prim__ip_is_matrix(bia),
            "the bias has a blocked layout or is padded");
    REQUIRE(pd, prim__ip_flatten(&k, src, wei),
            "src or weights have gaps, or order channels and spatial positions differently: they "
            "are no matrices");
    product->src = prim__ip_matrix(src, src->dims[0], k.dim, src->strides[0], k.src);
    product->wei = weights_matrix(wei, &k, along_k);
    product->bia = (prim_memory_desc_t){0};
    if (!prim__md_is_zero(bia)) {
        const prim_dim_t n = bia->dims[0], stride = bia->strides[0];
        product->bia = prim__ip_matrix(bia, 1, n, stride, stride);
    }
    product->dst = *prim__pd_md(pd, PRIM_ARG_DST);
    return PRIM_SUCCESS;
}

/// Output channels are the first dimension of these weights and the last of a matmul's.
static void transpose_masks(prim_attr_t *attr)
{
    for (int i = 0; i < attr->nscales; ++i)
        if (attr->scales[i].arg == PRIM_ARG_WEIGHTS && attr->scales[i].mask != 0)
            attr->scales[i].mask = 1 << 1;
}

static prim_status_t nest(prim_desc_t *pd, const product_t *product)
{
    const prim_memory_desc_t *const bia = prim__md_is_zero(&product->bia) ? NULL : &product->bia;
    const prim_memory_desc_t *const mds[] = {&product->src, &product->wei, bia, &product->dst};
    const op_desc_t op = {.kind = PRIM_MATMUL};
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    transpose_masks(&attr);
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, PRODUCT, pd->impl->nests, &op, &request));

done:
    prim__attr_fini(&attr);
    return st;
}

/// The layout of the nested weights, with the dimensions of an image in the order of src for K.
static prim_status_t take_weights(prim_desc_t *pd)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    layout_t src, matrix_layout;
    prim__layout_of(&src, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__layout_of(&matrix_layout, prim__nested_md(pd, PRODUCT, PRIM_ARG_WEIGHTS));
    layout_t to = {.ndims = src.ndims, .nblks = matrix_layout.nblks};
    int n = 0;
    for (int i = 0; i < matrix_layout.ndims; ++i) {
        if (matrix_layout.order[i] == 1) to.order[n++] = 0;
        for (int d = 0; matrix_layout.order[i] == 0 && d < src.ndims; ++d)
            if (src.order[d] != 0) to.order[n++] = src.order[d];
    }
    for (int i = 0; i < to.nblks; ++i) {
        REQUIRE(pd, matrix_layout.idxs[i] == 1, "the matmul chose weights with blocks along K");
        to.blks[i] = matrix_layout.blks[i];
    }
    return prim__layout_apply(&to, wei);
}

prim_status_t prim__ip_as_matmul_init_pd(prim_desc_t *pd, bool along_k)
{
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    if (!prim__md_is_any(wei) && prim__md_is_plain(wei)) TRY(prim__md_set_like_if_any(src, wei));
    TRY(prim__md_set_row_major_if_any(src));
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS)));
    TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST)));
    product_t product;
    TRY(init_product(&product, pd, along_k));
    TRY(nest(pd, &product));
    return prim__md_is_any(wei) ? take_weights(pd) : PRIM_SUCCESS;
}

prim_status_t prim__ip_as_matmul_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, PRODUCT);
    prim__nested_pass(&run, PRIM_ARG_SRC, PRIM_ARG_SRC);
    prim__nested_pass(&run, PRIM_ARG_WEIGHTS, PRIM_ARG_WEIGHTS);
    prim__nested_pass(&run, PRIM_ARG_BIAS, PRIM_ARG_BIAS);
    prim__nested_pass(&run, PRIM_ARG_DST, PRIM_ARG_DST);
    prim__nested_pass_attr(&run);
    return prim__nested_execute(&run);
}
