// SPDX-License-Identifier: Apache-2.0
// What the typed implementations of matmul share: which problems they take, and
// the options and arguments of clh/gemm.h.
#ifndef PRIM_OCL_GEMM_H
#define PRIM_OCL_GEMM_H

#include "common/matmul_shape.h"
#include "gpu/ocl/clh/shared/gemm_data.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_sums.h"

/// Products of so many batch dimensions, after merging.
enum { OCL_GEMM_BATCH = 3 };

/// How scales or zero points are used.
typedef enum {
    GEMM_QUANT_NONE,
    GEMM_QUANT_SUMS,     ///< the same for all k: applied to the finished sum
    GEMM_QUANT_ELEMENTS, ///< applied to each element before it is multiplied
} gemm_quant_t;

/// Fixed at creation; plain data.
typedef struct {
    bool has_runtime; ///< sizes come at execution; `shape` is then of no use
    bool is_int;      ///< sums are s32
    matmul_shape_t shape;
    bool has_quants; ///< any scale or zero point
    gemm_quant_t src_scales, wei_scales, src_zps, wei_zps, dst_scales, dst_zps;
} ocl_gemm_t;

/// Declines what clh/gemm.h does not do. Layouts are fixed but for those of absent tensors.
prim_status_t prim__ocl_gemm_init(ocl_gemm_t *gemm, prim_desc_t *pd);

/// Whether dst is the product and nothing else: no bias, post-ops, scales and zero points.
bool prim__ocl_gemm_is_plain(const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// Whether dstᵀ = weiᵀ·srcᵀ is the same problem: nothing but the product and the bias' strides,
/// which are exchanged as well, tells rows and columns apart.
bool prim__ocl_gemm_may_swap(const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// The shape becomes that of dstᵀ = weiᵀ·srcᵀ.
void prim__ocl_gemm_swap(matmul_shape_t *shape);

/// Whether a stride and those of the batch, in elements, are multiples of `unit`.
bool prim__ocl_gemm_are_multiples(
        const matmul_shape_t *shape, prim_dim_t stride, const prim_dim_t *batch, prim_dim_t unit);

/// The longest depth whose products one sum takes, or `nsums` sums that are added up at the end of
/// a group: f32 loses digits, s32 overflows (doc/numerics.md). Greater ones are split or folded.
prim_dim_t prim__ocl_gemm_longest(const ocl_gemm_t *gemm, const prim_desc_t *pd, int nsums);

/// Gives layouts `any` of a matmul row-major order (init_pd).
prim_status_t prim__ocl_gemm_set_row_major(prim_desc_t *pd);
/// The same, but for weights, which lie along k.
prim_status_t prim__ocl_gemm_set_along_k(prim_desc_t *pd);
/// The same, but for weights of bytes, which lie along k.
prim_status_t prim__ocl_gemm_set_for_units(prim_desc_t *pd);

/// Starts options with the types of src and weights, and with clh/int_dot.h's INT_DOT, which is an
/// OCL_INT_DOT_… or 0, under a standard that knows it.
void prim__ocl_gemm_options_init(ocl_options_t *options, const prim_desc_t *pd, int int_dot);
/// Adds the options of clh/gemm.h. Chains of post-ops are compiled in where the work is worth a
/// program of its own.
void prim__ocl_gemm_options(ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// Neighbours of a row that a kernel finishes at once (clh/gemm_vectors.h): 4 where sums of floats
/// get a bias or a chain that is worth a program of its own and takes vectors, else 1.
int prim__ocl_gemm_vector_width(const ocl_gemm_t *gemm, const prim_desc_t *pd);
/// Adds the options of clh/gemm.h as prim__ocl_gemm_options() does, of clh/eltwise_short.h, and
/// REAL_WIDTH: vectors of `width` neighbours of a row, a number that
/// prim__ocl_gemm_vector_width() allows.
void prim__ocl_gemm_options_vectors(
        ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd, int width);
/// Adds the types of dst and bias, for programs that are long without.
void prim__ocl_gemm_type_options(ocl_options_t *options, const prim_desc_t *pd);

/// Uploads what GEMM_PARAMS points to: data[0] and the post-ops.
prim_status_t prim__ocl_gemm_add_data(ocl_primitive_t *primitive, const ocl_gemm_t *gemm);

/// The shape of an execution.
matmul_shape_t prim__ocl_gemm_shape(
        const ocl_gemm_t *gemm, const prim_desc_t *pd, const exec_ctx_t *ctx);

/// Storage of vector arguments until the launch.
typedef struct {
    int n;
    cl_long4 vectors[24]; ///< ocl_gemm_batch_t, ocl_gemm_view_t
} ocl_gemm_vectors_t;

/// Adds an ocl_gemm_batch_t: a number for each batch dimension, `fallback` for those that are not
/// there.
void prim__ocl_gemm_args_batch(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const matmul_shape_t *shape, const prim_dim_t *numbers, prim_dim_t fallback);

/// Adds what kernels without copies of operands begin with: src, wei, dst; n, k; strides of the
/// rows and columns of each; its batch strides.
void prim__ocl_gemm_args_operands(ocl_args_t *args, ocl_gemm_vectors_t *vectors,
        const matmul_shape_t *shape, const exec_ctx_t *ctx);

/// Adds GEMM_PARAMS; `with_all`: as for WITH_QUANT = 1 without post-ops, whatever the problem has.
void prim__ocl_gemm_args(ocl_args_t *args, ocl_gemm_vectors_t *vectors, const ocl_gemm_t *gemm,
        const matmul_shape_t *shape, const ocl_primitive_t *primitive, const exec_ctx_t *ctx,
        bool with_all);

#endif
