// SPDX-License-Identifier: Apache-2.0
// Appends text to a buffer of fixed size; what does not fit is cut off.
#ifndef PRIM_COMMON_TEXT_BUFFER_H
#define PRIM_COMMON_TEXT_BUFFER_H

#include "status.h"

/// Start with len 0 and text[0] = '\0'; `bytes` is at least 1.
typedef struct {
    char *text; ///< zero-terminated at any time
    size_t bytes, len;
} text_buffer_t;

text_buffer_t prim__text_buffer(char *text, size_t bytes);
void prim__text_add(text_buffer_t *out, const char *format, ...) PRIM_PRINTF(2, 3);
/// "2x3x4"; unknown dimensions are 'r'.
void prim__text_add_dims(text_buffer_t *out, int ndims, const prim_dim_t *dims);

#endif
