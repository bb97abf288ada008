// SPDX-License-Identifier: Apache-2.0
// The set of results, and how two of the same problem merge.
#include "ocl_tune_results.h"

#include <string.h>

#include "common/alloc.h"
#include "common/fnv.h"

bool prim__ocl_tune_is_measured(const ocl_tune_result_t *result)
{
    return result->mode == PRIM_TUNE_NONE;
}

void prim__ocl_tune_results_fini(ocl_tune_results_t *results)
{
    for (size_t i = 0; i < results->n; ++i) prim__free(results->entries[i].text);
    prim__free(results->entries);
    *results = (ocl_tune_results_t){0};
}

static uint64_t hash_of(const char *family, const char *bucket)
{
    const uint64_t hash = prim__fnv64(FNV64_START, family, strlen(family) + 1);
    return prim__fnv64(hash, bucket, strlen(bucket));
}

static ocl_tune_entry_t *find(
        const ocl_tune_results_t *results, uint64_t hash, const char *family, const char *bucket)
{
    for (size_t i = 0; i < results->n; ++i) {
        ocl_tune_entry_t *const entry = &results->entries[i];
        if (entry->hash == hash && strcmp(entry->result.family, family) == 0 &&
                strcmp(entry->result.bucket, bucket) == 0)
            return entry;
    }
    return NULL;
}

const ocl_tune_result_t *prim__ocl_tune_results_find(
        const ocl_tune_results_t *results, const char *family, const char *bucket)
{
    const ocl_tune_entry_t *const entry = find(results, hash_of(family, bucket), family, bucket);
    return entry ? &entry->result : NULL;
}

static bool is_better(const ocl_tune_result_t *a, const ocl_tune_result_t *b)
{
    if (a->mode != b->mode) return a->mode > b->mode;
    if (a->ns != b->ns) return a->ns < b->ns;
    return strcmp(a->params, b->params) < 0;
}

/// False when there is no memory; `entry` is then as it was.
static bool fill(ocl_tune_entry_t *entry, const ocl_tune_result_t *result)
{
    const size_t family = strlen(result->family) + 1, bucket = strlen(result->bucket) + 1;
    const size_t params = strlen(result->params) + 1;
    char *const text = prim__calloc(family + bucket + params);
    if (!text) return false;
    memcpy(text, result->family, family);
    memcpy(text + family, result->bucket, bucket);
    memcpy(text + family + bucket, result->params, params);
    char *const old = entry->text;
    *entry = (ocl_tune_entry_t){hash_of(text, text + family), text, *result};
    entry->result.family = text;
    entry->result.bucket = text + family;
    entry->result.params = text + family + bucket;
    prim__free(old);
    return true;
}

static bool reserve(ocl_tune_results_t *results)
{
    if (results->n < results->room) return true;
    const size_t room = results->room ? 2 * results->room : 32;
    ocl_tune_entry_t *const entries = prim__calloc(room * sizeof *entries);
    if (!entries) return false;
    if (results->n) memcpy(entries, results->entries, results->n * sizeof *entries);
    prim__free(results->entries);
    results->entries = entries;
    results->room = room;
    return true;
}

bool prim__ocl_tune_results_put(
        ocl_tune_results_t *results, const ocl_tune_result_t *result, bool is_final)
{
    ocl_tune_entry_t *const known =
            find(results, hash_of(result->family, result->bucket), result->family, result->bucket);
    if (known) {
        const bool is_last = is_final || prim__ocl_tune_is_measured(result);
        if (!is_last && !is_better(result, &known->result)) return true;
        return fill(known, result);
    }
    if (!reserve(results) || !fill(&results->entries[results->n], result)) return false;
    ++results->n;
    return true;
}

bool prim__ocl_tune_results_merge(
        ocl_tune_results_t *results, const ocl_tune_results_t *from, bool is_final)
{
    for (size_t i = 0; i < from->n; ++i)
        if (!prim__ocl_tune_results_put(results, &from->entries[i].result, is_final)) return false;
    return true;
}
