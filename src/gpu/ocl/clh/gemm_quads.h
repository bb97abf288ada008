// SPDX-License-Identifier: Apache-2.0
// Four neighbours of a row at a time from sums to dst: their bias and post-ops, their stores. Needs clh/gemm.h,
// clh/gemm_place.h.
#ifndef CLH_GEMM_QUADS_H
#define CLH_GEMM_QUADS_H

// Stores four contiguous values where dst has room for them.
static inline void store_quad(__global void *dst, long place, int dt, float4 v)
{
    switch (dt) {
    case DT_F32:
        if (((ulong)((__global float *)dst + place) & 15) == 0)
            *(__global float4 *)((__global float *)dst + place) = v;
        else
            vstore4(v, 0, (__global float *)dst + place);
        return;
    case DT_F16:
    case DT_BF16: {
        ushort4 bits;
        if (dt == DT_BF16)
            bits = (ushort4)(bf16_from_f32(v.x), bf16_from_f32(v.y), bf16_from_f32(v.z),
                    bf16_from_f32(v.w));
        else
            vstore_half4_rte(v, 0, (half *)&bits);
        if (((ulong)((__global ushort *)dst + place) & 7) == 0)
            *(__global ushort4 *)((__global ushort *)dst + place) = bits;
        else
            vstore4(bits, 0, (__global ushort *)dst + place);
        return;
    }
    default:
        store_any(dst, place, dt, v.x);
        store_any(dst, place + 1, dt, v.y);
        store_any(dst, place + 2, dt, v.z);
        store_any(dst, place + 3, dt, v.w);
    }
}

#if REAL_WIDTH == 1 // others: clh/gemm_vectors.h

// Four neighbours of a row, some of them perhaps outside: [first, end) of 0 … 4 are inside.
static inline void put_quad(const gemm_t *gemm, const target_t *to, __local sum_t *sums, int i,
        int j, int first, int end, __global void *dst)
{
    const long place = to->dst_off + i * to->dst_m + j * to->dst_n;
    gemm_row_t row = gemm_row_of(gemm, to->product, i, to->bia_off + i * gemm->bia_m);
#if IS_INT
#pragma unroll 1
    for (int e = first; e < end; ++e)
        gemm_store(gemm, &row, sums[e], j + e, dst, place + e * to->dst_n);
#else
#if WITH_QUANT || WITH_POST_OPS
    const bool is_raw = false;
#else
    const bool is_raw = gemm->bia_dt == DT_UNDEF;
#endif
    const int finish_end = is_raw ? first : end;
#pragma unroll 1
    for (int e = first; e < finish_end; ++e)
        sums[e] = gemm_finish(gemm, &row, sums[e], j + e, dst, place + e * to->dst_n);
    if (end - first == 4 && to->dst_n == 1) {
        store_quad(dst, place, gemm->dst_dt, (float4)(sums[0], sums[1], sums[2], sums[3]));
        return;
    }
#pragma unroll 1
    for (int e = first; e < end; ++e) store_any(dst, place + e * to->dst_n, gemm->dst_dt, sums[e]);
#endif
}

// Rows of a tile that are rows of one matrix of dst: bias and columns of a work-item are the same
// for all of its quads, and positions differ by the row alone. So several quads are written out one
// after the other, without a branch: all loads before the first store. One by one, each would wait
// for the memory. Chains that are data have branches.
#define NEAR_QUADS 4

#if !IS_INT && !WITH_QUANT && (!WITH_POST_OPS || defined(PO_STATIC_LEN))

// Four neighbours of a row: those from `first` to `end` are inside.
typedef struct {
    int i, j, first, end;
    float x[4];
} quad_t;

static inline void store_finished(
        const gemm_t *gemm, const target_t *to, const quad_t *quad, __global void *dst)
{
    const long place = to->dst_off + quad->i * to->dst_m + quad->j * to->dst_n;
    if (quad->first == 0 && quad->end == 4 && to->dst_n == 1) {
        store_quad(
                dst, place, gemm->dst_dt, (float4)(quad->x[0], quad->x[1], quad->x[2], quad->x[3]));
        return;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e)
        if (e >= quad->first && e < quad->end)
            store_any(dst, place + e * to->dst_n, gemm->dst_dt, quad->x[e]);
}

// Rows p of a round go to row + p / block · stride + p % block, as in put_rows(). False: others
// have to put them.
ALWAYS_INLINE bool put_near_rows(const gemm_t *gemm, const target_t *to, __local const float *sums,
        int nrows, int pitch, int row, int block, int stride, int col, int item, int nitems,
        __global void *dst)
{
    const int across = BN / 4, step = nitems / across;
    if (nitems % across != 0 || gemm->bia_m != 0) return false;
    gemm_row_t own = gemm_row_of(gemm, to->product, to->row_first, to->bia_off);
#if PO_NEEDS_POSITION
    const int last = GEMM_RANK(gemm) - 2;
    const long first_row = own.pos[last];
    if (first_row + to->row_end - to->row_first > gemm->dims[last]) return false;
#endif
    const int q = item % across * 4, j = col - to->skip + q;
    const int first = max(to->col_first - j, 0), end = min(to->col_end - j, 4);
    if (first >= end) return true;
    float bias[4] = {0, 0, 0, 0};
    int cols[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) cols[e] = j + clamp(e, first, end - 1);
    if (gemm->bia_dt != DT_UNDEF) {
#pragma unroll
        for (int e = 0; e < 4; ++e) bias[e] = gemm_bias(gemm, &own, cols[e]);
    }
#pragma unroll 1
    for (int p = item / across; p < nrows; p += step * NEAR_QUADS) {
        quad_t quads[NEAR_QUADS];
#pragma unroll
        for (int n = 0; n < NEAR_QUADS; ++n) {
            // What is not there is the last row again, or one inside, and goes nowhere.
            const int at = min(p + n * step, nrows - 1), i = row + at / block * stride + at % block;
            const bool is_there = p + n * step < nrows && i >= to->row_first && i < to->row_end;
            const int inside = is_there ? i : to->row_first;
            const long place = to->dst_off + inside * to->dst_m;
            const float4 sum = *(__local const float4 *)(sums + at * pitch + q);
            const float x[4] = {sum.x, sum.y, sum.z, sum.w};
            quads[n] = (quad_t){i, j, first, is_there ? end : first, {0}};
#if PO_NEEDS_POSITION
            own.pos[last] = first_row + inside - to->row_first;
#endif
#pragma unroll
            for (int e = 0; e < 4; ++e)
                quads[n].x[e] = gemm_finish_biased(
                        gemm, &own, x[e], bias[e], cols[e], dst, place + cols[e] * to->dst_n);
        }
#pragma unroll
        for (int n = 0; n < NEAR_QUADS; ++n) store_finished(gemm, to, &quads[n], dst);
    }
    return true;
}

#define PUTS_NEAR_ROWS 1
#else
#define PUTS_NEAR_ROWS 0
#endif

#endif

#endif
