// SPDX-License-Identifier: Apache-2.0
// The products of ocl_matmul_wgmma.cl, with operands copied by tensor maps or by work-items.
#ifndef PRIM_OCL_MATMUL_WGMMA_H
#define PRIM_OCL_MATMUL_WGMMA_H

#include "ocl_matmul_align.h"
#include "ocl_matmul_mma.h"

/// How operands come, and who multiplies them.
typedef enum {
    OCL_WGMMA_MAPS,     ///< the device copies operands whose rows lie at multiples of 16 bytes
    OCL_WGMMA_GATHER,   ///< work-items copy them, wherever they lie
    OCL_WGMMA_PINGPONG, ///< as MAPS; two teams of warp groups take tiles in turns
} ocl_wgmma_kind_t;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile;      ///< number of the choice of tile sizes
    bool has_unit; ///< else plain C
    bool has_maps; ///< else work-items copy operands
    bool pingpong; ///< ocl_matmul_wgmma_pingpong.cl
    int beside;    ///< of that: the post-op whose operand lies as dst does; −1: none
    bool wei_along_k;
    bool transposes_wei;  ///< 8-bit weights K×N are transposed first
    size_t turned_offset; ///< booked in the scratchpad for them
    ocl_align_t align;  ///< operands that are copied to aligned rows first; src_stride, wei_stride
    bool aligns_itself; ///< the product's groups make those copies, where there are counters
    size_t maps_offset; ///< booked in the scratchpad
    int align_kernel, transpose_kernel; ///< numbers of kernels; 0: there is none
    bool can_start_anywhere; ///< unaligned tensors have a kernel of their own, built when one comes
} ocl_wgmma_pd_t;

_Static_assert(offsetof(ocl_wgmma_pd_t, base) == 0, "the base comes first");

/// The rest of init_pd, when all layouts are fixed; pd is an ocl_wgmma_pd_t.
prim_status_t prim__ocl_wgmma_init_pd(prim_desc_t *pd, ocl_wgmma_kind_t kind);
prim_status_t prim__ocl_wgmma_init(prim_t *primitive);
prim_status_t prim__ocl_wgmma_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
