// SPDX-License-Identifier: Apache-2.0
// The key of a program in the cache on disk: one text that holds everything that its binary depends
// on, and the name of the entry's file, which is the text's hash.
#ifndef PRIM_OCL_CACHE_KEY_H
#define PRIM_OCL_CACHE_KEY_H

#include "gpu/ocl/device/ocl_device.h"
#include "ocl_source.h"

enum { OCL_CACHE_NAME_BYTES = 33 };

typedef struct {
    char *text; ///< owned, not zero-terminated
    size_t bytes;
    char name[OCL_CACHE_NAME_BYTES]; ///< 32 hexadecimal digits: FNV-1a of 128 bits of the text
} ocl_cache_key_t;

/// The part of the key that all programs of a device share: library, device, driver, platform,
/// width of pointers; a text for prim__free(). NULL when there is no memory.
char *prim__ocl_cache_key_of_device(const ocl_device_t *device);

/// False when there is no memory; nothing is reported.
bool prim__ocl_cache_key_init(ocl_cache_key_t *key, const char *device_text,
        const ocl_source_t *source, const char *options);
void prim__ocl_cache_key_fini(ocl_cache_key_t *key);

#endif
