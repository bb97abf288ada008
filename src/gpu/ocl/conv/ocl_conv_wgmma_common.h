// SPDX-License-Identifier: Apache-2.0
// Convolution by WGMMA: the descriptor, and how the kernel sees the operands.
#ifndef PRIM_OCL_CONV_WGMMA_COMMON_H
#define PRIM_OCL_CONV_WGMMA_COMMON_H

#include "gpu/ocl/clh/shared/conv_wgmma_data.h"
#include "ocl_conv.h"
#include "ocl_conv_pack_chunks.h"
#include "ocl_conv_wgmma_plan.h"

enum { OCL_CONV_WGMMA_CHUNK = OCL_CONV_PACK_CHUNK }; ///< elements that are copied at a time
enum { OCL_CONV_WGMMA_BYTES = 2 };                   ///< of one element

typedef struct {
    prim_desc_t base;
    conv_shape_t shape; ///< as the kernel reads it: `ic`, `in` and `stride` are those of copies
    ocl_conv_wgmma_plan_t plan;
    bool has_unit;             ///< else plain C: RETARGET=0
    prim_dim_t src_strides[5]; ///< of src or of its copy
    ocl_conv_packs_t packs;    ///< copies of src and of the weights
    ocl_conv_boxes_t boxes;    ///< but for what the plan says
    size_t src_offset, wei_offset, partial_offset, maps_offset; ///< of the scratchpad
} ocl_conv_wgmma_pd_t;

_Static_assert(offsetof(ocl_conv_wgmma_pd_t, base) == 0, "the base comes first");

/// The first requirements of implementations on matrix units: types, layouts, sizes; gives tensors
/// of layout `any` one with channels innermost. Fills `shape`. `takes_bytes`: s8 and u8, too. Long
/// sums are the caller's: its plan splits them, or prim__ocl_conv_require_short_sums() declines
/// them.
prim_status_t prim__ocl_conv_mma_begin(prim_desc_t *pd, conv_shape_t *shape, bool takes_bytes);
/// Whether the device has wgmma, by its traits alone: self-tests run last.
bool prim__ocl_conv_wgmma_is_claimed(const prim_desc_t *pd);
/// Whether the epilogue stores straight from registers: IS_SHORT of clh/conv_wgmma_epilogue.h.
bool prim__ocl_conv_wgmma_leaves_registers(const prim_desc_t *pd);
/// Whether it reads what a post-op wants where dst's element lies: PO_BESIDE_DST of clh/post_ops.h.
bool prim__ocl_conv_wgmma_reads_beside(const prim_desc_t *pd);
/// Whether pixels of dst are multiples of 16 bytes apart, and groups of channels have whole chunks
/// of 16 bytes.
bool prim__ocl_conv_wgmma_has_dst_chunks(const prim_desc_t *pd);
/// Starts the options: types, post-ops, and those of clh/wgmma.h but for BN.
void prim__ocl_conv_wgmma_options(ocl_options_t *options, const prim_desc_t *pd, bool has_unit);
/// Builds the kernel and, if there are splits, the one that adds them, of a program of its own.
prim_status_t prim__ocl_conv_wgmma_add(
        ocl_primitive_t *p, const ocl_options_t *options, const ocl_conv_wgmma_plan_t *plan);
/// What kernels end with, CONV_EPILOGUE_PARAMS; `quant`: an ocl_conv_quant_t.
void prim__ocl_conv_wgmma_args_epilogue(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *p, cl_mem quant);

/// Books the tensor maps of the work-groups.
size_t prim__ocl_conv_wgmma_book_maps(prim_desc_t *pd, const ocl_conv_wgmma_plan_t *plan);

/// An execution of ocl_conv_wgmma.cl.
typedef struct {
    const ocl_conv_wgmma_plan_t *plan;
    int src, dst;                      ///< arguments of the primitive
    bool is_src_packed, is_wei_packed; ///< copies are read
    size_t src_offset, wei_offset, partial_offset, maps_offset;
    cl_mem quant; ///< an ocl_conv_quant_t; NULL without scales and zero points
} ocl_conv_wgmma_run_t;

/// Launches kernels[0], and kernels[1] where K is split; data[0]: the sizes.
prim_status_t prim__ocl_conv_wgmma_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_wgmma_run_t *run);

#endif
