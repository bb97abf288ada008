// SPDX-License-Identifier: Apache-2.0
// PTX: matrix units with operands in the registers of a warp (mma.sync, 8.0), and loads of their operands from shared memory.
//
//   nv_ldmatrix(x, address), nv_ldmatrix_trans   four 8 × 8 matrices of 16 bits; lanes 8i … 8i + 7 give the addresses of
//                                                the rows of matrix i
//   nv_mma(acc, a, b0, b1)                       acc[4] += 16 rows of a × 8 columns of b over 32 bytes of k
//
// -D: MMA_TYPE, SRC_IS_U8, WEI_IS_U8 as in clh/mma.h. Empty unless -DMMA=1.
#ifndef CLH_NV_MMA_H
#define CLH_NV_MMA_H

#include "clh/always_inline.h"
#include "clh/types.h"

#if defined(MMA) && MMA == 1

#if MMA_TYPE == DT_S8
typedef int nv_mma_acc_t;
#define NV_MMA_ACC "+r"
#if SRC_IS_U8 && WEI_IS_U8
#define NV_MMA_CODE "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32"
#elif SRC_IS_U8
#define NV_MMA_CODE "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32"
#elif WEI_IS_U8
#define NV_MMA_CODE "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32"
#else
#define NV_MMA_CODE "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
#endif
#else
typedef float nv_mma_acc_t;
#define NV_MMA_ACC "+f"
#if MMA_TYPE == DT_BF16
#define NV_MMA_CODE "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define NV_MMA_CODE "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif
#endif

#define NV_LDMATRIX(form, x, address) \
    __asm volatile("ldmatrix.sync.aligned.m8n8.x4" form ".shared.b16 {%0,%1,%2,%3}, [%4];" \
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) \
                   : "r"(address) \
                   : "memory")

ALWAYS_INLINE void nv_ldmatrix(uint *x, uint address)
{
    NV_LDMATRIX("", x, address);
}

ALWAYS_INLINE void nv_ldmatrix_trans(uint *x, uint address)
{
    NV_LDMATRIX(".trans", x, address);
}

ALWAYS_INLINE void nv_mma(nv_mma_acc_t *acc, const uint *a, uint b0, uint b1)
{
    __asm volatile(NV_MMA_CODE " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                   : NV_MMA_ACC(acc[0]), NV_MMA_ACC(acc[1]), NV_MMA_ACC(acc[2]), NV_MMA_ACC(acc[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif

#endif
