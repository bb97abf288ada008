// SPDX-License-Identifier: Apache-2.0
// Lists of commands that grow and keep their capacity.
#include "ocl_nodes.h"

#include <string.h>

#include "common/alloc.h"

static prim_status_t reserve(ocl_nodes_t *nodes)
{
    if (nodes->nnodes < nodes->room) return PRIM_SUCCESS;
    const int room = nodes->room ? 2 * nodes->room : 1;
    ocl_node_t *const larger = prim__calloc((size_t)room * sizeof *larger);
    if (!larger) return prim__fail_memory((size_t)room * sizeof *larger);
    if (nodes->room) memcpy(larger, nodes->nodes, (size_t)nodes->room * sizeof *larger);
    prim__free(nodes->nodes);
    nodes->nodes = larger;
    nodes->room = room;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_nodes_add_kernel(ocl_nodes_t *nodes, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args)
{
    TRY(reserve(nodes));
    ocl_node_t *const node = &nodes->nodes[nodes->nnodes];
    if (node->origin != kernel) {
        ocl_kernel_t *clone = NULL;
        TRY(prim__ocl_kernel_clone(&clone, kernel));
        prim__ocl_kernel_destroy(node->clone);
        node->clone = clone;
        node->origin = kernel;
    }
    TRY(prim__ocl_kernel_set_args(node->clone, args));
    node->ticket = args->ticket;
    node->is_transfer = false;
    node->range = *range;
    ++nodes->nnodes;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_nodes_add_transfer(ocl_nodes_t *nodes, const ocl_transfer_t *transfer)
{
    TRY(reserve(nodes));
    ocl_node_t *const node = &nodes->nodes[nodes->nnodes++];
    node->is_transfer = true;
    node->transfer = *transfer;
    return PRIM_SUCCESS;
}

void prim__ocl_nodes_fini(ocl_nodes_t *nodes)
{
    for (int i = 0; i < nodes->room; ++i) prim__ocl_kernel_destroy(nodes->nodes[i].clone);
    prim__free(nodes->nodes);
}

static prim_status_t enqueue_kernel(const ocl_node_t *node, const exec_ctx_t *ctx)
{
    if (node->ticket)
        TRY(prim__ocl_kernel_set_i64(node->clone, node->ticket - 1, prim__ocl_ticket()));
    return prim__ocl_kernel_enqueue_prepared(ctx, node->clone, &node->range);
}

prim_status_t prim__ocl_nodes_enqueue(const ocl_nodes_t *nodes, const exec_ctx_t *ctx)
{
    for (int i = 0; i < nodes->nnodes; ++i) {
        const ocl_node_t *const node = &nodes->nodes[i];
        TRY(node->is_transfer ? prim__ocl_transfer_enqueue(ctx, &node->transfer)
                              : enqueue_kernel(node, ctx));
    }
    return PRIM_SUCCESS;
}
