// SPDX-License-Identifier: Apache-2.0
// Appends text to a buffer of fixed size; what does not fit is cut off.
#include "text_buffer.h"

#include <stdarg.h>
#include <stdio.h>

text_buffer_t prim__text_buffer(char *text, size_t bytes)
{
    text[0] = '\0';
    return (text_buffer_t){.text = text, .bytes = bytes};
}

void prim__text_add(text_buffer_t *out, const char *format, ...)
{
    const size_t room = out->bytes - out->len;
    va_list args;
    va_start(args, format);
    const int wanted = vsnprintf(out->text + out->len, room, format, args);
    va_end(args);
    if (wanted > 0) out->len += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void prim__text_add_dims(text_buffer_t *out, int ndims, const prim_dim_t *dims)
{
    for (int d = 0; d < ndims; ++d) {
        if (d > 0) prim__text_add(out, "x");
        if (dims[d] == PRIM_RUNTIME_DIM_VAL)
            prim__text_add(out, "r");
        else
            prim__text_add(out, "%lld", (long long)dims[d]);
    }
}
