// SPDX-License-Identifier: Apache-2.0
// The options of a session.
#ifndef EP_OPTIONS_H
#define EP_OPTIONS_H

#include "graph.h"
#include "ort_api.h"

typedef struct {
    prim_engine_kind_t kind;
    size_t index;         ///< of the engine
    prim_data_type_t f32; ///< what f32 tensors are computed in
    unsigned tuning;      ///< of graph_compile()'s flags
    bool takes_all;       ///< groups are claimed whatever they cost
    char profile[256];    ///< the file of a profile; empty: none
} ep_options_t;

/// Reads the options of the provider `name`. Wrong ones are a failure with a sentence.
ort_status_t *ep_read_options(
        ep_options_t *options, const ort_session_options_t *session, const char *name);

#endif
