// SPDX-License-Identifier: Apache-2.0
// PTX: registers that a warp group leaves to the others of its work-group, or takes from what was left (setmaxnreg,
// 9.0a); `n` is a literal, a multiple of 8.
//
//   NV_REGISTERS_LEAVE(n)   from here on its work-items have n registers each
//   NV_REGISTERS_TAKE(n)    the same; waits until they are there
//
// All work-items of the warp group come by. Empty unless -DRETARGET=1.
#ifndef CLH_NV_REGISTERS_H
#define CLH_NV_REGISTERS_H

#include "clh/nv/nv_retarget.h"

#if defined(RETARGET) && RETARGET
#define NV_REGISTERS_LEAVE(n) __asm volatile(NV_RETARGET_MARK "setmaxnreg.dec.sync.aligned.u32 " #n ";\n" : : : "memory")
#define NV_REGISTERS_TAKE(n) __asm volatile(NV_RETARGET_MARK "setmaxnreg.inc.sync.aligned.u32 " #n ";\n" : : : "memory")
#else
#define NV_REGISTERS_LEAVE(n)
#define NV_REGISTERS_TAKE(n)
#endif

#endif
