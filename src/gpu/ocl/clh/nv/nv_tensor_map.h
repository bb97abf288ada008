// SPDX-License-Identifier: Apache-2.0
// PTX: tensor maps and the copies of boxes that the device makes by them (TMA, 9.0; the fields are set by instructions of
// 9.0a, see nv_wgmma.h).
//
// A map is 128 bytes, aligned to 128, in shared memory. Zeros become a map by setting every field; that zeros are a
// start is not written anywhere, so the self-test shows it. Base and strides are multiples of 16 bytes; rows of a box are
// 128 bytes, swizzled as clh/mma_tile.h says.
//
//   nv_tensor_map_begin(map, base, rank), then for each dimension
//   NV_TENSOR_MAP_DIM(map, number, size, box, step)   elements; `number` is a literal, 0 the innermost
//   NV_TENSOR_MAP_STRIDE(map, number, bytes)          from one index of dimension number + 1 to the next
//   nv_tensor_map_make(…)                  all that of a matrix
//   nv_tensor_map_publish(to, map)         to global memory, from where copies read it
//   nv_tensor_map_acquire(map)             before the first copy by it, in the work-item that starts copies
//   nv_tensor_copy_Nd(to, map, barrier, x, …)   the box whose first element is (x, …) to shared memory, with zeros where
//                                          it hangs over the tensor; the bytes arrive at the mbarrier
//
// -D: MMA_TYPE as in clh/wgmma.h: the type of the elements. Empty unless -DRETARGET=1.
#ifndef CLH_NV_TENSOR_MAP_H
#define CLH_NV_TENSOR_MAP_H

#include "clh/always_inline.h"
#include "clh/nv/nv_retarget.h"
#include "clh/types.h"

#if defined(RETARGET) && RETARGET

#if MMA_TYPE == DT_S8
#define NV_TENSOR_MAP_TYPE "0"
#elif MMA_TYPE == DT_BF16
#define NV_TENSOR_MAP_TYPE "10"
#else
#define NV_TENSOR_MAP_TYPE "6"
#endif

#define NV_TENSOR_MAP_SET(field, index, constraint, value) \
    __asm volatile(NV_RETARGET_MARK "tensormap.replace.tile." field " [%0], " index "%1;\n" \
                   : : "r"(map), constraint(value) : "memory")
#define NV_TENSOR_MAP_SET_NUMBER(field, number) \
    __asm volatile(NV_RETARGET_MARK "tensormap.replace.tile." field " [%0], " number ";\n" \
                   : : "r"(map) : "memory")

// Of a matrix: `height` rows, `row_bytes` apart, of `width` elements; copies take `box_w` × `box_h` of them.
ALWAYS_INLINE void nv_tensor_map_make(uint map, __global const void *base, uint width,
        uint height, ulong row_bytes, uint box_w, uint box_h)
{
    NV_TENSOR_MAP_SET("global_address.shared::cta.b1024.b64", "", "l", base);
    NV_TENSOR_MAP_SET("rank.shared::cta.b1024.b32", "", "r", 1);
    NV_TENSOR_MAP_SET("box_dim.shared::cta.b1024.b32", "0, ", "r", box_w);
    NV_TENSOR_MAP_SET("box_dim.shared::cta.b1024.b32", "1, ", "r", box_h);
    NV_TENSOR_MAP_SET("global_dim.shared::cta.b1024.b32", "0, ", "r", width);
    NV_TENSOR_MAP_SET("global_dim.shared::cta.b1024.b32", "1, ", "r", height);
    NV_TENSOR_MAP_SET("global_stride.shared::cta.b1024.b64", "0, ", "l", row_bytes);
    NV_TENSOR_MAP_SET("element_stride.shared::cta.b1024.b32", "0, ", "r", 1);
    NV_TENSOR_MAP_SET("element_stride.shared::cta.b1024.b32", "1, ", "r", 1);
    NV_TENSOR_MAP_SET_NUMBER("elemtype.shared::cta.b1024.b32", NV_TENSOR_MAP_TYPE);
    NV_TENSOR_MAP_SET_NUMBER("interleave_layout.shared::cta.b1024.b32", "0");
    NV_TENSOR_MAP_SET_NUMBER("swizzle_mode.shared::cta.b1024.b32", "3");
    NV_TENSOR_MAP_SET_NUMBER("fill_mode.shared::cta.b1024.b32", "0");
}

#define NV_TENSOR_MAP_DIM(map, number, size, box, step) \
    do { \
        NV_TENSOR_MAP_SET("box_dim.shared::cta.b1024.b32", #number ", ", "r", box); \
        NV_TENSOR_MAP_SET("global_dim.shared::cta.b1024.b32", #number ", ", "r", size); \
        NV_TENSOR_MAP_SET("element_stride.shared::cta.b1024.b32", #number ", ", "r", step); \
    } while (0)
#define NV_TENSOR_MAP_STRIDE(map, number, bytes) \
    NV_TENSOR_MAP_SET("global_stride.shared::cta.b1024.b64", #number ", ", "l", bytes)

ALWAYS_INLINE void nv_tensor_map_begin(uint map, __global const void *base, uint rank)
{
    NV_TENSOR_MAP_SET("global_address.shared::cta.b1024.b64", "", "l", base);
    NV_TENSOR_MAP_SET("rank.shared::cta.b1024.b32", "", "r", rank - 1);
    NV_TENSOR_MAP_SET_NUMBER("elemtype.shared::cta.b1024.b32", NV_TENSOR_MAP_TYPE);
    NV_TENSOR_MAP_SET_NUMBER("interleave_layout.shared::cta.b1024.b32", "0");
    NV_TENSOR_MAP_SET_NUMBER("swizzle_mode.shared::cta.b1024.b32", "3");
    NV_TENSOR_MAP_SET_NUMBER("fill_mode.shared::cta.b1024.b32", "0");
}

// The work-items of one warp together: from shared memory to `to`.
ALWAYS_INLINE void nv_tensor_map_publish(__global uchar *to, uint map)
{
    __asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                   "aligned [%0], [%1], 128;"
                   :
                   : "l"(to), "r"(map)
                   : "memory");
}

ALWAYS_INLINE void nv_tensor_map_acquire(__global const uchar *map)
{
    __asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(map) : "memory");
}

ALWAYS_INLINE void nv_tensor_copy_2d(uint to, __global const uchar *map, uint barrier, int x, int y)
{
    __asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y)
                   : "memory");
}

ALWAYS_INLINE void nv_tensor_copy_3d(
        uint to, __global const uchar *map, uint barrier, int x, int y, int z)
{
    __asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
                   : "memory");
}

ALWAYS_INLINE void nv_tensor_copy_4d(
        uint to, __global const uchar *map, uint barrier, int x, int y, int z, int w)
{
    __asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5, %6}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
                   : "memory");
}

ALWAYS_INLINE void nv_tensor_copy_5d(
        uint to, __global const uchar *map, uint barrier, int x, int y, int z, int w, int v)
{
    __asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
                   : "memory");
}

#endif

#endif
