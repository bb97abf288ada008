// SPDX-License-Identifier: Apache-2.0
// WGMMA: matrix units that a work-group of 128 work-items (a warp group) uses with operands in local memory, and
// tiles that the device copies there by a tensor map (TMA): PTX for 9.0.
//
//   wgmma_map_t    place of a tensor map in local memory, 128 bytes aligned to 128; a map is built from zeros
//                  by one work-item, then published to global memory by a whole warp
//   wgmma_multiply(d, a, b)   sums of 64 rows × BN columns += the product over 32 bytes of k; a, b:
//                  descriptors of operands
//   wgmma_hide(x)  x, of which the compiler knows nothing
//   wgmma_transpose(x, lane, lanes)   four neighbouring work-items hold a matrix of 4 × 4 words, each a column;
//                  afterwards each holds a row. The others of the warp take part
// -D: MMA_TYPE, SRC_IS_U8, WEI_IS_U8 as in clh/mma.h; BN = 32, 64, 96, 128, 192 or 256; WEI_ALONG_K; SRC_ALONG_K (1 unless
// given; 0: of 16 bits); WGMMA_BLOCK_STEPS, steps of k in a block of an operand across k (64 unless given). RETARGET=0:
// plain C in place of WGMMA and TMA, right everywhere (needs clh/mma_tile.h). There
// one work-item builds a map and copies all of a box, and work-items of a warp wait for each other by the barrier
// of the work-group: wgmma_warps_barrier() and wgmma_transpose() are for code that all its work-items run.
#ifndef CLH_WGMMA_H
#define CLH_WGMMA_H

#include "clh/always_inline.h"
#include "clh/nv/nv_cp_async.h"
#include "clh/nv/nv_lanes.h"
#include "clh/nv/nv_mbarrier.h"
#include "clh/nv/nv_opaque.h"
#include "clh/nv/nv_tensor_map.h"
#include "clh/nv/nv_wgmma.h"
#include "clh/short_pair.h"
#include "clh/wgmma_plain.h"
#include "clh/wgmma_types.h"

#if RETARGET

#define wgmma_place nv_shared_address

// An operand of rows of 128 bytes of k, whose chunks are swizzled as in clh/mma_tile.h. `place`: of
// its first row; 32 bytes of k further: + 2.
static inline ulong wgmma_along(uint place)
{
    return (ulong)1 << 62 | (ulong)(1024 / 16) << 32 | (ulong)1 << 16 | place >> 4;
}

// An operand across k: blocks of 64 rows or columns, [WGMMA_BLOCK_STEPS steps of k][128 bytes]; 16 steps further: + 128.
static inline ulong wgmma_across(uint place)
{
    return (ulong)1 << 62 | (ulong)(1024 / 16) << 32 |
           (ulong)(WGMMA_BLOCK_STEPS * 128 / 16) << 16 | place >> 4;
}

#define wgmma_begin nv_wgmma_fence
#define wgmma_multiply nv_wgmma
#define wgmma_close nv_wgmma_commit
#define wgmma_wait_but_one nv_wgmma_wait_but_one
#define wgmma_wait_all nv_wgmma_wait_all

// The step p of 32 bytes of k of the operands.
ALWAYS_INLINE void wgmma_multiply_step(sum_t *d, wgmma_operand_t a, wgmma_operand_t b, const int p)
{
    wgmma_multiply(d, a + p * (SRC_ALONG_K ? 2 : 128), b + p * (WEI_ALONG_K ? 2 : 128));
}

typedef uint wgmma_map_t;

// The work-items of a warp: 128 bytes of zeros, which become a map.
static inline void wgmma_map_clear(__local uint *words, int lane)
{
    words[lane] = 0;
}

#define wgmma_map_begin nv_tensor_map_begin
#define WGMMA_MAP_DIM NV_TENSOR_MAP_DIM
#define WGMMA_MAP_STRIDE NV_TENSOR_MAP_STRIDE
#define wgmma_map_make nv_tensor_map_make
#define wgmma_map_publish nv_tensor_map_publish
#define wgmma_map_acquire nv_tensor_map_acquire
#define wgmma_copy nv_tensor_copy_2d
#define wgmma_copy_3d nv_tensor_copy_3d
#define wgmma_copy_4d nv_tensor_copy_4d
#define wgmma_copy_5d nv_tensor_copy_5d
#define wgmma_barrier_expect nv_mbarrier_expect

#define wgmma_warp_barrier nv_warp_barrier
#define wgmma_warps_barrier nv_warp_barrier

ALWAYS_INLINE uint4 wgmma_transpose(uint4 x, int lane, __local uint4 *lanes)
{
    const bool is_odd = lane & 1, is_high = lane & 2;
    const uint a = nv_shuffle_xor(is_odd ? x.s0 : x.s1, 1), b = nv_shuffle_xor(is_odd ? x.s2 : x.s3, 1);
    x = is_odd ? (uint4)(a, x.s1, b, x.s3) : (uint4)(x.s0, a, x.s2, b);
    const uint c = nv_shuffle_xor(is_high ? x.s0 : x.s2, 2), d = nv_shuffle_xor(is_high ? x.s1 : x.s3, 2);
    return is_high ? (uint4)(c, d, x.s2, x.s3) : (uint4)(x.s0, x.s1, c, d);
}

#endif

// A number that the compiler does not know again: else it would keep what the epilogue makes of it in registers beside
// the sums, and spill others.
ALWAYS_INLINE int wgmma_hide(int x)
{
#if RETARGET
    NV_OPAQUE_32(x);
#endif
    return x;
}

#endif
