// SPDX-License-Identifier: Apache-2.0
// Tensors that stay on the device between the groups of a session. The runtime knows tensors of the
// host alone, so a group that makes a tensor for other groups keeps it in a buffer of the device
// under the address of the runtime's tensor, where they find it; what groups alone read never
// crosses to the host.
#ifndef EP_RESIDENT_H
#define EP_RESIDENT_H

#include <prim/prim.h>
#include <stdbool.h>
#include <stddef.h>

/// Those of one session. Functions that run groups call may be called from several threads.
typedef struct ep_residents ep_residents_t;
/// A buffer of the device.
typedef struct ep_buffer ep_buffer_t;

/// NULL when memory is short.
ep_residents_t *ep_residents_create(prim_engine_t *engine);
void ep_residents_destroy(ep_residents_t *residents);

/// While groups are claimed: one of them makes the value, `nreaders` others read it, and the host
/// does or not. False when memory is short.
bool ep_residents_add(
        ep_residents_t *residents, const char *name, int nreaders, bool is_read_by_host);
/// The number of the value of that name; −1: none.
int ep_residents_find(const ep_residents_t *residents, const char *name);
/// While groups are compiled: one makes value `index`, or reads it.
void ep_residents_count(ep_residents_t *residents, int index, bool is_reader);
/// Whether it stays on the device: the runtime has compiled the groups that were claimed.
bool ep_residents_is_kept(const ep_residents_t *residents, int index);
bool ep_residents_is_read_by_host(const ep_residents_t *residents, int index);

/// A buffer of `bytes` or more, which ep_residents_release() gives back.
prim_status_t ep_residents_make(ep_residents_t *residents, size_t bytes, ep_buffer_t **buffer);
prim_memory_t *ep_buffer_memory(const ep_buffer_t *buffer);
/// The buffer is value `index` of the runtime's tensor at `place` from now on, until its readers
/// have released it.
void ep_residents_publish(
        ep_residents_t *residents, int index, const void *place, ep_buffer_t *buffer);
/// The buffer that was published so; NULL if none was.
ep_buffer_t *ep_residents_take(ep_residents_t *residents, int index, const void *place);
void ep_residents_release(ep_residents_t *residents, ep_buffer_t *buffer);

/// Around each run of the session: when none is left, what failed runs have left is given back.
void ep_residents_begin_run(ep_residents_t *residents);
void ep_residents_end_run(ep_residents_t *residents);

#endif
