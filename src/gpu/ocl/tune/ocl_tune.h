// SPDX-License-Identifier: Apache-2.0
// How an implementation makes one of its decisions tunable: in init_pd it offers every
// configuration that is right for the problem on the device, with the cost it expects, and takes
// those that the tuner accepts; the last one taken is the choice.
//
//     ocl_tune_t tune;
//     prim__ocl_tune_start(&tune, pd, "bm bn splits");
//     for (int i = 0; i < NTILES; ++i) {
//         if (!fits(&tiles[i])) continue;
//         const ocl_tune_params_t params = {{tiles[i].bm, tiles[i].bn, 1}};
//         if (prim__ocl_tune_offer(&tune, cost_of(&tiles[i]), params)) p->tile = i;
//     }
//     REQUIRE(pd, prim__ocl_tune_has_choice(&tune), "no tile fits the work-groups and the local
//     memory of the device");
//
// Without results that is the cheapest one, the first of equals; with a result for the problem it
// is the one that was measured to be fastest, if it is among the offers. Results that do not fit,
// whoever wrote them, are thus never used. What is offered computes the same thing in the same
// numerics: types of data, products and sums are the same for all, orders of sums may differ.
#ifndef PRIM_OCL_TUNE_H
#define PRIM_OCL_TUNE_H

#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_tune_params.h"

struct prim_desc;

enum { OCL_TUNE_CANDIDATES = 64 };

typedef struct {
    ocl_tune_params_t params;
    double cost;
} ocl_tune_candidate_t;

/// The cheapest ones that were offered, cheapest first.
typedef struct {
    const char *names; ///< of the parameters, separated by blanks
    int n;
    ocl_tune_candidate_t candidates[OCL_TUNE_CANDIDATES];
} ocl_tune_list_t;

/// What the tuner requests of init_pd, by prim_desc.trial.
typedef struct {
    ocl_tune_list_t *list;           ///< where to note what is offered; NULL: nowhere
    const ocl_tune_params_t *forced; ///< what to take; NULL: the cheapest
} ocl_tune_trial_t;

typedef struct {
    struct prim_desc *pd;
    ocl_tune_list_t *list;
    bool has_choice, has_wanted;
    double best_cost;
    ocl_tune_params_t wanted, choice;
} ocl_tune_t;

/// `names`: a word for each parameter, as they stand in the results; they tell, with the name of
/// the implementation, what a result is for, so what changes its meaning gets another name.
void prim__ocl_tune_start(ocl_tune_t *tune, struct prim_desc *pd, const char *names);
/// Whether to take this one, for now. `cost` in any unit, at least 0; implementations that go by
/// rules say 0 for what the rules choose, and more for the others.
bool prim__ocl_tune_offer(ocl_tune_t *tune, double cost, ocl_tune_params_t params);
/// Whether there was any offer.
bool prim__ocl_tune_has_choice(const ocl_tune_t *tune);

/// Of parameters: what prim_desc.choice is for them.
uint64_t prim__ocl_tune_hash(const ocl_tune_params_t *params);

#endif
