// SPDX-License-Identifier: Apache-2.0
// The post-op chain of OpenCL kernels: a table in constant data, operands as kernel arguments. The
// device side is clh/post_ops.h, whose header comment shows a kernel that uses it.
//
//     init_pd:  TRY(prim__ocl_require_types(pd));                 // covers the operands
//     init:     prim__ocl_post_ops_options(&options, pd, true);   // -D…
//               TRY(prim__ocl_primitive_add_post_ops(p));         // uploads the table
//     execute:  prim__ocl_args_post_ops(&args, ctx, p);           // last parameters of the kernel
#ifndef PRIM_OCL_POST_OPS_H
#define PRIM_OCL_POST_OPS_H

#include "gpu/ocl/clh/shared/post_ops_data.h"
#include "ocl_md.h"
#include "ocl_primitive.h"

/// Steps of the longest chain that is compiled in.
enum { OCL_STATIC_POST_OPS = 4 };

/// Entries of the device's table: steps, and the conditions of selects. At most PO_MAX_LEN, as
/// prim__ocl_require_types() requires.
int prim__ocl_post_ops_len(const prim_post_ops_t *chain);

/// Adds WITH_POST_OPS (0: all vanishes), PO_HAS_SELECT where there is one, PO_NBUFS (operand
/// parameters: 0, 1, 4 or 32) and, for chains of at most OCL_STATIC_POST_OPS steps if `is_static`,
/// the kinds, algorithms and types, so that the chain is unrolled and costs no branch. Static
/// chains make one program for each chain: for typed variants only; generic programs pass false.
void prim__ocl_post_ops_options(ocl_options_t *options, const prim_desc_t *pd, bool is_static);

/// Whether a step of a chain is a few instructions, but for loading its operand.
bool prim__ocl_post_op_is_short(const post_op_t *step);

/// The step whose operand lies as dst does, so that a kernel finds its elements where it writes dst
/// (PO_BESIDE_DST): a binary one with an operand of dst's dimensions and strides, or a sum; −1:
/// there is none, or it is not the only step that reads more than the value before it, or types
/// differ in size.
int prim__ocl_post_ops_beside_dst(const prim_desc_t *pd);

/// The options of a static chain, of which the kernel reads the operand of step `beside` (−1: of
/// none).
void prim__ocl_post_ops_options_beside(ocl_options_t *options, const prim_desc_t *pd, int beside);

/// Whether a kernel can apply the chain to vectors of neighbours of dst: it is short enough to be
/// compiled in, and dst and all operands are buffers, neither blocked nor padded.
bool prim__ocl_post_ops_take_vectors(const prim_desc_t *pd);

/// The options of such a chain for vectors of REAL_WIDTH = `width` neighbours along dimension `dim`
/// of dst (clh/load_reals.h), and those of clh/eltwise_short.h: a dst of 16-bit elements gets the
/// approximate functions where the device has them. `width` 1, or no chain: these alone.
void prim__ocl_post_ops_options_vectors(
        ocl_options_t *options, const prim_desc_t *pd, int width, int dim);

/// Adds PO_NDIMS, the operands' common rank, if none is blocked or padded: a few multiplications
/// find an element then. prim__ocl_post_ops_options() does so if `is_static`.
void prim__ocl_post_ops_operand_options(ocl_options_t *options, const prim_desc_t *pd);

/// Uploads the table; nothing without a chain.
prim_status_t prim__ocl_primitive_add_post_ops(ocl_primitive_t *primitive);

/// Adds POST_OPS_PARAMS, always the last parameters of the kernel.
void prim__ocl_args_post_ops(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *primitive);

#endif
