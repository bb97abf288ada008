// SPDX-License-Identifier: Apache-2.0
// Primitives by everything that a call says about its problem. The least recently used one is
// dropped beyond the capacity; calls that use it still hold it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

typedef struct {
    size_t nbytes, capacity;
    unsigned char *bytes;
} key_t;

struct ffi_entry {
    atomic_int nreferences;
    uint64_t hash;
    key_t key;
    prim_t *primitive;
    ffi_entry_t *next_in_bucket, *newer, *older;
};

enum { NBUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ffi_entry_t *buckets[NBUCKETS];
static ffi_entry_t *newest, *oldest;
static ffi_cache_info_t info = {.capacity = 1024};

const prim_t *ffi_entry_primitive(const ffi_entry_t *entry)
{
    return entry->primitive;
}

void ffi_entry_release(ffi_entry_t *entry)
{
    if (!entry || atomic_fetch_sub(&entry->nreferences, 1) != 1) return;
    prim_destroy(entry->primitive);
    free(entry->key.bytes);
    free(entry);
}

static bool add(key_t *key, const void *bytes, size_t nbytes)
{
    if (key->nbytes + nbytes > key->capacity) {
        const size_t capacity = 2 * (key->nbytes + nbytes) + 1024;
        unsigned char *grown = realloc(key->bytes, capacity);
        if (!grown) return false;
        key->bytes = grown;
        key->capacity = capacity;
    }
    memcpy(key->bytes + key->nbytes, bytes, nbytes);
    key->nbytes += nbytes;
    return true;
}

/// Of plain layouts type, dimensions and strides say everything; of packed weights the whole
/// descriptor does.
static bool add_tensor(key_t *key, const ffi_bound_t *bound)
{
    const prim_memory_desc_t *md = &bound->md;
    const int64_t head[] = {bound->arg, md->data_type, md->ndims};
    return add(key, head, sizeof head) &&
           add(key, md->dims, (size_t)md->ndims * sizeof md->dims[0]) &&
           add(key, md->strides, (size_t)md->ndims * sizeof md->strides[0]) &&
           (md->inner_nblks == 0 || add(key, md, sizeof *md));
}

static prim_status_t make_key(key_t *key, const ffi_call_t *call)
{
    const void *const who[] = {call->op, call->engine};
    bool fits = add(key, who, sizeof who) && add(key, &call->params, sizeof call->params);
    for (int i = 0; fits && i < call->ntensors; ++i) fits = add_tensor(key, &call->tensors[i]);
    fits = fits && add(key, call->post_ops, (size_t)call->npost_ops * sizeof call->post_ops[0]);
    // Masks and groups follow from the shapes of scales and their tensors.
    return fits ? PRIM_SUCCESS
                : prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for the key of a call");
}

/// FNV-1a (Fowler, Noll, Vo), eight bytes at a time.
static uint64_t hash_of(const key_t *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < key->nbytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, key->bytes + i,
                key->nbytes - i < sizeof word ? key->nbytes - i : sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

static void unlink_use(ffi_entry_t *entry)
{
    *(entry->newer ? &entry->newer->older : &newest) = entry->older;
    *(entry->older ? &entry->older->newer : &oldest) = entry->newer;
}

static void link_newest(ffi_entry_t *entry)
{
    entry->newer = NULL;
    entry->older = newest;
    *(newest ? &newest->newer : &oldest) = entry;
    newest = entry;
}

/// The entry of the key with one more reference, now the newest; NULL: there is none.
static ffi_entry_t *find(const key_t *key, uint64_t hash)
{
    ffi_entry_t *entry = buckets[hash % NBUCKETS];
    while (entry && (entry->hash != hash || entry->key.nbytes != key->nbytes ||
                            memcmp(entry->key.bytes, key->bytes, key->nbytes) != 0))
        entry = entry->next_in_bucket;
    if (!entry) return NULL;
    unlink_use(entry);
    link_newest(entry);
    atomic_fetch_add(&entry->nreferences, 1);
    return entry;
}

/// Takes the oldest entries out until `capacity` are left; they are returned as a list by
/// next_in_bucket.
static ffi_entry_t *take_oldest(int64_t capacity)
{
    ffi_entry_t *taken = NULL;
    while (info.size > capacity) {
        ffi_entry_t *entry = oldest, **link = &buckets[entry->hash % NBUCKETS];
        unlink_use(entry);
        while (*link != entry) link = &(*link)->next_in_bucket;
        *link = entry->next_in_bucket;
        entry->next_in_bucket = taken;
        taken = entry;
        info.size--;
    }
    return taken;
}

static void release_list(ffi_entry_t *entry)
{
    while (entry) {
        ffi_entry_t *next = entry->next_in_bucket;
        ffi_entry_release(entry);
        entry = next;
    }
}

prim_status_t ffi_desc_create(prim_desc_t **pd, const ffi_call_t *call)
{
    prim_attr_t *attr = NULL;
    prim_status_t status = ffi_attr_create(&attr, call);
    if (!status) status = call->op->create(pd, call, attr);
    prim_attr_destroy(attr);
    return status;
}

static prim_status_t build(prim_t **primitive, const ffi_call_t *call)
{
    prim_desc_t *pd = NULL;
    prim_status_t status = ffi_desc_create(&pd, call);
    if (!status) status = prim_create(primitive, pd);
    prim_desc_destroy(pd);
    return status;
}

/// Puts a new entry into the table, or takes the one that another thread has put there meanwhile.
static ffi_entry_t *insert(ffi_entry_t *entry)
{
    pthread_mutex_lock(&lock);
    ffi_entry_t *there = find(&entry->key, entry->hash), *taken = NULL;
    if (!there && info.capacity > 0) {
        entry->next_in_bucket = buckets[entry->hash % NBUCKETS];
        buckets[entry->hash % NBUCKETS] = entry;
        link_newest(entry);
        atomic_fetch_add(&entry->nreferences, 1);
        info.size++;
        taken = take_oldest(info.capacity);
    }
    pthread_mutex_unlock(&lock);
    release_list(taken);
    if (there) ffi_entry_release(entry);
    return there ? there : entry;
}

static prim_status_t make_entry(
        ffi_entry_t **entry, const ffi_call_t *call, key_t *key, uint64_t hash)
{
    ffi_entry_t *made = calloc(1, sizeof *made);
    if (!made) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for a cached primitive");
    const prim_status_t status = build(&made->primitive, call);
    if (status) {
        free(made);
        return status;
    }
    atomic_init(&made->nreferences, 1);
    made->hash = hash;
    made->key = *key;
    *key = (key_t){0};
    *entry = insert(made);
    return PRIM_SUCCESS;
}

prim_status_t ffi_entry_acquire(ffi_entry_t **entry, const ffi_call_t *call)
{
    key_t key = {0};
    prim_status_t status = make_key(&key, call);
    if (!status) {
        const uint64_t hash = hash_of(&key);
        pthread_mutex_lock(&lock);
        ffi_entry_t *found = find(&key, hash);
        *(found ? &info.hits : &info.misses) += 1;
        pthread_mutex_unlock(&lock);
        if (found)
            *entry = found;
        else
            status = make_entry(entry, call, &key, hash);
    }
    free(key.bytes);
    return status;
}

void ffi_cache_get_info(ffi_cache_info_t *answer)
{
    pthread_mutex_lock(&lock);
    *answer = info;
    pthread_mutex_unlock(&lock);
}

void ffi_cache_set_capacity(int64_t capacity)
{
    pthread_mutex_lock(&lock);
    info.capacity = capacity < 0 ? 0 : capacity;
    ffi_entry_t *taken = take_oldest(info.capacity);
    pthread_mutex_unlock(&lock);
    release_list(taken);
}
