// SPDX-License-Identifier: Apache-2.0
// Sends an execution's commands to the queue, or to the recording that captures them.
#include "ocl_launch.h"

#include <assert.h>

#include "gpu/ocl/queue/ocl_stream.h"
#include "ocl_nodes.h"

static bool is_empty(const ocl_range_t *range)
{
    for (int d = 0; d < range->ndims; ++d) {
        if (range->global[d] == 0) return true;
    }
    return false;
}

prim_status_t prim__ocl_launch(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args)
{
    assert(args->nargs <= OCL_MAX_ARGS);
    ocl_nodes_t *const nodes = prim__ocl_submission_nodes(ctx);
    if (nodes && nodes->only_checks) return prim__ocl_kernel_check_args(kernel, args);
    CHECK(args->missing == 0, "the memory of argument %d has no buffer", args->missing);
    if (is_empty(range)) return PRIM_SUCCESS;
    if (nodes) return prim__ocl_nodes_add_kernel(nodes, kernel, range, args);
    return prim__ocl_kernel_enqueue(ctx, kernel, range, args);
}

prim_status_t prim__ocl_transfer(const exec_ctx_t *ctx, const ocl_transfer_t *transfer)
{
    if (transfer->bytes == 0) return PRIM_SUCCESS;
    ocl_nodes_t *const nodes = prim__ocl_submission_nodes(ctx);
    if (nodes && nodes->only_checks) return PRIM_SUCCESS;
    if (nodes) return prim__ocl_nodes_add_transfer(nodes, transfer);
    return prim__ocl_transfer_enqueue(ctx, transfer);
}

bool prim__ocl_is_captured(const exec_ctx_t *ctx)
{
    return prim__ocl_submission_nodes(ctx) != NULL;
}

bool prim__ocl_has_counters(const exec_ctx_t *ctx)
{
    return !prim__ocl_is_captured(ctx) && !prim__ocl_stream(ctx->stream)->is_out_of_order;
}

prim_status_t prim__ocl_args_counters(ocl_args_t *args, const exec_ctx_t *ctx)
{
    ocl_stream_t *const stream = prim__ocl_stream(ctx->stream);
    cl_mem counters = NULL;
    TRY(prim__ocl_counters_get(&counters, &stream->counters, stream->base.engine));
    prim__ocl_args_buffer(args, counters);
    return PRIM_SUCCESS;
}
