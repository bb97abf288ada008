// SPDX-License-Identifier: Apache-2.0
// The text of a kernel file as the build embeds it: generated arrays include nothing else.
#ifndef PRIM_OCL_SOURCE_H
#define PRIM_OCL_SOURCE_H

#include <stddef.h>

/// An embedded .cl file with its headers pasted in: prim__<stem>_cl (cmake/embed_cl.cmake).
typedef struct {
    const char *name; ///< "ocl_eltwise_any"
    const char *text; ///< zero-terminated
    size_t bytes;     ///< without the terminator
} ocl_source_t;

#endif
