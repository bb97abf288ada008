// SPDX-License-Identifier: Apache-2.0
// Copies of one operand's tiles to local memory, for products of f32 (ocl_matmul_pipeline.cl): every work-item starts
// a few asynchronous copies of each tile; of 4 bytes where the operand is contiguous along K, which transposes it,
// and of 4 or 16 elsewhere.
//
//     loader_t: what a work-item copies;  loader_init(): its first copy;  start_copy(): copy e of a tile
//
// A row of a local tile is one index of K, `pitch` elements long. Needs clh/async_copy.h.
// -D: those of clh/async_copy.h; BM, BN, BK, SLICES; WM × WN the part of a tile that a warp computes.
#ifndef CLH_GEMM_LOADER_H
#define CLH_GEMM_LOADER_H

#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(SLICES) || !defined(WM) || !defined(WN)
#error "clh/gemm_loader.h needs BM, BN, BK, SLICES, WM, WN"
#endif

#include "clh/always_inline.h"
#include "clh/nv/nv_opaque.h"

#define WARPS ((BM / WM) * (BN / WN))
#define ITEMS (WARPS * 32 * SLICES)

// What a work-item copies of an operand's tiles. Along k, 8 neighbours take 8 steps of k of a row; else
// neighbours take neighbours of a step of k.
typedef struct {
    __global const float *from; // the work-item's next element
    long stride;                // from one copy to the next row, or step of k, of the work-item's
    long back;                  // along k: from the last row to the first, in the next tile
    copy_place_t to;            // of that element in stage 0
    int step;                   // of k of the first element
    uint mask;                  // along k, at an edge: bit e: the row of copy e exists
    uint bytes;                 // not along k: of a copy, fewer at an edge
} loader_t;

// `first`: row or column of the tile in the operand, `limit`: how many the operand has.
// (By pointer: an inlined function that returns a struct is an intrinsic Oclgrind does not know.)
ALWAYS_INLINE void loader_init(loader_t *f, const int along_k, const int vec, const int has_edge,
        const int width, const int pitch, const int ncopies, __global const float *x, long stride,
        long k_stride, int first, int limit, int k_first, copy_place_t place, int item)
{
    f->mask = 0;
    f->bytes = 0;
    if (along_k) {
        const int row = item / 8 % width;
        const int rows = ITEMS / 8, nrows = rows < width ? width / rows : 1;
        f->step = item % 8 + item / 8 / width * 8;
        f->stride = rows * stride;
        f->back = BK - (nrows - 1) * f->stride;
        f->from = x + (long)(first + row) * stride + k_first + f->step;
        f->to = place + (f->step * pitch + row) * 4;
#pragma unroll
        for (int e = 0; e < ncopies && has_edge; ++e) {
            if (first + (row + e / (ncopies / nrows) * rows) % width < limit) f->mask |= 1u << e;
        }
    } else {
        const int col = item % (width / vec) * vec;
        f->step = item / (width / vec);
        f->stride = ITEMS / (width / vec) * k_stride;
        f->back = 0;
        f->from = x + (long)(k_first + f->step) * k_stride + first + col;
        f->to = place + (f->step * pitch + col) * 4;
        f->bytes = (uint)clamp(limit - first - col, 0, vec) * 4;
    }
}

// Starts copy e into the stage that begins `stage` bytes behind the first, unless `is_wanted` says no.
// `depth`: steps of k that exist of this tile; `is_short`: there may be fewer than BK; `is_whole`: of
// rows or columns none is missing where the operand lies across k. After the last copy of a tile
// f->from is where the next one starts.
ALWAYS_INLINE void start_copy(const int along_k, const int vec, const int has_edge, const int width,
        const int pitch, const int ncopies, loader_t *f, const int e, int stage, bool is_wanted,
        const int is_short, int depth, const int is_whole)
{
    __global const float *from = f->from;
    if (along_k) {
        const int rows = ITEMS / 8, nrows = rows < width ? width / rows : 1;
        const int ndeep = ncopies / nrows, r = e / ndeep, d = e % ndeep;
        const int row = r * rows % width, more = d * (rows > width ? rows / width : 1) * 8;
        const copy_place_t to = f->to + (stage + (row + more * pitch) * 4);
        if (is_short || has_edge) {
            const bool exists = (!has_edge || (f->mask >> e & 1)) &&
                                (!is_short || f->step + more < depth);
            if (is_wanted) copy_4_part(to, from + more, exists ? 4u : 0u);
        } else if (is_wanted) {
            copy_4(to, from + more);
        }
        if (d == ndeep - 1) from += r == nrows - 1 ? f->back : f->stride;
    } else {
        const int more = e * (ITEMS / (width / vec));
        const copy_place_t to = f->to + (stage + more * pitch * 4);
        const uint bytes = is_short && f->step + more >= depth ? 0u : f->bytes;
        if (!is_wanted)
            ;
        else if (vec == 4 && is_whole && !is_short)
            copy_16(to, from);
        else if (vec == 4)
            copy_16_part(to, from, bytes);
        else if (is_whole && !is_short)
            copy_4(to, from);
        else
            copy_4_part(to, from, bytes);
        from += f->stride;
    }
#if ASYNC_COPY
    // Addresses that are but moved cost half as much as those that are computed from one another.
    NV_OPAQUE_64(from);
#endif
    f->from = from;
}

#endif
