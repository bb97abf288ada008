// SPDX-License-Identifier: Apache-2.0
// The cost model of gradients by src for few channels of src, and those of its alternatives.
#include "ocl_conv_backward_data_few_channels_plan.h"

#include <math.h>

#include "common/impl.h"
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_wgmma_plan.h"

enum { ITEMS = OCL_CONV_FEW_SRC_ITEMS };
enum { MOST_PRODUCTS = 1280 }; ///< of a channel in a work-item, all of which are unrolled
enum { MOST_BLOCKS = 8 };

// ---- The tile: PLACE, ROWS and TILE of the kernel in the words of the host --------------------

/// Rows or columns of diff_dst that `nblocks` neighbouring blocks meet.
static int reach(const conv_shape_t *s, int dim, int nblocks)
{
    const int stride = (int)s->stride[dim], rest = (int)s->pad[dim] % stride;
    const int before = ((int)s->kernel[dim] - 1 - rest + stride) / stride - 1;
    return nblocks + before + (stride - 1 + rest) / stride;
}

static uint64_t local_bytes_of(const conv_shape_t *s, const ocl_conv_few_src_plan_t *t)
{
    const int rows = reach(s, CONV_H, t->ly * t->bh), columns = reach(s, CONV_W, t->lx);
    const int nweights = (int)(prim__conv_taps(s) * s->ic);
    // Blocks of rows are up to 31 elements apart.
    const int elems = rows * columns + (rows / t->bh + 1) * 31 + nweights + 3;
    return (uint64_t)(4 * t->depth * elems);
}

/// Issue slots of a channel of diff_dst in a work-item: products go four to a cycle, loads of four
/// weights take as long as four loads of one element.
static double item_cost(const conv_shape_t *s, const ocl_conv_few_src_plan_t *t)
{
    const double nweights = (double)(prim__conv_taps(s) * s->ic);
    const double products = nweights * t->bh / 4;
    const double loads = nweights + (double)reach(s, CONV_H, t->bh) * reach(s, CONV_W, 1);
    return (products > loads ? products : loads) + 0.25 * (products + loads);
}

prim_dim_t prim__ocl_conv_few_src_block_sums(const conv_shape_t *s)
{
    return s->stride[CONV_H] * s->stride[CONV_W] * s->ic;
}

/// Whether the registers and the local memory hold it; fills in the rest.
static bool cut(
        ocl_conv_few_src_plan_t *t, const conv_shape_t *s, uint64_t local_bytes, int least_depth)
{
    const prim_dim_t sums = prim__ocl_conv_few_src_block_sums(s) * t->bh;
    const prim_dim_t products = prim__conv_taps(s) * s->ic * t->bh;
    if (t->bh > 1 && (sums > OCL_CONV_FEW_SRC_MOST_SUMS || products > MOST_PRODUCTS)) return false;
    for (t->depth = OCL_CONV_FEW_SRC_MOST_DEPTH; local_bytes_of(s, t) > local_bytes; t->depth /= 2)
        if (t->depth == least_depth) return false;
    const prim_dim_t nblocks_h = prim__ceil_div(s->in[CONV_H], s->stride[CONV_H]);
    const prim_dim_t nblocks_w = prim__ceil_div(s->in[CONV_W], s->stride[CONV_W]);
    t->tiles_h = prim__ceil_div(nblocks_h, (prim_dim_t)t->bh * t->ly);
    t->tiles_w = prim__ceil_div(nblocks_w, (prim_dim_t)t->lx);
    t->ngroups = s->mb * t->tiles_h * t->tiles_w;
    return true;
}

/// Work-groups that a compute unit has at a time. Nothing says how much local memory a unit has
/// beyond what one group may have.
static int unit_groups(
        const ocl_device_t *device, const conv_shape_t *s, const ocl_conv_few_src_plan_t *t)
{
    const uint64_t held = device->local_bytes / local_bytes_of(s, t);
    return prim__ocl_measured_int(device, MEASURED_CONV_FEW_CHANNELS_UNIT_GROUPS,
            held < 1 ? 1 : (int)(held < 8 ? held : 8));
}

/// What a compute unit is expected to take. Work-items load their part of a tile and of the weights
/// one after the other, each after the latency of the memory, and then multiply; groups beside each
/// other hide nothing of that in a group.
static double cycles_of(const ocl_conv_few_src_plan_t *t, const ocl_device_t *device,
        const conv_shape_t *s, int vec)
{
    const double load = prim__ocl_measured(
            device, MEASURED_CONV_FEW_CHANNELS_LOAD_CYCLES, prim__ocl_estimate_cycles(device, 0.2));
    const double tile = (double)reach(s, CONV_H, t->ly * t->bh) * reach(s, CONV_W, t->lx) / vec;
    const double nweights = (double)(prim__conv_taps(s) * s->ic);
    const double loads = t->depth * (tile + nweights) / ITEMS;
    const int64_t at_a_time = (int64_t)unit_groups(device, s, t) * prim__ocl_estimate_units(device);
    const int64_t rounds = prim__ceil_div(t->ngroups, at_a_time);
    const int64_t chunks = prim__ceil_div(s->oc, (prim_dim_t)t->depth);
    return (double)(rounds * chunks) * (t->depth * item_cost(s, t) + load * loads);
}

bool prim__ocl_conv_few_src_plan(ocl_conv_few_src_plan_t *plan, const ocl_device_t *device,
        const conv_shape_t *shape, int vec)
{
    const uint64_t most_bytes = 32 << 10; // so that several work-groups share a compute unit
    const uint64_t local = device->local_bytes < most_bytes ? device->local_bytes : most_bytes;
    const int nunits = prim__ocl_estimate_units(device);
    double least = 0;
    *plan = (ocl_conv_few_src_plan_t){.bh = 0};
    for (int bh = MOST_BLOCKS; bh >= 1; --bh)
        for (int lx = 8; lx <= ITEMS; lx *= 2) {
            ocl_conv_few_src_plan_t t = {.bh = bh, .lx = lx, .ly = ITEMS / lx};
            if (!cut(&t, shape, local, vec)) continue;
            const double cost = item_cost(shape, &t) * (double)prim__ceil_div(t.ngroups, nunits);
            if (plan->bh > 0 && cost >= least) continue;
            least = cost;
            *plan = t;
        }
    if (plan->bh == 0) return false;
    plan->cycles = cycles_of(plan, device, shape, vec);
    return true;
}

// ---- Matrix products ---------------------------------------------------------------------------

/// A phase of the strides as a product, and how many phases there are.
typedef struct {
    int64_t nphases, ntaps, size[3];
} phases_t;

static phases_t phases_of(const conv_shape_t *s)
{
    phases_t p = {.nphases = s->stride[CONV_H] * s->stride[CONV_W], .size = {0, 0, s->mb}};
    p.ntaps = prim__ceil_div(prim__conv_taps(s), p.nphases);
    p.size[0] = prim__ceil_div(s->in[CONV_W], s->stride[CONV_W]);
    p.size[1] = prim__ceil_div(s->in[CONV_H], s->stride[CONV_H]);
    return p;
}

double prim__ocl_conv_few_src_phases_cycles(
        const ocl_device_t *device, const conv_shape_t *shape, size_t pipeline_bytes)
{
    const phases_t p = phases_of(shape);
    const ocl_conv_product_t product = {.g = p.nphases,
            .m = shape->ic,
            .n = p.size[0] * p.size[1] * p.size[2],
            .ntaps = p.ntaps,
            .channels = shape->oc,
            .may_split = true,
            .pipeline_bytes = pipeline_bytes};
    ocl_conv_plan_t plan;
    return prim__ocl_conv_plan(&plan, NULL, device, &product) ? plan.cycles : INFINITY;
}

double prim__ocl_conv_few_src_wgmma_cycles(
        const ocl_device_t *device, const conv_shape_t *shape, uint64_t local_bytes, int elem_bytes)
{
    const phases_t p = phases_of(shape);
    const ocl_conv_wgmma_product_t product = {.g = p.nphases,
            .pixels = p.size[0] * p.size[1] * p.size[2],
            .outputs = shape->ic,
            .ntaps = p.ntaps,
            .channels = shape->oc,
            .size = {p.size[0], p.size[1], p.size[2]},
            .element_step = {1, 1},
            .may_box = true,
            .has_unit = true,
            .dst_bytes = elem_bytes,
            .is_short = true,
            .is_across = true};
    prim_desc_t none = {0};
    ocl_tune_t tune = {.pd = &none};
    ocl_conv_wgmma_plan_t plan = {.cycles = INFINITY};
    (void)prim__ocl_conv_wgmma_plan(&plan, &tune, device, local_bytes, &product);
    return plan.cycles;
}
