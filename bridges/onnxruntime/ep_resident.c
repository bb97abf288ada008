// SPDX-License-Identifier: Apache-2.0
// Buffers of the device that groups hand to each other.
#include "ep_resident.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// Buffers that nobody uses and that are kept for the next runs.
enum { MAX_FREE = 32 };

typedef struct {
    char *name;
    int nreaders; ///< groups that were claimed and read it
    bool is_read_by_host;
    int makers, readers; ///< groups that were compiled
} resident_t;

struct ep_buffer {
    prim_memory_t *memory;
    size_t bytes;
    const void *place; ///< of the runtime's tensor; NULL: not published
    int index;         ///< of the value
    int readers_left;
    ep_buffer_t *next;
};

struct ep_residents {
    prim_engine_t *engine;
    int n;
    resident_t *values;
    pthread_mutex_t lock; ///< of what follows
    ep_buffer_t *published, *free;
    int nfree, nruns;
};

ep_residents_t *ep_residents_create(prim_engine_t *engine)
{
    ep_residents_t *const r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->engine = engine;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void free_buffer(ep_buffer_t *buffer)
{
    prim_memory_destroy(buffer->memory);
    free(buffer);
}

static void free_list(ep_buffer_t *buffer)
{
    while (buffer) {
        ep_buffer_t *const next = buffer->next;
        free_buffer(buffer);
        buffer = next;
    }
}

void ep_residents_destroy(ep_residents_t *r)
{
    if (!r) return;
    free_list(r->published);
    free_list(r->free);
    for (int i = 0; i < r->n; ++i) free(r->values[i].name);
    free(r->values);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

bool ep_residents_add(ep_residents_t *r, const char *name, int nreaders, bool is_read_by_host)
{
    resident_t *const values = realloc(r->values, (size_t)(r->n + 1) * sizeof *values);
    if (!values) return false;
    r->values = values;
    const size_t bytes = strlen(name) + 1;
    char *const copy = malloc(bytes);
    if (!copy) return false;
    memcpy(copy, name, bytes);
    values[r->n++] = (resident_t){copy, nreaders, is_read_by_host, 0, 0};
    return true;
}

int ep_residents_find(const ep_residents_t *r, const char *name)
{
    for (int i = 0; r && i < r->n; ++i)
        if (strcmp(r->values[i].name, name) == 0) return i;
    return -1;
}

void ep_residents_count(ep_residents_t *r, int index, bool is_reader)
{
    if (index < 0) return;
    if (is_reader)
        r->values[index].readers++;
    else
        r->values[index].makers++;
}

bool ep_residents_is_kept(const ep_residents_t *r, int index)
{
    if (index < 0) return false;
    const resident_t *const value = &r->values[index];
    return value->makers == 1 && value->readers == value->nreaders;
}

bool ep_residents_is_read_by_host(const ep_residents_t *r, int index)
{
    return r->values[index].is_read_by_host;
}

/// The smallest free buffer of at least `bytes` that is not twice as large; the lock is held.
static ep_buffer_t *find_free(ep_residents_t *r, size_t bytes)
{
    ep_buffer_t **best = NULL;
    for (ep_buffer_t **at = &r->free; *at; at = &(*at)->next)
        if ((*at)->bytes >= bytes && (*at)->bytes / 2 <= bytes &&
                (!best || (*at)->bytes < (*best)->bytes))
            best = at;
    if (!best) return NULL;
    ep_buffer_t *const found = *best;
    *best = found->next;
    r->nfree--;
    return found;
}

prim_status_t ep_residents_make(ep_residents_t *r, size_t bytes, ep_buffer_t **buffer)
{
    const prim_dim_t nelems = bytes ? (prim_dim_t)bytes : 1;
    pthread_mutex_lock(&r->lock);
    *buffer = find_free(r, (size_t)nelems);
    pthread_mutex_unlock(&r->lock);
    if (*buffer) return PRIM_SUCCESS;
    ep_buffer_t *const made = calloc(1, sizeof *made);
    if (!made) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for a buffer");
    made->bytes = (size_t)nelems;
    prim_memory_desc_t md;
    prim_status_t status = prim_memory_desc_init_by_strides(&md, 1, &nelems, PRIM_U8, NULL);
    if (status == PRIM_SUCCESS)
        status = prim_memory_create(&made->memory, &md, r->engine, PRIM_MEMORY_ALLOCATE);
    if (status != PRIM_SUCCESS) {
        free_buffer(made);
        return status;
    }
    *buffer = made;
    return PRIM_SUCCESS;
}

prim_memory_t *ep_buffer_memory(const ep_buffer_t *buffer)
{
    return buffer->memory;
}

/// Keeps the buffer for another tensor; the lock is held.
static void give_back(ep_residents_t *r, ep_buffer_t *buffer)
{
    if (r->nfree == MAX_FREE) {
        free_buffer(buffer);
        return;
    }
    buffer->place = NULL;
    buffer->next = r->free;
    r->free = buffer;
    r->nfree++;
}

/// Where the published buffer hangs, or NULL; the lock is held.
static ep_buffer_t **find_published(ep_residents_t *r, int index, const void *place)
{
    for (ep_buffer_t **at = &r->published; *at; at = &(*at)->next)
        if ((*at)->index == index && (*at)->place == place) return at;
    return NULL;
}

void ep_residents_publish(ep_residents_t *r, int index, const void *place, ep_buffer_t *buffer)
{
    pthread_mutex_lock(&r->lock);
    ep_buffer_t **const stale = find_published(r, index, place); // of a run that failed
    if (stale) {
        ep_buffer_t *const left = *stale;
        *stale = left->next;
        give_back(r, left);
    }
    buffer->place = place;
    buffer->index = index;
    buffer->readers_left = r->values[index].nreaders;
    buffer->next = r->published;
    r->published = buffer;
    pthread_mutex_unlock(&r->lock);
}

ep_buffer_t *ep_residents_take(ep_residents_t *r, int index, const void *place)
{
    pthread_mutex_lock(&r->lock);
    ep_buffer_t **const at = find_published(r, index, place);
    ep_buffer_t *const found = at ? *at : NULL;
    pthread_mutex_unlock(&r->lock);
    return found;
}

void ep_residents_release(ep_residents_t *r, ep_buffer_t *buffer)
{
    pthread_mutex_lock(&r->lock);
    if (!buffer->place) {
        give_back(r, buffer);
    } else if (--buffer->readers_left == 0) {
        *find_published(r, buffer->index, buffer->place) = buffer->next;
        give_back(r, buffer);
    }
    pthread_mutex_unlock(&r->lock);
}

void ep_residents_begin_run(ep_residents_t *r)
{
    pthread_mutex_lock(&r->lock);
    r->nruns++;
    pthread_mutex_unlock(&r->lock);
}

void ep_residents_end_run(ep_residents_t *r)
{
    pthread_mutex_lock(&r->lock);
    if (r->nruns) r->nruns--;
    while (r->nruns == 0 && r->published) {
        ep_buffer_t *const left = r->published;
        r->published = left->next;
        give_back(r, left);
    }
    pthread_mutex_unlock(&r->lock);
}
