// SPDX-License-Identifier: Apache-2.0
// Inner product on the CPU: the sum over channels and positions in double for any type, layout,
// scale and post-op. A few images share each row of weights that is converted.
#include "common/data_type.h"
#include "common/int_math.h"
#include "common/ip_layout.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_ip.h"
#include "ref_row.h"

enum { IMAGES = 8 };

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__ip_set_layouts(pd);
}

typedef struct {
    const void *src, *wei, *bia;
    const prim_memory_desc_t *src_md, *wei_md, *bia_md;
    ref_quant_t src_scales, wei_scales;
    ref_finish_t finish;
    int dim;            ///< the one that rows run along
    prim_dim_t nrows;   ///< rows of REF_ROW_ELEMS at most, of one output channel
    prim_dims_t nparts; ///< of the dimensions behind the first: positions, of `dim` rows
    prim_dim_t nblocks; ///< of IMAGES images
} inner_product_t;

static void split_rows(inner_product_t *p)
{
    p->dim = prim__ref_ip_row_dim(p->src_md, p->wei_md);
    p->nrows = 1;
    p->nparts[0] = 1;
    for (int d = 1; d < p->src_md->ndims; ++d) {
        const prim_dim_t dim = p->src_md->dims[d];
        p->nparts[d] = d == p->dim ? prim__ceil_div(dim, REF_ROW_ELEMS) : dim;
        p->nrows *= p->nparts[d];
    }
}

static void load_row(double *row, const void *base, const prim_memory_desc_t *md,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    const prim_dim_t stride = dim < 0 ? 0 : md->strides[dim];
    prim__ref_load_row(row, base, md->data_type, prim__md_offset(md, position), stride, n);
}

static double dot(const double *a, const double *b, prim_dim_t n)
{
    double sum = 0;
    for (prim_dim_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static void accumulate(const inner_product_t *p, prim_dim_t image0, int nimages, prim_dim_t channel,
        double sums[IMAGES])
{
    double src[REF_ROW_ELEMS], wei[REF_ROW_ELEMS];
    for (prim_dim_t row = 0; row < p->nrows; ++row) {
        prim_dims_t at;
        prim_dim_t n = 1;
        prim__position(at, p->src_md->ndims, p->nparts, row);
        if (p->dim >= 0) {
            at[p->dim] *= REF_ROW_ELEMS;
            n = p->src_md->dims[p->dim] - at[p->dim];
            if (n > REF_ROW_ELEMS) n = REF_ROW_ELEMS;
        }
        at[0] = channel;
        load_row(wei, p->wei, p->wei_md, at, p->dim, n);
        for (int i = 0; i < nimages; ++i) {
            at[0] = image0 + i;
            load_row(src, p->src, p->src_md, at, p->dim, n);
            sums[i] += dot(src, wei, n);
        }
    }
}

static void multiply_block(prim_dim_t index, void *arg)
{
    const inner_product_t *const p = arg;
    const prim_dim_t channel = index / p->nblocks;
    const prim_dim_t image0 = index % p->nblocks * IMAGES;
    const prim_dim_t left = p->src_md->dims[0] - image0;
    const int nimages = (int)(left < IMAGES ? left : IMAGES);
    const prim_dims_t channel_at = {channel};
    const prim_dims_t origin = {0};
    const double scale = prim__ref_quant_at(&p->src_scales, origin, 1) *
                         prim__ref_quant_at(&p->wei_scales, channel_at, 1);
    const double bias =
            p->bia ? prim__load(p->bia, p->bia_md->data_type, prim__md_offset(p->bia_md, &channel))
                   : 0;
    double sums[IMAGES] = {0};
    accumulate(p, image0, nimages, channel, sums);
    for (int i = 0; i < nimages; ++i) {
        const prim_dims_t at = {image0 + i, channel};
        prim__ref_finish_store(&p->finish, sums[i] * scale + bias, at);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    inner_product_t p = {
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .wei = prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            .src_md = prim__pd_md(pd, PRIM_ARG_SRC),
            .wei_md = prim__pd_md(pd, PRIM_ARG_WEIGHTS),
            .bia = prim__ref_pointer_if_any(ctx, pd, PRIM_ARG_BIAS),
            .bia_md = prim__pd_md(pd, PRIM_ARG_BIAS),
    };
    prim__ref_scales_init(&p.src_scales, pd, ctx, PRIM_ARG_SRC, p.src_md);
    prim__ref_scales_init(&p.wei_scales, pd, ctx, PRIM_ARG_WEIGHTS, p.wei_md);
    prim__ref_finish_init(&p.finish, pd, ctx);
    split_rows(&p);
    p.nblocks = prim__ceil_div(p.src_md->dims[0], IMAGES);
    prim__parallel_for(p.nblocks * p.wei_md->dims[0], multiply_block, &p);
    prim__ref_clear_padding(p.finish.dst, p.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_ip_any = {
        .name = "ref:ip:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
