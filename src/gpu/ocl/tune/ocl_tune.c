// SPDX-License-Identifier: Apache-2.0
// The choice among offers.
#include "ocl_tune.h"

#include <string.h>

#include "common/fnv.h"
#include "common/impl.h"
#include "ocl_tune_key.h"
#include "ocl_tune_store.h"

uint64_t prim__ocl_tune_hash(const ocl_tune_params_t *params)
{
    return prim__fnv64(FNV64_START, params->values, sizeof params->values);
}

static bool same(const ocl_tune_params_t *a, const ocl_tune_params_t *b)
{
    return memcmp(a->values, b->values, sizeof a->values) == 0;
}

/// What is known of the problem.
static bool look_up(ocl_tune_params_t *wanted, prim_desc_t *pd, const char *names)
{
    struct ocl_tune_store *const store = prim__ocl_engine(pd->engine)->tuning;
    if (pd->attr.is_deterministic || prim__ocl_tune_store_is_empty(store)) return false;
    char bucket[OCL_TUNE_BUCKET_BYTES];
    ocl_tune_known_t known;
    prim__ocl_tune_bucket(bucket, pd);
    return prim__ocl_tune_store_find(&known, store, pd->impl->name, bucket) &&
           prim__ocl_tune_params_parse(wanted, names, known.params);
}

void prim__ocl_tune_start(ocl_tune_t *tune, struct prim_desc *pd, const char *names)
{
    *tune = (ocl_tune_t){.pd = pd};
    const ocl_tune_trial_t *const trial = pd->trial;
    if (!trial) {
        tune->has_wanted = look_up(&tune->wanted, pd, names);
        return;
    }
    tune->list = trial->list;
    tune->has_wanted = trial->forced != NULL;
    if (trial->forced) tune->wanted = *trial->forced;
    if (trial->list) *trial->list = (ocl_tune_list_t){.names = names};
}

static void note(ocl_tune_list_t *list, double cost, const ocl_tune_params_t *params)
{
    for (int i = 0; i < list->n; ++i)
        if (same(&list->candidates[i].params, params)) return;
    int at = list->n < OCL_TUNE_CANDIDATES ? list->n++ : OCL_TUNE_CANDIDATES;
    for (; at > 0 && list->candidates[at - 1].cost > cost; --at)
        if (at < OCL_TUNE_CANDIDATES) list->candidates[at] = list->candidates[at - 1];
    if (at < OCL_TUNE_CANDIDATES) list->candidates[at] = (ocl_tune_candidate_t){*params, cost};
}

bool prim__ocl_tune_offer(ocl_tune_t *tune, double cost, ocl_tune_params_t params)
{
    if (tune->list) note(tune->list, cost, &params);
    if (tune->has_choice && !same(&tune->choice, &params)) tune->pd->is_tunable = true;
    if (tune->has_choice) {
        const bool is_settled = tune->has_wanted && same(&tune->choice, &tune->wanted);
        if (is_settled) return false;
        const bool is_wanted = tune->has_wanted && same(&params, &tune->wanted);
        if (!is_wanted && cost >= tune->best_cost) return false;
    }
    tune->has_choice = true;
    tune->best_cost = cost;
    tune->choice = params;
    tune->pd->choice = prim__ocl_tune_hash(&params);
    return true;
}

bool prim__ocl_tune_has_choice(const ocl_tune_t *tune)
{
    return tune->has_choice;
}
