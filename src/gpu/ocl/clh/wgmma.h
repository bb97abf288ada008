// SPDX-License-Identifier: Apache-2.0
// Matrix units that a group of 128 items feeds from local memory (wgmma), and tiles that the device
// itself copies there by a map of the tensor (bulk copies): PTX for 9.0.
//
// wgmma is of the target sm_90a, for which OpenCL compilers do not compile. So these instructions
// stand behind WGMMA_MARK, a comment of PTX: the program is built, its PTX taken, the marks and the
// target replaced and the program built again (ocl_retarget.h, -DRETARGET=1).
//
//   wgmma_map_t    place of a map in local memory, 128 bytes aligned to 128; a map is made of zeros
//                  by one item, then published to global memory by a whole warp
//   wgmma_multiply(d, a, b)   sums of 64 rows × BN columns += the product over 32 bytes of k; a, b:
//                  descriptors of operands
//   wgmma_swap(x, distance, lanes)   x of the item lane ^ distance; the others of the warp take part
// -D: MMA_TYPE, SRC_IS_U8, WEI_IS_U8 as in clh/mma.h; BN = 64, 128 or 256; WEI_ALONG_K. RETARGET=0:
// plain C in place of the units and of the copy engine, right everywhere (needs clh/mma_tile.h). There
// one item makes a map and copies all of a box, and items of a warp wait for each other by the barrier
// of the group: wgmma_warps_barrier() and wgmma_swap() are for code that all its items run.
#ifndef CLH_WGMMA_H
#define CLH_WGMMA_H

#include "clh/wgmma_plain.h"
#include "clh/wgmma_types.h"

#if RETARGET

// clang-format off
#define WGMMA_D8(i) \
    WGMMA_SUM(d[i]), WGMMA_SUM(d[i + 1]), WGMMA_SUM(d[i + 2]), WGMMA_SUM(d[i + 3]), \
    WGMMA_SUM(d[i + 4]), WGMMA_SUM(d[i + 5]), WGMMA_SUM(d[i + 6]), WGMMA_SUM(d[i + 7])
#define WGMMA_D32(i) WGMMA_D8(i), WGMMA_D8(i + 8), WGMMA_D8(i + 16), WGMMA_D8(i + 24)
#define WGMMA_R32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_R64 WGMMA_R32 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_R128 WGMMA_R64 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, " \
    "%124, %125, %126, %127"
#if BN == 64
#define WGMMA_ALL WGMMA_D32(0)
#define WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n64" WGMMA_TYPES " {" WGMMA_R32 "}, %32, %33, p" WGMMA_SIGNS ";"
#define WGMMA_ONE "%34"
#elif BN == 128
#define WGMMA_ALL WGMMA_D32(0), WGMMA_D32(32)
#define WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n128" WGMMA_TYPES " {" WGMMA_R64 "}, %64, %65, p" WGMMA_SIGNS ";"
#define WGMMA_ONE "%66"
#elif BN == 256
#define WGMMA_ALL WGMMA_D32(0), WGMMA_D32(32), WGMMA_D32(64), WGMMA_D32(96)
#define WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n256" WGMMA_TYPES " {" WGMMA_R128 "}, %128, %129, p" WGMMA_SIGNS ";"
#define WGMMA_ONE "%130"
#else
#error "BN is not 64, 128 or 256"
#endif
// clang-format on

static inline __attribute__((always_inline)) void wgmma_multiply(sum_t *d, ulong a, ulong b)
{
    __asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " WGMMA_ONE ", 0;" WGMMA_MARK WGMMA_CODE
                   "\n\t}"
                   : WGMMA_ALL
                   : "l"(a), "l"(b), "r"(1)
                   : "memory");
}

// Between what registers were used for before and the first multiplication.
static inline void wgmma_begin(void)
{
    __asm volatile(WGMMA_MARK "wgmma.fence.sync.aligned;\n" : : : "memory");
}

// Closes a batch of multiplications.
static inline void wgmma_close(void)
{
    __asm volatile(WGMMA_MARK "wgmma.commit_group.sync.aligned;\n" : : : "memory");
}

// All but the last batch are done, or all.
static inline void wgmma_wait_but_one(void)
{
    __asm volatile(WGMMA_MARK "wgmma.wait_group.sync.aligned 1;\n" : : : "memory");
}

static inline __attribute__((always_inline)) void wgmma_wait_all(sum_t *d)
{
    __asm volatile(WGMMA_MARK "wgmma.wait_group.sync.aligned 0;\n" : : : "memory");
    // The sums are there from here on, and not before.
#pragma unroll
    for (int i = 0; i < WGMMA_SUMS; ++i) __asm volatile("" : WGMMA_SUM(d[i]) : : "memory");
}

// An operand of rows of 128 bytes of k, whose chunks are turned as in clh/mma_tile.h. `place`: of
// its first row; 32 bytes of k further: + 2.
static inline ulong wgmma_along(uint place)
{
    return (ulong)1 << 62 | (ulong)(1024 / 16) << 32 | (ulong)1 << 16 | place >> 4;
}

// Weights across k: blocks of 64 columns, [64 steps of k][128 bytes]; 16 steps further: + 128.
static inline ulong wgmma_across(uint place)
{
    return (ulong)1 << 62 | (ulong)(1024 / 16) << 32 | (ulong)(64 * 128 / 16) << 16 | place >> 4;
}

// The step p of 32 bytes of k of the operands.
static inline __attribute__((always_inline)) void wgmma_multiply_step(
        sum_t *d, wgmma_operand_t a, wgmma_operand_t b, const int p)
{
    wgmma_multiply(d, a + p * 2, b + p * (WEI_ALONG_K ? 2 : 128));
}

typedef uint wgmma_map_t;

// The items of a warp: 128 bytes of zeros, which become a map.
static inline void wgmma_map_clear(__local uint *words, int lane)
{
    words[lane] = 0;
}

#define WGMMA_SET(field, index, constraint, value) \
    __asm volatile(WGMMA_MARK "tensormap.replace.tile." field " [%0], " index "%1;\n" \
                   : : "r"(map), constraint(value) : "memory")
#define WGMMA_SET_NUMBER(field, number) \
    __asm volatile(WGMMA_MARK "tensormap.replace.tile." field " [%0], " number ";\n" \
                   : : "r"(map) : "memory")

// The map of a matrix of `height` rows, `row_bytes` apart, of `width` elements; copies take `box_w` ×
// `box_h` of them. 128 bytes of zeros become a map by setting every field; that zeros are a start is
// not written anywhere, so the self-test shows it. Rows and base: multiples of 16 bytes.
static inline void wgmma_map_make(wgmma_map_t map, __global const void *base, uint width,
        uint height, ulong row_bytes, uint box_w, uint box_h)
{
    WGMMA_SET("global_address.shared::cta.b1024.b64", "", "l", base);
    WGMMA_SET("rank.shared::cta.b1024.b32", "", "r", 1);
    WGMMA_SET("box_dim.shared::cta.b1024.b32", "0, ", "r", box_w);
    WGMMA_SET("box_dim.shared::cta.b1024.b32", "1, ", "r", box_h);
    WGMMA_SET("global_dim.shared::cta.b1024.b32", "0, ", "r", width);
    WGMMA_SET("global_dim.shared::cta.b1024.b32", "1, ", "r", height);
    WGMMA_SET("global_stride.shared::cta.b1024.b64", "0, ", "l", row_bytes);
    WGMMA_SET("element_stride.shared::cta.b1024.b32", "0, ", "r", 1);
    WGMMA_SET("element_stride.shared::cta.b1024.b32", "1, ", "r", 1);
    WGMMA_SET_NUMBER("elemtype.shared::cta.b1024.b32", WGMMA_MAP_TYPE);
    WGMMA_SET_NUMBER("interleave_layout.shared::cta.b1024.b32", "0");
    WGMMA_SET_NUMBER("swizzle_mode.shared::cta.b1024.b32", "3");
    WGMMA_SET_NUMBER("fill_mode.shared::cta.b1024.b32", "0");
}

// One dimension of a map of any rank, and the distance in bytes of the dimension behind it; `number` is
// a literal.
#define WGMMA_MAP_DIM(map, number, size, box, step) \
    do { \
        WGMMA_SET("box_dim.shared::cta.b1024.b32", #number ", ", "r", box); \
        WGMMA_SET("global_dim.shared::cta.b1024.b32", #number ", ", "r", size); \
        WGMMA_SET("element_stride.shared::cta.b1024.b32", #number ", ", "r", step); \
    } while (0)
#define WGMMA_MAP_STRIDE(map, number, bytes) \
    WGMMA_SET("global_stride.shared::cta.b1024.b64", #number ", ", "l", bytes)

// What maps of any rank have besides.
static inline void wgmma_map_begin(wgmma_map_t map, __global const void *base, uint rank)
{
    WGMMA_SET("global_address.shared::cta.b1024.b64", "", "l", base);
    WGMMA_SET("rank.shared::cta.b1024.b32", "", "r", rank - 1);
    WGMMA_SET_NUMBER("elemtype.shared::cta.b1024.b32", WGMMA_MAP_TYPE);
    WGMMA_SET_NUMBER("interleave_layout.shared::cta.b1024.b32", "0");
    WGMMA_SET_NUMBER("swizzle_mode.shared::cta.b1024.b32", "3");
    WGMMA_SET_NUMBER("fill_mode.shared::cta.b1024.b32", "0");
}

// The items of one warp together: from local memory to `to`, for the copy engine to read.
static inline void wgmma_map_publish(__global uchar *to, wgmma_map_t map)
{
    __asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                   "aligned [%0], [%1], 128;"
                   :
                   : "l"(to), "r"(map)
                   : "memory");
}

// Before the first copy by a map, in the item that starts copies.
static inline void wgmma_map_acquire(__global const uchar *map)
{
    __asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(map) : "memory");
}

static inline void wgmma_warp_barrier(void)
{
    __asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

static inline void wgmma_warps_barrier(void)
{
    wgmma_warp_barrier();
}

static inline __attribute__((always_inline)) uint wgmma_swap(
        uint x, const int distance, __local uint *lanes)
{
    uint y;
    __asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                   : "=r"(y)
                   : "r"(x), "r"(distance));
    return y;
}

// Barriers of 8 bytes in local memory that count the bytes of copies.
static inline void wgmma_barrier_init(uint place)
{
    __asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(place) : "memory");
}

static inline void wgmma_barrier_publish(void)
{
    __asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;"
                   :
                   :
                   : "memory");
}

static inline void wgmma_barrier_expect(uint place, uint bytes)
{
    __asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(place), "r"(bytes)
                   : "memory");
}

// Waits for the phase; a copy that does not come must not hang the device: false then.
static inline bool wgmma_barrier_wait(uint place, uint phase)
{
    for (int tries = 0; tries < 1 << 16; ++tries) {
        uint is_done;
        __asm volatile("{\n\t.reg .pred q;\n\t"
                       "mbarrier.try_wait.parity.shared::cta.b64 q, [%1], %2;\n\t"
                       "selp.u32 %0, 1, 0, q;\n\t}"
                       : "=r"(is_done)
                       : "r"(place), "r"(phase)
                       : "memory");
        if (is_done) return true;
    }
    return false;
}

// Copies a box whose first element is (x, y), x along a row, to local memory; what hangs over the
// tensor becomes zeros.
static inline void wgmma_copy(uint to, __global const uchar *map, uint barrier, int x, int y)
{
    __asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y)
                   : "memory");
}

// The same of three and four dimensions.
static inline __attribute__((always_inline)) void wgmma_copy_3d(
        uint to, __global const uchar *map, uint barrier, int x, int y, int z)
{
    __asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
                   : "memory");
}

static inline __attribute__((always_inline)) void wgmma_copy_4d(
        uint to, __global const uchar *map, uint barrier, int x, int y, int z, int w)
{
    __asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%3, %4, %5, %6}], [%2];"
                   :
                   : "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(w)
                   : "memory");
}

static inline uint wgmma_place(__local const void *p)
{
    uint place;
    __asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
                   : "=r"(place)
                   : "l"(p));
    return place;
}

#endif

// Two sums side by side as f16 or bf16, rounded to nearest even.
static inline __attribute__((always_inline)) uint wgmma_pack_pair(
        float low, float high, const bool is_bf16)
{
#if RETARGET
    uint bits;
    if (is_bf16)
        __asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    else
        __asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
    return bits;
#else
    ushort parts[2];
    if (is_bf16) {
        parts[0] = bf16_from_f32(low);
        parts[1] = bf16_from_f32(high);
    } else {
        vstore_half_rte(low, 0, (half *)parts);
        vstore_half_rte(high, 1, (half *)parts);
    }
    return parts[0] | (uint)parts[1] << 16;
#endif
}

#endif
