// SPDX-License-Identifier: Apache-2.0
// Builds programs and keeps them for the life of their engine; one build for concurrent requests.
#define _POSIX_C_SOURCE 200809L
#include "ocl_program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/cache_folder.h"
#include "common/log.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_disk_cache.h"
#include "ocl_retarget.h"

enum { LOG_CUT_BYTES = 400, SLOW_BUILD_MS = 1000 };

typedef struct entry {
    struct entry *next;
    const ocl_source_t *source;
    ocl_source_t *copy; ///< owned: `source` of an adopted program; else NULL
    char *options;      ///< owned
    cl_program program; ///< owned; NULL while a thread builds it
    bool is_unkept;     ///< built from source, and not offered to the disk yet
} entry_t;

struct ocl_program_cache {
    pthread_mutex_t lock;
    pthread_cond_t changed;        ///< a build ended
    long nbuilding, most_building; ///< programs at once
    entry_t *entries;
    atomic_bool has_told; ///< that programs are built from source
    char *device_text;    ///< owned; the part of the disk's keys that all programs share, or NULL
};

prim_status_t prim__ocl_program_cache_create(
        struct ocl_program_cache **cache, const ocl_device_t *device)
{
    struct ocl_program_cache *const c = prim__calloc(sizeof *c);
    if (!c) return prim__fail_memory(sizeof *c);
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        prim__free(c);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    if (pthread_cond_init(&c->changed, NULL) != 0) {
        pthread_mutex_destroy(&c->lock);
        prim__free(c);
        return prim__fail(PRIM_RUNTIME_ERROR, "a condition variable cannot be made");
    }
    // NVIDIA's compiler translates one source at a time, beside it one program of PTX. Threads that
    // wait for it keep those from it that only take a program's PTX.
    enum { MOST_OF_NVIDIA = 3 };
    const long ncores = sysconf(_SC_NPROCESSORS_ONLN);
    const long most = device->nv_capability_major > 0 ? MOST_OF_NVIDIA : ncores;
    c->most_building = most < 1 ? 1 : most > ncores && ncores > 0 ? ncores : most;
    c->device_text = prim__ocl_cache_key_of_device(device);
    *cache = c;
    return PRIM_SUCCESS;
}

static void entry_destroy(entry_t *entry)
{
    if (entry->program) clReleaseProgram(entry->program);
    prim__free(entry->copy);
    prim__free(entry->options);
    prim__free(entry);
}

void prim__ocl_program_cache_destroy(struct ocl_program_cache *cache)
{
    if (!cache) return;
    while (cache->entries) {
        entry_t *const entry = cache->entries;
        cache->entries = entry->next;
        entry_destroy(entry);
    }
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->lock);
    prim__free(cache->device_text);
    prim__free(cache);
}

// Writes the log line by line to the logger, and its start, cut, to the error's sentence.
static prim_status_t report_build_failure(
        const ocl_source_t *source, const char *options, char *log)
{
    const unsigned level = prim__is_attempt() ? LOG_PROFILE_CREATE : LOG_ERROR;
    prim__log(level, NULL, "error,ocl_build,%s,%s", source->name, options);
    char cut[LOG_CUT_BYTES];
    size_t used = 0;
    for (const char *p = log; *p && used + 1 < sizeof cut; ++p) {
        const bool is_blank = *p == '\n' || *p == '\r' || *p == '\t' || *p == ' ';
        if (is_blank && (used == 0 || cut[used - 1] == ' ')) continue;
        cut[used++] = is_blank ? ' ' : *p;
    }
    if (used > 0 && cut[used - 1] == ' ') --used;
    cut[used] = '\0';
    for (char *line = log; line && *line;) {
        char *const end = strchr(line, '\n');
        if (end) *end = '\0';
        if (*line) prim__log(level, NULL, "error,ocl_build_log,%s,%s", source->name, line);
        line = end ? end + 1 : NULL;
    }
    return prim__fail(PRIM_RUNTIME_ERROR, "clBuildProgram failed for %s: %s", source->name,
            used ? cut : "the compiler gave no reason");
}

static prim_status_t build_failed(
        cl_program program, cl_device_id device, const ocl_source_t *source, const char *options)
{
    char none[] = "";
    size_t bytes = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) ==
                    CL_SUCCESS &&
            bytes > 0) {
        log = prim__calloc(bytes + 1);
    }
    if (log) {
        (void)clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    }
    const prim_status_t st = report_build_failure(source, options, log ? log : none);
    prim__free(log);
    return st;
}

static prim_status_t build(cl_program *program, const ocl_engine_t *engine,
        const ocl_source_t *source, const char *options)
{
    const cl_device_id device = engine->device.id;
    cl_program made = NULL;
    cl_int code = CL_SUCCESS;
    if (prim__ocl_retarget_is_wanted(options)) {
        code = prim__ocl_retarget_build(&made, engine->context, device, source, options);
    } else {
        made = clCreateProgramWithSource(
                engine->context, 1, (const char *[]){source->text}, &source->bytes, &code);
        if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateProgramWithSource");
        code = clBuildProgram(made, 1, &device, options, NULL, NULL);
    }
    if (code == CL_SUCCESS) {
        *program = made;
        return PRIM_SUCCESS;
    }
    const prim_status_t st = made && code == CL_BUILD_PROGRAM_FAILURE
                                     ? build_failed(made, device, source, options)
                                     : prim__ocl_fail(code, "clBuildProgram");
    if (made) clReleaseProgram(made);
    return st;
}

// Compilers are slow: who waits should know for what, and whether the next process will wait, too.
static void tell_first_build(const ocl_engine_t *engine, const ocl_source_t *source)
{
    if (!prim__log_is_on(LOG_INFO) || atomic_exchange(&engine->programs->has_told, true)) return;
    cache_folder_t folder;
    prim__cache_folder_get_safe(&folder);
    prim__log(LOG_INFO, NULL,
            "info,ocl_build,%s,compiling kernels for %s from source, this one first; %s%s",
            source->name, engine->device.name,
            folder.path[0] ? "later processes find them in " : "no folder keeps them", folder.path);
}

// From the disk, else from source.
static prim_status_t get_built(cl_program *program, bool *is_from_source,
        const ocl_engine_t *engine, const ocl_source_t *source, const char *options)
{
    const double start_ms = prim__now_ms();
    const char *const device_text = engine->programs->device_text;
    cl_program found = prim__ocl_disk_cache_load(engine, device_text, source, options);
    *is_from_source = !found;
    if (!found) {
        tell_first_build(engine, source);
        TRY(build(&found, engine, source, options));
    }
    *program = found;
    const double ms = prim__now_ms() - start_ms;
    prim__log(LOG_PROFILE_CREATE, NULL, "ocl,build,%s,%s,%g,%s", source->name,
            *is_from_source ? "source" : "disk", ms, options);
    if (ms > SLOW_BUILD_MS)
        prim__log(LOG_INFO, NULL, "info,ocl_build,%s,took %.1f s from %s", source->name, ms * 1e-3,
                *is_from_source ? "source" : "disk");
    return PRIM_SUCCESS;
}

// Adopted programs have copies of their sources.
static bool is_same_source(const ocl_source_t *a, const ocl_source_t *b)
{
    return a == b || (a->bytes == b->bytes && strcmp(a->name, b->name) == 0 &&
                             memcmp(a->text, b->text, a->bytes) == 0);
}

static entry_t *find(
        struct ocl_program_cache *cache, const ocl_source_t *source, const char *options)
{
    entry_t *entry = cache->entries;
    while (entry &&
            (strcmp(entry->options, options) != 0 || !is_same_source(entry->source, source))) {
        entry = entry->next;
    }
    return entry;
}

static entry_t *add(
        struct ocl_program_cache *cache, const ocl_source_t *source, const char *options)
{
    entry_t *const entry = prim__calloc(sizeof *entry);
    if (!entry) return NULL;
    entry->source = source;
    entry->options = prim__strdup(options);
    if (!entry->options) {
        prim__free(entry);
        return NULL;
    }
    entry->next = cache->entries;
    cache->entries = entry;
    return entry;
}

static void remove_entry(struct ocl_program_cache *cache, entry_t *entry)
{
    entry_t **at = &cache->entries;
    while (*at != entry) at = &(*at)->next;
    *at = entry->next;
    entry_destroy(entry);
}

prim_status_t prim__ocl_program_get(cl_program *program, const prim_engine_t *engine,
        const ocl_source_t *source, const char *options)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    struct ocl_program_cache *const cache = e->programs;
    prim_status_t st = PRIM_SUCCESS;
    pthread_mutex_lock(&cache->lock);
    entry_t *entry = find(cache, source, options);
    // After a failed build the entry is gone, and whoever waited tries (and reports) for itself.
    while (entry && !entry->program) {
        pthread_cond_wait(&cache->changed, &cache->lock);
        entry = find(cache, source, options);
    }
    if (!entry) {
        entry = add(cache, source, options);
        if (!entry) {
            st = prim__fail_memory(sizeof *entry);
            goto done;
        }
        cl_program built = NULL;
        bool is_from_source = false;
        while (cache->nbuilding >= cache->most_building)
            pthread_cond_wait(&cache->changed, &cache->lock);
        ++cache->nbuilding;
        pthread_mutex_unlock(&cache->lock);
        st = get_built(&built, &is_from_source, e, source, options);
        pthread_mutex_lock(&cache->lock);
        --cache->nbuilding;
        entry->program = built;
        entry->is_unkept = is_from_source;
        if (!built) remove_entry(cache, entry);
        pthread_cond_broadcast(&cache->changed);
        if (st != PRIM_SUCCESS) goto done;
    }
    const cl_int code = clRetainProgram(entry->program);
    if (code == CL_SUCCESS)
        *program = entry->program;
    else
        st = prim__ocl_fail(code, "clRetainProgram");

done:
    pthread_mutex_unlock(&cache->lock);
    return st;
}

void prim__ocl_program_was_used(const prim_engine_t *engine, cl_program program)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    struct ocl_program_cache *const cache = e->programs;
    pthread_mutex_lock(&cache->lock);
    entry_t *entry = cache->entries;
    while (entry && entry->program != program) entry = entry->next;
    const bool is_first = entry && entry->is_unkept;
    if (is_first) entry->is_unkept = false;
    pthread_mutex_unlock(&cache->lock);
    // An entry with a program stays, and stays as it is, as long as the engine.
    if (is_first) {
        prim__ocl_disk_cache_store(e, cache->device_text, entry->source, entry->options, program);
    }
}

bool prim__ocl_program_describe(const ocl_source_t **source, const char **options,
        const prim_engine_t *engine, cl_program program)
{
    struct ocl_program_cache *const cache = prim__ocl_engine(engine)->programs;
    pthread_mutex_lock(&cache->lock);
    const entry_t *entry = cache->entries;
    while (entry && entry->program != program) entry = entry->next;
    if (entry) {
        *source = entry->source;
        *options = entry->options;
    }
    pthread_mutex_unlock(&cache->lock);
    return entry != NULL;
}

bool prim__ocl_program_is_there(
        const prim_engine_t *engine, const ocl_source_t *source, const char *options)
{
    struct ocl_program_cache *const cache = prim__ocl_engine(engine)->programs;
    pthread_mutex_lock(&cache->lock);
    const bool is_there = find(cache, source, options) != NULL;
    pthread_mutex_unlock(&cache->lock);
    return is_there;
}

// In one piece: the struct, the text, the name.
static ocl_source_t *copy_source(const ocl_source_t *source)
{
    const size_t name_bytes = strlen(source->name) + 1;
    ocl_source_t *const copy = prim__calloc(sizeof *copy + source->bytes + 1 + name_bytes);
    if (!copy) return NULL;
    char *const text = (char *)(copy + 1), *const name = text + source->bytes + 1;
    memcpy(text, source->text, source->bytes);
    memcpy(name, source->name, name_bytes);
    *copy = (ocl_source_t){name, text, source->bytes};
    return copy;
}

prim_status_t prim__ocl_program_adopt(const prim_engine_t *engine, const ocl_source_t *source,
        const char *options, cl_program program)
{
    struct ocl_program_cache *const cache = prim__ocl_engine(engine)->programs;
    prim_status_t st = PRIM_SUCCESS;
    bool is_taken = false;
    ocl_source_t *const copy = copy_source(source);
    pthread_mutex_lock(&cache->lock);
    if (copy && !find(cache, source, options)) {
        entry_t *const entry = add(cache, copy, options);
        is_taken = entry != NULL;
        if (entry) {
            entry->copy = copy;
            entry->program = program;
        }
        if (!entry) st = prim__fail_memory(sizeof *entry);
    }
    pthread_mutex_unlock(&cache->lock);
    if (!copy) st = prim__fail_memory(source->bytes);
    if (is_taken) return PRIM_SUCCESS;
    prim__free(copy);
    clReleaseProgram(program);
    return st;
}

const char *prim__ocl_program_device_text(const prim_engine_t *engine)
{
    return prim__ocl_engine(engine)->programs->device_text;
}
