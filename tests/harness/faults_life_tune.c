// SPDX-License-Identifier: Apache-2.0
// The steps of a life in which a product is tuned first, by an engine that knows nothing.
#include "faults_life.h"

prim_status_t life_forget_results(life_t *life)
{
    return prim_tune_clear(life->engine);
}

prim_status_t life_make_tuned(life_t *life)
{
    enum { N = 32 };
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    prim_attr_t *attr = NULL;
    case_t c = {.nargs = 3,
            .args = {{PRIM_ARG_SRC, NULL}, {PRIM_ARG_WEIGHTS, NULL}, {PRIM_ARG_DST, NULL}}};
    prim_status_t st =
            prim_memory_desc_init_by_tag(&md, 2, (const prim_dim_t[]){N, N}, PRIM_F32, PRIM_ab);
    if (st == PRIM_SUCCESS) st = prim_attr_create(&attr);
    if (st == PRIM_SUCCESS) st = prim_attr_set_tune(attr, PRIM_TUNE_QUICK);
    if (st == PRIM_SUCCESS)
        st = prim_matmul_desc_create(&pd, life->engine, &md, &md, NULL, &md, attr);
    if (st == PRIM_SUCCESS) st = prim_create(&c.primitive, pd);
    for (int i = 0; i < 3 && st == PRIM_SUCCESS; ++i) {
        float *values = NULL;
        st = prim_memory_create(&c.args[i].memory, &md, life->engine, PRIM_MEMORY_ALLOCATE);
        if (st == PRIM_SUCCESS) st = prim_memory_map_data(c.args[i].memory, (void **)&values);
        if (st != PRIM_SUCCESS) break;
        for (int k = 0; k < N * N; ++k) values[k] = (float)((k + i) % 7 - 3);
        st = prim_memory_unmap_data(c.args[i].memory, values);
    }
    c.dst = c.args[2].memory;
    prim_attr_destroy(attr);
    prim_desc_destroy(pd);
    if (st == PRIM_SUCCESS)
        life->c = c;
    else
        scenario_close(&c);
    return st;
}
