// SPDX-License-Identifier: Apache-2.0
// Binary on GPUs where dst and src0 are contiguous and of one layout, and src1 is broadcast: aligned vectors of dst and
// src0, wherever rows of src1 begin. A work-item computes AT_ONCE vectors, one work-group's width apart.
//
//   data                   by value: loops of dst, steps of src1
//   src0, dst + _off       [nelems] of SRC0_T, DST_T; dst may be src0
//   src1, src1_off         SRC1_T
// Grid: x ≥ ceil(nelems / VEC / AT_ONCE), whole work-groups. Numerics: f32.
// -D: SRC0, SRC1, DST (prim__ocl_options_type()), ALG = BINARY_… but BINARY_SELECT, VEC = REAL_WIDTH = 4, 8 or 16,
// AT_ONCE ≥ 1, INNER_STEP = 0, 1: of src1 in the inner loop; ROWS: 0: the inner loop has less than VEC elements, 1: VEC or
// more, 2: a multiple of VEC, and so have the steps of src1.
#if !defined(SRC0_DT) || !defined(SRC1_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(AT_ONCE) \
        || !defined(INNER_STEP) || !defined(ROWS)
#error "ocl_binary_dense_broadcast needs SRC0, SRC1, DST, ALG, VEC, AT_ONCE, INNER_STEP, ROWS"
#endif
#if REAL_WIDTH != VEC
#error "REAL_WIDTH is not VEC"
#endif

#include "clh/binary.h"
#include "clh/binary_vec.h"
#include "clh/divide.h"
#include "clh/shared/binary_dense_broadcast_data.h"

// Where an element stands: in its inner row, and where that begins in src1.
typedef struct {
    int at, row;
} place_t;

static inline place_t place_of(const ocl_binary_dense_broadcast_data_t *data, int i)
{
    place_t place;
    place.at = divide_off(&i, data->inner);
    const int middle = divide_off(&i, data->middle);
    place.row = middle * data->middle_step + i * data->outer_step;
    return place;
}

static inline float load_one(const ocl_binary_dense_broadcast_data_t *data, __global const SRC1_T *src1, int i)
{
    const place_t place = place_of(data, i);
    return SRC1_LOAD(src1, place.row + place.at * INNER_STEP);
}

// Elements i … i + VEC − 1 of the broadcast src1.
static inline floatv load_src1(const ocl_binary_dense_broadcast_data_t *data, __global const SRC1_T *src1, int i)
{
#if ROWS == 0
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = load_one(data, src1, i + k);
    return vloadv(x);
#else
    const place_t first = place_of(data, i);
#if ROWS == 2
    return INNER_STEP ? LOAD1(src1, first.row + first.at) : (floatv)(SRC1_LOAD(src1, first.row));
#else
    const place_t last = place_of(data, i + VEC - 1);
    const int left = data->inner.n - first.at; // of this row
#if INNER_STEP
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = SRC1_LOAD(src1, k < left ? first.row + first.at + k : last.row + k - left);
    return vloadv(x);
#else
    const float own = SRC1_LOAD(src1, first.row), next = SRC1_LOAD(src1, last.row);
    return select((floatv)(next), (floatv)(own), lanes < left);
#endif
#endif
#endif
}

__kernel void binary_dense_broadcast(const ocl_binary_dense_broadcast_data_t data, __global const SRC0_T *src0,
        long src0_off, __global const SRC1_T *src1, long src1_off, __global DST_T *dst, long dst_off)
{
    const int step = (int)get_local_size(0) * VEC;
    const uint first = (uint)get_group_id(0) * (uint)(AT_ONCE * step) + (uint)get_local_id(0) * VEC;
    const uint nelems = (uint)data.nelems;
    src0 += src0_off;
    src1 += src1_off;
    dst += dst_off;
    if (first + (AT_ONCE - 1) * step + VEC <= nelems && ARE_ALIGNED(SRC0_T, VEC, src0, 0)
            && ARE_ALIGNED(DST_T, VEC, dst, 0)) {
        floatv a[AT_ONCE], b[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k) a[k] = LOAD0(AS_ALIGNED(SRC0_T, VEC, src0 + first + k * step), 0);
        for (int k = 0; k < AT_ONCE; ++k) b[k] = load_src1(&data, src1, (int)first + k * step);
        for (int k = 0; k < AT_ONCE; ++k)
            DST_STOREV(AS_ALIGNED(DST_T, VEC, dst + first + k * step), 0, binary_op(ALG, a[k], b[k]));
        return;
    }
    for (int k = 0; k < AT_ONCE; ++k) {
        for (uint i = first + k * step; i < min(first + k * step + VEC, nelems); ++i) {
            const real_t a = SRC0_LOAD(src0, i), b = load_one(&data, src1, (int)i);
            DST_STORE(dst, i, binary_op(ALG, a, b).s0);
        }
    }
}
