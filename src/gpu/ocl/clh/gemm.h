// SPDX-License-Identifier: Apache-2.0
// What the kernels of matrix products share: scales and zero points by row and column, strides
// of a batch, and the epilogue from an accumulated sum to dst. Types of dst, bias and scales are
// run-time arguments, so that programs are few. Host side: matmul/ocl_gemm.h.
//
//     __kernel void my_product(…, __global void *dst, long dst_off GEMM_PARAMS)
//     {
//         GEMM_DECLARE;
//         …
//         gemm_row_t row = gemm_row(&gemm, product, i);           // row i of that product
//         gemm_store(&gemm, &row, sum, j, dst, place)             // its column j, element `place`
//     }
//
// -D: those of clh/post_ops.h, and
//   IS_INT      sums are s32 (src and wei are 8-bit integers), else f32
//   WITH_QUANT  0: no scales and zero points at all
//   WIDE_SUMS   1: gemm_store() takes 64-bit integers where sums are s32, for a kernel that adds
//               several of them up (optional, 0)
//   GEMM_DST_DT, GEMM_BIA_DT   the types of dst and bias (0: none) of all launches: a small part of
//   the code for any
//               (optional, −1: those of the arguments)
#ifndef CLH_GEMM_H
#define CLH_GEMM_H

#ifndef GEMM_DST_DT
#define GEMM_DST_DT -1
#define GEMM_BIA_DT -1
#endif

#if !defined(IS_INT) || !defined(WITH_QUANT)
#error "clh/gemm.h needs IS_INT, WITH_QUANT"
#endif

#include "clh/io.h"
#include "clh/md.h"
#include "clh/post_ops.h"
#include "clh/shared/gemm_data.h"

// Sums, and an element of an operand as it goes into them (for kernels with SRC, WEI).
#if IS_INT
typedef int sum_t;
#define SRC_GET SRC_LOAD_INT
#define WEI_GET WEI_LOAD_INT
#else
typedef float sum_t;
#define SRC_GET SRC_LOAD
#define WEI_GET WEI_LOAD
#endif

// What a kernel passes to gemm_store(): a sum, or a sum of sums.
#ifndef WIDE_SUMS
#define WIDE_SUMS 0
#endif
#if IS_INT && WIDE_SUMS
typedef long total_t;
#else
typedef sum_t total_t;
#endif

// Scales or zero points: that of (row r, column c) stands at r/x·y + c/z·w of `view`. dt 0: not
// set.
typedef struct {
    __global const void *values;
    long off;
    ocl_gemm_view_t view;
    int dt;
} gemm_values_t;

// clang-format off
#define GEMM_VALUES(name) \
    , __global const void *name, long name##_off, ocl_gemm_view_t name##_view, int name##_dt
#define GEMM_VALUES_OF(name) , {name, name##_off, name##_view, name##_dt}

#if WITH_QUANT
#define GEMM_QUANT_PARAMS \
    , int src_scales_are_per_k, int wei_scales_are_per_k GEMM_VALUES(src_scales) \
    GEMM_VALUES(wei_scales) GEMM_VALUES(src_zps) GEMM_VALUES(wei_zps) GEMM_VALUES(dst_scales) \
    GEMM_VALUES(dst_zps)
#define GEMM_QUANT_INIT \
    , src_scales_are_per_k, wei_scales_are_per_k GEMM_VALUES_OF(src_scales) \
    GEMM_VALUES_OF(wei_scales) GEMM_VALUES_OF(src_zps) GEMM_VALUES_OF(wei_zps) \
    GEMM_VALUES_OF(dst_scales) GEMM_VALUES_OF(dst_zps)
#else
#define GEMM_QUANT_PARAMS
#define GEMM_QUANT_INIT
#endif

#if WITH_POST_OPS
#define GEMM_POST_OPS_INIT , &po
#else
#define GEMM_POST_OPS_INIT
#endif

// `gemm_batch`: sizes of three batch dimensions; `gemm_m`: rows of a product; `gemm_matrix_m`: rows
// of a matrix of dst, of which a product may hold several; `gemm_dims`: the gemm_ndims dims of dst,
// read by post-ops with operands alone; bia_dt 0: no bias; …_are_per_k: these scales multiply
// elements, not sums.
#define GEMM_PARAMS \
    , ocl_gemm_batch_t gemm_batch, long gemm_m, long gemm_matrix_m, __constant const long *gemm_dims, \
    int gemm_ndims, int dst_dt, __global const void *bia, long bia_off, ocl_gemm_batch_t bia_batch, \
    long bia_m, long bia_n, int bia_dt GEMM_QUANT_PARAMS POST_OPS_PARAMS

#define GEMM_DECLARE \
    POST_OPS_DECLARE; \
    const gemm_t gemm = {gemm_batch, gemm_m, gemm_matrix_m, gemm_dims, gemm_ndims, \
            GEMM_DST_DT < 0 ? dst_dt : GEMM_DST_DT, bia, bia_off, bia_batch, bia_m, bia_n, \
            GEMM_BIA_DT < 0 ? bia_dt : GEMM_BIA_DT GEMM_QUANT_INIT GEMM_POST_OPS_INIT}; \
    (void)gemm
// clang-format on

typedef struct {
    ocl_gemm_batch_t batch;
    long m, matrix_m;
    __constant const long *dims;
    int ndims, dst_dt;
    __global const void *bia;
    long bia_off;
    ocl_gemm_batch_t bia_batch;
    long bia_m, bia_n;
    int bia_dt;
#if WITH_QUANT
    int src_scales_are_per_k, wei_scales_are_per_k;
    gemm_values_t src_scales, wei_scales, src_zps, wei_zps, dst_scales, dst_zps;
#endif
#if WITH_POST_OPS
    const post_ops_t *post_ops;
#endif
} gemm_t;

#ifdef PO_NDIMS // positions stay in registers
#define GEMM_RANK(gemm) PO_NDIMS
#else
#define GEMM_RANK(gemm) (gemm)->ndims
#endif

static inline long gemm_place(const gemm_values_t *v, long r, long c)
{
    long place = v->off;
    if (v->view.y) place += div_long(r, v->view.x) * v->view.y;
    if (v->view.w) place += div_long(c, v->view.z) * v->view.w;
    return place;
}

static inline float gemm_scale(const gemm_values_t *v, long r, long c)
{
    return v->dt == DT_UNDEF ? 1.0f : load_any(v->values, gemm_place(v, r, c), v->dt);
}

static inline int gemm_zero_point(const gemm_values_t *v, long r, long c)
{
    return v->dt == DT_UNDEF ? 0 : load_int_any(v->values, gemm_place(v, r, c), v->dt);
}

// What applies to an element x of src in row i of a product, depth p.
static inline sum_t gemm_adjust_src(const gemm_t *gemm, sum_t x, long i, long p)
{
#if WITH_QUANT
    const long r = i % gemm->matrix_m;
    x -= (sum_t)gemm_zero_point(&gemm->src_zps, r, p);
#if !IS_INT
    if (gemm->src_scales_are_per_k) x *= gemm_scale(&gemm->src_scales, r, p);
#endif
#endif
    return x;
}

// The same for wei, depth p and column j.
static inline sum_t gemm_adjust_wei(const gemm_t *gemm, sum_t x, long p, long j)
{
#if WITH_QUANT
    x -= (sum_t)gemm_zero_point(&gemm->wei_zps, p, j);
#if !IS_INT
    if (gemm->wei_scales_are_per_k) x *= gemm_scale(&gemm->wei_scales, p, j);
#endif
#endif
    return x;
}

// Σ of index·stride over three batch dimensions of the given sizes, for product `product`.
static inline long batch_offset(ocl_gemm_batch_t sizes, ocl_gemm_batch_t strides, long product)
{
    if (product == 0) return 0;
    const long rest = div_long(product, sizes.z);
    const long z = product - rest * sizes.z;
    const long x = div_long(rest, sizes.y);
    return x * strides.x + (rest - x * sizes.y) * strides.y + z * strides.z;
}

// What the elements of one row of one product share.
typedef struct {
    long bia_off;        // of its first column
    long r;              // row of the matrix
    float scale;         // of src
    bool is_exact;       // integers go to dst as they are
    long pos[MAX_NDIMS]; // of dst; the last entry is set for each element
} gemm_row_t;

// Where the bias of a product starts.
static inline long gemm_bias_base(const gemm_t *gemm, long product)
{
    return gemm->bia_off + batch_offset(gemm->batch, gemm->bia_batch, product);
}

// Row i of a product, whose bias starts at `bia_off`.
static inline gemm_row_t gemm_row_of(const gemm_t *gemm, long product, long i, long bia_off)
{
    gemm_row_t row;
    row.r = i;
    row.scale = 1.0f;
    row.bia_off = bia_off;
#if IS_INT && !WITH_POST_OPS
    row.is_exact = dt_is_int(gemm->dst_dt) && (gemm->bia_dt == DT_UNDEF || dt_is_int(gemm->bia_dt));
#else
    row.is_exact = false;
#endif
#if WITH_QUANT
    row.r = i % gemm->matrix_m;
    if (!gemm->src_scales_are_per_k) row.scale = gemm_scale(&gemm->src_scales, row.r, 0);
    row.is_exact = row.is_exact && gemm->src_scales.dt == DT_UNDEF &&
                   gemm->wei_scales.dt == DT_UNDEF && gemm->dst_scales.dt == DT_UNDEF;
#endif
#if PO_NEEDS_POSITION
    long index = product * gemm->m + i;
#pragma unroll
    for (int d = GEMM_RANK(gemm) - 2; d >= 0; --d) {
        const long quotient = div_long(index, gemm->dims[d]);
        row.pos[d] = index - quotient * gemm->dims[d];
        index = quotient;
    }
#endif
    return row;
}

static inline gemm_row_t gemm_row(const gemm_t *gemm, long product, long i)
{
    return gemm_row_of(gemm, product, i, gemm_bias_base(gemm, product) + i * gemm->bia_m);
}

// The bias of column j of a row; anything where there is none.
static inline float gemm_bias(const gemm_t *gemm, const gemm_row_t *row, long j)
{
    return load_any(gemm->bia, row->bia_off + j * gemm->bia_n, gemm->bia_dt);
}

#if REAL_WIDTH == 1 // others finish vectors: clh/gemm_registers.h

// The value of column j of a row, before it is rounded to dst's type. `place`: of the element in
// dst.
static inline float gemm_finish_biased(const gemm_t *gemm, gemm_row_t *row, total_t sum, float bias,
        long j, __global const void *dst, long place)
{
    float x = (float)sum;
#if WITH_QUANT
    x *= row->scale;
    if (!gemm->wei_scales_are_per_k) x *= gemm_scale(&gemm->wei_scales, 0, j);
#endif
    if (gemm->bia_dt != DT_UNDEF) x += bias;
#if WITH_POST_OPS
#if PO_NEEDS_POSITION
    row->pos[GEMM_RANK(gemm) - 1] = j;
#endif
    x = post_ops_apply(gemm->post_ops, x, row->pos, dst, place);
#endif
#if WITH_QUANT
    x /= gemm_scale(&gemm->dst_scales, row->r, j);
    x += (float)gemm_zero_point(&gemm->dst_zps, row->r, j);
#endif
    return x;
}

static inline float gemm_finish(const gemm_t *gemm, gemm_row_t *row, total_t sum, long j,
        __global const void *dst, long place)
{
    const float bias = gemm->bia_dt == DT_UNDEF ? 0.0f : gemm_bias(gemm, row, j);
    return gemm_finish_biased(gemm, row, sum, bias, j, dst, place);
}

// Stores column j of a row at `place` of dst.
static inline void gemm_store(
        const gemm_t *gemm, gemm_row_t *row, total_t sum, long j, __global void *dst, long place)
{
#if IS_INT
    if (row->is_exact) {
        long x = sum;
        if (gemm->bia_dt != DT_UNDEF)
            x += load_int_any(gemm->bia, row->bia_off + j * gemm->bia_n, gemm->bia_dt);
#if WITH_QUANT
        x += gemm_zero_point(&gemm->dst_zps, row->r, j);
#endif
        store_int_any(dst, place, gemm->dst_dt, x);
        return;
    }
#endif
    store_any(dst, place, gemm->dst_dt, gemm_finish(gemm, row, sum, j, dst, place));
}

#endif

#endif
