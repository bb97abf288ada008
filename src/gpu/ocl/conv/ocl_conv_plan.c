// SPDX-License-Identifier: Apache-2.0
// The cost model of implicit matrix products: a few tiles, a few splits, the cheapest of them.
#include "ocl_conv_plan.h"

#include "common/int_math.h"

/// The most groups of a tile that the model lets run on a compute unit at a time.
enum { MAX_RESIDENT = 3 };

typedef struct {
    int bm, bn, bk, tm, tn, nteams, nstages;
    /// Products in a cycle of a compute unit of 128 lanes that has one, two, three such groups at a
    /// time, 0: registers do not hold so many. Measured (doc/performance_convolution.md).
    double rates[MAX_RESIDENT];
} tile_t;

static const tile_t tiles[] = {
        // By way of registers.
        {128, 128, 16, 8, 8, 1, 0, {66}},
        {128, 64, 16, 8, 8, 1, 0, {45, 72}},
        {64, 128, 16, 8, 8, 1, 0, {45, 68}},
        {64, 64, 16, 8, 8, 2, 0, {41, 66}},
        {64, 64, 32, 8, 8, 4, 0, {55}},
        {32, 128, 16, 8, 8, 2, 0, {38, 58}},
        // By copies that run on.
        {64, 128, 16, 8, 8, 1, 2, {45, 63, 85}},
        {128, 64, 16, 8, 8, 1, 2, {45, 79, 85}},
        {64, 64, 16, 8, 8, 2, 3, {49, 62, 68}},
        {64, 64, 32, 8, 8, 4, 3, {60}},
        {32, 128, 16, 8, 8, 2, 3, {38, 50, 58}},
};

enum { NTILES = sizeof tiles / sizeof *tiles };

/// Cycles of a compute unit, measured like the rates. A kernel waits for its first operands; a
/// group finds its pixels, waits and stores its sums; partial sums cost a second kernel that reads
/// them all.
static const double start_cycles = 7000, group_cycles = 1850, sum_cycles = 8800;
static const double sum_bytes = 15; ///< that a unit's share of the memory moves in a cycle

static size_t local_bytes(const tile_t *t)
{
    if (t->nstages == 0) return (size_t)(8 * t->bk * (t->bm + t->bn + 8) + 4 * t->bn);
    const int stages = t->nstages * t->bk * (t->bm + t->bn);
    const int sums = t->nteams > 1 ? t->bm * t->bn : 0;
    return (size_t)(4 * (stages > sums ? stages : sums) + 4 * t->bn);
}

static bool is_legal(const tile_t *t, const ocl_device_t *device, const ocl_conv_product_t *p)
{
    const size_t nitems = (size_t)(t->bm / t->tm * (t->bn / t->tn) * t->nteams);
    const size_t limit = p->pipeline_bytes ? p->pipeline_bytes : device->local_bytes;
    return (t->nstages > 0) == (p->pipeline_bytes > 0) && local_bytes(t) <= limit &&
           nitems <= device->max_group_items && nitems <= device->max_group_item_sizes[0];
}

static ocl_conv_plan_t cut(const tile_t *t, const ocl_conv_product_t *p)
{
    ocl_conv_plan_t plan = {.bm = t->bm, .bn = t->bn, .bk = t->bk, .tm = t->tm, .tn = t->tn};
    const int64_t nslices_c = prim__ceil_div(p->channels, t->bk);
    const int64_t nslices =
            p->is_flat ? prim__ceil_div(p->ntaps * p->channels, t->bk) : p->ntaps * nslices_c;
    plan.nteams = t->nteams;
    plan.nstages = t->nstages;
    plan.nitems = t->bm / t->tm * (t->bn / t->tn) * t->nteams;
    plan.ntiles_m = (int32_t)prim__ceil_div(p->m, t->bm);
    plan.ntiles_n = (int32_t)prim__ceil_div(p->n, t->bn);
    plan.nslices = (int32_t)nslices;
    plan.nslices_c = (int32_t)nslices_c;
    return plan;
}

static void split(ocl_conv_plan_t *plan, int64_t nsplits)
{
    plan->split_slices = (int32_t)prim__ceil_div(plan->nslices, nsplits);
    plan->nsplits = (int32_t)prim__ceil_div(plan->nslices, plan->split_slices);
}

/// Cycles of a unit that multiplies for n groups, as many at a time as it holds.
static double products_cycles(const tile_t *t, double group_products, int64_t n)
{
    int limit = 1;
    while (limit < MAX_RESIDENT && t->rates[limit] > 0) ++limit;
    const int64_t rest = n % limit;
    const double full = (double)(n - rest) * group_products / t->rates[limit - 1];
    return full + (rest > 0 ? (double)rest * group_products / t->rates[rest - 1] : 0);
}

static double cycles_of(
        const ocl_conv_plan_t *plan, const tile_t *t, const ocl_conv_product_t *p, int nunits)
{
    const double ngroups = (double)plan->ntiles_m * plan->ntiles_n * (double)p->g * plan->nsplits;
    const int64_t unit_groups = prim__ceil_div((int64_t)ngroups, nunits);
    const double products = (double)t->bm * t->bn * t->bk * plan->split_slices;
    double cycles = start_cycles + products_cycles(t, products, unit_groups) +
                    (double)unit_groups * group_cycles;
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
        if (!is_legal(&tiles[i], device, product)) continue;
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
    if (plan->nstages > 0) prim__ocl_options_int(options, "STAGES", plan->nstages);
    // A compiler for CPUs gains nothing from longer code, and takes long for it.
    prim__ocl_options_int(options, "UNROLL", device->is_cpu ? 1 : 16);
}
