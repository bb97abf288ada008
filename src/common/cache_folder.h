// SPDX-License-Identifier: Apache-2.0
// The folder in which the library keeps what outlives a process, and its size limit: set by the
// caller, else by the environment, else the user's cache folder.
#ifndef PRIM_COMMON_CACHE_FOLDER_H
#define PRIM_COMMON_CACHE_FOLDER_H

#include "status.h"

enum { CACHE_FOLDER_BYTES = 1024 };

typedef struct {
    char path[CACHE_FOLDER_BYTES]; ///< "" when nothing is kept
    uint64_t max_bytes;
    unsigned generation; ///< another number after every call that chose the folder
} cache_folder_t;

/// What holds now. The folder need not exist; prim__cache_folder_make() makes it.
void prim__cache_folder_get(cache_folder_t *folder);

/// The same for those who read or write files there: `path` is "" also when the folder is not safe
/// to use, because it is not the user's own (its owner is not the process's effective user) or
/// others may write to it; a line at level `warn` says why, once. What is kept there is code that
/// the process will run.
void prim__cache_folder_get_safe(cache_folder_t *folder);

/// Makes the folder, private to the user, and those above it. False (see errno) when it cannot,
/// or when what is there now is not safe (EPERM).
bool prim__cache_folder_make(const cache_folder_t *folder);

enum { CACHE_FILE_BYTES = CACHE_FOLDER_BYTES + 256 }; ///< of a file's path in the folder

/// open() of a file of the cache, with O_CLOEXEC. Symbolic links are not followed (ELOOP), pipes
/// and the like do not block; a file that is not a regular one, or not the user's own, or that
/// others may write to, is refused (EPERM). -1: errno says why.
int prim__cache_file_open(const char *path, int flags);

typedef struct {
    const void *bytes;
    size_t nbytes;
} cache_part_t;

/// Writes the parts one behind the other to a file beside `path` and renames it, so that readers
/// see the old file or the new one. False: errno says why, and nothing has changed.
bool prim__cache_file_replace(const char *path, const cache_part_t *parts, int nparts);

/// Which of up to 32 causes of trouble have been logged; starts as zeros.
typedef struct {
    unsigned told, generation;
} cache_news_t;

/// True the first time for each cause in a process and folder: a broken cache must not flood the
/// log.
bool prim__cache_is_news(cache_news_t *news, const cache_folder_t *folder, int cause);

#endif
