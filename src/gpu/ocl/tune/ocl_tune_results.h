// SPDX-License-Identifier: Apache-2.0
// Results of tuning as values: a set that merges, written as text and read again. A line each:
//
//     device NVIDIA H200; NVIDIA Corporation; driver 570.86; OpenCL 3.0 CUDA; prim 0.1.0
//     ocl:matmul:mma | src:f16:ab:64x64 wei:… dst:… | bm=64 bn=64 splits=2 | 9120 ns | model 9900
//     ns | full
//
// (without the break). Empty lines and lines that begin with # are comments. Texts
// behind each other are a text; a device line holds until the next one.
#ifndef PRIM_OCL_TUNE_RESULTS_H
#define PRIM_OCL_TUNE_RESULTS_H

#include "prim/prim_types.h"

typedef struct {
    const char *family;    ///< of implementations: the name of one
    const char *bucket;    ///< of problems: prim__ocl_tune_bucket()
    const char *params;    ///< "bm=64 bn=64 splits=2"
    uint64_t ns, model_ns; ///< of an execution, and with the choice without tuning; 0: it failed
    prim_tune_mode_t mode;
} ocl_tune_result_t;

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
/// merging in any order gives the same. False when there is no memory.
bool prim__ocl_tune_results_put(
        ocl_tune_results_t *results, const ocl_tune_result_t *result, bool is_final);
/// Puts all of `from`; false when there is no memory.
bool prim__ocl_tune_results_merge(
        ocl_tune_results_t *results, const ocl_tune_results_t *from, bool is_final);

/// A text for prim__free(), sorted; NULL when there is no memory.
char *prim__ocl_tune_results_print(const ocl_tune_results_t *results, const char *device);

/// What parsing found.
typedef struct {
    bool has_memory;
    int nfaults;         ///< lines that are not right; they are passed over
    int line;            ///< the first of them, from 1
    const char *why;     ///< what is wrong with it
    int nforeign, nmine; ///< results of other devices, of `device`
} ocl_tune_parsed_t;

/// Puts the results of `device` that stand in `bytes` bytes of `text`.
ocl_tune_parsed_t prim__ocl_tune_results_parse(
        ocl_tune_results_t *results, const char *text, size_t bytes, const char *device);

#endif
