// SPDX-License-Identifier: Apache-2.0
// Profiles: the time of each primitive, one after the other.
#include "ep_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct ep_profile {
    int n, nruns;
    double us[]; ///< of each primitive, all runs together
};

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

ep_profile_t *ep_profile_create(const graph_t *graph)
{
    const int n = graph_stats(graph).nprimitives;
    ep_profile_t *const made = calloc(1, sizeof *made + (size_t)n * sizeof made->us[0]);
    if (made) made->n = n;
    return made;
}

void ep_profile_destroy(ep_profile_t *profile)
{
    free(profile);
}

prim_status_t ep_profile_run(ep_profile_t *profile, graph_t *graph, prim_stream_t *stream)
{
    prim_status_t status = PRIM_SUCCESS;
    for (int i = 0; i < profile->n && status == PRIM_SUCCESS; ++i) {
        const double start = now_us();
        status = graph_run_one(graph, stream, i);
        if (status == PRIM_SUCCESS) status = prim_stream_wait(stream);
        // The first run warms caches.
        if (profile->nruns > 0) profile->us[i] += now_us() - start;
    }
    profile->nruns++;
    return status;
}

static void write_line(FILE *file, const ep_profile_t *profile, const graph_t *graph, int i)
{
    graph_value_t value = GRAPH_ABSENT;
    const int nruns = profile->nruns - 1;
    fprintf(file, "%d,%s,", i, graph_impl_name(graph, i, &value));
    const prim_dim_t *const dims = graph_dims(graph, value);
    for (int d = 0; d < graph_ndims(graph, value); ++d)
        fprintf(file, "%s%lld", d ? "x" : "", (long long)dims[d]);
    fprintf(file, ",%s,%.1f\n", prim_data_type_name(graph_data_type(graph, value)),
            nruns > 0 ? profile->us[i] / nruns : 0.0);
}

/// One header for each group: groups of a process come to their ends one after the other.
bool ep_profile_write(const ep_profile_t *profile, const graph_t *graph, const char *path)
{
    FILE *const file = fopen(path, "a");
    if (!file) return false;
    fprintf(file, "primitive,implementation,result,type,microseconds\n");
    for (int i = 0; i < profile->n; ++i) write_line(file, profile, graph, i);
    return fclose(file) == 0;
}
