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

// Sources lie along k unless a program says otherwise.
#ifndef SRC_ALONG_K
#define SRC_ALONG_K 1
#endif
// Steps of k in a block of 64 rows or columns of an operand across k.
#ifndef WGMMA_BLOCK_STEPS
#define WGMMA_BLOCK_STEPS 64
#endif

#include "clh/io.h"
#include "clh/mma_types.h"
#include "clh/types.h"

#define WGMMA_SUMS (BN / 2) // of a work-item

// A place in local memory, counted in bytes; operands count 16 bytes.
#if RETARGET
typedef uint wgmma_place_t;
typedef ulong wgmma_operand_t;
#else
typedef __local char *wgmma_place_t;
typedef __local const uint4 *wgmma_operand_t;
#endif

#if MMA_TYPE == DT_S8
#define WGMMA_ELEM_BYTES 1
#else
#define WGMMA_ELEM_BYTES 2
#endif

#endif
