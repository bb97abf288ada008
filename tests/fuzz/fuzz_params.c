// SPDX-License-Identifier: Apache-2.0
// What a creator hands on is changed once more, by the rules of its schema: numbers that no driver
// passes, tensors that are left out.
#include "common/ops/schema_create.h"
#include "fuzz_ops.h"

fuzz_input_t *fuzz_params_input;

prim_status_t __real_prim__op_create(
        prim_desc_t **pd, const op_schema_t *schema, const op_desc_t *op, const request_t *request);
prim_status_t __wrap_prim__op_create(
        prim_desc_t **pd, const op_schema_t *schema, const op_desc_t *op, const request_t *request);

static void change_param(op_desc_t *op, const param_rule_t *param, fuzz_input_t *in)
{
    char *const at = (char *)op + param->offset;
    switch (param->type) {
    case PARAM_INT: *(int *)(void *)at = (int)fuzz_number(in); break;
    case PARAM_FLAGS: *(unsigned *)(void *)at = (unsigned)fuzz_number(in); break;
    case PARAM_DIMS: ((prim_dim_t *)(void *)at)[fuzz_below(in, 3)] = fuzz_number(in); break;
    case PARAM_FLOATS: break; // the creator has checked them
    default: *(float *)(void *)at = fuzz_float(in); break;
    }
}

prim_status_t __wrap_prim__op_create(
        prim_desc_t **pd, const op_schema_t *schema, const op_desc_t *op, const request_t *request)
{
    fuzz_input_t *const in = fuzz_params_input;
    op_desc_t changed = *op;
    request_t less = *request;
    const prim_memory_desc_t *mds[MAX_RULES];
    if (!in) return __real_prim__op_create(pd, schema, op, request);
    for (const param_rule_t *param = schema->params; param && param->name; ++param)
        if (fuzz_seldom(in, 20)) change_param(&changed, param, in);
    if (fuzz_seldom(in, 60) && schema->has_prop_kind)
        changed.prop_kind = (prim_prop_kind_t)fuzz_number(in);
    if (fuzz_seldom(in, 60)) changed.alg_kind = (prim_alg_kind_t)fuzz_number(in);
    if (fuzz_seldom(in, 30)) less.hint = NULL;
    if (fuzz_seldom(in, 60)) less.nrepeated = fuzz_below(in, request->nrepeated + 1);
    const int nrules = prim__schema_nrules(schema);
    for (int i = 0; request->mds && i < nrules; ++i) {
        const bool is_left_out = fuzz_seldom(in, 100);
        const bool is_given = schema->tensors[i].maker == MADE_BY_CALLER; // the array has these
        mds[i] = is_given && !is_left_out ? request->mds[i] : NULL;
    }
    if (request->mds) less.mds = mds;
    return __real_prim__op_create(pd, schema, &changed, &less);
}
