// SPDX-License-Identifier: Apache-2.0
// The post-op chain. It is data: a table in constant memory, operands as kernel parameters.
//
//     __kernel void my_kernel(…, __global DST_T *dst, long dst_off, long n POST_OPS_PARAMS)
//     {
//         POST_OPS_DECLARE;
//         …
//         x = POST_OPS_APPLY(x, pos, dst, dst_off + offset); // x: float; pos: const long *, of dst
//         DST_STORE(dst, dst_off + offset, x);
//
// Apply it to the accumulated value (after bias and scales, before dst's scale and zero point),
// before the element of dst is overwritten: a sum reads what dst held. -DWITH_POST_OPS=0 makes all
// three vanish, the position is then not looked at. PO_NEEDS_POSITION is 0 when the chain reads no
// operand by itself, so that a kernel need not compute `pos` (pass 0). Options: prim__ocl_post_ops_options();
// PO_NDIMS, the rank of all operands, only where none of them is blocked or padded; PO_HAS_SELECT, only
// where the chain has a select.
//
// The value of one operand may come from the kernel, which sets po.given before it applies the chain: the texel of
// an image (PO_WITH_IMAGE, clh/image.h), or what lies where dst's element lies (PO_BESIDE_DST: 1 in operand 0, which
// has dst's dimensions and strides; 2 in dst itself, for a sum; PO_BESIDE_DT: its type). A kernel that holds several
// elements loads these together, before it stores the first.
//
// Vectors (REAL_WIDTH > 1) are neighbours along dimension PO_VECTOR_DIM of dst, where dst is contiguous. With
// -DPO_STEPS=1 the strides of operands along it are known: PO_STEP_i, 0 (one value for all), 1 or −1 (any other). Such a
// kernel includes clh/load_reals.h before, and sets po.count, the lanes that exist (the others look at the last of them),
// and po.is_aligned, a constant: whether operands and dst are read at multiples of a vector's size, as
// post_ops_are_aligned() and the kernel know.
//
// PO_SHORT=1: element-wise functions are those of clh/eltwise_short.h, which the kernel includes before, for a dst of
// 16-bit elements.
#ifndef CLH_POST_OPS_H
#define CLH_POST_OPS_H

#ifndef WITH_POST_OPS
#error "WITH_POST_OPS is missing: prim__ocl_post_ops_options() sets it"
#endif

#ifndef PO_STEPS
#define PO_STEPS 0
#endif

#if !WITH_POST_OPS

#define PO_NEEDS_POSITION 0
#define PO_BESIDE_DST 0
#define POST_OPS_PARAMS
#define POST_OPS_DECLARE
#define POST_OPS_APPLY(x, pos, dst, off) (x)

#else

#include "clh/binary.h"
#include "clh/eltwise.h"
#ifndef PO_SHORT
#define PO_SHORT 0
#endif
#include "clh/io.h"
#include "clh/md.h"
#include "clh/shared/post_ops_data.h"

// prim_primitive_kind_t; undefined: a condition
#define PO_CONDITION 0
#define PO_SUM 4
#define PO_ELTWISE 7
#define PO_BINARY 13
#define PO_PRELU 18

#define PO_BUF(i) , __global const void *po_##i, long po_off_##i
// clang-format off
#if PO_NBUFS == 0
#define PO_BUF_PARAMS
#define PO_BUF_PTRS 0
#define PO_BUF_OFFS 0
#elif PO_NBUFS == 1
#define PO_BUF_PARAMS PO_BUF(0)
#define PO_BUF_PTRS po_0
#define PO_BUF_OFFS po_off_0
#elif PO_NBUFS == 4
#define PO_BUF_PARAMS PO_BUF(0) PO_BUF(1) PO_BUF(2) PO_BUF(3)
#define PO_BUF_PTRS po_0, po_1, po_2, po_3
#define PO_BUF_OFFS po_off_0, po_off_1, po_off_2, po_off_3
#elif PO_NBUFS == 32
#define PO_BUF_PARAMS \
    PO_BUF(0) PO_BUF(1) PO_BUF(2) PO_BUF(3) PO_BUF(4) PO_BUF(5) PO_BUF(6) PO_BUF(7) \
    PO_BUF(8) PO_BUF(9) PO_BUF(10) PO_BUF(11) PO_BUF(12) PO_BUF(13) PO_BUF(14) PO_BUF(15) \
    PO_BUF(16) PO_BUF(17) PO_BUF(18) PO_BUF(19) PO_BUF(20) PO_BUF(21) PO_BUF(22) PO_BUF(23) \
    PO_BUF(24) PO_BUF(25) PO_BUF(26) PO_BUF(27) PO_BUF(28) PO_BUF(29) PO_BUF(30) PO_BUF(31)
#define PO_BUF_PTRS \
    po_0, po_1, po_2, po_3, po_4, po_5, po_6, po_7, \
    po_8, po_9, po_10, po_11, po_12, po_13, po_14, po_15, \
    po_16, po_17, po_18, po_19, po_20, po_21, po_22, po_23, \
    po_24, po_25, po_26, po_27, po_28, po_29, po_30, po_31
#define PO_BUF_OFFS \
    po_off_0, po_off_1, po_off_2, po_off_3, po_off_4, po_off_5, po_off_6, po_off_7, \
    po_off_8, po_off_9, po_off_10, po_off_11, po_off_12, po_off_13, po_off_14, po_off_15, \
    po_off_16, po_off_17, po_off_18, po_off_19, po_off_20, po_off_21, po_off_22, po_off_23, \
    po_off_24, po_off_25, po_off_26, po_off_27, po_off_28, po_off_29, po_off_30, po_off_31
#else
#error "PO_NBUFS is not 0, 1, 4 or 32"
#endif
// clang-format on

#ifndef PO_WITH_IMAGE
#define PO_WITH_IMAGE 0
#endif
#ifndef PO_BESIDE_DST
#define PO_BESIDE_DST 0
#endif
#define PO_GIVEN_OPERAND -2
#if PO_WITH_IMAGE
#define PO_IMAGE_PARAM , __read_only image2d_t po_image
#else
#define PO_IMAGE_PARAM
#endif
#if PO_WITH_IMAGE || PO_BESIDE_DST
#define PO_GIVEN_INIT , 0.0f
#define PO_GIVEN_VALUE(po) (po)->given
#else
#define PO_GIVEN_INIT
#define PO_GIVEN_VALUE(po) 0.0f
#endif

#define PO_NEEDS_POSITION (PO_NBUFS > (PO_BESIDE_DST == 1))
#define PO_ROOM (PO_NBUFS > 0 ? PO_NBUFS : 1)
#define POST_OPS_PARAMS , __constant const ocl_post_ops_t *po_table PO_BUF_PARAMS PO_IMAGE_PARAM
#define POST_OPS_DECLARE post_ops_t po = {po_table, {PO_BUF_PTRS}, {PO_BUF_OFFS} PO_GIVEN_INIT}
#define POST_OPS_APPLY(x, pos, dst, off) post_ops_apply(&po, x, pos, dst, off)

typedef struct {
    __constant const ocl_post_ops_t *table;
    __global const void *ptrs[PO_ROOM];
    long offs[PO_ROOM];
#if PO_WITH_IMAGE || PO_BESIDE_DST
    real_t given;
#endif
#if PO_STEPS
    int count;
    bool is_aligned;
#endif
} post_ops_t;

#if REAL_WIDTH > 1 && !defined(PO_VECTOR_DIM)
#error "PO_VECTOR_DIM is missing"
#endif

#if PO_NBUFS == 0
static inline real_t po_operand(const post_ops_t *po, __constant const ocl_post_op_t *entry, int operand, int dt,
        int step, const long *pos)
{
    return 0.0f;
}
#else
// Offset of the operand's element that belongs to a position of dst.
static inline long po_offset(__constant const ocl_md_t *md, const long *pos)
{
#ifdef PO_NDIMS
    long off = 0;
#pragma unroll
    for (int d = 0; d < PO_NDIMS; ++d) off += pos[d] * md->strides[d]; // 0: broadcast
    return off;
#else
    return md_offset_broadcast(md, pos);
#endif
}

#if REAL_WIDTH == 1
static inline real_t po_operand(const post_ops_t *po, __constant const ocl_post_op_t *entry, int operand, int dt,
        int step, const long *pos)
{
    const long off = po->offs[operand] + po_offset(&entry->md, pos);
    return load_any(po->ptrs[operand], off, dt);
}
#elif PO_STEPS
static inline real_t po_operand(const post_ops_t *po, __constant const ocl_post_op_t *entry, int operand, int dt,
        int step, const long *pos)
{
    const long off = po->offs[operand] + po_offset(&entry->md, pos);
    if (step == 0) return load_any(po->ptrs[operand], off, dt);
    if (step == 1 && po->is_aligned) return load_reals(po->ptrs[operand], off, dt);
    return load_reals_part(po->ptrs[operand], off, step == 1 ? 1 : entry->md.strides[PO_VECTOR_DIM], po->count, dt);
}
#else
// Lanes beyond the tensor look at its last element.
static inline real_t po_operand(const post_ops_t *po, __constant const ocl_post_op_t *entry, int operand, int dt,
        int step, const long *pos)
{
    real_t values;
#ifdef PO_NDIMS
    const long off = po->offs[operand] + po_offset(&entry->md, pos);
    const long last = max(entry->md.dims[PO_VECTOR_DIM] - 1 - pos[PO_VECTOR_DIM], 0L);
    const long stride = entry->md.strides[PO_VECTOR_DIM];
    for (int i = 0; i < REAL_WIDTH; ++i)
        ((float *)&values)[i] = load_any(po->ptrs[operand], off + min((long)i, last) * stride, dt);
#else
    long at[MAX_NDIMS];
    for (int d = 0; d < MD_RANK(&entry->md); ++d) at[d] = pos[d];
    for (int i = 0; i < REAL_WIDTH; ++i) {
        const long off = po->offs[operand] + po_offset(&entry->md, at);
        ((float *)&values)[i] = load_any(po->ptrs[operand], off, dt);
        if (at[PO_VECTOR_DIM] + 1 < entry->md.dims[PO_VECTOR_DIM]) ++at[PO_VECTOR_DIM];
    }
#endif
    return values;
}
#endif
#endif

static inline real_t po_old_dst(const post_ops_t *po, __global const void *dst, long dst_off, int dt)
{
#if REAL_WIDTH == 1
    return load_any(dst, dst_off, dt);
#elif PO_STEPS
    return po->is_aligned ? load_reals(dst, dst_off, dt) : load_reals_part(dst, dst_off, 1, po->count, dt);
#else
    real_t values;
    for (int i = 0; i < REAL_WIDTH; ++i) ((float *)&values)[i] = load_any(dst, dst_off + i, dt);
    return values;
#endif
}

#ifdef PO_HAS_SELECT
// x, or y where the condition is 0: the operand behind y, of the entry behind the step's.
static inline real_t po_select(const post_ops_t *po, __constant const ocl_post_op_t *entry, int operand, real_t x,
        real_t y, const long *pos)
{
    const int number = operand == PO_GIVEN_OPERAND ? entry[1].operand : operand + 1;
    const real_t condition = po_operand(po, entry + 1, number, DT_S8, -1, pos);
    return condition != 0.0f ? x : y;
}
#endif

static inline real_t po_step(const post_ops_t *po, int i, int kind, int alg, int operand, int dt, int step,
        real_t x, const long *pos, __global const void *dst, long dst_off)
{
    __constant const ocl_post_op_t *entry = &po->table->entries[i];
#if PO_SHORT
    if (kind == PO_ELTWISE) return eltwise_short(alg, x, entry->alpha, entry->beta);
#else
    if (kind == PO_ELTWISE) return eltwise(alg, x, entry->alpha, entry->beta);
#endif
    if (kind == PO_SUM) {
        const real_t old = operand == PO_GIVEN_OPERAND ? PO_GIVEN_VALUE(po) : po_old_dst(po, dst, dst_off, dt);
        return x + entry->scale * (old - (float)entry->zero_point);
    }
#ifdef PO_HAS_SELECT
    if (kind == PO_CONDITION) return x;
#endif
    const real_t y = operand == PO_GIVEN_OPERAND ? PO_GIVEN_VALUE(po)
                                                 : po_operand(po, entry, operand, dt, step, pos);
#ifdef PO_HAS_SELECT
    if (kind == PO_BINARY && alg == BINARY_SELECT) return po_select(po, entry, operand, x, y, pos);
#endif
    if (kind == PO_BINARY) return binary_op(alg, x, y);
    return x > 0.0f ? x : x * y;
}

#ifdef PO_STATIC_LEN

#if !PO_STEPS
#define PO_STEP_0 -1
#define PO_STEP_1 -1
#define PO_STEP_2 -1
#define PO_STEP_3 -1
#endif

static inline real_t post_ops_apply(
        const post_ops_t *po, real_t x, const long *pos, __global const void *dst, long dst_off)
{
#if PO_STATIC_LEN > 0
    x = po_step(po, 0, PO_KIND_0, PO_ALG_0, PO_OPERAND_0, PO_DT_0, PO_STEP_0, x, pos, dst, dst_off);
#endif
#if PO_STATIC_LEN > 1
    x = po_step(po, 1, PO_KIND_1, PO_ALG_1, PO_OPERAND_1, PO_DT_1, PO_STEP_1, x, pos, dst, dst_off);
#endif
#if PO_STATIC_LEN > 2
    x = po_step(po, 2, PO_KIND_2, PO_ALG_2, PO_OPERAND_2, PO_DT_2, PO_STEP_2, x, pos, dst, dst_off);
#endif
#if PO_STATIC_LEN > 3
    x = po_step(po, 3, PO_KIND_3, PO_ALG_3, PO_OPERAND_3, PO_DT_3, PO_STEP_3, x, pos, dst, dst_off);
#endif
    return x;
}

#if PO_STEPS
// Whether all vectors of the operand lie at multiples of their size.
static inline bool po_step_is_aligned(const post_ops_t *po, int i, int operand, int dt, int step)
{
#if PO_NBUFS > 0
    if (operand < 0 || step != 1) return true;
    const long bytes = dt_bytes(dt);
    ulong starts = (ulong)po->ptrs[operand] + po->offs[operand] * bytes;
#pragma unroll
    for (int d = 0; d < PO_NDIMS; ++d) {
        if (d != PO_VECTOR_DIM) starts |= po->table->entries[i].md.strides[d] * bytes;
    }
    return (starts & (REAL_WIDTH * bytes - 1)) == 0;
#else
    return true;
#endif
}

// Whether those of all operands do, where positions are multiples of REAL_WIDTH along PO_VECTOR_DIM.
static inline bool post_ops_are_aligned(const post_ops_t *po)
{
    bool are = true;
#if PO_STATIC_LEN > 0
    are = are && po_step_is_aligned(po, 0, PO_OPERAND_0, PO_DT_0, PO_STEP_0);
#endif
#if PO_STATIC_LEN > 1
    are = are && po_step_is_aligned(po, 1, PO_OPERAND_1, PO_DT_1, PO_STEP_1);
#endif
#if PO_STATIC_LEN > 2
    are = are && po_step_is_aligned(po, 2, PO_OPERAND_2, PO_DT_2, PO_STEP_2);
#endif
#if PO_STATIC_LEN > 3
    are = are && po_step_is_aligned(po, 3, PO_OPERAND_3, PO_DT_3, PO_STEP_3);
#endif
    return are;
}
#endif

#else

static inline real_t post_ops_apply(
        const post_ops_t *po, real_t x, const long *pos, __global const void *dst, long dst_off)
{
    for (int i = 0; i < po->table->len; ++i) {
        __constant const ocl_post_op_t *entry = &po->table->entries[i];
        x = po_step(po, i, entry->kind, entry->alg, entry->operand, entry->dt, -1, x, pos, dst, dst_off);
    }
    return x;
}

#endif

#endif

#endif
