// SPDX-License-Identifier: Apache-2.0
// Builds loop nests: splits blocked dimensions, orders the loops, merges contiguous ones.
#include "ocl_loops.h"

#include <string.h>

#include "common/int_math.h"
#include "common/memory_desc_tag.h"

enum { MAX_DIGITS = 8 };

/// The weights at which the digits of one dimension start, 1 first: {1, 4, 16} for blocks 4 and 4.
typedef struct {
    int n;
    int64_t weights[MAX_DIGITS];
} digits_t;

static bool add_weight(digits_t *digits, int64_t weight)
{
    int place = 0;
    while (place < digits->n && digits->weights[place] < weight) ++place;
    if (place < digits->n && digits->weights[place] == weight) return true;
    if (digits->n == MAX_DIGITS) return false;
    for (int i = digits->n; i > place; --i) digits->weights[i] = digits->weights[i - 1];
    digits->weights[place] = weight;
    ++digits->n;
    return true;
}

/// The digits that all tensors cut dimension d at; false when they do not nest.
static bool find_digits(digits_t *digits, const prim_memory_desc_t *const *mds, int nmds, int d)
{
    *digits = (digits_t){.n = 1, .weights = {1}};
    for (int t = 0; t < nmds; ++t) {
        if (mds[t]->dims[d] == 1 && mds[0]->dims[d] != 1) continue; // broadcasts
        int64_t weight = 1;
        for (int b = mds[t]->inner_nblks - 1; b >= 0; --b) {
            if (mds[t]->inner_idxs[b] != d) continue;
            weight *= mds[t]->inner_blks[b];
            if (!add_weight(digits, weight)) return false;
        }
    }
    for (int i = 1; i < digits->n; ++i) {
        if (digits->weights[i] % digits->weights[i - 1] != 0) return false;
    }
    return true;
}

/// The distance in memory of indices along d that differ by `weight`, one of the tensor's digits or
/// a refinement of one.
static int64_t digit_stride(const prim_memory_desc_t *md, int d, int64_t weight)
{
    int64_t covered = 1, inner_stride = 1;
    for (int b = md->inner_nblks - 1; b >= 0; --b) {
        const int64_t block = md->inner_blks[b];
        if (md->inner_idxs[b] == d) {
            if (weight < covered * block) return weight / covered * inner_stride;
            covered *= block;
        }
        inner_stride *= block;
    }
    // A digit that other tensors' blocks made, beyond all that this one has: nothing is read there.
    prim_dim_t stride;
    return prim__dim_mul(&stride, weight / covered, md->strides[d]) ? stride : 0;
}

static bool add_tail(loops_t *loops, const prim_memory_desc_t *const *mds, int d, int64_t covered,
        const digits_t *digits, int first_loop)
{
    const prim_memory_desc_t *const dst = mds[0];
    const bool is_in_dst = dst->padded_dims[d] == covered;
    if (!is_in_dst && dst->padded_dims[d] != dst->dims[d]) return false;
    if (loops->ntails == LOOPS_MAX_TAILS) return false;
    loop_tail_t *const tail = &loops->tails[loops->ntails++];
    tail->limit = dst->dims[d];
    tail->is_in_dst = is_in_dst;
    for (int i = 0; i < digits->n; ++i) tail->multipliers[first_loop + i] = digits->weights[i];
    return true;
}

/// Appends the loops of dimension d, innermost digit first.
static bool add_dimension(loops_t *loops, const prim_memory_desc_t *const *mds, int nmds, int d)
{
    digits_t digits;
    if (!find_digits(&digits, mds, nmds, d)) return false;
    if (loops->n + digits.n > LOOPS_MAX) return false;
    const int first_loop = loops->n;
    const int64_t extent = mds[0]->dims[d];
    const int64_t last = digits.weights[digits.n - 1];
    const int64_t covered = prim__round_up(extent, last);
    for (int i = 0; i < digits.n; ++i) {
        const int64_t weight = digits.weights[i];
        const int64_t end = i + 1 < digits.n ? digits.weights[i + 1] : covered;
        loops->extents[loops->n] = end / weight;
        for (int t = 0; t < nmds; ++t) {
            const bool is_broadcast = mds[t]->dims[d] == 1 && extent != 1;
            loops->strides[t][loops->n] = is_broadcast ? 0 : digit_stride(mds[t], d, weight);
        }
        ++loops->n;
    }
    // A tensor of extent 1 that is cut has padding too.
    const bool is_padded = covered != extent || mds[0]->padded_dims[d] != extent;
    return !is_padded || add_tail(loops, mds, d, covered, &digits, first_loop);
}

static void remove_loop(loops_t *loops, int l)
{
    for (int i = l; i + 1 < loops->n; ++i) {
        loops->extents[i] = loops->extents[i + 1];
        for (int t = 0; t < loops->ntensors; ++t) loops->strides[t][i] = loops->strides[t][i + 1];
        for (int k = 0; k < loops->ntails; ++k)
            loops->tails[k].multipliers[i] = loops->tails[k].multipliers[i + 1];
    }
    --loops->n;
    for (int k = 0; k < loops->ntails; ++k) loops->tails[k].multipliers[loops->n] = 0;
}

void prim__ocl_loops_move(loops_t *loops, int from, int to)
{
    const loops_t old = *loops;
    for (int place = 0, next = 0; place < loops->n; ++place) {
        if (next == from) ++next;
        const int source = place == to ? from : next++;
        loops->extents[place] = old.extents[source];
        for (int t = 0; t < loops->ntensors; ++t) loops->strides[t][place] = old.strides[t][source];
        for (int k = 0; k < loops->ntails; ++k)
            loops->tails[k].multipliers[place] = old.tails[k].multipliers[source];
    }
}

/// Whether loop l goes before m: by falling strides of dst, then of the others.
static bool goes_before(const loops_t *loops, int l, int m)
{
    for (int t = 0; t < loops->ntensors; ++t) {
        if (loops->strides[t][l] != loops->strides[t][m])
            return loops->strides[t][l] > loops->strides[t][m];
    }
    return false;
}

static void sort(loops_t *loops)
{
    for (int i = 1; i < loops->n; ++i) {
        int place = i;
        while (place > 0 && goes_before(loops, i, place - 1)) --place;
        if (place != i) prim__ocl_loops_move(loops, i, place);
    }
}

static bool is_in_tail(const loops_t *loops, int l)
{
    for (int k = 0; k < loops->ntails; ++k) {
        if (loops->tails[k].multipliers[l] != 0) return true;
    }
    return false;
}

/// Whether loop l + 1 runs through exactly one step of loop l, in every tensor.
static bool can_merge(const loops_t *loops, int l)
{
    if (is_in_tail(loops, l) || is_in_tail(loops, l + 1)) return false;
    for (int t = 0; t < loops->ntensors; ++t) {
        if (loops->strides[t][l] != loops->strides[t][l + 1] * loops->extents[l + 1]) return false;
    }
    return true;
}

static void simplify(loops_t *loops)
{
    for (int l = loops->n - 1; l >= 0; --l) {
        if (loops->extents[l] == 1) remove_loop(loops, l);
    }
    sort(loops);
    for (int l = loops->n - 2; l >= 0; --l) {
        if (!can_merge(loops, l)) continue;
        loops->extents[l + 1] *= loops->extents[l];
        remove_loop(loops, l);
    }
    if (loops->n == 0) prim__ocl_loops_pad(loops, 1);
}

static bool init(loops_t *loops, const prim_memory_desc_t *const *mds, int nmds, int skipped)
{
    memset(loops, 0, sizeof *loops);
    loops->ntensors = nmds;
    for (int d = 0; d < mds[0]->ndims; ++d) {
        for (int t = 0; t < nmds; ++t) {
            if (mds[t]->padded_offsets[d] != 0) return false;
        }
        if (d != skipped && !add_dimension(loops, mds, nmds, d)) return false;
    }
    for (int l = 0; l < loops->n; ++l) {
        if (loops->extents[l] != 0) continue;
        loops->extents[0] = 0;
        loops->n = 1;
        loops->ntails = 0;
        return true;
    }
    simplify(loops);
    return true;
}

bool prim__ocl_loops_init(loops_t *loops, const prim_memory_desc_t *const *mds, int nmds)
{
    return init(loops, mds, nmds, -1);
}

bool prim__ocl_loops_init_without(
        loops_t *loops, const prim_memory_desc_t *const *mds, int nmds, int axis)
{
    for (int t = 0; t < nmds; ++t) {
        if (!prim__md_is_plain(mds[t])) return false;
    }
    return init(loops, mds, nmds, axis);
}

int prim__ocl_loops_unit(const loops_t *loops, int t)
{
    for (int l = loops->n - 1; l >= 0; --l) {
        if (loops->strides[t][l] == 1) return l;
    }
    return -1;
}

void prim__ocl_loops_pad(loops_t *loops, int n)
{
    while (loops->n < n) {
        const int last = loops->n++;
        loops->extents[last] = 1;
        for (int t = 0; t < loops->ntensors; ++t) loops->strides[t][last] = 0;
        for (int k = 0; k < loops->ntails; ++k) loops->tails[k].multipliers[last] = 0;
        prim__ocl_loops_move(loops, last, 0);
    }
}
