// SPDX-License-Identifier: Apache-2.0
// What a group of nodes costs on the host and on the engine. Estimates of a roofline: each node
// takes the longer of its arithmetic and its memory traffic.
#ifndef EP_COST_H
#define EP_COST_H

#include "onnx_model.h"

/// How fast a processor is.
typedef struct {
    double flops_per_us, bytes_per_us;
    double node_us; ///< of starting one node
} ep_rates_t;

typedef struct {
    ep_rates_t host, engine;
    double moved_bytes_per_us, move_us; ///< between them; the latter of each tensor
    bool has_ends; ///< the session's inputs and outputs are on the engine: they do not move
} ep_machine_t;

typedef struct {
    bool is_known; ///< all shapes are known, so the numbers below mean something
    bool computes; ///< some node does more than give elements other places
    double host_us, engine_us;
    double move_us, moved_bytes; ///< of the tensors that go in and come out
} ep_estimate_t;

/// Fills in the machine: rates by the properties of both processors, moving by a measurement (a
/// millisecond). On the CPU engine nothing moves.
prim_status_t ep_measure(ep_machine_t *machine, prim_engine_t *engine);

/// The cost of the nodes whose `is_member` is set.
ep_estimate_t ep_estimate(
        const ep_machine_t *machine, const onnx_model_t *model, const bool *is_member);

/// Whether the group is worth taking; groups of unknown shapes are.
bool ep_is_worth(const ep_estimate_t *estimate, const ep_machine_t *machine);

#endif
