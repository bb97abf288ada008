// SPDX-License-Identifier: Apache-2.0
// PReLU where src, weights and dst share a contiguous dimension (the weights may be constant along
// it): vectors.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/prelu_row_vector_data.h"
#include "gpu/ocl/kit/ocl_loops.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/tune/ocl_estimate.h"

extern const ocl_source_t prim__ocl_prelu_row_vector_cl;
extern const impl_t prim__ocl_prelu_row_vector;

typedef struct {
    prim_desc_t base;
    int vec, wei_step;
    ocl_prelu_row_vector_data_t data;
} prelu_pd_t;

_Static_assert(offsetof(prelu_pd_t, base) == 0, "the base comes first");

enum { DST, SRC, WEI };

// Whether a tensor has exactly the padding that dst has, so that it may be computed like the rest:
// with less it would be read beyond its end, with more dst would be written beyond its own.
static bool shares_padding(const prim_memory_desc_t *tensor, const prim_memory_desc_t *dst)
{
    for (int d = 0; d < dst->ndims; ++d) {
        const bool broadcasts = tensor->dims[d] == 1 && dst->dims[d] != 1;
        if (!broadcasts && tensor->padded_dims[d] != dst->padded_dims[d]) return false;
    }
    return true;
}

// A piece is a row on CPU-type devices, unless rows are too few for the cores, and a vector on
// GPUs.
static void choose_pieces(prelu_pd_t *pd, const ocl_device_t *device, int64_t nrows)
{
    ocl_prelu_row_vector_data_t *const data = &pd->data;
    pd->vec = device->is_cpu ? 16 : 4;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t npieces = nrows < wanted ? prim__ceil_div(wanted, nrows) : 1;
    const int64_t piece = prim__round_up(data->row_elems / npieces, pd->vec);
    data->piece_elems = device->is_cpu && piece > pd->vec ? (int32_t)piece : pd->vec;
    data->npieces = (int32_t)prim__ceil_div(data->row_elems, data->piece_elems);
    data->nitems = (int32_t)(nrows * data->npieces);
}

static prim_status_t describe(prelu_pd_t *pd, const prim_memory_desc_t *const mds[3])
{
    loops_t loops;
    prim_desc_t *const base = &pd->base;
    REQUIRE(base, prim__ocl_loops_init(&loops, mds, 3),
            "the block sizes of src, weights and dst do not divide each other");
    REQUIRE(base, loops.n <= PRELU_OUTER + 1,
            "the layouts make a nest of %d loops, at most %d are taken", loops.n, PRELU_OUTER + 1);
    prim__ocl_loops_pad(&loops, PRELU_OUTER + 1);
    const int row = PRELU_OUTER;
    REQUIRE(base,
            loops.extents[row] == 1 ||
                    (loops.strides[DST][row] == 1 && loops.strides[SRC][row] == 1 &&
                            loops.strides[WEI][row] <= 1),
            "src, dst and weights share no contiguous dimension");
    pd->wei_step = (int)(loops.extents[row] == 1 ? 0 : loops.strides[WEI][row]);
    ocl_prelu_row_vector_data_t *const data = &pd->data;
    data->row_elems = (int32_t)loops.extents[row];
    int64_t nrows = 1;
    for (int l = 0; l < PRELU_OUTER; ++l) {
        data->extents[l] = (int32_t)loops.extents[l];
        data->dst_strides[l] = (int32_t)loops.strides[DST][l];
        data->src_strides[l] = (int32_t)loops.strides[SRC][l];
        data->wei_strides[l] = (int32_t)loops.strides[WEI][l];
        nrows *= loops.extents[l];
    }
    choose_pieces(pd, prim__ocl_device(base->engine), nrows);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, src->data_type != PRIM_S32, "src is s32; this variant computes in f32");
    REQUIRE(base, !prim__md_is_empty(src), "src has no elements");
    TRY(prim__pd_follow(base));
    // Products that matter have 24 bits where dst saturates at 8.
    REQUIRE(base,
            !prim__dt_is_integer(src->data_type) ||
                    prim__pd_md(base, PRIM_ARG_WEIGHTS)->data_type != PRIM_S32 ||
                    prim__pd_md(base, PRIM_ARG_DST)->data_type != PRIM_S32,
            "all tensors are integers and products of s32 weights must be exact; this variant "
            "computes in f32");
    REQUIRE(base, prim__ocl_fits_i32(base),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    const prim_memory_desc_t *const mds[] = {
            prim__pd_md(base, PRIM_ARG_DST), src, prim__pd_md(base, PRIM_ARG_WEIGHTS)};
    REQUIRE(base, shares_padding(src, mds[DST]) && shares_padding(mds[WEI], mds[DST]),
            "src, weights and dst differ in padding");
    // Padding is computed like the rest: 0·0 stays 0, but 0 times a broadcast weight may be −0 or
    // NaN.
    REQUIRE(base, !prim__md_is_padded(src) || prim__md_same_dims(src, mds[WEI]),
            "src is padded and its weights are broadcast: padding would not stay zero");
    return describe((prelu_pd_t *)base, mds);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prelu_pd_t *const pd = (const prelu_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "WEI_STEP", pd->wei_step);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.row_elems);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_prelu_row_vector_cl, &options, "prelu_row_vector"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, 0};
    const prelu_pd_t *const pd = (const prelu_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, pd->data.nitems);
}

const impl_t prim__ocl_prelu_row_vector = {
        .name = "ocl:prelu:row_vector",
        .pd_size = sizeof(prelu_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
