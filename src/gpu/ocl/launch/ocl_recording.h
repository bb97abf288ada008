// SPDX-License-Identifier: Apache-2.0
// Prepared recordings: for each captured execution the commands it enqueues, kernels as clones
// whose arguments are set, so that a replay only enqueues. An execution whose memories changed is
// run through its implementation again, which sets the arguments of the same clones.
#ifndef PRIM_OCL_RECORDING_H
#define PRIM_OCL_RECORDING_H

#include "common/recording.h"
#include "ocl_kernel.h"
#include "ocl_transfer.h"

/// One command. A clone stays with its node when the node becomes a transfer or goes unused.
typedef struct {
    const ocl_kernel_t *origin; ///< what `clone` is a clone of; borrowed from the primitive
    ocl_kernel_t *clone;        ///< owned, with its arguments set; NULL: none yet
    bool is_transfer;
    ocl_range_t range;       ///< of a kernel
    ocl_transfer_t transfer; ///< of a transfer
} ocl_node_t;

/// The commands of one execution; zeroed at first. While one is written, it is the submission's
/// `nodes` and the implementation's commands go there instead of to the queue.
typedef struct ocl_nodes {
    ocl_node_t *nodes; ///< owned
    int nnodes, room;
} ocl_nodes_t;

/// For prim__ocl_launch() and prim__ocl_transfer(): append a command.
prim_status_t prim__ocl_nodes_add_kernel(ocl_nodes_t *nodes, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args);
prim_status_t prim__ocl_nodes_add_transfer(ocl_nodes_t *nodes, const ocl_transfer_t *transfer);

/// See engine_ops_t.
prim_status_t prim__ocl_recording_prepare(prim_recording_t *recording, prim_stream_t *stream);
prim_status_t prim__ocl_recording_replay(prim_recording_t *recording, prim_stream_t *stream);
void prim__ocl_recording_destroy(prim_recording_t *recording);

#endif
