// SPDX-License-Identifier: Apache-2.0
// Creates many primitives at once on some threads, so that their kernels are compiled in parallel.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "engine.h"
#include "impl.h"

// Most threads of an engine that builds programs wait for one that another thread builds; were they
// no more than cores, programs further on would not be begun. How many it builds at once is its
// affair.
enum { MAX_THREADS = 64, SENTENCE_BYTES = 512 };

typedef struct {
    int n;
    prim_desc_t *const *pds;
    atomic_int next;
    pthread_mutex_t lock; ///< guards what follows
    int first_failed;     ///< n when none has
    prim_status_t status; ///< of that one, with its sentence
    char sentence[SENTENCE_BYTES];
} work_t;

static void note_failure(work_t *work, int index, prim_status_t status)
{
    (void)pthread_mutex_lock(&work->lock);
    if (index < work->first_failed) {
        work->first_failed = index;
        work->status = status;
        snprintf(work->sentence, sizeof work->sentence, "%s", prim_last_error());
    }
    (void)pthread_mutex_unlock(&work->lock);
}

static void *create_some(void *argument)
{
    work_t *const work = argument;
    for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->n;) {
        prim_t *primitive = NULL;
        const prim_status_t st = prim_create(&primitive, work->pds[i]);
        if (st != PRIM_SUCCESS) note_failure(work, i, st);
        prim_destroy(primitive);
    }
    return NULL;
}

/// The caller's thread works too; a thread that cannot be had is done without.
static void create_all(work_t *work, bool builds_programs)
{
    const long ncores = sysconf(_SC_NPROCESSORS_ONLN);
    const long most = builds_programs || ncores > MAX_THREADS ? MAX_THREADS : ncores;
    int nthreads = 0;
    pthread_t threads[MAX_THREADS];
    while (nthreads + 1 < most && nthreads + 1 < work->n &&
            pthread_create(&threads[nthreads], NULL, create_some, work) == 0) {
        ++nthreads;
    }
    create_some(work);
    for (int t = 0; t < nthreads; ++t) (void)pthread_join(threads[t], NULL);
}

prim_status_t prim_prepare(prim_engine_t *engine, int n, prim_desc_t *const *pds)
{
    CHECK_NOT_NULL(engine);
    CHECK(n >= 0, "n %d is negative", n);
    CHECK(pds || n == 0, "pds is NULL");
    char text[640];
    for (int i = 0; i < n; ++i) {
        CHECK(pds[i], "pds[%d] is NULL", i);
        CHECK(pds[i]->engine == engine || pds[i]->peer == engine,
                "pds[%d] belongs to another engine: %s", i,
                prim__engine_difference(text, sizeof text, pds[i]->engine, engine));
    }
    work_t work = {.n = n, .pds = pds, .first_failed = n, .lock = PTHREAD_MUTEX_INITIALIZER};
    create_all(&work, engine->ops->programs_export != NULL);
    (void)pthread_mutex_destroy(&work.lock);
    return work.first_failed == n
                   ? PRIM_SUCCESS
                   : prim__fail(work.status, "pds[%d]: %s", work.first_failed, work.sentence);
}
