// SPDX-License-Identifier: Apache-2.0
// The commands of one captured execution, ready to be enqueued any number of times.
#ifndef PRIM_OCL_NODES_H
#define PRIM_OCL_NODES_H

#include "ocl_kernel.h"
#include "ocl_transfer.h"

/// One command. A clone stays with its node when the node becomes a transfer or goes unused.
typedef struct {
    const ocl_kernel_t *origin; ///< what `clone` is a clone of; borrowed from the primitive
    ocl_kernel_t *clone;        ///< owned, with its arguments set; NULL: none yet
    int ticket;                 ///< ocl_args_t's, of a kernel
    bool is_transfer;
    ocl_range_t range;       ///< of a kernel
    ocl_transfer_t transfer; ///< of a transfer
} ocl_node_t;

/// The commands of one execution; zeroed at first. While one is written, it is the submission's
/// `nodes` and the implementation's commands go there instead of to the queue.
typedef struct ocl_nodes {
    ocl_node_t *nodes; ///< owned
    int nnodes, room;
    bool only_checks; ///< nothing is written down, arguments are compared with parameters
} ocl_nodes_t;

/// Append a command.
prim_status_t prim__ocl_nodes_add_kernel(ocl_nodes_t *nodes, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args);
prim_status_t prim__ocl_nodes_add_transfer(ocl_nodes_t *nodes, const ocl_transfer_t *transfer);
/// Enqueues all of them, in their order.
prim_status_t prim__ocl_nodes_enqueue(const ocl_nodes_t *nodes, const exec_ctx_t *ctx);
void prim__ocl_nodes_fini(ocl_nodes_t *nodes);

#endif
