// SPDX-License-Identifier: Apache-2.0
// The table of all schemas.
#include <assert.h>

#include "schema.h"

extern const op_schema_t prim__binary_schema;
extern const op_schema_t prim__bnorm_forward_schema;
extern const op_schema_t prim__concat_schema;
extern const op_schema_t prim__conv_forward_schema;
extern const op_schema_t prim__eltwise_forward_schema;
extern const op_schema_t prim__ip_forward_schema;
extern const op_schema_t prim__lnorm_backward_schema;
extern const op_schema_t prim__lnorm_forward_schema;
extern const op_schema_t prim__matmul_schema;
extern const op_schema_t prim__pool_forward_schema;
extern const op_schema_t prim__prelu_forward_schema;
extern const op_schema_t prim__reorder_schema;
extern const op_schema_t prim__resampling_forward_schema;
extern const op_schema_t prim__softmax_backward_schema;
extern const op_schema_t prim__softmax_forward_schema;
extern const op_schema_t prim__sum_schema;

/// By kind, then by direction.
static const op_schema_t *const schemas[][NDIRECTIONS] = {
        [PRIM_REORDER] = {[FORWARD] = &prim__reorder_schema},
        [PRIM_CONCAT] = {[FORWARD] = &prim__concat_schema},
        [PRIM_SUM] = {[FORWARD] = &prim__sum_schema},
        [PRIM_CONVOLUTION] = {[FORWARD] = &prim__conv_forward_schema},
        [PRIM_ELTWISE] = {[FORWARD] = &prim__eltwise_forward_schema},
        [PRIM_BATCH_NORMALIZATION] = {[FORWARD] = &prim__bnorm_forward_schema},
        [PRIM_INNER_PRODUCT] = {[FORWARD] = &prim__ip_forward_schema},
        [PRIM_BINARY] = {[FORWARD] = &prim__binary_schema},
        [PRIM_MATMUL] = {[FORWARD] = &prim__matmul_schema},
        [PRIM_RESAMPLING] = {[FORWARD] = &prim__resampling_forward_schema},
        [PRIM_POOLING] = {[FORWARD] = &prim__pool_forward_schema},
        [PRIM_PRELU] = {[FORWARD] = &prim__prelu_forward_schema},
        [PRIM_LAYER_NORMALIZATION] = {[FORWARD] = &prim__lnorm_forward_schema,
                [BACKWARD] = &prim__lnorm_backward_schema},
        [PRIM_SOFTMAX] = {[FORWARD] = &prim__softmax_forward_schema,
                [BACKWARD] = &prim__softmax_backward_schema},
};

enum { NKINDS = sizeof schemas / sizeof *schemas };

const op_schema_t *prim__op_schema(prim_primitive_kind_t kind, direction_t direction)
{
    return (unsigned)kind < NKINDS ? schemas[kind][direction] : NULL;
}

const op_schema_t *prim__schema_of(const op_desc_t *op)
{
    const op_schema_t *const schema = prim__op_schema(op->kind, prim__direction_of(op->prop_kind));
    assert(schema);
    return schema;
}

const impl_t *const *prim__impl_list(
        prim_engine_kind_t engine, prim_primitive_kind_t kind, direction_t direction)
{
    return prim__schema_list(prim__op_schema(kind, direction), engine);
}

prim_status_t prim__pd_follow(prim_desc_t *pd)
{
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_rule_t *const rule = prim__schema_rule(schema, pd->tensors[i].arg);
        if (!rule || rule->follows == PRIM_ARG_UNDEF) continue;
        TRY(prim__md_set_like_if_any(&pd->tensors[i].md, prim__pd_md(pd, rule->follows)));
    }
    return PRIM_SUCCESS;
}
