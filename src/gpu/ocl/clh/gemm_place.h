// SPDX-License-Identifier: Apache-2.0
// Which tile of dst a work-group takes, and where its sums go: to dst or, with split-K, to the partial sums that
// ocl_matmul_reduce.cl adds. Needs clh/gemm.h, BM, BN.
//
//     GEMM_TILE_PARAMS   the parameters of a kernel that follow src, wei and dst:
//       n, k             the other sizes (gemm_m: rows), below 2³¹
//       dst_m, dst_n     strides of dst; dst_batch: of its batch dimensions
//       wei_skip         columns of the kernel before the first of dst: where weights are not
//                        aligned, the kernel starts a few elements earlier; n counts them
//       partial, partial_off   f32 or s32, [split][product][m][n rounded up to 4], from a multiple of 16 bytes on; read if
//                  nsplits > 1
//       nsplits, split_k length of K of a split, a multiple of what a kernel does in one step
//       counters   a word for each tile, 0 before the kernel and after it, if the kernel adds the partial sums
//                  (clh/gemm_splits.h, nsplits to 24); NULL: another kernel does
//       max_polls  looks of a group for the others of its tile
//
// Work-groups: x = products · ceil(m / BM) · ceil(n / BN), y = splits.
#ifndef CLH_GEMM_PLACE_H
#define CLH_GEMM_PLACE_H

// clang-format off
#define GEMM_TILE_PARAMS \
    , int n, int k, long dst_m, long dst_n, ocl_gemm_batch_t dst_batch, int wei_skip, \
    __global sum_t *partial, long partial_off, int nsplits, int split_k, __global uint *counters, \
    int max_polls
// clang-format on

// Where sums go. Rows and columns of dst outside [row_first, row_end) and [col_first, col_end) are
// not of this tile, though a kernel may have them in local memory.
typedef struct {
    long product;
    int row_first, row_end, col_first, col_end;
    int skip;                   // what to subtract from the kernel's columns
    long dst_off, dst_m, dst_n; // of the product
    long bia_off;               // of row 0
    __global sum_t *partial;    // NULL: to dst
    long partial_off, partial_m;
} target_t;

typedef struct {
    long product;
    int row, col;       // of the tile, in the product
    int k_first, k_end; // its part of K
} tile_t;

// Tiles go down in columns of TILE_GROUP rows of tiles, so that groups that run together share
// operands in the cache of the device.
#define TILE_GROUP 8

// The product to which a group's tile belongs.
static inline long product_of(long group, int m, int n)
{
    const long ntiles = (long)((m + BM - 1) / BM) * ((n + BN - 1) / BN);
    return group < ntiles ? 0 : div_long(group, ntiles);
}

static inline tile_t tile_of(long group, int split, int m, int n, int k, int split_k)
{
    const int down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
    const long product = product_of(group, m, n);
    const int place = (int)(group - product * down * across);
    // Divisions are a part of what a group does before its first load.
    const int band = down <= TILE_GROUP ? 0 : place / (TILE_GROUP * across);
    const int first = band * TILE_GROUP, height = min(down - first, TILE_GROUP);
    const int within = place - band * TILE_GROUP * across;
    const int col = height == 1 ? within : within / height;
    tile_t t;
    t.product = product;
    t.row = (first + within - col * height) * BM;
    t.col = col * BN;
    t.k_first = split * split_k;
    t.k_end = (int)min((long)k, (long)t.k_first + split_k);
    return t;
}

static inline target_t target_of(const gemm_t *gemm, const tile_t *t, int n, long dst_off,
        long dst_m, long dst_n, ocl_gemm_batch_t dst_batch, int wei_skip, __global sum_t *partial,
        long partial_off, int nsplits, int split)
{
    target_t to;
    const int m = (int)gemm->m, cols = n - wei_skip;
    const long nproducts = gemm->batch.x * gemm->batch.y * gemm->batch.z;
    to.product = t->product;
    to.row_first = max(t->row, 0);
    to.row_end = min(m, t->row + BM);
    to.col_first = max(t->col - wei_skip, 0);
    to.col_end = min(cols, t->col - wei_skip + BN);
    to.skip = wei_skip;
    to.dst_m = dst_m;
    to.dst_n = dst_n;
    to.dst_off = dst_off + batch_offset(gemm->batch, dst_batch, t->product);
    to.bia_off = gemm_bias_base(gemm, t->product);
    to.partial = nsplits > 1 ? partial : 0;
    to.partial_m = (cols + 3) / 4 * 4;
    to.partial_off = partial_off + (split * nproducts + t->product) * m * to.partial_m;
    return to;
}

#endif
