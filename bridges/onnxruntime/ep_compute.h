// SPDX-License-Identifier: Apache-2.0
// A claimed group and its plans, for the files that compile and run them.
#ifndef EP_COMPUTE_H
#define EP_COMPUTE_H

#include "ep.h"
#include "ep_profile.h"

#include <pthread.h>

/// Shapes of one group that are kept compiled; the one that was used longest ago goes first.
enum { MAX_PLANS = 8 };

/// A group compiled for the shapes of its inputs.
typedef struct {
    graph_t *graph; ///< NULL: free
    int64_t *dims;  ///< of all inputs, one after the other
    graph_value_t *inputs, *outputs;
    prim_memory_t **memories; ///< on a device: of inputs, then of outputs that are not kept there
    ep_profile_t *profile;    ///< where one is wanted
    uint64_t last_use;
} plan_t;

/// A group: what the runtime calls. Runs of one group take turns.
typedef struct {
    ort_compute_t base;
    const ep_t *ep;
    onnx_model_t *model;
    size_t *inputs, *outputs; ///< places in the runtime's own lists
    int *kept; ///< of inputs, then of outputs: the value's number in ep_resident.h, or −1
    int ndims; ///< of all inputs together
    pthread_mutex_t lock;
    prim_stream_t *stream;
    uint64_t nuses;
    plan_t plans[MAX_PLANS];
} compute_t;

/// Buffers of the device for inputs and outputs that are not kept there between groups.
prim_status_t ep_device_prepare(const compute_t *c, plan_t *plan);
/// Runs the plan on tensors of the host, inputs first: those that are kept are where `data` was
/// when they were made.
prim_status_t ep_device_run(const compute_t *c, plan_t *plan, void *const *data);
/// Runs the plan on tensors of the device, of which `data` has the addresses.
prim_status_t ep_space_run(const compute_t *c, plan_t *plan, void *const *data);
/// Submits the plan whose tensors are bound, and waits for it.
prim_status_t ep_run_bound(const compute_t *c, plan_t *plan);

#endif
