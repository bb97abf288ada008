// SPDX-License-Identifier: Apache-2.0
// The cost model of implicit matrix products: a few tiles, a few splits, the cheapest of them.
#include "ocl_conv_plan.h"

typedef struct {
    int bm, bn, bk, tm, tn, nteams;
    /// Products in a cycle of a compute unit of 128 lanes that has one such group at a time, and
    /// several: measured on 3×3 convolutions of 14 and 28 pixels (doc/performance_convolution.md).
    double rate_alone, rate;
} tile_t;

static const tile_t tiles[] = {
        {128, 128, 16, 8, 8, 1, 66, 66},
        {128, 64, 16, 8, 8, 1, 45, 72},
        {64, 128, 16, 8, 8, 1, 45, 68},
        {64, 64, 16, 8, 8, 2, 41, 66},
        {64, 64, 32, 8, 8, 4, 55, 57},
        {32, 128, 16, 8, 8, 2, 38, 58},
};

enum { NTILES = sizeof tiles / sizeof *tiles };

/// Cycles of a compute unit, measured like the rates. A kernel waits for its first operands; a
/// group finds its pixels and stores its sums; partial sums cost a second kernel that reads them
/// all.
static const double start_cycles = 6000, group_cycles = 800, store_cycles = 1. / 16;
static const double sum_cycles = 14000;
static const double sum_bytes = 16; ///< that a unit's share of the memory moves in a cycle

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static bool is_legal(const tile_t *t, const ocl_device_t *device)
{
    const size_t nitems = (size_t)(t->bm / t->tm * (t->bn / t->tn) * t->nteams);
    const size_t local = (size_t)(8 * t->bk * (t->bm + t->bn + 8) + 4 * t->bn);
    return nitems <= device->max_group_items && nitems <= device->max_group_item_sizes[0] &&
           local <= device->local_bytes;
}

static ocl_conv_plan_t cut(const tile_t *t, const ocl_conv_product_t *p)
{
    ocl_conv_plan_t plan = {.bm = t->bm, .bn = t->bn, .bk = t->bk, .tm = t->tm, .tn = t->tn};
    const int64_t nslices_c = ceil_div(p->channels, t->bk);
    const int64_t nslices =
            p->is_flat ? ceil_div(p->ntaps * p->channels, t->bk) : p->ntaps * nslices_c;
    plan.nteams = t->nteams;
    plan.nitems = t->bm / t->tm * (t->bn / t->tn) * t->nteams;
    plan.ntiles_m = (int32_t)ceil_div(p->m, t->bm);
    plan.ntiles_n = (int32_t)ceil_div(p->n, t->bn);
    plan.nslices = (int32_t)nslices;
    plan.nslices_c = (int32_t)nslices_c;
    return plan;
}

static void split(ocl_conv_plan_t *plan, int64_t nsplits)
{
    plan->split_slices = (int32_t)ceil_div(plan->nslices, nsplits);
    plan->nsplits = (int32_t)ceil_div(plan->nslices, plan->split_slices);
}

static double cycles_of(
        const ocl_conv_plan_t *plan, const tile_t *t, const ocl_conv_product_t *p, int nunits)
{
    const double ngroups = (double)plan->ntiles_m * plan->ntiles_n * (double)p->g * plan->nsplits;
    const int64_t unit_groups = ceil_div((int64_t)ngroups, nunits);
    const double area = (double)t->bm * t->bn;
    const double products = area * t->bk * plan->split_slices;
    const double group = products / (unit_groups > 1 ? t->rate : t->rate_alone);
    double cycles =
            start_cycles + (double)unit_groups * (group + group_cycles + area * store_cycles);
    if (plan->nsplits > 1) {
        const double bytes = 4. * (double)(p->g * p->m * p->n) * (plan->nsplits + 1);
        cycles += sum_cycles + bytes / sum_bytes / nunits;
    }
    return cycles;
}

static bool offer(ocl_tune_t *tune, const ocl_conv_plan_t *plan)
{
    const ocl_tune_params_t params = {{plan->bm, plan->bn, plan->bk, plan->nteams, plan->nsplits}};
    return prim__ocl_tune_offer(tune, plan->cycles, params);
}

bool prim__ocl_conv_plan(ocl_conv_plan_t *plan, ocl_tune_t *tune, const ocl_device_t *device,
        const ocl_conv_product_t *product)
{
    static const int splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
    const int nunits = device->compute_units > 0 ? device->compute_units : 1;
    plan->cycles = 0;
    for (int i = 0; i < NTILES; ++i) {
        if (!is_legal(&tiles[i], device)) continue;
        ocl_conv_plan_t candidate = cut(&tiles[i], product);
        for (size_t s = 0; s < sizeof splits / sizeof *splits; ++s) {
            if (splits[s] > 1 && (!product->may_split || splits[s] > candidate.nslices)) break;
            split(&candidate, splits[s]);
            candidate.cycles = cycles_of(&candidate, &tiles[i], product, nunits);
            if (tune ? offer(tune, &candidate)
                     : plan->cycles <= 0 || candidate.cycles < plan->cycles)
                *plan = candidate;
        }
    }
    return plan->cycles > 0;
}

double prim__ocl_conv_move_cycles(const ocl_device_t *device, double bytes, int nkernels)
{
    const int nunits = device->compute_units > 0 ? device->compute_units : 1;
    return bytes / sum_bytes / nunits + nkernels * sum_cycles;
}

void prim__ocl_conv_plan_options(
        ocl_options_t *options, const ocl_conv_plan_t *plan, const ocl_device_t *device)
{
    prim__ocl_options_int(options, "BM", plan->bm);
    prim__ocl_options_int(options, "BN", plan->bn);
    prim__ocl_options_int(options, "BK", plan->bk);
    prim__ocl_options_int(options, "TM", plan->tm);
    prim__ocl_options_int(options, "TN", plan->tn);
    prim__ocl_options_int(options, "NSLICES", plan->nteams);
    // A compiler for CPUs gains nothing from longer code, and takes long for it.
    prim__ocl_options_int(options, "UNROLL", device->is_cpu ? 1 : 16);
}
