// SPDX-License-Identifier: Apache-2.0
// Tuning: modes, attributes and environment; the public functions on results.
#define _POSIX_C_SOURCE 200112L
#include "tune.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "attr.h"
#include "engine.h"
#include "environment.h"
#include "log.h"

static const char *const names[] = {
        [PRIM_TUNE_NONE] = "none", [PRIM_TUNE_QUICK] = "quick", [PRIM_TUNE_FULL] = "full"};

enum { NMODES = sizeof names / sizeof names[0] };

static atomic_int default_mode = PRIM_TUNE_NONE;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;

const char *prim__tune_mode_name(prim_tune_mode_t mode)
{
    return names[mode];
}

int prim__tune_mode_find(const char *word, size_t length)
{
    for (int i = 0; i < NMODES; ++i)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) return i;
    return -1;
}

static void read_environment(void)
{
    int mode = PRIM_TUNE_NONE;
    if (prim__env_word(&mode, ENV_TUNE, names, NMODES)) atomic_store(&default_mode, mode);
}

prim_tune_mode_t prim__tune_default_mode(void)
{
    pthread_once(&environment_once, read_environment);
    prim__log_environment();
    return (prim_tune_mode_t)atomic_load(&default_mode);
}

prim_status_t prim_get_default_tune(prim_tune_mode_t *mode)
{
    CHECK_NOT_NULL(mode);
    *mode = prim__tune_default_mode();
    return PRIM_SUCCESS;
}

prim_status_t prim_set_default_tune(prim_tune_mode_t mode)
{
    CHECK((unsigned)mode < NMODES, "%d is not a tuning mode", (int)mode);
    prim__tune_default_mode(); // the environment first, so that it cannot overwrite this later
    atomic_store(&default_mode, (int)mode);
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_tune(prim_attr_t *attr, prim_tune_mode_t mode)
{
    CHECK_NOT_NULL(attr);
    CHECK((unsigned)mode < NMODES, "%d is not a tuning mode", (int)mode);
    attr->tune_mode = mode;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_tune(const prim_attr_t *attr, prim_tune_mode_t *mode)
{
    CHECK_NOT_NULL(attr);
    CHECK_NOT_NULL(mode);
    *mode = attr->tune_mode;
    return PRIM_SUCCESS;
}

static prim_status_t require_tuning(const prim_engine_t *engine)
{
    if (engine->ops->tune_export) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "%s engines have nothing to tune",
            prim_engine_kind_name(engine->ops->kind));
}

prim_status_t prim_tune_export(prim_engine_t *engine, size_t *bytes, char *text)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(bytes);
    TRY(require_tuning(engine));
    prim_status_t st = PRIM_SUCCESS;
    char *results = NULL;
    TRY(engine->ops->tune_export(&results, engine));
    const size_t nbytes = strlen(results) + 1;
    if (text && *bytes < nbytes)
        st = prim__fail(PRIM_INVALID_ARGUMENTS, "the tuning results have %zu bytes, the buffer %zu",
                nbytes, *bytes);
    else if (text)
        memcpy(text, results, nbytes);
    if (st == PRIM_SUCCESS) *bytes = nbytes;
    prim__free(results);
    return st;
}

prim_status_t prim_tune_import(prim_engine_t *engine, const char *text)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(text);
    TRY(require_tuning(engine));
    return engine->ops->tune_import(engine, text);
}

prim_status_t prim_tune_clear(prim_engine_t *engine)
{
    CHECK_NOT_NULL(engine);
    TRY(require_tuning(engine));
    return engine->ops->tune_clear(engine);
}
