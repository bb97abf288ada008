// SPDX-License-Identifier: Apache-2.0
// What the tests of the kernel cache share: a folder of their own, the log in numbers, and programs
// that are got and run on a fresh engine, as a new process would.
#ifndef CACHE_RIG_H
#define CACHE_RIG_H

#include "gpu/ocl/program/ocl_cache_entry.h"
#include "ocl_rig.h"

/// What the log said since the last cache_rig_forget().
typedef struct {
    int nsource, ndisk, nwarn; ///< programs built, programs loaded, warnings
    char last_warning[512], last_build[512];
} cache_log_t;

extern cache_log_t cache_log;
extern const ocl_source_t cache_test_source;

/// cmocka setup and teardown of one test: an empty folder is the cache; afterwards it is removed.
int cache_rig_open(void **state);
int cache_rig_close(void **state);
const char *cache_rig_folder(void);

/// Forgets what the log said and, by choosing `folder` anew, which warnings were given.
void cache_rig_forget(const char *folder);
void cache_rig_listen(void);

/// Gets program number `n` on a fresh engine and checks what it computes.
void cache_rig_run(int n);
/// Runs it and expects it from the disk (true) or built (false), with so many warnings.
void cache_rig_expect(int n, bool is_from_disk, int nwarnings);

/// The options of program `n`, as a kernel of it is built with.
ocl_options_t cache_rig_options(const prim_engine_t *engine, int n);
/// The key of program `n`, for prim__ocl_cache_key_fini(), and the path of its entry.
ocl_cache_key_t cache_rig_key(int n, char *path);

/// Leaves the marker of a process that died while it loaded the entry.
void cache_rig_die_while_loading(const char *name);

/// Number of files in the folder whose names end so.
int cache_rig_count(const char *suffix);

/// A whole file; the caller frees the bytes.
unsigned char *cache_rig_read(const char *path, size_t *nbytes);
void cache_rig_write(const char *path, const void *bytes, size_t nbytes);

#endif
