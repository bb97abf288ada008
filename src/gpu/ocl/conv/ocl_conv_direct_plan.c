// SPDX-License-Identifier: Apache-2.0
// Phases, tiles and the cost model of direct convolutions.
#include "ocl_conv_direct_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

enum { ITEMS = OCL_CONV_DIRECT_ITEMS, WARP = 32 };
enum { MOST_ROWS = 8, MOST_CHANNELS = 8 }; ///< of a work-item
enum { MOST_SUMS = 32, MOST_LOADS = 48 };  ///< registers of a work-item
enum { MOST_COLUMNS = 4 };                 ///< of src that a work-item loads together
enum { TEAMS = 4 };                        ///< that share columns, if any do
enum { MOST_TAPS = 16 };                   ///< of a column, all of which are unrolled
enum { MOST_FOURS = 2048 };                ///< of weights in local memory
enum { MOST_LOCAL_BYTES = 48 << 10 };      ///< so that work-groups share a compute unit

// ---- Phases ------------------------------------------------------------------------------------

ocl_conv_direct_axis_t prim__ocl_conv_direct_forward(const conv_shape_t *s, int dim)
{
    return (ocl_conv_direct_axis_t){.in = s->in[dim],
            .out = s->out[dim],
            .stride = s->stride[dim],
            .dilation = s->dilation[dim],
            .taps = s->kernel[dim],
            .ntaps = s->kernel[dim],
            .step = 1,
            .move = 1,
            .nphases = 1,
            .phases = {{.n = (int32_t)s->out[dim], .start = -(int32_t)s->pad[dim]}}};
}

static prim_dim_t common_divisor(prim_dim_t a, prim_dim_t b)
{
    while (b) {
        const prim_dim_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// Row h = at + i·stride of diff_src meets row (h + pad − k·dilation) / stride of diff_dst by tap k
/// where that is whole: by every step-th tap from the first such one on. Their order is reversed,
/// so that rows of diff_dst ascend.
static ocl_conv_direct_phase_t phase_of(
        const ocl_conv_direct_axis_t *axis, const conv_shape_t *s, int dim, prim_dim_t at)
{
    const prim_dim_t stride = s->stride[dim], dilation = s->dilation[dim];
    ocl_conv_direct_phase_t phase = {.at = (int32_t)at, .first = -1};
    if (at < axis->out) phase.n = (int32_t)prim__ceil_div(axis->out - at, stride);
    for (prim_dim_t k = 0; k < -axis->step; ++k) {
        const prim_dim_t last = k - (axis->ntaps - 1) * axis->step;
        const prim_dim_t row = at + s->pad[dim] - last * dilation;
        if (row % stride != 0) continue;
        phase.first = (int32_t)last;
        phase.start = (int32_t)(row / stride);
    }
    return phase;
}

ocl_conv_direct_axis_t prim__ocl_conv_direct_gradient(const conv_shape_t *s, int dim)
{
    const prim_dim_t stride = s->stride[dim], shared = common_divisor(stride, s->dilation[dim]);
    ocl_conv_direct_axis_t axis = {.in = s->out[dim],
            .out = s->in[dim],
            .stride = 1,
            .dilation = s->dilation[dim] / shared,
            .taps = s->kernel[dim],
            .ntaps = prim__ceil_div(s->kernel[dim], stride / shared),
            .step = -(stride / shared),
            .move = stride,
            .nphases = (int)stride};
    for (int p = 0; p < axis.nphases; ++p) axis.phases[p] = phase_of(&axis, s, dim, p);
    return axis;
}

// ---- The tile ----------------------------------------------------------------------------------

/// Rows of src that the pixels of a work-item meet, each of which is a load.
static int loads_of(const ocl_conv_direct_axis_t *h, int th)
{
    const prim_dim_t last = (th - 1) * h->stride + (h->ntaps - 1) * h->dilation;
    int n = 0;
    for (prim_dim_t row = 0; row <= last; ++row) {
        bool is_met = false;
        for (prim_dim_t k = 0; k < h->ntaps && k * h->dilation <= row; ++k) {
            const prim_dim_t rest = row - k * h->dilation;
            is_met = is_met || (rest % h->stride == 0 && rest / h->stride < th);
        }
        n += is_met;
    }
    return n;
}

static prim_dim_t most_of_phase(const ocl_conv_direct_axis_t *axis)
{
    return prim__ceil_div(axis->out, axis->move);
}

/// Vectors of four weights of a column.
static int fours_of(const ocl_conv_direct_problem_t *p, const ocl_conv_direct_plan_t *t)
{
    return (int)prim__ceil_div(p->h.ntaps * t->ocb, 4);
}

/// The most columns whose loads stand beside each other.
static int columns_of(const ocl_conv_direct_plan_t *t)
{
    int columns = MOST_COLUMNS;
    while (columns > 1 && (t->nloads * t->vec * columns > MOST_LOADS / 2 || columns > t->ncolumns))
        columns /= 2;
    return columns;
}

/// Bytes of local memory, the weights' rounded up to a power of two.
static uint64_t book_local(ocl_conv_direct_plan_t *t, const ocl_conv_direct_problem_t *p)
{
    const prim_dim_t nloads = prim__ceil_div(t->ncolumns, (prim_dim_t)t->columns);
    t->nfours = nloads * t->columns * t->vec * fours_of(p, t) * t->groups;
    if (t->nfours > MOST_FOURS) return UINT64_MAX;
    for (t->local_fours = 64; t->local_fours < t->nfours;) t->local_fours *= 2;
    const int room = t->teams > 1 ? 4 * ITEMS * t->th * t->ocb : 0;
    return (uint64_t)(16 * t->local_fours + room);
}

/// Whether registers and local memory hold it; fills in the rest.
static bool cut(ocl_conv_direct_plan_t *t, const ocl_conv_direct_problem_t *p, uint64_t local_bytes)
{
    if (t->th * t->ocb > MOST_SUMS || (t->th > 1 && t->nloads > MOST_LOADS / 2)) return false;
    for (t->vec = p->most_vec; t->vec > 1 && t->nloads * t->vec > MOST_LOADS;) t->vec /= 2;
    t->ncolumns = p->ic / t->vec * p->w.ntaps;
    t->columns = columns_of(t);
    if (t->teams > 1 && t->ncolumns < (prim_dim_t)t->teams * t->columns) return false;
    if (book_local(t, p) > local_bytes) return false;
    t->nblocks = prim__ceil_div(p->oc, (prim_dim_t)t->ocb);
    t->nbands = prim__ceil_div(most_of_phase(&p->h), (prim_dim_t)t->th);
    t->nitems = p->mb * t->nbands * most_of_phase(&p->w);
    t->nparts =
            prim__ceil_div(p->g, (prim_dim_t)t->groups) * t->nblocks * p->h.nphases * p->w.nphases;
    t->ngroups = prim__ceil_div(t->nitems, (prim_dim_t)ITEMS / t->groups / t->teams) * t->nparts;
    return true;
}

// ---- The cost model ----------------------------------------------------------------------------

/// Lines of 128 bytes that a warp meets: `groups` lanes are adjacent, `bytes` together, the
/// next ones `pitch` bytes further.
static double lines_of(double pitch, double bytes, int groups)
{
    const int npixels = WARP / groups;
    const double apart = npixels * (bytes + 127) / 128;
    const double close = (pitch * (npixels - 1) + bytes) / 128 + 0.5;
    const double lines = close < apart ? close : apart;
    return lines > 1 ? lines : 1;
}

/// What a warp issues, over four schedulers, and its accesses, which overlap with those of others:
/// cycles of a compute unit.
static double warp_cycles(const ocl_conv_direct_plan_t *t, const ocl_conv_direct_problem_t *p)
{
    const double sums = t->th * t->ocb, products = (double)p->h.ntaps * sums;
    const double weights = t->groups > 1 ? (double)p->h.ntaps * t->ocb : fours_of(p, t);
    const prim_dim_t src_run = t->groups > 1 ? p->ic * t->groups : t->vec;
    const prim_dim_t dst_run = t->groups > 1 ? p->oc * t->groups : 1;
    const double from = lines_of((double)(p->w.stride * p->src_pitch * p->src_bytes),
            (double)(src_run * p->src_bytes), t->groups);
    const double to = lines_of((double)(p->w.move * p->dst_pitch * p->dst_bytes),
            (double)(dst_run * p->dst_bytes), t->groups);
    const double element = p->src_bytes < 4 ? 2 : 1; // a mask, a conversion
    const double column = t->nloads * (3 + t->vec * element) + t->vec * (weights + products) + 12;
    const double ncolumns = (double)t->ncolumns / t->teams;
    const double fetched = 4. * (double)t->nfours / ITEMS;
    const double joined = t->teams > 1 ? 3 * sums : 0;
    return 1.1 * (ncolumns * column + 8 * sums + 20 * fetched + joined + 100) / 4 +
           0.6 * (ncolumns * (t->nloads * from + t->vec * weights) + sums * to + joined);
}

/// Cycles in which a unit's share of src and dst comes and goes.
static double memory_cycles(const ocl_device_t *device, const ocl_conv_direct_problem_t *p)
{
    const double src = (double)(p->mb * p->g * p->ic * p->h.in * p->w.in) * p->src_bytes;
    const double dst = (double)(p->mb * p->g * p->oc * p->h.out * p->w.out) * p->dst_bytes;
    return (src + dst) / prim__ocl_estimate_units(device) / (prim__ocl_estimate_lanes(device) / 4.);
}

/// What a work-item waits for: each load of columns, the longer where a channel's first line comes
/// from memory. With channels innermost the first load brings most lines.
static double wait_cycles(const ocl_conv_direct_plan_t *t, const ocl_device_t *device,
        const ocl_conv_direct_problem_t *p)
{
    const double load = prim__ocl_measured(
            device, MEASURED_CONV_DIRECT_LOAD_CYCLES, prim__ocl_estimate_cycles(device, 0.15));
    const double miss = prim__ocl_measured(
            device, MEASURED_CONV_DIRECT_MISS_CYCLES, prim__ocl_estimate_cycles(device, 0.5));
    const prim_dim_t nloads = prim__ceil_div(t->ncolumns, (prim_dim_t)t->columns * t->teams);
    const prim_dim_t nplanes = prim__ceil_div(p->ic, (prim_dim_t)t->teams);
    const prim_dim_t nmisses = p->channels_run ? 1 : nloads < nplanes ? nloads : nplanes;
    return load * (double)nloads + miss * (double)nmisses;
}

double prim__ocl_conv_direct_start_cycles(const ocl_device_t *device)
{
    return prim__ocl_measured(
            device, MEASURED_CONV_DIRECT_START_CYCLES, prim__ocl_estimate_cycles(device, 3.5));
}

static double cycles_of(const ocl_conv_direct_plan_t *t, const ocl_device_t *device,
        const ocl_conv_direct_problem_t *p)
{
    const int at_a_time = prim__ocl_measured_int(device, MEASURED_CONV_DIRECT_UNIT_GROUPS, 4);
    const double unit_groups =
            (double)prim__ceil_div(t->ngroups, (prim_dim_t)prim__ocl_estimate_units(device));
    const double rounds = unit_groups > at_a_time ? unit_groups / at_a_time : 1;
    return prim__ocl_conv_direct_start_cycles(device) + rounds * wait_cycles(t, device, p) +
           unit_groups * (ITEMS / WARP) * warp_cycles(t, p) + memory_cycles(device, p);
}

// ---- The choice of a tile ----------------------------------------------------------------------

static void offer(ocl_conv_direct_plan_t *best, ocl_conv_direct_plan_t t,
        const ocl_device_t *device, const ocl_conv_direct_problem_t *p)
{
    const uint64_t local =
            device->local_bytes < MOST_LOCAL_BYTES ? device->local_bytes : MOST_LOCAL_BYTES;
    if (!cut(&t, p, local)) return;
    t.cycles = cycles_of(&t, device, p);
    if (best->th == 0 || t.cycles < best->cycles) *best = t;
}

bool prim__ocl_conv_direct_plan(ocl_conv_direct_plan_t *plan, const ocl_device_t *device,
        const ocl_conv_direct_problem_t *problem)
{
    const int most_ocb = problem->oc < MOST_CHANNELS ? (int)problem->oc : MOST_CHANNELS;
    *plan = (ocl_conv_direct_plan_t){.th = 0};
    if (problem->h.ntaps > MOST_TAPS) return false;
    for (int th = MOST_ROWS; th >= 1; th /= 2) {
        if (th > 1 && th / 2 >= most_of_phase(&problem->h)) continue;
        const int nloads = loads_of(&problem->h, th);
        for (int ocb = most_ocb; ocb >= 1; --ocb)
            for (int groups = 1; groups == 1 || (groups <= WARP && groups < 2 * problem->g);
                    groups *= 2) {
                ocl_conv_direct_plan_t t = {
                        .th = th, .nloads = nloads, .ocb = ocb, .groups = groups, .teams = 1};
                if (groups > 1 && !problem->channels_run) break;
                offer(plan, t, device, problem);
                t.teams = TEAMS;
                offer(plan, t, device, problem);
            }
    }
    return plan->th > 0;
}
