// SPDX-License-Identifier: Apache-2.0
// The results of tuning that an engine knows, and their file in the cache folder. Thread-safe. What
// is wrong with folder or file costs a line in the log (`warn`), never a failure.
#ifndef PRIM_OCL_TUNE_STORE_H
#define PRIM_OCL_TUNE_STORE_H

#include "gpu/ocl/device/ocl_device.h"
#include "ocl_tune_results.h"

struct ocl_tune_store;

/// Reads nothing yet: the file is read when the engine first asks for something, and again after
/// the folder was changed.
prim_status_t prim__ocl_tune_store_create(
        struct ocl_tune_store **store, const ocl_device_t *device);
void prim__ocl_tune_store_destroy(struct ocl_tune_store *store);

/// The measured numbers of the device, those that the file has of it included.
prim_status_t prim__ocl_tune_store_measured(
        struct ocl_measured **measured, struct ocl_tune_store *store, const ocl_device_t *device);

/// A result without what a choice does not need.
enum { OCL_TUNE_PARAMS_BYTES = 128 };
typedef struct {
    prim_tune_mode_t mode;
    char params[OCL_TUNE_PARAMS_BYTES];
} ocl_tune_known_t;

/// Cheap, while there are no results: no key has to be made.
bool prim__ocl_tune_store_is_empty(struct ocl_tune_store *store);
bool prim__ocl_tune_store_find(ocl_tune_known_t *known, struct ocl_tune_store *store,
        const char *family, const char *bucket);

/// Keeps a result that was just measured, whatever was known before, and adds it to the file.
void prim__ocl_tune_store_put(struct ocl_tune_store *store, const ocl_tune_result_t *result);

/// One tuning run at a time on a device: two would time each other.
void prim__ocl_tune_store_begin_run(struct ocl_tune_store *store);
void prim__ocl_tune_store_end_run(struct ocl_tune_store *store);

/// See engine_ops_t.
prim_status_t prim__ocl_tune_export(char **text, prim_engine_t *engine);
prim_status_t prim__ocl_tune_import(prim_engine_t *engine, const char *text);
prim_status_t prim__ocl_tune_clear(prim_engine_t *engine);

#endif
