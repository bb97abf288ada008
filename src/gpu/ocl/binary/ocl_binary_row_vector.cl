// SPDX-License-Identifier: Apache-2.0
// Binary along contiguous rows of dst. Along a row each source is contiguous (step 1) or constant (step 0): equal
// layouts, a value per channel, or one value, on either side.
//
//   nest           loop nest; tensor 0 dst, 1 src0, 2 src1, 3 src2; NEST_INNER has stride 1 in dst and
//                  SRC0_STEP, SRC1_STEP in the sources (src2 like dst)
//   src0, src1, src2, dst + _off   elements of SRC0_T, SRC1_T, s8, DST_T; dst may be src0
//   n_inner … nitems  as in ocl_nest_copy.cl
//   scale0, scale1 + _off, _dt     one value each; _dt is DT_UNDEF when not set
//   POST_OPS       without operands
// Grid: x ≥ nitems. Numerics: f32; IS_INT computes in integers, exactly.
// -D: SRC0, SRC1, DST (prim__ocl_options_type()), ALG = BINARY_…, SRC0_STEP, SRC1_STEP = 0, 1,
//     VEC = 4, 8, 16, IS_INT, WITH_SCALES, those of clh/post_ops.h.
#if !defined(SRC0_DT) || !defined(SRC1_DT) || !defined(DST_DT) || !defined(ALG) \
        || !defined(SRC0_STEP) || !defined(SRC1_STEP) || !defined(VEC) || !defined(IS_INT) \
        || !defined(WITH_SCALES)
#error "ocl_binary_row_vector needs SRC0, SRC1, DST, ALG, SRC0_STEP, SRC1_STEP, VEC, IS_INT, WITH_SCALES"
#endif

#include "clh/binary_int.h"
#include "clh/nest.h"
#include "clh/post_ops.h"
#include "clh/binary_vec.h"

// A row of each tensor, and what is the same for all rows.
typedef struct {
    __global DST_T *dst;
    __global const SRC0_T *src0;
    __global const SRC1_T *src1;
    __global const char *src2;
    float scale0, scale1;
#if WITH_POST_OPS
    post_ops_t po;
#endif
} row_t;

static inline float combine(const row_t *row, long i, float a, float b)
{
#if WITH_POST_OPS
    const post_ops_t po = row->po;
#endif
    const bool takes_src1 = ALG == BINARY_SELECT && row->src2[i] == 0;
    const float x = takes_src1 ? b : binary_op(ALG, a, b);
    return POST_OPS_APPLY(x, 0, row->dst, i);
}

static inline void apply_one(const row_t *row, long i)
{
#if IS_INT
    const bool takes_src1 = ALG == BINARY_SELECT && row->src2[i] == 0;
    const int a = SRC0_LOAD_INT(row->src0, i * SRC0_STEP);
    const int b = SRC1_LOAD_INT(row->src1, i * SRC1_STEP);
    DST_STORE_INT(row->dst, i, takes_src1 ? b : binary_int(ALG, a, b));
#else
    const float a = SRC0_LOAD(row->src0, i * SRC0_STEP) * row->scale0;
    const float b = SRC1_LOAD(row->src1, i * SRC1_STEP) * row->scale1;
    DST_STORE(row->dst, i, combine(row, i, a, b));
#endif
}

#if !IS_INT
static inline floatv combine_vector(floatv a, floatv b)
{
    const floatv zero = (floatv)(0.0f), one = (floatv)(1.0f);
    switch (ALG) {
    case BINARY_ADD: return a + b;
    case BINARY_MUL: return a * b;
    case BINARY_MAX: return select(b, a, a > b);
    case BINARY_MIN: return select(b, a, a < b);
    case BINARY_DIV: return a / b;
    case BINARY_SUB: return a - b;
    case BINARY_GE: return select(zero, one, a >= b);
    case BINARY_GT: return select(zero, one, a > b);
    case BINARY_LE: return select(zero, one, a <= b);
    case BINARY_LT: return select(zero, one, a < b);
    case BINARY_EQ: return select(zero, one, a == b);
    default: return select(zero, one, a != b);
    }
}

static inline void apply_vector(const row_t *row, long i)
{
    const floatv a = SRC0_STEP ? LOAD0(row->src0, i) : (floatv)(SRC0_LOAD(row->src0, 0));
    const floatv b = SRC1_STEP ? LOAD1(row->src1, i) : (floatv)(SRC1_LOAD(row->src1, 0));
#if WITH_POST_OPS || ALG == BINARY_SELECT
    float x[VEC], y[VEC];
    vstorev(a * row->scale0, x);
    vstorev(b * row->scale1, y);
    for (int k = 0; k < VEC; ++k) x[k] = combine(row, i + k, x[k], y[k]);
    DST_STOREV(row->dst, i, vloadv(x));
#else
    DST_STOREV(row->dst, i, combine_vector(a * row->scale0, b * row->scale1));
#endif
}
#endif

static inline void apply_row(const row_t *row, long n)
{
    long i = 0;
#if !IS_INT
    for (; i + VEC <= n; i += VEC) apply_vector(row, i);
#endif
    for (; i < n; ++i) apply_one(row, i);
}

#if !IS_INT && !WITH_POST_OPS && ALG != BINARY_SELECT
#define TAKES_VECTORS 1

// One vector of each row, as many rows as make whole groups of AT_ONCE: the loads of a group come
// before its stores, so the memory has them in flight together. Returns how many were done.
#define AT_ONCE 4
static inline floatv load0(__global const SRC0_T *src0)
{
    return SRC0_STEP ? LOAD0(AS_ALIGNED(SRC0_T, VEC, src0), 0) : (floatv)(SRC0_LOAD(src0, 0));
}

static inline floatv load1(__global const SRC1_T *src1)
{
    return SRC1_STEP ? LOAD1(AS_ALIGNED(SRC1_T, VEC, src1), 0) : (floatv)(SRC1_LOAD(src1, 0));
}

static inline long apply_vectors(__constant const ocl_nest_t *nest, const row_t *first, long nrows)
{
    const long step = nest->strides[0][NEST_ROW], step0 = nest->strides[1][NEST_ROW];
    const long step1 = nest->strides[2][NEST_ROW], rows = nrows / AT_ONCE * AT_ONCE;
    row_t row = *first;
    if (!ARE_ALIGNED(DST_T, VEC, row.dst, step)) return 0;
#if SRC0_STEP
    if (!ARE_ALIGNED(SRC0_T, VEC, row.src0, step0)) return 0;
#endif
#if SRC1_STEP
    if (!ARE_ALIGNED(SRC1_T, VEC, row.src1, step1)) return 0;
#endif
    for (long r = 0; r < rows; r += AT_ONCE) {
        floatv a[AT_ONCE], b[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k) {
            a[k] = load0(row.src0 + k * step0);
            b[k] = load1(row.src1 + k * step1);
        }
        for (int k = 0; k < AT_ONCE; ++k) {
            const floatv x = combine_vector(a[k] * row.scale0, b[k] * row.scale1);
            DST_STOREV(AS_ALIGNED(DST_T, VEC, row.dst + k * step), 0, x);
        }
        row.dst += AT_ONCE * step;
        row.src0 += AT_ONCE * step0;
        row.src1 += AT_ONCE * step1;
    }
    return rows;
}
#else
#define TAKES_VECTORS 0
#endif

__kernel void binary_row_vector(__constant const ocl_nest_t *nest, __global const SRC0_T *src0,
        long src0_off, __global const SRC1_T *src1, long src1_off, __global const char *src2,
        long src2_off, __global DST_T *dst, long dst_off, long n_inner, long n_row, long per_inner,
        long per_row, long chunks_inner, long chunks_row, long nitems, __global const void *scale0,
        long scale0_off, __global const void *scale1, long scale1_off, int scale0_dt,
        int scale1_dt POST_OPS_PARAMS)
{
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const nest_piece_t piece = nest_piece(item, chunks_inner, chunks_row);
    const long inner = piece.x * per_inner, first_row = piece.y * per_row;
    const long end_row = min(first_row + per_row, n_row);
    const long n = min(per_inner, n_inner - inner);
    const nest_at_t at = nest_at(nest, piece.outer);
    row_t row = {.scale0 = 1.0f, .scale1 = 1.0f};
    if (WITH_SCALES && scale0_dt) row.scale0 = load_any(scale0, scale0_off, scale0_dt);
    if (WITH_SCALES && scale1_dt) row.scale1 = load_any(scale1, scale1_off, scale1_dt);
#if WITH_POST_OPS
    POST_OPS_DECLARE;
    row.po = po;
#endif
    dst += dst_off + at.offs[0] + inner;
    src0 += src0_off + at.offs[1] + inner * SRC0_STEP;
    src1 += src1_off + at.offs[2] + inner * SRC1_STEP;
    if (ALG == BINARY_SELECT) src2 += src2_off + at.offs[3] + inner;
    long r = first_row;
#if TAKES_VECTORS
    if (n == VEC) {
        row.dst = dst + r * nest->strides[0][NEST_ROW];
        row.src0 = src0 + r * nest->strides[1][NEST_ROW];
        row.src1 = src1 + r * nest->strides[2][NEST_ROW];
        r += apply_vectors(nest, &row, end_row - r);
    }
#endif
    for (; r < end_row; ++r) {
        row.dst = dst + r * nest->strides[0][NEST_ROW];
        row.src0 = src0 + r * nest->strides[1][NEST_ROW];
        row.src1 = src1 + r * nest->strides[2][NEST_ROW];
        if (ALG == BINARY_SELECT) row.src2 = src2 + r * nest->strides[3][NEST_ROW];
        apply_row(&row, n);
    }
}
