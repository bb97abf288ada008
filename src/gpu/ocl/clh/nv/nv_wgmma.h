// SPDX-License-Identifier: Apache-2.0
// PTX: matrix units with operands in shared memory, for a warp group of 128 work-items (wgmma, 9.0a).
//
// OpenCL compilers know no target sm_90a. So these instructions stand behind NV_RETARGET_MARK, a comment of PTX: the
// program is built, its PTX taken, marks and target replaced and the program built again (ocl_retarget.h).
//
//   nv_wgmma(d, a, b)             d[BN / 2] += 64 rows × BN columns over 32 bytes of k; a, b: descriptors of operands in
//                                 shared memory
//   nv_wgmma_registers(d, a, b)   the same with BN = 64 of 16-bit elements and a in registers, four words a work-item,
//                                 which have to stay until the multiplication is waited for
//   nv_wgmma_fence()              between other uses of the registers and the first multiplication
//   nv_wgmma_commit()             the multiplications since the last commit are one batch
//   nv_wgmma_wait_but_one(), nv_wgmma_wait_all(d)   until all but the last batch are done; until d is there
//
// -D: MMA_TYPE, SRC_IS_U8, WEI_IS_U8, SRC_ALONG_K, WEI_ALONG_K, BN = 32, 64, 96, 128, 192 or 256, as in clh/wgmma.h. Empty unless
// -DRETARGET=1.
#ifndef CLH_NV_WGMMA_H
#define CLH_NV_WGMMA_H

#include "clh/always_inline.h"
#include "clh/nv/nv_retarget.h"
#include "clh/types.h"

#if defined(RETARGET) && RETARGET

#if MMA_TYPE == DT_S8
typedef int nv_wgmma_acc_t;
#define NV_WGMMA_ACC "+r"
#if SRC_IS_U8 && WEI_IS_U8
#define NV_WGMMA_TYPES "k32.s32.u8.u8"
#elif SRC_IS_U8
#define NV_WGMMA_TYPES "k32.s32.u8.s8"
#elif WEI_IS_U8
#define NV_WGMMA_TYPES "k32.s32.s8.u8"
#else
#define NV_WGMMA_TYPES "k32.s32.s8.s8"
#endif
#define NV_WGMMA_SIGNS "" // bytes are read along k
#else
typedef float nv_wgmma_acc_t;
#define NV_WGMMA_ACC "+f"
#if MMA_TYPE == DT_BF16
#define NV_WGMMA_TYPES "k16.f32.bf16.bf16"
#else
#define NV_WGMMA_TYPES "k16.f32.f16.f16"
#endif
// Signs of a and b, and whether each lies across k.
#if defined(SRC_ALONG_K) && !SRC_ALONG_K
#define NV_WGMMA_SIGNS_A ", 1, 1, 1"
#else
#define NV_WGMMA_SIGNS_A ", 1, 1, 0"
#endif
#if WEI_ALONG_K
#define NV_WGMMA_SIGNS NV_WGMMA_SIGNS_A ", 0"
#else
#define NV_WGMMA_SIGNS NV_WGMMA_SIGNS_A ", 1"
#endif
#endif

// clang-format off
#define NV_WGMMA_D8(i) \
    NV_WGMMA_ACC(d[i]), NV_WGMMA_ACC(d[i + 1]), NV_WGMMA_ACC(d[i + 2]), NV_WGMMA_ACC(d[i + 3]), \
    NV_WGMMA_ACC(d[i + 4]), NV_WGMMA_ACC(d[i + 5]), NV_WGMMA_ACC(d[i + 6]), NV_WGMMA_ACC(d[i + 7])
#define NV_WGMMA_D16(i) NV_WGMMA_D8(i), NV_WGMMA_D8(i + 8)
#define NV_WGMMA_D32(i) NV_WGMMA_D16(i), NV_WGMMA_D16(i + 16)
#define NV_WGMMA_R16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define NV_WGMMA_R32 NV_WGMMA_R16 \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NV_WGMMA_R48 NV_WGMMA_R32 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NV_WGMMA_R64 NV_WGMMA_R32 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NV_WGMMA_R96 NV_WGMMA_R64 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NV_WGMMA_R128 NV_WGMMA_R96 \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, " \
    "%124, %125, %126, %127"
#if BN == 32
#define NV_WGMMA_ALL NV_WGMMA_D16(0)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n32" NV_WGMMA_TYPES " {" NV_WGMMA_R16 "}, %16, %17, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%18"
#elif BN == 64
#define NV_WGMMA_ALL NV_WGMMA_D32(0)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n64" NV_WGMMA_TYPES " {" NV_WGMMA_R32 "}, %32, %33, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%34"
#elif BN == 96
#define NV_WGMMA_ALL NV_WGMMA_D32(0), NV_WGMMA_D16(32)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n96" NV_WGMMA_TYPES " {" NV_WGMMA_R48 "}, %48, %49, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%50"
#elif BN == 128
#define NV_WGMMA_ALL NV_WGMMA_D32(0), NV_WGMMA_D32(32)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n128" NV_WGMMA_TYPES " {" NV_WGMMA_R64 "}, %64, %65, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%66"
#elif BN == 192
#define NV_WGMMA_ALL NV_WGMMA_D32(0), NV_WGMMA_D32(32), NV_WGMMA_D32(64)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n192" NV_WGMMA_TYPES " {" NV_WGMMA_R96 "}, %96, %97, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%98"
#elif BN == 256
#define NV_WGMMA_ALL NV_WGMMA_D32(0), NV_WGMMA_D32(32), NV_WGMMA_D32(64), NV_WGMMA_D32(96)
#define NV_WGMMA_CODE "wgmma.mma_async.sync.aligned.m64n256" NV_WGMMA_TYPES " {" NV_WGMMA_R128 "}, %128, %129, p" NV_WGMMA_SIGNS ";"
#define NV_WGMMA_ONE "%130"
#else
#error "BN is not 32, 64, 96, 128, 192 or 256"
#endif
// clang-format on

ALWAYS_INLINE void nv_wgmma(nv_wgmma_acc_t *d, ulong a, ulong b)
{
    __asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " NV_WGMMA_ONE ", 0;" NV_RETARGET_MARK NV_WGMMA_CODE
                   "\n\t}"
                   : NV_WGMMA_ALL
                   : "l"(a), "l"(b), "r"(1)
                   : "memory");
}

ALWAYS_INLINE void nv_wgmma_fence(void)
{
    __asm volatile(NV_RETARGET_MARK "wgmma.fence.sync.aligned;\n" : : : "memory");
}

ALWAYS_INLINE void nv_wgmma_commit(void)
{
    __asm volatile(NV_RETARGET_MARK "wgmma.commit_group.sync.aligned;\n" : : : "memory");
}

ALWAYS_INLINE void nv_wgmma_wait_but_one(void)
{
    __asm volatile(NV_RETARGET_MARK "wgmma.wait_group.sync.aligned 1;\n" : : : "memory");
}

ALWAYS_INLINE void nv_wgmma_wait_all(nv_wgmma_acc_t *d)
{
    __asm volatile(NV_RETARGET_MARK "wgmma.wait_group.sync.aligned 0;\n" : : : "memory");
    // The sums are there from here on, and not before.
    __asm volatile("" : NV_WGMMA_ALL : : "memory");
}

#if BN == 64 && MMA_TYPE != DT_S8
#define NV_WGMMA_REGISTERS_CODE \
    "wgmma.mma_async.sync.aligned.m64n64" NV_WGMMA_TYPES " {" NV_WGMMA_R32 \
    "}, {%32, %33, %34, %35}, %36, p, 1, 1, 0;"

ALWAYS_INLINE void nv_wgmma_registers(float *d, const uint *a, ulong b)
{
    __asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;" NV_RETARGET_MARK NV_WGMMA_REGISTERS_CODE
                   "\n\t}"
                   : NV_WGMMA_ALL
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1)
                   : "memory");
}
#endif

#endif

#endif
