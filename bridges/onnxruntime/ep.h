// SPDX-License-Identifier: Apache-2.0
// The execution provider: one for a session.
#ifndef EP_H
#define EP_H

#include "ep_cost.h"
#include "ep_options.h"
#include "ep_resident.h"
#include "ep_space.h"
#include "onnx_ops.h"

/// What the runtime knows it by.
#define EP_NAME "PrimExecutionProvider"

typedef struct {
    ort_ep_t base;
    struct factory *factory;
    prim_engine_t *engine;
    ep_options_t options;
    ep_machine_t machine;
    const ort_logger_t *logger;
    ep_space_t *space;         ///< where the runtime's tensors are; NULL: on the host
    ep_residents_t *residents; ///< of a device, where tensors are on the host; else NULL
    bool is_device;            ///< tensors of the host are copied to the engine and back
    bool has_claimed;          ///< groups of the main graph
} ep_t;

/// Tells the runtime which nodes of the graph the provider takes, in groups.
ort_status_t *ep_claim(ort_ep_t *self, const ort_graph_t *graph, ort_support_t *support);
/// Keeps the groups' models; they are compiled for a shape at its first run.
ort_status_t *ep_compile(ort_ep_t *self, const ort_graph_t **graphs, const ort_node_t **fused_nodes,
        size_t count, ort_compute_t **computes, ort_node_t **context_nodes);
void ep_release_computes(ort_ep_t *self, ort_compute_t **computes, size_t count);

#endif
