// SPDX-License-Identifier: Apache-2.0
// Softmax over an axis that is not contiguous: vectors across rows.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "ocl_softmax.h"

extern const ocl_source_t prim__ocl_softmax_strided_cl;
extern const impl_t prim__ocl_softmax_strided;

enum { RUN = 64 }; // as in the .cl

static prim_status_t init_pd(prim_desc_t *pd)
{
    softmax_pd_t *const softmax = (softmax_pd_t *)pd;
    TRY(prim__ocl_softmax_init_columns(pd));
    REQUIRE(pd, softmax->axis_elems / RUN <= OCL_LONGEST_SUM,
            "the axis has %lld elements: f32 loses precision in the sum of their partial sums",
            (long long)softmax->axis_elems);
    softmax->vec = prim__ocl_device(pd->engine)->is_cpu ? 16 : 4;
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_softmax_options(&options, primitive->pd);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    return prim__ocl_single_init(primitive, &options, &prim__ocl_softmax_strided_cl,
            "softmax_strided", &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const softmax_pd_t *const pd = (const softmax_pd_t *)primitive->pd;
    const int64_t n_inner = pd->nest.extents[NEST_INNER];
    const int64_t chunks = prim__ceil_div(n_inner, pd->vec);
    const int64_t nitems = chunks * prim__ocl_nest_outer(&pd->nest);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_softmax_args(&args, primitive->pd, ctx);
    prim__ocl_args_i64(&args, pd->axis_elems);
    prim__ocl_args_i64(&args, n_inner);
    prim__ocl_args_i64(&args, chunks);
    prim__ocl_args_i64(&args, nitems);
    return prim__ocl_single_run(primitive, ctx, &args, nitems);
}

const impl_t prim__ocl_softmax_strided = {
        .name = "ocl:softmax:strided",
        .pd_size = sizeof(softmax_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
