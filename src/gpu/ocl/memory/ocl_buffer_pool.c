// SPDX-License-Identifier: Apache-2.0
// Best fit among idle buffers, which are listed oldest first; buffers in use in a hash table by
// handle.
#include "ocl_buffer_pool.h"

#include <assert.h>
#include <pthread.h>

#include "common/alloc.h"
#include "common/environment.h"
#include "common/log.h"
#include "gpu/ocl/device/ocl_status.h"
#include "ocl_allocator.h"

typedef struct block {
    struct block *next; ///< in its bucket, or the one that came back after it
    cl_mem buffer;      ///< owned
    size_t bytes, requested_bytes;
    uint64_t returned; ///< the moment it came back
    bool is_shared;
} block_t;

enum {
    NBUCKETS = 256,
    MIN_SLACK_BYTES = 4 << 10,   ///< what a reused buffer may always have too much
    KEEP_ANYWAY_BYTES = 32 << 20 ///< what may be held whatever the peak was
};

struct ocl_buffer_pool {
    pthread_mutex_t lock; ///< guards what follows the device
    cl_context context;
    const ocl_device_t *device;
    ocl_allocator_t allocator; ///< its lock is taken after the pool's, if both are

    block_t *in_use[NBUCKETS];
    block_t *oldest, **end; ///< idle ones; `end` is where the next is linked
    ocl_queue_watch_t watch;
    prim_memory_stats_t stats;
};

prim_status_t prim__ocl_buffer_pool_create(
        ocl_buffer_pool_t **pool, cl_context context, const ocl_device_t *device)
{
    ocl_buffer_pool_t *const p = prim__calloc(sizeof *p);
    if (!p) return prim__fail_memory(sizeof *p);
    const prim_status_t st = prim__ocl_allocator_init(&p->allocator);
    if (st != PRIM_SUCCESS) {
        prim__free(p);
        return st;
    }
    if (pthread_mutex_init(&p->lock, NULL) != 0) {
        prim__ocl_allocator_fini(&p->allocator);
        prim__free(p);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    p->context = context;
    p->device = device;
    p->end = &p->oldest;
    (void)prim__env_bytes(&p->stats.limit_bytes, ENV_MEMORY_MAX_BYTES);
    prim__log_environment();
    *pool = p;
    return PRIM_SUCCESS;
}

static block_t **bucket_of(ocl_buffer_pool_t *pool, cl_mem buffer)
{
    // The low bits of a pointer to an object are zero, the next ones differ.
    const uintptr_t bits = (uintptr_t)buffer;
    return &pool->in_use[(bits >> 4 ^ bits >> 12) % NBUCKETS];
}

static block_t **find_in_use(ocl_buffer_pool_t *pool, cl_mem buffer)
{
    block_t **place = bucket_of(pool, buffer);
    while (*place && (*place)->buffer != buffer) place = &(*place)->next;
    return place;
}

static void block_destroy(ocl_buffer_pool_t *pool, block_t *block)
{
    prim__ocl_allocator_release(&pool->allocator, block->buffer);
    prim__free(block);
}

static block_t *unlink_idle(ocl_buffer_pool_t *pool, block_t **place)
{
    block_t *const block = *place;
    *place = block->next;
    if (!*place) pool->end = place;
    --pool->stats.nidle_buffers;
    return block;
}

static void link_idle(ocl_buffer_pool_t *pool, block_t *block)
{
    block->next = NULL;
    *pool->end = block;
    pool->end = &block->next;
    ++pool->stats.nidle_buffers;
}

static void destroy_oldest(ocl_buffer_pool_t *pool)
{
    block_t *const block = unlink_idle(pool, &pool->oldest);
    pool->stats.reserved_bytes -= block->bytes;
    block_destroy(pool, block);
}

static void destroy_idle(ocl_buffer_pool_t *pool)
{
    while (pool->oldest) destroy_oldest(pool);
}

void prim__ocl_buffer_pool_destroy(ocl_buffer_pool_t *pool)
{
    if (!pool) return;
    assert(pool->stats.in_use_bytes == 0);
    destroy_idle(pool);
    pthread_mutex_destroy(&pool->lock);
    prim__ocl_allocator_fini(&pool->allocator);
    prim__free(pool);
}

static size_t slack_bytes(size_t bytes)
{
    return bytes / 8 > MIN_SLACK_BYTES ? bytes / 8 : MIN_SLACK_BYTES;
}

// The place of the smallest idle buffer that fits, the latest of equal ones; NULL when there is
// none. Those that came back after `returned_by` may still be in use and do not count.
static block_t **best_fit(ocl_buffer_pool_t *pool, size_t bytes, uint64_t returned_by)
{
    block_t **best = NULL;
    for (block_t **place = &pool->oldest; *place; place = &(*place)->next) {
        const block_t *const block = *place;
        const bool fits = block->bytes >= bytes && block->bytes - bytes <= slack_bytes(bytes);
        if (!fits || block->returned > returned_by) continue;
        if (!best || block->bytes <= (*best)->bytes) best = place;
    }
    return best;
}

// An idle buffer that the device is done with, or NULL.
static block_t *take_idle(ocl_buffer_pool_t *pool, size_t bytes)
{
    block_t **place = best_fit(pool, bytes, prim__ocl_queue_watch_passed(&pool->watch));
    if (!place) {
        block_t *const *const wanted = best_fit(pool, bytes, UINT64_MAX);
        if (!wanted) return NULL;
        prim__ocl_queue_watch_poll(&pool->watch, (*wanted)->returned);
        place = best_fit(pool, bytes, prim__ocl_queue_watch_passed(&pool->watch));
    }
    return place ? unlink_idle(pool, place) : NULL;
}

static void raise_peaks(prim_memory_stats_t *stats)
{
    if (stats->peak_in_use_bytes < stats->in_use_bytes)
        stats->peak_in_use_bytes = stats->in_use_bytes;
    if (stats->peak_reserved_bytes < stats->reserved_bytes)
        stats->peak_reserved_bytes = stats->reserved_bytes;
}

// Books `bytes` of the device that are about to be allocated, at the cost of idle buffers; false
// when the limit forbids it. The peaks do not know yet: the allocation may fail.
static bool make_room(ocl_buffer_pool_t *pool, size_t bytes)
{
    prim_memory_stats_t *const stats = &pool->stats;
    const uint64_t limit = stats->limit_bytes ? stats->limit_bytes : UINT64_MAX;
    if (bytes > limit || stats->in_use_bytes > limit - bytes) return false;
    stats->in_use_bytes += bytes;
    stats->requested_bytes += bytes;
    uint64_t bound = KEEP_ANYWAY_BYTES;
    if (bound < stats->peak_in_use_bytes) bound = stats->peak_in_use_bytes;
    if (bound < stats->in_use_bytes) bound = stats->in_use_bytes;
    if (bound > limit) bound = limit;
    while (pool->oldest && stats->reserved_bytes + bytes > bound) destroy_oldest(pool);
    stats->reserved_bytes += bytes;
    return true;
}

static void unmake_room(ocl_buffer_pool_t *pool, size_t bytes)
{
    pool->stats.in_use_bytes -= bytes;
    pool->stats.requested_bytes -= bytes;
    pool->stats.reserved_bytes -= bytes;
}

// Without the lock: what logs may call back.
static prim_status_t fail_limit(ocl_buffer_pool_t *pool, size_t bytes)
{
    prim_memory_stats_t stats;
    prim__ocl_buffer_pool_get_stats(pool, &stats);
    return prim__fail(PRIM_OUT_OF_MEMORY,
            "%zu bytes beside the %llu in use exceed the engine's memory limit of %llu bytes",
            bytes, (unsigned long long)stats.in_use_bytes, (unsigned long long)stats.limit_bytes);
}

// What a device cannot hold, said before a driver that allocates at first use accepts it.
static prim_status_t check_size(const ocl_buffer_pool_t *pool, size_t bytes)
{
    const ocl_device_t *const device = pool->device;
    if (bytes <= device->max_allocation_bytes && bytes <= device->global_bytes) return PRIM_SUCCESS;
    return prim__fail(PRIM_OUT_OF_MEMORY,
            "%zu bytes are more than the device allocates at once: %llu of its %llu bytes", bytes,
            (unsigned long long)device->max_allocation_bytes,
            (unsigned long long)device->global_bytes);
}

static bool release_idle(ocl_buffer_pool_t *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool has_some = pool->oldest != NULL;
    destroy_idle(pool);
    pthread_mutex_unlock(&pool->lock);
    return has_some;
}

static bool is_short_of_memory(cl_int code)
{
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY;
}

// Once more without idle buffers, where these may be what is in the way.
static prim_status_t create_buffer(cl_mem *buffer, ocl_buffer_pool_t *pool, size_t bytes)
{
    ocl_allocator_t *const allocator = &pool->allocator;
    const cl_device_id device = pool->device->id;
    cl_int code = CL_SUCCESS;
    cl_mem made = prim__ocl_allocator_allocate(allocator, pool->context, device, bytes, &code);
    if (is_short_of_memory(code) && release_idle(pool))
        made = prim__ocl_allocator_allocate(allocator, pool->context, device, bytes, &code);
    if (code != CL_SUCCESS) return prim__ocl_allocator_fail(allocator, code, bytes);
    *buffer = made;
    return PRIM_SUCCESS;
}

static prim_status_t create_block(block_t **out, ocl_buffer_pool_t *pool, size_t bytes)
{
    block_t *const block = prim__calloc(sizeof *block);
    if (!block) return prim__fail_memory(sizeof *block);
    const prim_status_t st = create_buffer(&block->buffer, pool, bytes);
    if (st != PRIM_SUCCESS) {
        prim__free(block);
        return st;
    }
    block->bytes = block->requested_bytes = bytes;
    *out = block;
    return PRIM_SUCCESS;
}

// Its bytes are counted already.
static cl_mem give_out(ocl_buffer_pool_t *pool, block_t *block)
{
    block_t **const bucket = bucket_of(pool, block->buffer);
    block->next = *bucket;
    *bucket = block;
    ++pool->stats.nbuffers;
    raise_peaks(&pool->stats);
    return block->buffer;
}

static cl_mem give_out_again(ocl_buffer_pool_t *pool, block_t *block, size_t bytes)
{
    block->requested_bytes = bytes;
    pool->stats.in_use_bytes += block->bytes;
    pool->stats.requested_bytes += bytes;
    ++pool->stats.nreused;
    return give_out(pool, block);
}

prim_status_t prim__ocl_buffer_pool_acquire(cl_mem *buffer, ocl_buffer_pool_t *pool, size_t bytes)
{
    assert(bytes > 0);
    TRY(check_size(pool, bytes));
    pthread_mutex_lock(&pool->lock);
    block_t *block = take_idle(pool, bytes);
    if (block) *buffer = give_out_again(pool, block, bytes);
    const bool has_room = block || make_room(pool, bytes);
    pthread_mutex_unlock(&pool->lock);
    if (block) return PRIM_SUCCESS;
    if (!has_room) return fail_limit(pool, bytes);

    const prim_status_t st = create_block(&block, pool, bytes); // may take the driver long
    pthread_mutex_lock(&pool->lock);
    if (st == PRIM_SUCCESS) {
        ++pool->stats.ncreated;
        *buffer = give_out(pool, block);
    } else {
        unmake_room(pool, bytes);
    }
    pthread_mutex_unlock(&pool->lock);
    return st;
}

void prim__ocl_buffer_pool_release(ocl_buffer_pool_t *pool, cl_mem buffer)
{
    if (!buffer) return;
    pthread_mutex_lock(&pool->lock);
    block_t **const place = find_in_use(pool, buffer);
    block_t *const block = *place;
    assert(block);
    *place = block->next;
    --pool->stats.nbuffers;
    pool->stats.in_use_bytes -= block->bytes;
    pool->stats.requested_bytes -= block->requested_bytes;
    if (block->is_shared) {
        pool->stats.reserved_bytes -= block->bytes;
        block_destroy(pool, block);
    } else {
        block->returned = prim__ocl_queue_watch_tick(&pool->watch);
        link_idle(pool, block);
    }
    pthread_mutex_unlock(&pool->lock);
}

void prim__ocl_buffer_pool_share(ocl_buffer_pool_t *pool, cl_mem buffer)
{
    pthread_mutex_lock(&pool->lock);
    block_t *const block = *find_in_use(pool, buffer);
    if (block) block->is_shared = true;
    pthread_mutex_unlock(&pool->lock);
}

prim_status_t prim__ocl_buffer_pool_book(ocl_buffer_pool_t *pool, size_t bytes)
{
    TRY(check_size(pool, bytes));
    pthread_mutex_lock(&pool->lock);
    const bool has_room = make_room(pool, bytes);
    if (has_room) raise_peaks(&pool->stats);
    pthread_mutex_unlock(&pool->lock);
    return has_room ? PRIM_SUCCESS : fail_limit(pool, bytes);
}

void prim__ocl_buffer_pool_unbook(ocl_buffer_pool_t *pool, size_t bytes)
{
    pthread_mutex_lock(&pool->lock);
    unmake_room(pool, bytes);
    pthread_mutex_unlock(&pool->lock);
}

void prim__ocl_buffer_pool_trim(ocl_buffer_pool_t *pool)
{
    pthread_mutex_lock(&pool->lock);
    destroy_idle(pool);
    pool->stats.peak_in_use_bytes = pool->stats.in_use_bytes;
    pool->stats.peak_reserved_bytes = pool->stats.reserved_bytes;
    pthread_mutex_unlock(&pool->lock);
}

void prim__ocl_buffer_pool_set_limit(ocl_buffer_pool_t *pool, uint64_t max_bytes)
{
    pthread_mutex_lock(&pool->lock);
    pool->stats.limit_bytes = max_bytes;
    while (max_bytes && pool->oldest && pool->stats.reserved_bytes > max_bytes) {
        destroy_oldest(pool);
    }
    pthread_mutex_unlock(&pool->lock);
}

prim_status_t prim__ocl_buffer_pool_set_allocator(
        ocl_buffer_pool_t *pool, const prim_ocl_allocator_t *hook)
{
    static const prim_ocl_allocator_t the_driver = {0};
    pthread_mutex_lock(&pool->lock);
    destroy_idle(pool);
    const uint64_t in_use_bytes = pool->stats.in_use_bytes;
    const bool is_empty = in_use_bytes == 0;
    if (is_empty) pool->allocator.hook = hook ? *hook : the_driver;
    pthread_mutex_unlock(&pool->lock);
    CHECK(is_empty, "the library uses %llu bytes of the engine's memory: set the allocator before",
            (unsigned long long)in_use_bytes);
    return PRIM_SUCCESS;
}

void prim__ocl_buffer_pool_get_stats(ocl_buffer_pool_t *pool, prim_memory_stats_t *stats)
{
    pthread_mutex_lock(&pool->lock);
    *stats = pool->stats;
    pthread_mutex_unlock(&pool->lock);
}

void prim__ocl_buffer_pool_add_queue(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, cl_command_queue queue)
{
    pthread_mutex_lock(&pool->lock);
    prim__ocl_queue_watch_add(&pool->watch, watched, queue);
    pthread_mutex_unlock(&pool->lock);
}

// Leaves every buffer of now to OpenCL's reference count.
static void give_up_all(ocl_buffer_pool_t *pool)
{
    destroy_idle(pool);
    for (int i = 0; i < NBUCKETS; ++i) {
        for (block_t *block = pool->in_use[i]; block; block = block->next) block->is_shared = true;
    }
}

void prim__ocl_buffer_pool_remove_queue(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, bool is_finished)
{
    pthread_mutex_lock(&pool->lock);
    prim__ocl_queue_watch_remove(&pool->watch, watched);
    if (!is_finished) give_up_all(pool);
    pthread_mutex_unlock(&pool->lock);
}

uint64_t prim__ocl_buffer_pool_now(ocl_buffer_pool_t *pool)
{
    pthread_mutex_lock(&pool->lock);
    const uint64_t now = pool->watch.now;
    pthread_mutex_unlock(&pool->lock);
    return now;
}

void prim__ocl_buffer_pool_queue_passed(
        ocl_buffer_pool_t *pool, ocl_watched_queue_t *watched, uint64_t moment)
{
    pthread_mutex_lock(&pool->lock);
    prim__ocl_queue_watch_note(watched, moment);
    pthread_mutex_unlock(&pool->lock);
}
