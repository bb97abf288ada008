// SPDX-License-Identifier: Apache-2.0
// The list of arguments of a case and access to them.
#include "bench_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_globals.h"
#include "bench_layout.h"
#include "bench_text.h"

arg_t *args_add(args_t *args, int id, arg_role_t role, data_kind_t kind)
{
    if (args->count == BENCH_MAX_ARGS) {
        fprintf(stderr, "Error: more than %d arguments\n", BENCH_MAX_ARGS);
        exit(EXIT_CODE_USAGE);
    }
    arg_t *const arg = &args->items[args->count++];
    *arg = (arg_t){.id = id, .role = role, .kind = kind};
    return arg;
}

const prb_t *args_prb(const args_t *args)
{
    return args->prb;
}

arg_t *args_find(const args_t *args, int id)
{
    for (int i = 0; i < args->count; ++i)
        // The list is the caller's own; const only keeps it from growing.
        if (args->items[i].id == id) return (arg_t *)(uintptr_t)&args->items[i];
    return NULL;
}

double *args_data(const args_t *args, int id)
{
    const arg_t *const arg = args_find(args, id);
    return arg ? arg->data : NULL;
}

double *args_slack(args_t *args, int id)
{
    arg_t *const arg = args_find(args, id);
    if (!arg->slack) arg->slack = bench_calloc((size_t)arg->nelems, sizeof(double));
    return arg->slack;
}

const arg_t *args_owner(const args_t *args, const arg_t *arg)
{
    const arg_t *const owner = arg->inplace_with ? args_find(args, arg->inplace_with) : NULL;
    return owner ? owner : arg;
}

bool arg_is_compared(const arg_t *arg)
{
    return arg->role == ARG_OUT && arg->kind != DATA_SCRATCHPAD;
}

prim_data_type_t arg_fill_dt(const args_t *args, const arg_t *arg)
{
    const post_op_t *const sum = attr_post_op(args->prb->attr, PRIM_SUM);
    const bool is_summed = arg->id == PRIM_ARG_DST && sum && sum->dt != PRIM_DATA_TYPE_UNDEF;
    return is_summed ? sum->dt : arg->md.data_type;
}

arg_t *args_between(args_t *args)
{
    return args->between_finish.dst;
}

const arg_t *args_quant_target(const args_t *args, int id)
{
    // Both convolutions of a fused pair have one value for the whole of their dst.
    return args_find(args, id == (PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST) ? PRIM_ARG_DST : id);
}

static void add_quant_args(args_t *args, const quant_spec_t *spec, int flag)
{
    for (int i = 0; i < spec->count; ++i) {
        const quant_entry_t *const e = &spec->entries[i];
        const arg_t *const target = args_quant_target(args, e->arg);
        if (!target) continue;
        const int mask = attr_mask(args->prb, e->arg, e->policy, e->ngroups > 0);
        const prim_dim_t count = quant_count(e, mask, &target->md);
        arg_t *const arg = args_add(args, flag | e->arg, ARG_IN, DATA_ATTR);
        if (prim_memory_desc_init_by_tag(&arg->md, 1, &count, e->dt, PRIM_a) != PRIM_SUCCESS)
            --args->count;
    }
}

/// Whether a size comes with the memory alone.
static bool md_has_runtime(const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d)
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL) return true;
    return false;
}

/// Operand k of step i.
static void add_operand(args_t *args, const post_op_t *op, int i, int k)
{
    arg_t *const arg = args_add(args, post_op_arg(op, i, k), ARG_IN, DATA_ATTR);
    const prim_memory_desc_t *const md =
            prim_desc_query_md(args->pd, PRIM_QUERY_EXEC_ARG_MD, arg->id);
    prim_dims_t dims;
    const int ndims = post_op_dims(args->prb, op, k, dims);
    if (md && md->ndims && layout_is_known(md) && !md_has_runtime(md))
        arg->md = *md;
    else if (bench_md(&arg->md, ndims, dims, post_op_dt(op, k), "abx") != PRIM_SUCCESS)
        --args->count;
}

static void add_operands(args_t *args)
{
    const post_ops_spec_t *const spec = &args->prb->attr->post_ops;
    for (int i = 0; i < spec->count; ++i)
        for (int k = 0; k < post_op_noperands(&spec->entries[i]); ++k)
            add_operand(args, &spec->entries[i], i, k);
}

static void add_scratchpad(args_t *args)
{
    const prim_memory_desc_t *const md = prim_desc_query_md(args->pd, PRIM_QUERY_SCRATCHPAD_MD, 0);
    if (args->prb->attr->scratchpad != PRIM_SCRATCHPAD_USER || !md || !md->ndims) return;
    args_add(args, PRIM_ARG_SCRATCHPAD, ARG_OUT, DATA_SCRATCHPAD)->md = *md;
}

/// Takes the layouts from the primitive descriptor and drops the arguments it does not have.
static bool settle_layouts(args_t *args)
{
    int kept = 0;
    for (int i = 0; i < args->count; ++i) {
        arg_t arg = args->items[i];
        const prim_memory_desc_t *const md =
                prim_desc_query_md(args->pd, PRIM_QUERY_EXEC_ARG_MD, arg.id);
        if (!arg.md.ndims && md) arg.md = *md;
        if (!arg.md.ndims) continue;
        if (!layout_is_known(&arg.md))
            return problem_error("the layout of argument %d cannot be read", arg.id);
        args->items[kept++] = arg;
    }
    args->count = kept;
    return true;
}

bool args_list(args_t *args, const prb_t *prb, const prim_desc_t *pd)
{
    memset(args, 0, sizeof *args);
    args->prb = prb;
    args->pd = pd;
    prb->driver->list_args(prb, args);
    if (!settle_layouts(args)) return false;
    add_quant_args(args, &prb->attr->scales, PRIM_ARG_ATTR_SCALES);
    add_quant_args(args, &prb->attr->zero_points, PRIM_ARG_ATTR_ZERO_POINTS);
    add_operands(args);
    add_scratchpad(args);
    for (int i = 0; i < args->count; ++i) args->items[i].nelems = md_nelems(&args->items[i].md);
    return true;
}

void args_free(args_t *args)
{
    for (int i = 0; i < args->count; ++i) {
        free(args->items[i].data);
        free(args->items[i].slack);
        free((void *)(uintptr_t)args->items[i].old);
        free(args->dequantised[i]);
        arg_memory_destroy(args->items[i].memory);
    }
    free(args->between.data);
    free(args->between.slack);
    args->count = 0;
}
