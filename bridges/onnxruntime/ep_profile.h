// SPDX-License-Identifier: Apache-2.0
// The time of each primitive of a compiled group.
#ifndef EP_PROFILE_H
#define EP_PROFILE_H

#include "graph.h"

typedef struct ep_profile ep_profile_t;

/// NULL when memory is short.
ep_profile_t *ep_profile_create(const graph_t *graph);
void ep_profile_destroy(ep_profile_t *profile);
/// Runs the graph primitive by primitive, waits for each, and adds their times; those of the first
/// run do not count.
prim_status_t ep_profile_run(ep_profile_t *profile, graph_t *graph, prim_stream_t *stream);
/// Appends a header and a line for each primitive, with the mean of its times, to the file; false
/// if it cannot be written.
bool ep_profile_write(const ep_profile_t *profile, const graph_t *graph, const char *path);

#endif
