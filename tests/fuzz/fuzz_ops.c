// SPDX-License-Identifier: Apache-2.0
// Random problems, with every tensor in a layout of its own, spoilt now and then.
#include "fuzz_ops.h"

#include <stdio.h>
#include <string.h>

#include "core/bench_args.h"
#include "fuzz_case.h"

bool fuzz_tells;

/// Where tensors are drawn from while a driver creates a descriptor; NULL: as it says.
static fuzz_input_t *layouts_of;

prim_status_t __real_bench_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag);
prim_status_t __wrap_bench_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag);

/// Takes the place of benchdnn's function.
prim_status_t __wrap_bench_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag)
{
    fuzz_input_t *const in = layouts_of;
    if (!in || (strcmp(tag, "undef") == 0 && !fuzz_seldom(in, 8)))
        return __real_bench_md(md, ndims, dims, data_type, tag);
    prim_dims_t given = {0};
    for (int d = 0; d < ndims; ++d) given[d] = fuzz_seldom(in, 60) ? fuzz_dim(in) : dims[d];
    if (fuzz_seldom(in, 2) || __real_bench_md(md, ndims, given, data_type, tag) != PRIM_SUCCESS)
        fuzz_md_of(md, in, ndims, given, data_type);
    return PRIM_SUCCESS;
}

/// Every tensor that the descriptor tells of is one that the library takes.
static void ask(const prim_desc_t *pd, fuzz_input_t *in)
{
    union {
        prim_dims_t dims;
        const void *pointer;
    } answer;
    for (int what = -1; what < 258; ++what) {
        const int index = fuzz_seldom(in, 200) ? (int)fuzz_number(in) : what & 1;
        fuzz_check_status(prim_desc_query(pd, (prim_query_t)what, index, &answer));
        const prim_memory_desc_t *const md = prim_desc_query_md(pd, (prim_query_t)what, index);
        if (md && md->ndims != 0) fuzz_md_read(md);
    }
    static const int bases[] = {0, PRIM_ARG_ATTR_SCALES, PRIM_ARG_ATTR_ZERO_POINTS,
            PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_ATTR_MULTIPLE_POST_OP(0),
            PRIM_ARG_ATTR_MULTIPLE_POST_OP(1)};
    const int base = bases[fuzz_below(in, (int)(sizeof bases / sizeof *bases))];
    for (int i = 0; i < PRIM_ARG_BIAS + 1; ++i) {
        const prim_memory_desc_t *const md =
                prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, base | i);
        char tag[64];
        FUZZ_PROMISE(md && prim_memory_desc_get_tag(md, tag, sizeof tag) == PRIM_SUCCESS,
                "tensors of descriptors are valid");
    }
}

static void tell_impl(const prim_desc_t *pd)
{
    const char *name = NULL;
    if (fuzz_tells && prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name) == PRIM_SUCCESS)
        printf("IMPL %s\n", name);
}

static void walk(prim_desc_t *pd, fuzz_input_t *in)
{
    enum { MORE_THAN_ANY_LIST = 100 };
    prim_desc_t *copy = NULL;
    const prim_attr_t *attr = NULL;
    if (fuzz_seldom(in, 4)) ask(pd, in);
    FUZZ_PROMISE(prim_desc_get_attr(pd, &attr) == PRIM_SUCCESS && attr, "there are attributes");
    FUZZ_PROMISE(prim_desc_clone(&copy, pd) == PRIM_SUCCESS, "descriptors can be copied");
    int nimpls = 1;
    tell_impl(pd);
    for (; prim_desc_next_impl(copy) == PRIM_SUCCESS; ++nimpls) {
        tell_impl(copy);
        FUZZ_PROMISE(nimpls < MORE_THAN_ANY_LIST, "lists of implementations end");
        if (fuzz_seldom(in, 4)) ask(copy, in);
    }
    prim_desc_destroy(copy);
}

/// A memory without a buffer: nothing is allocated for absurd sizes.
static void make_memory(fuzz_input_t *in, prim_engine_t *engine)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    fuzz_md(&md, in);
    const prim_status_t status = prim_memory_create(&memory, &md, engine, PRIM_MEMORY_NONE);
    fuzz_check_status(status);
    if (status != PRIM_SUCCESS) return;
    FUZZ_PROMISE(prim_memory_desc_equal(&md, prim_memory_get_desc(memory)),
            "a memory has the descriptor it was made with");
    prim_memory_destroy(memory);
}

/// The status of a creation of the case.
static prim_status_t create(prim_desc_t **pd, fuzz_input_t *in, prim_engine_t *engine)
{
    prim_dims_t dims;
    const prb_t *const prb = fuzz_case(in);
    const int ndims = prb_dst_dims(prb, dims);
    prim_attr_t *const attr = fuzz_attr(in, ndims, dims);
    in->layout = fuzz_layout(in);
    layouts_of = fuzz_params_input = in;
    const prim_status_t status = prb->driver->create_desc(pd, prb, engine, attr);
    layouts_of = fuzz_params_input = NULL;
    in->layout = 0;
    prim_attr_destroy(attr);
    return status;
}

void fuzz_op_call(fuzz_input_t *in, prim_engine_t *const *engines, int nengines)
{
    static char untouched;
    prim_desc_t *pd = (prim_desc_t *)&untouched;
    prim_engine_t *const engine = engines[fuzz_below(in, nengines)];
    if (fuzz_seldom(in, 16)) {
        make_memory(in, engine);
        return;
    }
    const prim_status_t status = create(&pd, in, engine);
    fuzz_check_status(status);
    if (fuzz_tells && status != PRIM_SUCCESS) printf("REFUSED %s\n", prim_last_error());
    if (status == PRIM_SUCCESS) {
        walk(pd, in);
        prim_desc_destroy(pd);
    } else {
        FUZZ_PROMISE(pd == (prim_desc_t *)&untouched, "failures leave outputs as they are");
    }
}
