// SPDX-License-Identifier: Apache-2.0
// Comments of PTX that ocl_retarget.h takes away before the second build of a program with -DRETARGET=1.
//
//   NV_RETARGET_MARK    in front of an instruction of sm_90a, inside inline PTX
//   NV_RETARGET_BEGIN   the first statement of the program's first kernel
//   NV_RETARGET_END     after its last kernel: a kernel of nothing, in which the comment that BEGIN opens ends
//
// What stands between BEGIN and END, the kernels' code, is a comment to the assembler of the first build, whose machine
// code would be thrown away: it would take a third of that build's time. That needs PTX in the order of the source, which
// nobody promises: only with -DRETARGET_HIDES=1, which ocl_retarget.h leaves out where such a build fails. Empty unless
// -DRETARGET=1.
#ifndef CLH_NV_RETARGET_H
#define CLH_NV_RETARGET_H

#define NV_RETARGET_MARK "\n\t//@@ "

#if defined(RETARGET) && RETARGET && defined(RETARGET_HIDES) && RETARGET_HIDES
#define NV_RETARGET_BEGIN __asm volatile("/*@@" : : : "memory")
#define NV_RETARGET_END \
    __kernel void retarget_end(void) \
    { \
        __asm volatile("@@*/" : : : "memory"); \
    }
#else
#define NV_RETARGET_BEGIN
#define NV_RETARGET_END
#endif

#endif
