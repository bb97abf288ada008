// SPDX-License-Identifier: Apache-2.0
// Host memory through the user's allocator or the system's, with a count of what is outstanding.
#define _POSIX_C_SOURCE 200112L
#include "alloc.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TENSOR_ALIGNMENT = 64 };

static void *system_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *pointer = NULL;
    return posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : NULL;
}

static void system_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

static const prim_allocator_t system_allocator = {system_allocate, system_release, NULL};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Behind the lock. While anything is outstanding the hook does not change.
static prim_allocator_t hook = {system_allocate, system_release, NULL};
static size_t noutstanding;

/// Counts an allocation that is about to be made or was given back, and calls the hook.
static prim_allocator_t count(bool is_new)
{
    pthread_mutex_lock(&lock);
    noutstanding = is_new ? noutstanding + 1 : noutstanding - 1;
    const prim_allocator_t current = hook;
    pthread_mutex_unlock(&lock);
    return current;
}

static void *allocate(size_t bytes, size_t alignment)
{
    // No object is larger than PTRDIFF_MAX; a negative size that became unsigned ends here.
    if (bytes == 0 || bytes > PTRDIFF_MAX) return NULL;
    const prim_allocator_t current = count(true);
    void *const pointer = current.allocate(current.user, bytes, alignment);
    if (!pointer) count(false);
    return pointer;
}

void *prim__calloc(size_t bytes)
{
    void *const pointer = allocate(bytes, alignof(max_align_t));
    return pointer ? memset(pointer, 0, bytes) : NULL;
}

void *prim__malloc_aligned(size_t bytes)
{
    return allocate(bytes, TENSOR_ALIGNMENT);
}

void prim__free(void *pointer)
{
    if (!pointer) return;
    pthread_mutex_lock(&lock);
    const prim_allocator_t current = hook;
    pthread_mutex_unlock(&lock);
    current.release(current.user, pointer);
    count(false);
}

char *prim__strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *const copy = prim__calloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

size_t prim__alloc_set_hook(const prim_allocator_t *allocator)
{
    pthread_mutex_lock(&lock);
    const size_t n = noutstanding;
    if (n == 0) hook = allocator ? *allocator : system_allocator;
    pthread_mutex_unlock(&lock);
    return n;
}
