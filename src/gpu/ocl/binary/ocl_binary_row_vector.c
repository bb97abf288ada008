// SPDX-License-Identifier: Apache-2.0
// Binary along contiguous rows of dst: vectors, each source contiguous or constant along the row.
#include "common/data_type.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_nest.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "ocl_binary.h"

extern const ocl_source_t prim__ocl_binary_row_vector_cl;
extern const impl_t prim__ocl_binary_row_vector;

typedef struct {
    prim_desc_t base;
    ocl_nest_t nest;
    ocl_pieces_t pieces;
    int vec;
} rows_pd_t;

_Static_assert(offsetof(rows_pd_t, base) == 0, "the base comes first");

static loops_t contiguous_loops(const prim_memory_desc_t *md, int ntensors)
{
    loops_t loops = {.n = 1, .ntensors = ntensors, .extents = {prim__md_nelems_padded(md)}};
    for (int t = 0; t < ntensors; ++t) loops.strides[t][0] = 1;
    return loops;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    rows_pd_t *const rows = (rows_pd_t *)pd;
    TRY(prim__ocl_binary_init(pd));
    REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    const prim_memory_desc_t *const mds[] = {prim__pd_md(pd, PRIM_ARG_DST),
            prim__pd_md(pd, PRIM_ARG_SRC_0), prim__pd_md(pd, PRIM_ARG_SRC_1),
            prim__pd_md(pd, PRIM_ARG_SRC_2)};
    const int n = prim__pd_has(pd, PRIM_ARG_SRC_2) ? 4 : 3;
    loops_t loops;
    if (prim__ocl_binary_are_dense(pd, mds, n)) {
        loops = contiguous_loops(mds[0], n);
    } else {
        REQUIRE(pd, prim__ocl_loops_init(&loops, mds, n),
                "the block sizes of src0, src1 and dst do not divide each other");
    }
    REQUIRE(pd, loops.ntails == 0, "a blocked dimension is padded");
    REQUIRE(pd, loops.n <= NEST_LOOPS, "the layouts make a nest of %d loops, at most %d are taken",
            loops.n, NEST_LOOPS);
    const int inner = prim__ocl_loops_unit(&loops, 0);
    REQUIRE(pd, inner >= 0, "no dimension of dst is contiguous");
    for (int t = 1; t < n; ++t) {
        const int64_t step = loops.strides[t][inner];
        REQUIRE(pd, step == 1 || (step == 0 && t < 3),
                "a source is neither contiguous nor constant along the contiguous dimension of "
                "dst");
    }
    prim__ocl_loops_move(&loops, inner, loops.n - 1);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    rows->nest = prim__ocl_nest(&loops);
    rows->vec = prim__ocl_binary_vec(device, mds);
    rows->pieces = prim__ocl_pieces(&rows->nest, device, rows->vec);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const rows_pd_t *const rows = (const rows_pd_t *)pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC0", prim__pd_md(pd, PRIM_ARG_SRC_0)->data_type);
    prim__ocl_options_type(&options, "SRC1", prim__pd_md(pd, PRIM_ARG_SRC_1)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    prim__ocl_options_int(&options, "ALG", (int64_t)pd->op.alg_kind);
    prim__ocl_options_int(&options, "SRC0_STEP", rows->nest.strides[1][NEST_INNER]);
    prim__ocl_options_int(&options, "SRC1_STEP", rows->nest.strides[2][NEST_INNER]);
    prim__ocl_options_int(&options, "VEC", rows->vec);
    prim__ocl_options_int(&options, "IS_INT", prim__ocl_binary_is_int(pd));
    prim__ocl_options_int(&options, "WITH_SCALES", pd->attr.nscales > 0);
    prim__ocl_post_ops_options(&options, pd, true);
    prim__ocl_nontemporal_options(&options, pd, PRIM_ARG_DST, rows->pieces.n_inner);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_binary_row_vector_cl, &options, "binary_row_vector"));
    TRY(prim__ocl_primitive_add_data(p, &rows->nest, sizeof rows->nest));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const rows_pd_t *const rows = (const rows_pd_t *)pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC_2);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_pieces(&args, &rows->pieces);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_0);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC_1);
    prim__ocl_args_i32(&args, prim__ocl_scale_type(pd, PRIM_ARG_SRC_0));
    prim__ocl_args_i32(&args, prim__ocl_scale_type(pd, PRIM_ARG_SRC_1));
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_pieces(p->kernels[0], &rows->pieces);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_binary_row_vector = {
        .name = "ocl:binary:row_vector",
        .pd_size = sizeof(rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
