// SPDX-License-Identifier: Apache-2.0
// An entry of the cache on disk: header, key, binary; read whole and verified, written beside its
// place and renamed. doc/kernel_cache.md describes the format.
#ifndef PRIM_OCL_CACHE_ENTRY_H
#define PRIM_OCL_CACHE_ENTRY_H

#include "common/cache_folder.h"
#include "ocl_cache_key.h"

enum { OCL_CACHE_PATH_BYTES = CACHE_FILE_BYTES };

typedef enum {
    OCL_ENTRY_FOUND,
    OCL_ENTRY_MISSING,
    OCL_ENTRY_UNREADABLE, ///< errno says why
    OCL_ENTRY_DAMAGED,    ///< cut, or its checksum differs
    OCL_ENTRY_FOREIGN,    ///< not ours, another format, or another key with the same name
} ocl_entry_state_t;

typedef struct {
    unsigned char *file; ///< owned: the whole file
    const unsigned char *binary;
    size_t binary_bytes;
} ocl_cache_entry_t;

/// Writes "<folder>/<name><suffix>" to `path` (of OCL_CACHE_PATH_BYTES).
void prim__ocl_cache_path(char *path, const char *folder, const char *name, const char *suffix);

/// Views into the bytes of an entry.
typedef struct {
    const char *key; ///< the text, not zero-terminated
    const unsigned char *binary;
    size_t key_bytes, binary_bytes;
} ocl_entry_view_t;

/// FOUND if the bytes are a whole entry, DAMAGED or FOREIGN else.
ocl_entry_state_t prim__ocl_cache_entry_parse(
        ocl_entry_view_t *view, const unsigned char *bytes, size_t nbytes);
/// Writes the prim__ocl_cache_entry_bytes() of an entry to `bytes`.
void prim__ocl_cache_entry_pack(unsigned char *bytes, const ocl_cache_key_t *key,
        const unsigned char *binary, size_t binary_bytes);

/// `entry` is filled, and owns memory, only when it is FOUND.
ocl_entry_state_t prim__ocl_cache_entry_read(
        ocl_cache_entry_t *entry, const char *path, const ocl_cache_key_t *key);
void prim__ocl_cache_entry_fini(ocl_cache_entry_t *entry);

/// Bytes of the file of an entry.
uint64_t prim__ocl_cache_entry_bytes(const ocl_cache_key_t *key, size_t binary_bytes);

/// Puts an entry at `path`, replacing what is there; readers see the old or the new one, whole.
/// False (see errno) when it cannot; nothing is left behind then.
bool prim__ocl_cache_entry_write(const char *path, const ocl_cache_key_t *key,
        const unsigned char *binary, size_t binary_bytes);

#endif
