// SPDX-License-Identifier: Apache-2.0
// Eviction: reads the folder, sorts the entries by time of use, removes from the oldest on.
#define _POSIX_C_SOURCE 200809L
#include "ocl_cache_trim.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "ocl_cache_entry.h"

enum { DIGITS = OCL_CACHE_NAME_BYTES - 1, FILE_NAME_BYTES = 48, ABANDONED_SECONDS = 3600 };

typedef struct {
    char name[FILE_NAME_BYTES];
    struct timespec used;
    uint64_t bytes;
} file_t;

typedef struct {
    file_t *files; ///< owned
    size_t n, room;
    uint64_t bytes; ///< of all of them
} list_t;

static bool has_digits(const char *name)
{
    return strspn(name, "0123456789abcdef") == DIGITS;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

// False when there is no memory.
static bool add(list_t *list, const char *name, const struct stat *status)
{
    if (list->n == list->room) {
        const size_t room = list->room ? 2 * list->room : 256;
        file_t *const files = prim__calloc(room * sizeof *files);
        if (!files) return false;
        if (list->n > 0) memcpy(files, list->files, list->n * sizeof *files);
        prim__free(list->files);
        list->files = files;
        list->room = room;
    }
    file_t *const file = &list->files[list->n++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->used = status->st_mtim;
    file->bytes = (uint64_t)status->st_size;
    list->bytes += file->bytes;
    return true;
}

// Lists an entry; removes a temporary file or a marker whose owner is long gone.
static bool look_at(list_t *list, const char *folder, const char *name)
{
    if (!has_digits(name)) return true;
    char path[OCL_CACHE_PATH_BYTES + FILE_NAME_BYTES];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) return true;
    const char *const rest = name + DIGITS;
    if (strcmp(rest, ".clbin") == 0 || strcmp(rest, ".crashed") == 0)
        return add(list, name, &status);
    const bool is_passing = ends_with(rest, ".tmp") || strcmp(rest, ".loading") == 0;
    if (is_passing && time(NULL) - status.st_mtime > ABANDONED_SECONDS) unlink(path);
    return true;
}

static int by_use(const void *a, const void *b)
{
    const file_t *const x = a, *const y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void evict(list_t *list, const char *folder, uint64_t max_bytes, const char *kept)
{
    if (list->n > 0) qsort(list->files, list->n, sizeof *list->files, by_use);
    for (size_t i = 0; i < list->n && list->bytes > max_bytes; ++i) {
        if (kept && strcmp(list->files[i].name, kept) == 0) continue;
        char path[OCL_CACHE_PATH_BYTES];
        prim__ocl_cache_path(path, folder, list->files[i].name, "");
        unlink(path); // if another process was faster, the bytes are gone just the same
        list->bytes -= list->files[i].bytes;
    }
}

void prim__ocl_cache_trim(const char *folder, uint64_t max_bytes, const char *kept)
{
    DIR *const dir = opendir(folder);
    if (!dir) return;
    list_t list = {0};
    bool is_whole = true;
    for (const struct dirent *item; is_whole && (item = readdir(dir)) != NULL;)
        is_whole = look_at(&list, folder, item->d_name);
    closedir(dir);
    if (is_whole) evict(&list, folder, max_bytes, kept);
    prim__free(list.files);
}
