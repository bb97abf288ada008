// SPDX-License-Identifier: Apache-2.0
// The log line of a primitive: its problem, and the benchdnn command that repeats it.
#ifndef PRIM_COMMON_VERBOSE_H
#define PRIM_COMMON_VERBOSE_H

#include "impl.h"
#include "text_buffer.h"

/// Writes "cpu,softmax,ref:softmax:any,forward_inference,src_f32::blocked:ab dst_f32::blocked:ab,
/// <attributes>,<alg and parameters>,<benchdnn command>" to `text`, cut at `text_bytes`.
void prim__verbose_describe(const prim_desc_t *pd, char *text, size_t text_bytes);

/// Writes the benchdnn command line that repeats the problem, e.g.
/// "--softmax --engine=gpu --dir=FWD_I --stag=ab --dtag=ab --axis=1 5x30".
void prim__verbose_repro(const prim_desc_t *pd, char *text, size_t text_bytes);

/// @name Parts of it (verbose_attr.c)
/// @{

/// "src", "wei"; "src3" of a repeated tensor, with `repeated` in front.
void prim__verbose_add_arg_name(
        text_buffer_t *out, const prim_desc_t *pd, int arg, const char *repeated);
/// The column of the attributes, words with a space between them.
void prim__verbose_attr(text_buffer_t *out, const prim_desc_t *pd);

/// @}

#endif
