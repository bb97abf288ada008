// SPDX-License-Identifier: Apache-2.0
// The attributes of a problem in its log line, and in the benchdnn command that repeats it.
#ifndef PRIM_COMMON_VERBOSE_ATTR_H
#define PRIM_COMMON_VERBOSE_ATTR_H

#include "desc.h"
#include "text_buffer.h"

/// "src", "wei"; "src3" of a repeated tensor, with `repeated` in front.
void prim__verbose_add_arg_name(
        text_buffer_t *out, const prim_desc_t *pd, int arg, const char *repeated);
/// The column of the attributes, words with a space between them.
void prim__verbose_attr(text_buffer_t *out, const prim_desc_t *pd);

/// The words of the attributes, for verbose_repro.c.
void prim__repro_attr(text_buffer_t *out, const prim_desc_t *pd);

#endif
