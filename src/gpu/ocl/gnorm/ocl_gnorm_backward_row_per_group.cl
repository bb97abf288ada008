// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation, NCHW with contiguous planes: a work-group per group of channels of an image, a row.
// With PER_ITEM > 0 it keeps the row in registers. Else it reads the row twice, for the sums and for diff_src; the second
// time from the cache.
//
//   data            shapes and strides; data->dst: diff_dst
//   src, diff_dst   [N, C, data->spatial] SRC_T, DIFF_DST_T
//   mean, variance  [N, groups] f32
//   scale           [C] f32; null without WITH_SCALE
//   diff_src        [N, C, data->spatial] DIFF_SRC_T; may be diff_dst
//   planes          [N, C] float2: Σ y, Σ y·x̂ with y = diff_dst, for norm_backward_channels
// Grid: N·groups work-groups of GROUP_ITEMS work-items.
// Numerics: f32; VEC partial sums per work-item, then a tree over a plane, then over the row.
// PER_ITEM > 0: vectors of a plane that a work-item keeps; there are SLOTS channels, whose planes are whole vectors.
// -D: PER_ITEM, CACHE_HINTS, DIFF_DST, DIFF_SRC, ARE_CONSTANTS, WITH_SCALE; those of clh/gnorm.h.
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(ARE_CONSTANTS) || !defined(WITH_SCALE)
#error "ocl_gnorm_backward_row_per_group needs DIFF_DST, DIFF_SRC, ARE_CONSTANTS, WITH_SCALE"
#endif

#if !defined(PER_ITEM) || !defined(CACHE_HINTS)
#error "ocl_gnorm_backward_row_per_group needs PER_ITEM, CACHE_HINTS"
#endif

#include "clh/gnorm.h"
#include "clh/limited_group.h"
#include "clh/nv/nv_global.h"

// What makes diff_src of a plane: y·factor − (x − mean)·slope − summand.
typedef struct {
    float mean, factor, slope, summand;
} gradient_t;

static inline floatv gradient_of(const gradient_t *g, floatv x, floatv y)
{
    return fma((floatv)(g->factor), y, -fma(x - g->mean, (floatv)(g->slope), (floatv)(g->summand)));
}

typedef struct {
    __global const SRC_T *src;
    __global const DIFF_DST_T *diff_dst;
    int end; // of the vectors
} plane_t;

static inline plane_t plane_of(__constant const ocl_gnorm_data_t *data, __global const SRC_T *src,
        __global const DIFF_DST_T *diff_dst, int n, int c)
{
    plane_t p = {src + channels_offset(&data->src, n, c), diff_dst + channels_offset(&data->dst, n, c), 0};
    p.end = whole_elems(
            ARE_ALIGNED(SRC_T, VEC, p.src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, p.diff_dst, 0), data->spatial);
    return p;
}

#if PER_ITEM > 0

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_src_##name
#define STORED_PREFIX(suffix) DIFF_SRC##suffix
#include "clh/stored_vec.inc"

// What a work-item keeps of its plane: its k-th vector is the (k·ROW_ITEMS + item)-th.
typedef struct {
    src_vec_t x[PER_ITEM];
    diff_dst_vec_t y[PER_ITEM];
    int first, spatial; // the first element of the first vector; of the plane
} kept_t;

#define FAR(k) ((k) * ROW_ITEMS * VEC)

// Only the last vector of a work-item may lie behind the end.
static inline bool is_there(const kept_t *kept, const int k)
{
    return k < PER_ITEM - 1 || kept->first + FAR(k) < kept->spatial;
}

// From the first vector to the k-th; to the plane's last one for those behind the end.
static inline int far_of(const kept_t *kept, const int k)
{
    return k < PER_ITEM - 1 ? FAR(k) : min(FAR(k), kept->spatial - VEC - kept->first);
}

ALWAYS_INLINE void load_kept(kept_t *kept, __global const SRC_T *src, __global const DIFF_DST_T *diff_dst)
{
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0);
    src += kept->first;
    diff_dst += kept->first;
    if (is_aligned) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            kept->x[k] = src_vec_at(src, far_of(kept, k));
            kept->y[k] = diff_dst_vec_at(diff_dst, far_of(kept, k));
        }
        src_join(kept->x, PER_ITEM, (uint)kept->spatial >> 31);
        diff_dst_join(kept->y, PER_ITEM, (uint)kept->spatial >> 31);
    } else {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            kept->x[k] = src_vec_any(src, far_of(kept, k));
            kept->y[k] = diff_dst_vec_any(diff_dst, far_of(kept, k));
        }
    }
}

// A work-item's share of Σ y and Σ y·(src − mean) of its plane.
ALWAYS_INLINE float2 sum_kept(kept_t *kept, float mean)
{
    floatv sums = (floatv)(0.0f), products = (floatv)(0.0f);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (!is_there(kept, k)) continue;
        src_hide(&kept->x[k]);
        diff_dst_hide(&kept->y[k]);
        const floatv y = diff_dst_floats(kept->y[k]);
        sums += y;
        products = fma(y, src_floats(kept->x[k]) - mean, products);
    }
    return (float2)(sum_lanes(sums), sum_lanes(products));
}

ALWAYS_INLINE void store_vectors(
        __global DIFF_SRC_T *diff_src, kept_t *kept, const gradient_t *g, const bool is_aligned)
{
    diff_src += kept->first;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (!is_there(kept, k)) continue;
        src_hide(&kept->x[k]);
        diff_dst_hide(&kept->y[k]);
        const floatv z = gradient_of(g, src_floats(kept->x[k]), diff_dst_floats(kept->y[k]));
        if (is_aligned)
            diff_src_store_streaming(diff_src, FAR(k), z);
        else
            VEC_FORM(DIFF_SRC, STORE)(diff_src, FAR(k), z);
    }
}

ALWAYS_INLINE void store_kept(__global DIFF_SRC_T *diff_src, kept_t *kept, const gradient_t *g)
{
    if (ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0))
        store_vectors(diff_src, kept, g, true);
    else
        store_vectors(diff_src, kept, g, false);
}

#else

// A work-item's share of Σ y and Σ y·(src − mean) of a plane.
static inline float2 sum_share(const plane_t *p, float mean, int item, int spatial)
{
    floatv sums = (floatv)(0.0f), products = (floatv)(0.0f);
#if LANE_SHUFFLE // compilers for CPUs leave it out, with a warning
#pragma unroll 4
#endif
    for (int i = item * VEC; i < p->end; i += ROW_ITEMS * VEC) {
        const floatv y = VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, p->diff_dst + i), 0);
        sums += y;
        products += y * (SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p->src + i), 0) - mean);
    }
    float2 total = (float2)(sum_lanes(sums), sum_lanes(products));
    for (int i = p->end + item; i < spatial; i += ROW_ITEMS) {
        const float y = DIFF_DST_LOAD(p->diff_dst, i);
        total += (float2)(y, y * (SRC_LOAD(p->src, i) - mean));
    }
    return total;
}

// The same of a plane.
static inline void store_plane(__global DIFF_SRC_T *diff_src, const plane_t *p, const gradient_t *g, int item, int spatial)
{
    const int end = ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0) ? p->end : 0;
    for (int i = item * VEC; i < end; i += ROW_ITEMS * VEC) {
        const floatv x = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p->src + i), 0);
        const floatv y = VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, p->diff_dst + i), 0);
        VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, diff_src + i), 0, gradient_of(g, x, y));
    }
    for (int i = end + item; i < spatial; i += ROW_ITEMS) {
        const float x = SRC_LOAD(p->src, i) - g->mean, y = DIFF_DST_LOAD(p->diff_dst, i);
        DIFF_SRC_STORE(diff_src, i, fma(g->factor, y, -fma(x, g->slope, g->summand)));
    }
}

#endif

GROUP_SIZE __kernel void gnorm_backward_row_per_group(
        __constant const ocl_gnorm_data_t *data, __global const SRC_T *src, long src_off,
        __global const float *mean, long mean_off, __global const float *variance, long variance_off,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *scale, long scale_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off, __global float2 *planes, long planes_off)
{
#if ROW_ITEMS > 1 || !ARE_CONSTANTS
    __local float2 pairs[GROUP_ITEMS];
    __local float *scratch = (__local float *)pairs;
#endif
    const part_t part = part_of(data);
    const int spatial = data->spatial;
    src += src_off;
    diff_dst += diff_dst_off;
    const float m = mean[mean_off + part.set];
    const float deviation = inverse_deviation(variance[variance_off + part.set], data->epsilon);
    float2 means = (float2)(0.0f);
#if PER_ITEM > 0
    kept_t kept; // of the only turn
    kept.first = part.item * VEC, kept.spatial = spatial;
#endif
    // Work-items without a channel take part in the sums, too.
    for (int first = 0; first < data->group_channels; first += SLOTS) {
        const int k = first + part.slot, c = part.first_channel + min(k, data->group_channels - 1);
        const bool has_plane = k < data->group_channels;
        const plane_t p = plane_of(data, src, diff_dst, part.n, c);
        const float factor = WITH_SCALE ? scale[scale_off + c] : 1.0f; // on its way while the plane is summed
#if PER_ITEM > 0
        load_kept(&kept, p.src, p.diff_dst);
        float2 sums = sum_kept(&kept, m);
#else
        float2 sums = has_plane ? sum_share(&p, m, part.item, spatial) : (float2)(0.0f);
#endif
#if ROW_ITEMS > 1
        sums = lanes_sum2(sums, scratch, ROW_ITEMS);
#endif
        sums.s1 *= deviation;
        if (part.item == 0 && has_plane) {
            planes[planes_off + part.n * data->src.channels + c] = sums;
            means += sums * factor;
        }
    }
#if !ARE_CONSTANTS
    const float count = (float)data->group_channels * (float)spatial;
    means = lanes_sum2(means, scratch, GROUP_ITEMS) / count * (float2)(1.0f, deviation);
#else
    means = (float2)(0.0f);
#endif
    for (int k = part.slot; k < data->group_channels; k += SLOTS) {
        const int c = part.first_channel + k;
        const float factor = WITH_SCALE ? scale[scale_off + c] : 1.0f;
        const gradient_t g = {m, factor * deviation, means.s1 * deviation, means.s0 * deviation};
        __global DIFF_SRC_T *to = diff_src + diff_src_off + channels_offset(&data->diff_src, part.n, c);
#if PER_ITEM > 0
        store_kept(to, &kept, &g);
#else
        const plane_t p = plane_of(data, src, diff_dst, part.n, c);
        store_plane(to, &p, &g, part.item, spatial);
#endif
    }
}
