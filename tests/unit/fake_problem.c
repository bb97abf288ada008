// SPDX-License-Identifier: Apache-2.0
// A small problem and a second engine for the tests of dispatch, cache and execution.
#include "fake_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

extern const engine_ops_t prim__cpu_engine_ops;

fake_problem_t fake_problem(prim_dim_t n)
{
    fake_problem_t problem;
    memset(&problem, 0, sizeof problem);
    problem.op.kind = PRIM_ELTWISE;
    problem.op.prop_kind = PRIM_FORWARD_INFERENCE;
    problem.op.alg_kind = PRIM_ELTWISE_RELU;
    problem.tensors[0].arg = PRIM_ARG_SRC;
    problem.tensors[1].arg = PRIM_ARG_DST;
    problem.tensors[1].is_output = true;
    assert_int_equal(prim_memory_desc_init_by_tag(&problem.tensors[0].md, 1, &n, PRIM_F32, PRIM_a),
            PRIM_SUCCESS);
    assert_int_equal(
            prim_memory_desc_init_by_tag(&problem.tensors[1].md, 1, &n, PRIM_F32, PRIM_FORMAT_ANY),
            PRIM_SUCCESS);
    return problem;
}

prim_engine_t *fake_open_cpu(void)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_CPU, 0), PRIM_SUCCESS);
    return engine;
}

void fake_foreign_engine(prim_engine_t *engine)
{
    memset(engine, 0, sizeof *engine);
    prim__engine_init(engine, &prim__cpu_engine_ops, 1, "foreign");
}

prim_desc_t *fake_desc(const impl_t *const *list, const fake_problem_t *problem,
        prim_engine_t *engine, const prim_attr_t *attr)
{
    prim_desc_t *pd = NULL;
    assert_int_equal(prim__desc_create_from(
                             &pd, list, engine, NULL, &problem->op, problem->tensors, 2, attr),
            PRIM_SUCCESS);
    return pd;
}

prim_memory_t *fake_memory(const prim_memory_desc_t *md, prim_engine_t *engine)
{
    prim_memory_t *memory = NULL;
    assert_int_equal(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE), PRIM_SUCCESS);
    return memory;
}

prim_memory_desc_t fake_md(const char *text)
{
    char type[16], tag[32];
    prim_dims_t dims;
    prim_memory_desc_t md;
    int n = 0, ndims = 0;
    assert_int_equal(sscanf(text, "%15[^:]:%31[^:]:%n", type, tag, &n), 2);
    for (const char *p = text + n; *p; p += *p == 'x') {
        long long value = PRIM_RUNTIME_DIM_VAL;
        int used = 1;
        if (*p != 'r') assert_int_equal(sscanf(p, "%lld%n", &value, &used), 1);
        dims[ndims++] = value;
        p += used;
    }
    for (int t = PRIM_F16; t <= PRIM_F4_E3M0; ++t) {
        if (strcmp(prim_data_type_name((prim_data_type_t)t), type) != 0) continue;
        assert_int_equal(
                prim_memory_desc_init_by_string_tag(&md, ndims, dims, (prim_data_type_t)t, tag),
                PRIM_SUCCESS);
        return md;
    }
    fail_msg("type %s is unknown", type);
    return (prim_memory_desc_t){0};
}
