// SPDX-License-Identifier: Apache-2.0
// An engine's results behind a lock, and when its file is read and written.
#include "ocl_tune_store.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "common/cache_folder.h"
#include "common/log.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_measured.h"
#include "ocl_tune_file.h"
#include "ocl_tune_key.h"
#include "ocl_tune_text.h"

struct ocl_tune_store {
    char device[OCL_TUNE_DEVICE_BYTES];
    pthread_mutex_t run;  ///< held by a tuning run
    pthread_mutex_t lock; ///< of all that follows
    ocl_tune_results_t results;
    bool is_loaded;
    unsigned generation; ///< of the folder that was read last
};

prim_status_t prim__ocl_tune_store_create(struct ocl_tune_store **store, const ocl_device_t *device)
{
    struct ocl_tune_store *const created = prim__calloc(sizeof *created);
    if (!created) return prim__fail_memory(sizeof *created);
    prim__ocl_tune_device(created->device, device);
    if (pthread_mutex_init(&created->lock, NULL) != 0) goto fail;
    if (pthread_mutex_init(&created->run, NULL) != 0) goto fail_lock;
    *store = created;
    return PRIM_SUCCESS;

fail_lock:
    pthread_mutex_destroy(&created->lock);
fail:
    prim__free(created);
    return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
}

void prim__ocl_tune_store_destroy(struct ocl_tune_store *store)
{
    if (!store) return;
    prim__ocl_tune_results_fini(&store->results);
    pthread_mutex_destroy(&store->run);
    pthread_mutex_destroy(&store->lock);
    prim__free(store);
}

/// Locks the results, with the file's among them; without memory those come next time.
static void lock_loaded(struct ocl_tune_store *store)
{
    cache_folder_t folder;
    prim__cache_folder_get_safe(&folder);
    pthread_mutex_lock(&store->lock);
    if (store->is_loaded && store->generation == folder.generation) return;
    store->generation = folder.generation;
    store->is_loaded = folder.path[0] == '\0' ||
                       prim__ocl_tune_file_read(&store->results, &folder, store->device);
}

static void unlock(struct ocl_tune_store *store)
{
    pthread_mutex_unlock(&store->lock);
}

bool prim__ocl_tune_store_is_empty(struct ocl_tune_store *store)
{
    lock_loaded(store);
    const bool is_empty = store->results.n == 0;
    unlock(store);
    return is_empty;
}

bool prim__ocl_tune_store_find(ocl_tune_known_t *known, struct ocl_tune_store *store,
        const char *family, const char *bucket)
{
    lock_loaded(store);
    const ocl_tune_result_t *const found =
            prim__ocl_tune_results_find(&store->results, family, bucket);
    const bool fits = found && strlen(found->params) < sizeof known->params;
    if (fits) {
        known->mode = found->mode;
        memcpy(known->params, found->params, strlen(found->params) + 1);
    }
    unlock(store);
    return fits;
}

prim_status_t prim__ocl_tune_store_measured(
        struct ocl_measured **measured, struct ocl_tune_store *store, const ocl_device_t *device)
{
    lock_loaded(store);
    // An engine's numbers must not depend on its luck.
    const prim_status_t st =
            store->is_loaded ? prim__ocl_measured_create(measured, device, &store->results)
                             : prim__fail(PRIM_OUT_OF_MEMORY, "no memory for the tuning results");
    unlock(store);
    return st;
}

/// Adds results to the file, outside the lock.
static void keep(
        const struct ocl_tune_store *store, const ocl_tune_results_t *results, bool are_final)
{
    cache_folder_t folder;
    prim__cache_folder_get_safe(&folder);
    if (folder.path[0] != '\0' && results->n > 0)
        prim__ocl_tune_file_merge(results, are_final, &folder, store->device);
}

void prim__ocl_tune_store_put(struct ocl_tune_store *store, const ocl_tune_result_t *result)
{
    lock_loaded(store);
    const bool has_memory = prim__ocl_tune_results_put(&store->results, result, true);
    unlock(store);
    ocl_tune_results_t one = {0};
    if (has_memory && prim__ocl_tune_results_put(&one, result, true))
        keep(store, &one, true);
    else
        prim__log(LOG_WARN, NULL, "warn,ocl_tune,%s,no memory for the result", result->family);
    prim__ocl_tune_results_fini(&one);
}

void prim__ocl_tune_store_begin_run(struct ocl_tune_store *store)
{
    pthread_mutex_lock(&store->run);
}

void prim__ocl_tune_store_end_run(struct ocl_tune_store *store)
{
    pthread_mutex_unlock(&store->run);
}

prim_status_t prim__ocl_tune_export(char **text, prim_engine_t *engine)
{
    struct ocl_tune_store *const store = prim__ocl_engine(engine)->tuning;
    lock_loaded(store);
    char *const printed = prim__ocl_tune_text_print(&store->results, store->device);
    unlock(store);
    if (!printed) return prim__fail(PRIM_OUT_OF_MEMORY, "no memory for the tuning results");
    *text = printed;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_tune_import(prim_engine_t *engine, const char *text)
{
    struct ocl_tune_store *const store = prim__ocl_engine(engine)->tuning;
    ocl_tune_results_t imported = {0};
    const ocl_tune_parsed_t parsed =
            prim__ocl_tune_text_parse(&imported, text, strlen(text), store->device, NULL);
    prim_status_t st = PRIM_SUCCESS;
    if (parsed.nfaults > 0)
        st = prim__fail(PRIM_INVALID_ARGUMENTS, "line %d of the tuning results: %s", parsed.line,
                parsed.why);
    else if (!parsed.has_memory)
        st = prim__fail(PRIM_OUT_OF_MEMORY, "no memory for the tuning results");
    if (st != PRIM_SUCCESS) goto done;

    if (parsed.nmine == 0 && parsed.nforeign > 0)
        prim__log(LOG_WARN, NULL, "warn,ocl_tune,none of %d imported results is for %s",
                parsed.nforeign, store->device);
    // Into a copy, so that nothing has changed when memory runs out.
    ocl_tune_results_t all = {0};
    lock_loaded(store);
    const bool has_memory = prim__ocl_tune_results_merge(&all, &store->results, true) &&
                            prim__ocl_tune_results_merge(&all, &imported, false);
    if (has_memory) {
        const ocl_tune_results_t old = store->results;
        store->results = all;
        all = old;
    }
    unlock(store);
    prim__ocl_tune_results_fini(&all);
    if (has_memory)
        keep(store, &imported, false);
    else
        st = prim__fail(PRIM_OUT_OF_MEMORY, "no memory for the tuning results");

done:
    prim__ocl_tune_results_fini(&imported);
    return st;
}

prim_status_t prim__ocl_tune_clear(prim_engine_t *engine)
{
    struct ocl_tune_store *const store = prim__ocl_engine(engine)->tuning;
    cache_folder_t folder;
    prim__cache_folder_get_safe(&folder);
    lock_loaded(store);
    prim__ocl_tune_results_fini(&store->results);
    unlock(store);
    if (folder.path[0] != '\0') prim__ocl_tune_file_remove(&folder, store->device);
    return PRIM_SUCCESS;
}
