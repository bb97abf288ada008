// SPDX-License-Identifier: Apache-2.0
// Addresses for buffers of a device.
#include "ep_space.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct {
    char *address;
    size_t bytes;
    prim_memory_t *memory;
} range_t;

struct ep_space {
    size_t device;
    pthread_mutex_t lock; ///< of what follows
    prim_engine_t *engine;
    size_t n, room;
    range_t *ranges;   ///< by their addresses
    char failure[300]; ///< why there was no buffer, the last time
};

ep_space_t *ep_space_create(size_t device)
{
    ep_space_t *const space = calloc(1, sizeof *space);
    if (!space) return NULL;
    space->device = device;
    pthread_mutex_init(&space->lock, NULL);
    return space;
}

void ep_space_destroy(ep_space_t *space)
{
    if (!space) return;
    prim_engine_destroy(space->engine);
    pthread_mutex_destroy(&space->lock);
    free(space->ranges);
    free(space);
}

prim_status_t ep_space_get_engine(ep_space_t *space, prim_engine_t **engine)
{
    prim_status_t status = PRIM_SUCCESS;
    pthread_mutex_lock(&space->lock);
    if (!space->engine) status = prim_engine_create(&space->engine, PRIM_GPU, space->device);
    *engine = space->engine;
    pthread_mutex_unlock(&space->lock);
    return status;
}

/// How many ranges begin at the address or before it; the lock is held.
static size_t count_up_to(const ep_space_t *space, const void *address)
{
    size_t low = 0, high = space->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)space->ranges[middle].address <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// The range in which the address lies, or NULL; the lock is held.
static range_t *find_range(const ep_space_t *space, const void *address)
{
    const size_t n = count_up_to(space, address);
    if (n == 0) return NULL;
    range_t *const range = &space->ranges[n - 1];
    return (uintptr_t)address - (uintptr_t)range->address < range->bytes ? range : NULL;
}

static bool add_range(ep_space_t *space, range_t range)
{
    pthread_mutex_lock(&space->lock);
    if (space->n == space->room) {
        const size_t room = 2 * space->room + 16;
        range_t *const ranges = realloc(space->ranges, room * sizeof *ranges);
        if (ranges) space->ranges = ranges;
        if (ranges) space->room = room;
    }
    const bool has_room = space->n < space->room;
    if (has_room) {
        range_t *const at = space->ranges + count_up_to(space, range.address);
        memmove(at + 1, at, (size_t)(space->ranges + space->n - at) * sizeof *at);
        *at = range;
        space->n++;
    }
    pthread_mutex_unlock(&space->lock);
    return has_room;
}

static prim_status_t make_buffer(ep_space_t *space, size_t bytes, prim_memory_t **memory)
{
    const prim_dim_t nelems = (prim_dim_t)bytes;
    prim_memory_desc_t md;
    prim_engine_t *engine = NULL;
    prim_status_t status = prim_memory_desc_init_by_strides(&md, 1, &nelems, PRIM_U8, NULL);
    if (status == PRIM_SUCCESS) status = ep_space_get_engine(space, &engine);
    return status == PRIM_SUCCESS ? prim_memory_create(memory, &md, engine, PRIM_MEMORY_ALLOCATE)
                                  : status;
}

static void *fail_to_allocate(ep_space_t *space, size_t bytes, const char *why)
{
    pthread_mutex_lock(&space->lock);
    snprintf(space->failure, sizeof space->failure, "no memory for a tensor of %zu bytes: %s",
            bytes, why);
    pthread_mutex_unlock(&space->lock);
    return NULL;
}

void *ep_space_allocate(ep_space_t *space, size_t bytes)
{
    range_t range = {NULL, bytes, NULL};
    if (bytes == 0) return NULL;
    if (make_buffer(space, bytes, &range.memory) != PRIM_SUCCESS)
        return fail_to_allocate(space, bytes, prim_last_error());
    void *const address =
            mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    range.address = address;
    if (address != MAP_FAILED && add_range(space, range)) return address;
    if (address != MAP_FAILED) munmap(address, bytes);
    prim_memory_destroy(range.memory);
    return fail_to_allocate(space, bytes, "no addresses are left");
}

void ep_space_free(ep_space_t *space, void *address)
{
    pthread_mutex_lock(&space->lock);
    range_t *const at = address ? find_range(space, address) : NULL;
    const range_t range = at ? *at : (range_t){NULL, 0, NULL};
    if (at) memmove(at, at + 1, (size_t)(space->ranges + space->n - at - 1) * sizeof *at);
    if (at) space->n--;
    pthread_mutex_unlock(&space->lock);
    if (!at) return;
    munmap(range.address, range.bytes);
    prim_memory_destroy(range.memory);
}

static prim_status_t find(ep_space_t *space, const void *address, range_t *found)
{
    char why[sizeof space->failure] = "a tensor is in no buffer of the session's device";
    pthread_mutex_lock(&space->lock);
    const range_t *const range = find_range(space, address);
    if (range) *found = *range;
    if (!address && space->failure[0]) memcpy(why, space->failure, sizeof why);
    pthread_mutex_unlock(&space->lock);
    return range ? PRIM_SUCCESS : prim_report_failure(PRIM_INVALID_ARGUMENTS, why);
}

prim_status_t ep_space_find(ep_space_t *space, const void *address, void **handle, size_t *offset)
{
    range_t range;
    const prim_status_t status = find(space, address, &range);
    if (status != PRIM_SUCCESS) return status;
    *offset = (size_t)((const char *)address - range.address);
    return prim_memory_get_data_handle(range.memory, handle);
}

/// Between two buffers, by way of the host: they may belong to different devices.
static prim_status_t copy_over(
        const range_t *to, size_t to_offset, const range_t *from, size_t from_offset, size_t bytes)
{
    void *const room = malloc(bytes);
    if (!room) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for a copy");
    prim_status_t status = prim_memory_read(from->memory, room, bytes, from_offset);
    if (status == PRIM_SUCCESS) status = prim_memory_write(to->memory, room, bytes, to_offset);
    free(room);
    return status;
}

prim_status_t ep_space_copy(
        ep_space_t *to, void *dst, ep_space_t *from, const void *src, size_t bytes)
{
    range_t target = {NULL, 0, NULL}, source = {NULL, 0, NULL};
    if (bytes == 0) return PRIM_SUCCESS;
    prim_status_t status = to ? find(to, dst, &target) : PRIM_SUCCESS;
    if (status == PRIM_SUCCESS && from) status = find(from, src, &source);
    if (status != PRIM_SUCCESS) return status;
    const size_t to_offset = to ? (size_t)((char *)dst - target.address) : 0;
    const size_t from_offset = from ? (size_t)((const char *)src - source.address) : 0;
    if (to && from) return copy_over(&target, to_offset, &source, from_offset, bytes);
    if (to) return prim_memory_write(target.memory, src, bytes, to_offset);
    return prim_memory_read(source.memory, dst, bytes, from_offset);
}
