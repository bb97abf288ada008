// SPDX-License-Identifier: Apache-2.0
// The cost model of implicit matrix products: a few tiles, a few numbers of splits, the cheapest
// of them.
#include "ocl_conv_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

/// The most work-groups of a tile that the model assumes resident on a compute unit.
enum { MAX_RESIDENT = 3 };

typedef struct {
    int bm, bn, bk, tm, tn, nteams, nstages;
} tile_t;

static const tile_t tiles[] = {
        // By way of registers.
        {128, 128, 16, 8, 8, 1, 0},
        {128, 64, 16, 8, 8, 1, 0},
        {64, 128, 16, 8, 8, 1, 0},
        {64, 64, 16, 8, 8, 2, 0},
        {64, 64, 32, 8, 8, 4, 0},
        {32, 128, 16, 8, 8, 2, 0},
        // By asynchronous copies.
        {64, 128, 16, 8, 8, 1, 2},
        {128, 64, 16, 8, 8, 1, 2},
        {64, 64, 16, 8, 8, 2, 3},
        {64, 64, 32, 8, 8, 4, 3},
        {32, 128, 16, 8, 8, 2, 3},
        {32, 64, 32, 8, 8, 4, 3},
        {16, 64, 32, 4, 8, 4, 3},
};

enum { NTILES = sizeof tiles / sizeof *tiles };

/// Cycles of a compute unit. A kernel waits for its first operands, longer than any group after it;
/// a group finds its pixels, waits and stores its sums; partial sums cost a second kernel that
/// reads them all, with a unit's share of the memory's bandwidth: a byte in a cycle for eight
/// lanes.
typedef struct {
    double start, group, sum, sum_bytes;
} costs_t;

static costs_t costs_of(const ocl_device_t *device)
{
    return (costs_t){
            .start = prim__ocl_measured(
                    device, MEASURED_CONV_START_CYCLES, prim__ocl_estimate_cycles(device, 3.5)),
            .group = prim__ocl_measured(
                    device, MEASURED_CONV_GROUP_CYCLES, prim__ocl_estimate_cycles(device, 1)),
            .sum = prim__ocl_measured(
                    device, MEASURED_CONV_SUM_CYCLES, prim__ocl_estimate_cycles(device, 4.5)),
            .sum_bytes = prim__ocl_measured(
                    device, MEASURED_CONV_SUM_BYTES, prim__ocl_estimate_lanes(device) / 8.),
    };
}

static int items_of(const tile_t *t)
{
    return t->bm / t->tm * (t->bn / t->tn) * t->nteams;
}

/// Products in a cycle of a compute unit that has one, two, three such groups at a time, 0:
/// registers do not hold so many. Work-items have 64 sums each: a unit has registers for 256
/// work-items that keep the next slice in registers, and for 384 whose copies go past them; each
/// more of the groups adds as much as the one before.
static ocl_measured_values_t rates_of(const ocl_device_t *device, const tile_t *t)
{
    const int resident = (t->nstages > 0 ? 384 : 256) / items_of(t);
    const double full =
            0.8 * prim__ocl_estimate_tile_rate(prim__ocl_estimate_lanes(device), t->bm, t->bn);
    ocl_measured_values_t rates = {{0}};
    for (int n = 1; n <= resident && n <= MAX_RESIDENT; ++n)
        rates.values[n - 1] = full * (n + 1) / (resident + 1);
    return prim__ocl_measured_config(device, MEASURED_CONV_IGEMM_TILES,
            (ocl_tune_params_t){{t->bm, t->bn, t->bk, t->nteams, t->nstages}}, rates);
}

static size_t local_bytes(const tile_t *t)
{
    if (t->nstages == 0) return (size_t)(8 * t->bk * (t->bm + t->bn + 8) + 4 * t->bn);
    const int stages = t->nstages * t->bk * (t->bm + t->bn);
    const int sums = t->nteams > 1 ? t->bm * t->bn : 0;
    return (size_t)(4 * (stages > sums ? stages : sums) + 4 * t->bn);
}

static bool is_legal(const tile_t *t, const ocl_device_t *device, const ocl_conv_product_t *p)
{
    const size_t nitems = (size_t)items_of(t);
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
    plan.nitems = items_of(t);
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
static double products_cycles(const double *rates, double group_products, int64_t n)
{
    int limit = 1;
    while (limit < MAX_RESIDENT && rates[limit] > 0) ++limit;
    const int64_t rest = n % limit;
    const double full = (double)(n - rest) * group_products / rates[limit - 1];
    return full + (rest > 0 ? (double)rest * group_products / rates[rest - 1] : 0);
}

static double cycles_of(const ocl_conv_plan_t *plan, const tile_t *t, const ocl_conv_product_t *p,
        const ocl_device_t *device)
{
    const costs_t costs = costs_of(device);
    const ocl_measured_values_t rates = rates_of(device, t);
    const int nunits = prim__ocl_estimate_units(device);
    const double ngroups = (double)plan->ntiles_m * plan->ntiles_n * (double)p->g * plan->nsplits;
    const int64_t unit_groups = prim__ceil_div((int64_t)ngroups, nunits);
    const double products = (double)t->bm * t->bn * t->bk * plan->split_slices;
    double cycles = costs.start + products_cycles(rates.values, products, unit_groups) +
                    (double)unit_groups * costs.group;
    if (plan->nsplits > 1) {
        const double bytes = 4. * (double)(p->g * p->m * p->n) * (plan->nsplits + 1);
        cycles += costs.sum + bytes / costs.sum_bytes / nunits;
    }
    return cycles;
}

static bool offer(ocl_tune_t *tune, const ocl_conv_plan_t *plan)
{
    const ocl_tune_params_t params = {{plan->bm, plan->bn, plan->bk, plan->nteams, plan->nsplits}};
    return prim__ocl_tune_offer(tune, plan->cycles, params);
}

int prim__ocl_conv_list_splits(int64_t splits[OCL_CONV_MAX_SPLITS], const ocl_device_t *device,
        int64_t ntiles, int64_t nslices, int64_t longest)
{
    static const int64_t few[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
    const int nfew = (int)(sizeof few / sizeof *few);
    const int64_t least = longest > 0 ? prim__ceil_div(nslices, longest) : 1;
    int n = 0;
    for (int i = 0; i < nfew; ++i) {
        if (few[i] >= least && (i == 0 || few[i] <= nslices)) splits[n++] = few[i];
    }
    for (int i = nfew; i < OCL_CONV_MAX_SPLITS && longest > 0; ++i) {
        const int64_t fill = (i - nfew + 1) * (int64_t)prim__ocl_estimate_units(device) / ntiles;
        const int64_t wanted = fill > least ? fill : least;
        if (wanted <= nslices) splits[n++] = wanted;
    }
    return n;
}

bool prim__ocl_conv_plan(ocl_conv_plan_t *plan, ocl_tune_t *tune, const ocl_device_t *device,
        const ocl_conv_product_t *product)
{
    plan->cycles = 0;
    for (int i = 0; i < NTILES; ++i) {
        if (!is_legal(&tiles[i], device, product)) continue;
        ocl_conv_plan_t candidate = cut(&tiles[i], product);
        int64_t splits[OCL_CONV_MAX_SPLITS];
        const int64_t ntiles = product->g * candidate.ntiles_m * candidate.ntiles_n;
        const int nsplits = prim__ocl_conv_list_splits(
                splits, device, ntiles, candidate.nslices, product->longest / candidate.bk);
        for (int s = 0; s < (product->may_split ? nsplits : 1); ++s) {
            split(&candidate, splits[s]);
            candidate.cycles = cycles_of(&candidate, &tiles[i], product, device);
            if (tune ? offer(tune, &candidate)
                     : plan->cycles <= 0 || candidate.cycles < plan->cycles)
                *plan = candidate;
        }
    }
    return plan->cycles > 0;
}

double prim__ocl_conv_plan_slowed(
        const ocl_device_t *device, const ocl_conv_plan_t *plan, double times)
{
    const costs_t costs = costs_of(device);
    const double fixed = costs.start + (plan->nsplits > 1 ? costs.sum : 0);
    return fixed + (plan->cycles - fixed) * times;
}

int64_t prim__ocl_conv_longest(int64_t depth)
{
    return depth > OCL_LONGEST_SUM ? OCL_LONGEST_SUM : 0;
}

double prim__ocl_conv_move_cycles(const ocl_device_t *device, double bytes, int nkernels)
{
    const costs_t costs = costs_of(device);
    return bytes / costs.sum_bytes / prim__ocl_estimate_units(device) + nkernels * costs.sum;
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
