// SPDX-License-Identifier: Apache-2.0
#include "problem_draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u; // Numerical Recipes' linear congruential generator
    return (*seed >> 8) % n;
}

int edge(uint32_t *seed)
{
    static const int edges[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 23, 31, 32, 33, 37};
    return PICK(seed, edges);
}

int small(uint32_t *seed)
{
    return 1 + (int)draw(seed, 5);
}

void add(char *line, size_t line_bytes, const char *format, ...)
{
    const size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, line_bytes - used, format, arguments);
    va_end(arguments);
}

const char *layout(uint32_t *seed)
{
    static const char *const tags[] = {
            "abx", "abx", "abx", "axb", "axb", "aBx4b", "aBx8b", "aBx16b"};
    return PICK(seed, tags);
}

void dims(char *line, size_t bytes, uint32_t *seed, int ndims, int *out)
{
    for (int d = 0; d < ndims; ++d) {
        out[d] = d == 0 ? small(seed) : edge(seed);
        add(line, bytes, "%s%d", d ? "x" : " ", out[d]);
    }
}

void broadcast_dims(char *line, size_t bytes, uint32_t *seed, int ndims, const int *of)
{
    const int kind = (int)draw(seed, 4); // full, per channel, one value, any
    for (int d = 0; d < ndims; ++d) {
        const bool keeps = kind == 0 || (kind == 1 && d == 1) || (kind == 3 && draw(seed, 2));
        add(line, bytes, "%s%d", d ? "x" : ":", keeps ? of[d] : 1);
    }
}
