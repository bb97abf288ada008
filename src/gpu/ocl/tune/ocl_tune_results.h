// SPDX-License-Identifier: Apache-2.0
// Results of tuning as values: a set that merges. ocl_tune_text.h writes it as text and reads it.
#ifndef PRIM_OCL_TUNE_RESULTS_H
#define PRIM_OCL_TUNE_RESULTS_H

#include "prim/prim_types.h"

/// Which configuration was measured to be the fastest for a problem; or, with mode
/// PRIM_TUNE_NONE, a number that was measured of the device (ocl_measured.h): bucket "limit name"
/// or "config name=number", params its value and unit.
typedef struct {
    const char *family;    ///< of implementations: the name of one
    const char *bucket;    ///< of problems: prim__ocl_tune_bucket()
    const char *params;    ///< "bm=64 bn=64 splits=2"
    uint64_t ns, model_ns; ///< of an execution, and with the choice without tuning; 0: it failed
    prim_tune_mode_t mode;
} ocl_tune_result_t;

bool prim__ocl_tune_is_measured(const ocl_tune_result_t *result);

typedef struct {
    uint64_t hash; ///< of family and bucket
    char *text;    ///< owned: family, bucket, params, each with its zero
    ocl_tune_result_t result;
} ocl_tune_entry_t;

/// Start with zeroes.
typedef struct {
    size_t n, room;
    ocl_tune_entry_t *entries; ///< owned
} ocl_tune_results_t;

void prim__ocl_tune_results_fini(ocl_tune_results_t *results);
/// NULL when there is none; valid until the next change.
const ocl_tune_result_t *prim__ocl_tune_results_find(
        const ocl_tune_results_t *results, const char *family, const char *bucket);
/// Copies `result` in; over one for the same problem if `is_final` or if it is the better one: a
/// full run's beats a quick run's, then the shorter time, then the params' order as texts, so that
/// merging in any order gives the same. Of two measured numbers the last one counts. False when
/// there is no memory.
bool prim__ocl_tune_results_put(
        ocl_tune_results_t *results, const ocl_tune_result_t *result, bool is_final);
/// Puts all of `from`; false when there is no memory.
bool prim__ocl_tune_results_merge(
        ocl_tune_results_t *results, const ocl_tune_results_t *from, bool is_final);

#endif
