// SPDX-License-Identifier: Apache-2.0
// What both sides of clh/wgmma.h have in common: places in local memory, types of sums and elements.
// -D: those of clh/wgmma.h.
#ifndef CLH_WGMMA_TYPES_H
#define CLH_WGMMA_TYPES_H

#if !defined(MMA_TYPE) || !defined(SRC_IS_U8) || !defined(WEI_IS_U8) || !defined(BN)
#error "clh/wgmma.h needs MMA_TYPE, SRC_IS_U8, WEI_IS_U8, BN"
#endif
#if !defined(WEI_ALONG_K) || !defined(RETARGET)
#error "clh/wgmma.h needs WEI_ALONG_K, RETARGET"
#endif

#include "clh/io.h"
#include "clh/types.h"

#define WGMMA_MARK "\n\t//@@ "
#define WGMMA_SUMS (BN / 2) // of an item

// A place in local memory, counted in bytes; operands count 16 bytes.
#if RETARGET
typedef uint wgmma_place_t;
typedef ulong wgmma_operand_t;
#else
typedef __local char *wgmma_place_t;
typedef __local const uint4 *wgmma_operand_t;
#endif

#if MMA_TYPE == DT_S8
#ifndef CLH_GEMM_H
typedef int sum_t;
#endif
#define WGMMA_SUM "+r"
#if SRC_IS_U8 && WEI_IS_U8
#define WGMMA_TYPES "k32.s32.u8.u8"
#elif SRC_IS_U8
#define WGMMA_TYPES "k32.s32.u8.s8"
#elif WEI_IS_U8
#define WGMMA_TYPES "k32.s32.s8.u8"
#else
#define WGMMA_TYPES "k32.s32.s8.s8"
#endif
#define WGMMA_SIGNS "" // bytes are read along k
#define WGMMA_MAP_TYPE "0"
#define WGMMA_ELEM_BYTES 1
#else
#ifndef CLH_GEMM_H
typedef float sum_t;
#endif
#define WGMMA_SUM "+f"
#if MMA_TYPE == DT_BF16
#define WGMMA_TYPES "k16.f32.bf16.bf16"
#define WGMMA_MAP_TYPE "10"
#else
#define WGMMA_TYPES "k16.f32.f16.f16"
#define WGMMA_MAP_TYPE "6"
#endif
// Signs of a and b, whether they lie across k.
#if WEI_ALONG_K
#define WGMMA_SIGNS ", 1, 1, 0, 0"
#else
#define WGMMA_SIGNS ", 1, 1, 0, 1"
#endif
#define WGMMA_ELEM_BYTES 2
#endif

#endif
