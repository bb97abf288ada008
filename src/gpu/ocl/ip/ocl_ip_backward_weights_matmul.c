// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product on OpenCL devices: that by the weights as a matmul, where an
// implementation other than ocl:matmul:any takes it, that by the bias as a reduction of diff_dst.
#include "common/ip_gradient_as_matmul.h"
#include "ocl_ip_gradient.h"

extern const impl_t prim__ocl_ip_backward_weights_matmul;
extern const op_schema_t prim__reduction_schema;

typedef struct {
    prim_desc_t base;
    ip_gradient_t gradient;
    int reduction;      ///< slot of the reduction that makes diff_bias; 0: none does
    ocl_ip_bias_t bias; ///< else
} ip_backward_weights_pd_t;

_Static_assert(offsetof(ip_backward_weights_pd_t, base) == 0, "the base comes first");

// Matrix units read 16-bit operands along the sums, which here are those over the images.
static bool needs_rows_along_k(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    return !prim__ocl_device(pd->engine)->is_cpu && (type == PRIM_F16 || type == PRIM_BF16);
}

/// diff_dst [N, OC] to diff_bias [1, OC].
static prim_status_t nest_reduction(prim_desc_t *pd, int slot)
{
    const prim_memory_desc_t *const diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    prim_memory_desc_t row = *prim__pd_md(pd, PRIM_ARG_DIFF_BIAS);
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    row.ndims = 2;
    row.dims[1] = row.dims[0];
    row.padded_dims[1] = row.padded_dims[0];
    row.strides[1] = row.strides[0];
    row.dims[0] = row.padded_dims[0] = 1;
    row.strides[0] = row.dims[1] * row.strides[1];
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    const prim_memory_desc_t *const mds[] = {diff_dst, &row};
    const request_t request = {.mds = mds, .attr = &attr};
    const op_desc_t op = {.kind = PRIM_REDUCTION, .alg_kind = PRIM_REDUCTION_SUM};
    TRY_OR(done, prim__nested_desc(pd, slot, &prim__reduction_schema, &op, &request));

done:
    prim__attr_fini(&attr);
    return st;
}

static prim_status_t plan_bias(ip_backward_weights_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    p->reduction = 0;
    p->bias = (ocl_ip_bias_t){.is_wanted = false};
    const bool is_wanted = prim__pd_has(pd, PRIM_ARG_DIFF_BIAS);
    // A reduction of one row would reduce nothing.
    if (is_wanted && prim__pd_md(pd, PRIM_ARG_DIFF_DST)->dims[0] != 1 &&
            prim__md_is_row_major(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS))) {
        p->reduction = pd->nnested;
        return nest_reduction(pd, p->reduction);
    }
    prim__ocl_ip_bias_plan(&p->bias, pd);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    ip_backward_weights_pd_t *const p = (ip_backward_weights_pd_t *)pd;
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ip_gradient_as_matmul_init_pd(&p->gradient, pd, needs_rows_along_k(pd)));
    return plan_bias(p);
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_ip_bias_init(
            (ocl_primitive_t *)primitive, &((const ip_backward_weights_pd_t *)primitive->pd)->bias);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ip_backward_weights_pd_t *const pd = (const ip_backward_weights_pd_t *)primitive->pd;
    TRY(prim__ip_gradient_as_matmul_execute(&pd->gradient, primitive, ctx));
    if (pd->reduction == 0)
        return prim__ocl_ip_bias_run((const ocl_primitive_t *)primitive, ctx, &pd->bias, 0, 0);
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, pd->reduction);
    prim__nested_pass(&run, PRIM_ARG_SRC, PRIM_ARG_DIFF_DST);
    prim__nested_pass(&run, PRIM_ARG_DST, PRIM_ARG_DIFF_BIAS);
    return prim__nested_execute(&run);
}

const impl_t prim__ocl_ip_backward_weights_matmul = {
        .name = "ocl:ip:backward_weights_matmul",
        .pd_size = sizeof(ip_backward_weights_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .nests = &prim__matmul_schema,
};
