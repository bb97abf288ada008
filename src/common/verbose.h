// SPDX-License-Identifier: Apache-2.0
// The log line of a primitive: its problem, and the benchdnn command that repeats it.
#ifndef PRIM_COMMON_VERBOSE_H
#define PRIM_COMMON_VERBOSE_H

#include "impl.h"
#include "text_buffer.h"

/// Writes "cpu,softmax,ref:softmax:any,forward_inference,src_f32::blocked:ab dst_f32::blocked:ab,
/// <attributes>,<alg and parameters>,<benchdnn command>" to `text`, cut at `text_bytes`.
void prim__verbose_describe(const prim_desc_t *pd, char *text, size_t text_bytes);

#endif
