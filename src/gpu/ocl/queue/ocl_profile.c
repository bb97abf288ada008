// SPDX-License-Identifier: Apache-2.0
// An execution's time is from the start of its first kernel to the end of its last.
#include "ocl_profile.h"

#include <string.h>

#include "common/alloc.h"
#include "gpu/ocl/device/ocl_status.h"

prim_status_t prim__ocl_profile_init(ocl_profile_t *profile)
{
    if (pthread_mutex_init(&profile->lock, NULL) != 0) {
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    return PRIM_SUCCESS;
}

// Makes room for one more element in an array that the caller owns.
static prim_status_t reserve(void **array, size_t *room, size_t count, size_t element_bytes)
{
    if (count < *room) return PRIM_SUCCESS;
    const size_t wanted = *room ? 2 * *room : 64;
    void *const larger = prim__calloc(wanted * element_bytes);
    if (!larger) return prim__fail_memory(wanted * element_bytes);
    if (count) memcpy(larger, *array, count * element_bytes);
    prim__free(*array);
    *array = larger;
    *room = wanted;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_profile_begin(ocl_profile_t *profile)
{
    void *firsts = profile->firsts;
    TRY(reserve(&firsts, &profile->firsts_room, profile->nfirsts, sizeof *profile->firsts));
    profile->firsts = firsts;
    profile->firsts[profile->nfirsts++] = profile->nevents;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_profile_add(ocl_profile_t *profile, cl_event event)
{
    void *events = profile->events;
    const prim_status_t st =
            reserve(&events, &profile->events_room, profile->nevents, sizeof *profile->events);
    if (st != PRIM_SUCCESS) {
        clReleaseEvent(event);
        return st;
    }
    profile->events = events;
    profile->events[profile->nevents++] = event;
    return PRIM_SUCCESS;
}

void prim__ocl_profile_cancel(ocl_profile_t *profile)
{
    const size_t first = profile->firsts[--profile->nfirsts];
    while (profile->nevents > first) clReleaseEvent(profile->events[--profile->nevents]);
}

static void release_events(ocl_profile_t *profile)
{
    for (size_t i = 0; i < profile->nevents; ++i) clReleaseEvent(profile->events[i]);
    profile->nevents = 0;
    profile->nfirsts = 0;
}

// Nanoseconds spanned by events [first, end); 0 for an execution without kernels.
static prim_status_t span(uint64_t *ns, const cl_event *events, size_t first, size_t end)
{
    cl_ulong earliest = 0, latest = 0;
    for (size_t i = first; i < end; ++i) {
        cl_ulong start = 0, stop = 0;
        OCL_TRY(clGetEventProfilingInfo(
                events[i], CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        OCL_TRY(clGetEventProfilingInfo(
                events[i], CL_PROFILING_COMMAND_END, sizeof stop, &stop, NULL));
        if (i == first || start < earliest) earliest = start;
        if (stop > latest) latest = stop;
    }
    *ns = latest - earliest;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_profile_append(ocl_profile_t *profile, uint64_t ns)
{
    void *times = profile->times_ns;
    TRY(reserve(&times, &profile->times_room, profile->ntimes, sizeof *profile->times_ns));
    profile->times_ns = times;
    profile->times_ns[profile->ntimes++] = ns;
    return PRIM_SUCCESS;
}

static prim_status_t read_times(ocl_profile_t *profile)
{
    for (size_t i = 0; i < profile->nfirsts; ++i) {
        const bool is_last = i + 1 == profile->nfirsts;
        const size_t end = is_last ? profile->nevents : profile->firsts[i + 1];
        uint64_t ns = 0;
        TRY(span(&ns, profile->events, profile->firsts[i], end));
        TRY(prim__ocl_profile_append(profile, ns));
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_profile_read(ocl_profile_t *profile)
{
    const prim_status_t st = read_times(profile);
    release_events(profile);
    return st;
}

void prim__ocl_profile_clear(ocl_profile_t *profile)
{
    release_events(profile);
    profile->ntimes = 0;
}

void prim__ocl_profile_copy(const ocl_profile_t *profile, int *count, uint64_t *ns)
{
    size_t n = profile->ntimes;
    if (ns) {
        if (*count < 0)
            n = 0;
        else if (n > (size_t)*count)
            n = (size_t)*count;
        if (n) memcpy(ns, profile->times_ns, n * sizeof *ns);
    }
    *count = (int)n;
}

void prim__ocl_profile_fini(ocl_profile_t *profile)
{
    release_events(profile);
    prim__free(profile->events);
    prim__free(profile->firsts);
    prim__free(profile->times_ns);
    pthread_mutex_destroy(&profile->lock);
}
