// SPDX-License-Identifier: Apache-2.0
// The primitive cache: a hash table with a doubly linked list in order of use. Every operation is
// O(1); the lock is never held while a primitive is made or destroyed. Here are also the public
// functions that go through it: creating a primitive, and destroying an engine.
#include "primitive_cache.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "desc_key.h"
#include "environment.h"
#include "log.h"
#include "verbose.h"

typedef enum { CREATING, READY, FAILED } entry_state_t;

typedef struct entry {
    struct entry *chain;         ///< next in the bucket
    struct entry *newer, *older; ///< in order of use, once ready
    const prim_desc_t *key;      ///< the creator's descriptor while creating, the primitive's after
    prim_t *primitive;           ///< owns one reference once ready
    entry_state_t state;
    prim_status_t status; ///< of a failed creation, with its sentence for those who waited
    char *sentence;
    bool is_listed; ///< in the list
    int nrefs;      ///< the table's, the creator's, and one for each thread that waits
} entry_t;

enum { DEFAULT_CAPACITY = 1024, FIRST_NBUCKETS = 64 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t settled; ///< some creation ended
    bool is_initialized;
    int capacity;
    size_t nentries; ///< in the table, those being created included
    int nready;      ///< in the list
    size_t nbuckets; ///< a power of two, or 0
    entry_t **buckets;
    entry_t *newest, *oldest;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER, .settled = PTHREAD_COND_INITIALIZER};

static void lock_cache(void)
{
    (void)pthread_mutex_lock(&cache.lock);
    if (cache.is_initialized) return;
    cache.is_initialized = true;
    cache.capacity = DEFAULT_CAPACITY;
    (void)prim__env_int(&cache.capacity, ENV_PRIMITIVE_CACHE_CAPACITY, INT_MAX);
}

static void unlock_cache(void)
{
    (void)pthread_mutex_unlock(&cache.lock);
    prim__log_environment();
}

static entry_t **bucket_of(const prim_desc_t *key)
{
    return &cache.buckets[key->hash & (cache.nbuckets - 1)];
}

static entry_t *find(const prim_desc_t *key)
{
    if (cache.nbuckets == 0) return NULL;
    entry_t *entry = *bucket_of(key);
    while (entry && !prim__desc_equal(entry->key, key)) entry = entry->chain;
    return entry;
}

static void unlink_use(entry_t *entry)
{
    *(entry->newer ? &entry->newer->older : &cache.newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache.oldest) = entry->newer;
    entry->newer = entry->older = NULL;
    entry->is_listed = false;
    --cache.nready;
}

static void link_newest(entry_t *entry)
{
    entry->newer = NULL;
    entry->older = cache.newest;
    *(cache.newest ? &cache.newest->newer : &cache.oldest) = entry;
    cache.newest = entry;
    entry->is_listed = true;
    ++cache.nready;
}

static void table_remove(entry_t *entry)
{
    entry_t **place = bucket_of(entry->key);
    while (*place != entry) place = &(*place)->chain;
    *place = entry->chain;
    entry->chain = NULL;
    if (--cache.nentries > 0) return;
    prim__free(cache.buckets);
    cache.buckets = NULL;
    cache.nbuckets = 0;
}

/// Makes room for one more; false when there is no memory for the first table.
static bool table_grow(void)
{
    if (cache.nentries < cache.nbuckets) return true;
    const size_t nbuckets = cache.nbuckets ? cache.nbuckets * 2 : FIRST_NBUCKETS;
    entry_t **const buckets = prim__calloc(nbuckets * sizeof(entry_t *));
    if (!buckets) return cache.nbuckets != 0; // full chains are slow, not wrong
    for (size_t b = 0; b < cache.nbuckets; ++b)
        for (entry_t *entry = cache.buckets[b], *next; entry; entry = next) {
            next = entry->chain;
            entry_t **const place = &buckets[entry->key->hash & (nbuckets - 1)];
            entry->chain = *place;
            *place = entry;
        }
    prim__free(cache.buckets);
    cache.buckets = buckets;
    cache.nbuckets = nbuckets;
    return true;
}

static void table_add(entry_t *entry)
{
    entry_t **const place = bucket_of(entry->key);
    entry->chain = *place;
    *place = entry;
    ++cache.nentries;
}

/// Gives one reference back, the lock held; the entry, if it was the last and is to be freed.
static entry_t *drop(entry_t *entry)
{
    return --entry->nrefs == 0 ? entry : NULL;
}

static void free_entry(entry_t *entry)
{
    if (!entry) return;
    prim_destroy(entry->primitive);
    prim__free(entry->sentence);
    prim__free(entry);
}

/// Unlocks, and then releases what is beyond the capacity.
static void unlock_and_trim(void)
{
    while (cache.nready > cache.capacity) {
        entry_t *const oldest = cache.oldest;
        table_remove(oldest);
        unlink_use(oldest);
        entry_t *const gone = drop(oldest);
        unlock_cache();
        free_entry(gone);
        lock_cache();
    }
    unlock_cache();
}

static prim_t *share(const entry_t *entry)
{
    atomic_fetch_add_explicit(&entry->primitive->nrefs, 1, memory_order_relaxed);
    return entry->primitive;
}

/// Called with the lock held, returns without it.
static prim_status_t take_existing(prim_t **out, entry_t *entry)
{
    ++entry->nrefs;
    while (entry->state == CREATING) (void)pthread_cond_wait(&cache.settled, &cache.lock);
    const prim_status_t st = entry->status;
    if (entry->state == READY) {
        *out = share(entry);
        if (entry->is_listed) {
            unlink_use(entry);
            link_newest(entry);
        }
    } else {
        (void)prim__fail(st, "%s", entry->sentence ? entry->sentence : "creation failed");
    }
    entry_t *const gone = drop(entry);
    unlock_cache();
    free_entry(gone);
    return st;
}

/// Creates the primitive of `entry` and wakes the threads that wait for it.
static prim_status_t create_new(prim_t **out, entry_t *entry, const prim_desc_t *pd)
{
    prim_t *primitive = NULL;
    const prim_status_t st = prim__primitive_create(&primitive, pd);
    char *const sentence = st == PRIM_SUCCESS ? NULL : prim__strdup(prim_last_error());

    lock_cache();
    entry->status = st;
    if (st == PRIM_SUCCESS) {
        entry->state = READY;
        entry->primitive = primitive;
        entry->key = primitive->pd;
        *out = share(entry);
        link_newest(entry);
    } else {
        entry->state = FAILED;
        entry->sentence = sentence;
        table_remove(entry);
        --entry->nrefs;
    }
    entry_t *const gone = drop(entry);
    (void)pthread_cond_broadcast(&cache.settled);
    unlock_and_trim();
    free_entry(gone);
    return st;
}

prim_status_t prim__cache_get(prim_t **out, const prim_desc_t *pd, bool *was_hit)
{
    *was_hit = false;
    lock_cache();
    if (cache.capacity == 0) {
        unlock_cache();
        return prim__primitive_create(out, pd);
    }
    entry_t *const found = find(pd);
    if (found) {
        *was_hit = true;
        return take_existing(out, found);
    }
    entry_t *const entry = prim__calloc(sizeof *entry);
    if (!entry || !table_grow()) {
        unlock_cache();
        prim__free(entry);
        return prim__fail_memory(sizeof *entry);
    }
    entry->key = pd;
    entry->nrefs = 2;
    table_add(entry);
    unlock_cache();
    return create_new(out, entry, pd);
}

static void log_create(const prim_desc_t *pd, bool was_hit, double ms)
{
    char text[2048];
    prim__verbose_describe(pd, text, sizeof text);
    prim__log(LOG_PROFILE_CREATE, prim_primitive_kind_name(pd->op.kind),
            "primitive,create:%s,%s,%g", was_hit ? "cache_hit" : "cache_miss", text, ms);
}

prim_status_t prim_create(prim_t **primitive, const prim_desc_t *pd)
{
    CHECK_NOT_NULL(primitive);
    CHECK_NOT_NULL(pd);
    bool was_hit = false;
    if (!prim__log_is_on(LOG_PROFILE_CREATE)) return prim__cache_get(primitive, pd, &was_hit);
    const double start_ms = prim__now_ms();
    TRY(prim__cache_get(primitive, pd, &was_hit));
    log_create(pd, was_hit, prim__now_ms() - start_ms);
    return PRIM_SUCCESS;
}

/// The most recently used entry that belongs to the engine, or NULL.
static entry_t *newest_of(const prim_engine_t *engine)
{
    entry_t *entry = cache.newest;
    while (entry && entry->key->engine != engine && entry->key->peer != engine)
        entry = entry->older;
    return entry;
}

/// Lets every primitive of the engine go (those in use live on with their users).
static void forget(const prim_engine_t *engine)
{
    lock_cache();
    for (entry_t *entry; (entry = newest_of(engine)) != NULL;) {
        table_remove(entry);
        unlink_use(entry);
        entry_t *const gone = drop(entry);
        unlock_cache();
        free_entry(gone);
        lock_cache();
    }
    unlock_cache();
}

void prim_engine_destroy(prim_engine_t *engine)
{
    if (!engine) return;
    // Cached primitives would keep a device's context alive that nobody uses. The CPU's is shared.
    const bool was_last = atomic_fetch_sub(&engine->nhandles, 1) == 1;
    if (was_last && engine->ops->kind != PRIM_CPU) forget(engine);
    prim__engine_release(engine);
}

int prim__cache_get_capacity(void)
{
    lock_cache();
    const int capacity = cache.capacity;
    unlock_cache();
    return capacity;
}

prim_status_t prim__cache_set_capacity(int capacity)
{
    CHECK(capacity >= 0, "primitive cache capacity %d is negative", capacity);
    lock_cache();
    cache.capacity = capacity;
    unlock_and_trim();
    return PRIM_SUCCESS;
}

prim_status_t prim_get_primitive_cache_capacity(int *capacity)
{
    CHECK_NOT_NULL(capacity);
    *capacity = prim__cache_get_capacity();
    return PRIM_SUCCESS;
}

prim_status_t prim_set_primitive_cache_capacity(int capacity)
{
    return prim__cache_set_capacity(capacity);
}
