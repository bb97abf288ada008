// SPDX-License-Identifier: Apache-2.0
// What the reference implementations share: quantisation values and the last steps of an element,
// in double, for any data type. Everything here may be called from many threads at once.
#ifndef PRIM_CPU_REF_FINISH_H
#define PRIM_CPU_REF_FINISH_H

#include "common/impl.h"

/// The host address of the buffer passed for an argument; NULL when it was not passed. Offsets come
/// from the descriptor (offset0 is not added).
void *prim__ref_pointer(const exec_ctx_t *ctx, int arg);
/// The same; NULL where the problem has no such tensor.
void *prim__ref_pointer_if_any(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg);

/// For init_pd: declines unless prim__load() reads the type of every tensor and post-op operand.
prim_status_t prim__ref_require_types(prim_desc_t *pd);

/// The scales or zero points of one argument at execution.
typedef struct {
    const void *values; ///< NULL: not set
    prim_data_type_t data_type;
    int ndims;
    prim_dims_t groups;  ///< indices along each dimension that share a value
    prim_dims_t strides; ///< in values; 0 for dimensions outside the mask
} ref_quant_t;

/// Reads the setting of `arg` for a tensor of `md` (the descriptor the mask speaks of).
void prim__ref_scales_init(ref_quant_t *quant, const prim_desc_t *pd, const exec_ctx_t *ctx,
        int arg, const prim_memory_desc_t *md);
void prim__ref_zero_points_init(ref_quant_t *quant, const prim_desc_t *pd, const exec_ctx_t *ctx,
        int arg, const prim_memory_desc_t *md);
/// The value that belongs to a logical position of that tensor; `fallback` (1 for scales, 0 for
/// zero points) when nothing is set.
double prim__ref_quant_at(const ref_quant_t *quant, const prim_dim_t *position, double fallback);
/// The scale or zero point that a whole tensor shares; 1 or 0 when none is set.
double prim__ref_scale(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
double prim__ref_zero_point(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);

/// The way from an accumulated value to the stored element of dst: post-ops, dst scale, dst zero
/// point. Prepared once for each execution.
typedef struct {
    const prim_post_ops_t *post_ops;
    const void *operands[PRIM_MAX_POST_OPS][STEP_OPERANDS]; ///< of binary and prelu entries
    const prim_memory_desc_t *operand_mds[PRIM_MAX_POST_OPS][STEP_OPERANDS];
    ref_quant_t scales, zero_points; ///< of dst
    bool is_plain;                   ///< nothing to do but store
    void *dst;
    const prim_memory_desc_t *dst_md;
} ref_finish_t;

void prim__ref_finish_init(ref_finish_t *finish, const prim_desc_t *pd, const exec_ctx_t *ctx);
/// chain(x)/scale + zero point for the element of dst at `position`, not yet rounded.
double prim__ref_finish(const ref_finish_t *finish, double x, const prim_dim_t *position);
/// The same for row[0..n), the elements from `position` on along `dim` (−1 with n = 1), stored to
/// dst.
void prim__ref_finish_store_row(
        const ref_finish_t *finish, double *row, const prim_dim_t *position, int dim, prim_dim_t n);
/// The same for one element.
void prim__ref_finish_store(const ref_finish_t *finish, double x, const prim_dim_t *position);

/// Zeroes the padding of a blocked tensor, in parallel; nothing to do on unpadded ones.
void prim__ref_clear_padding(void *base, const prim_memory_desc_t *md);

/// f(x) of an eltwise algorithm, and op(a, b) of a binary one (SELECT: condition ? a : b).
double prim__ref_eltwise(prim_alg_kind_t alg, double x, double alpha, double beta);
double prim__ref_binary(prim_alg_kind_t alg, double a, double b, double condition);

/// Calls body(position, arg) for every logical position of a tensor, in parallel.
void prim__ref_for_each(const prim_memory_desc_t *md,
        void (*body)(const prim_dim_t *position, void *arg), void *arg);

#endif
