// SPDX-License-Identifier: Apache-2.0
// The folder in which the library keeps what outlives a process, and how much of it: the caller's
// word, else the environment's, else the user's own cache folder.
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

/// Makes the folder, private to the user, and those above it. False (errno tells) when it cannot.
bool prim__cache_folder_make(const cache_folder_t *folder);

#endif
