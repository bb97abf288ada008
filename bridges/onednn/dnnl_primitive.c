// SPDX-License-Identifier: Apache-2.0
// Primitives and their execution.
#include <stdlib.h>

#include "dnnl_bridge.h"

dnnl_status_t dnnl_primitive_create(
        dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc)
{
    return prim_create(primitive, primitive_desc);
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
        const_dnnl_primitive_desc_t primitive_desc, size_t size, const uint8_t *cache_blob)
{
    return prim_create_from_cache_blob(primitive, primitive_desc, size, cache_blob);
}

dnnl_status_t dnnl_primitive_get_primitive_desc(
        const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc)
{
    return prim_get_desc(primitive, primitive_desc);
}

dnnl_status_t dnnl_primitive_get_cache_blob(
        const_dnnl_primitive_t primitive, size_t *size, uint8_t *cache_blob)
{
    return prim_get_cache_blob(primitive, size, cache_blob);
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive)
{
    prim_destroy(primitive);
    return dnnl_success;
}

/// The descriptor that the memory has to be seen with, or NULL if it will do as it is.
static const prim_memory_desc_t *other_md(const prim_desc_t *pd, const prim_arg_t *arg)
{
    // Of scales and zero points Prim itself looks at the number of values alone.
    const int quantisation = PRIM_ARG_ATTR_SCALES | PRIM_ARG_ATTR_ZERO_POINTS;
    if (arg->arg < PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE && (arg->arg & quantisation)) return NULL;
    const prim_memory_desc_t *const wanted =
            prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, arg->arg);
    if (!wanted || wanted->ndims == 0) return NULL;
    const prim_memory_desc_t *const has = prim_memory_get_desc(arg->memory);
    const size_t bytes = prim_memory_desc_get_size(wanted);
    if (bytes == PRIM_RUNTIME_SIZE_VAL || bytes > prim_memory_desc_get_size(has)) return NULL;
    return prim_memory_desc_equal(wanted, has) ? NULL : wanted;
}

static prim_status_t take(bridge_args_t *out, const prim_desc_t *pd, const prim_arg_t *arg)
{
    if (!arg->memory) return PRIM_SUCCESS; // as if it were not there
    const prim_memory_desc_t *const md = other_md(pd, arg);
    prim_memory_t *memory = arg->memory;
    if (md) {
        const prim_status_t status = bridge_view(&memory, arg->memory, md);
        if (status != PRIM_SUCCESS) return status;
        out->views[out->nviews++] = memory;
    }
    out->args[out->nargs++] = (prim_arg_t){arg->arg, memory};
    return PRIM_SUCCESS;
}

prim_status_t bridge_args_init(
        bridge_args_t *out, const prim_t *primitive, int nargs, const dnnl_exec_arg_t *args)
{
    *out = (bridge_args_t){0};
    const prim_desc_t *pd = NULL;
    prim_status_t status = prim_get_desc(primitive, &pd);
    if (status != PRIM_SUCCESS) return status;
    if (nargs < 0 || (nargs > 0 && !args))
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "args is NULL, or nargs negative");

    const size_t count = (size_t)nargs + 1;
    out->args = calloc(count, sizeof *out->args);
    out->views = calloc(count, sizeof *out->views);
    if (!out->args || !out->views)
        status = prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for the arguments");
    for (int i = 0; i < nargs && status == PRIM_SUCCESS; ++i)
        status = take(out, pd, &(prim_arg_t){args[i].arg, args[i].memory});
    if (status != PRIM_SUCCESS) bridge_args_fini(out);
    return status;
}

void bridge_args_fini(bridge_args_t *args)
{
    for (int i = 0; i < args->nviews; ++i) prim_memory_destroy(args->views[i]);
    free(args->views);
    free(args->args);
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
        int nargs, const dnnl_exec_arg_t *args)
{
    bridge_args_t taken;
    prim_status_t status = bridge_args_init(&taken, primitive, nargs, args);
    if (status != PRIM_SUCCESS) return status;
    status = prim_execute(primitive, stream, taken.nargs, taken.args);
    bridge_args_fini(&taken);
    return status;
}
