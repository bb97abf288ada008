// SPDX-License-Identifier: Apache-2.0
// The file of a device's tuning results in the cache folder: read leniently, changed behind a lock
// between processes, replaced by rename.
#ifndef PRIM_OCL_TUNE_FILE_H
#define PRIM_OCL_TUNE_FILE_H

#include "common/cache_folder.h"
#include "ocl_tune_results.h"

/// Merges what the file of `device` holds into `results`; false when there is no memory. No file is
/// no results.
bool prim__ocl_tune_file_read(
        ocl_tune_results_t *results, const cache_folder_t *folder, const char *device);
/// Merges `results` into the file; `are_final`: over what it holds for the same problems.
void prim__ocl_tune_file_merge(const ocl_tune_results_t *results, bool are_final,
        const cache_folder_t *folder, const char *device);
/// Removes the file.
void prim__ocl_tune_file_remove(const cache_folder_t *folder, const char *device);

#endif
