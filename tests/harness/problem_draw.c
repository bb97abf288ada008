// SPDX-License-Identifier: Apache-2.0
#include "problem_draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Seeds that follow each other give generators that have nothing to do with each other.
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu; // the finalizer of MurmurHash3
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

void draw_start(draw_t *d, uint32_t style_seed, uint32_t size_seed)
{
    d->style = mix(style_seed);
    d->size = mix(size_seed ^ 0x5bd1e995u);
    d->line[0] = d->options[0] = 0;
}

static uint32_t next(uint32_t *state, uint32_t n)
{
    *state += 0x9e3779b9u;
    return (uint32_t)((uint64_t)mix(*state) * n >> 32);
}

uint32_t pick(draw_t *d, uint32_t n)
{
    return next(&d->style, n);
}

bool once_in(draw_t *d, uint32_t n)
{
    return pick(d, n) == 0;
}

uint32_t pick_size(draw_t *d, uint32_t n)
{
    return next(&d->size, n);
}

const char *draw_type(draw_t *d)
{
    static const char *const gpu[] = {"f32", "f32", "bf16", "f16", "s32", "s8", "u8"};
    static const char *const cpu[] = {
            "f32", "f32", "bf16", "f16", "s32", "s8", "u8", "f64", "f8_e5m2", "f8_e4m3"};
    return d->is_gpu ? PICK(d, gpu) : PICK(d, cpu);
}

static bool is_at_edge(const draw_t *d, int value)
{
    for (int i = 0; i < d->ntiles; ++i)
        if (value >= d->tiles[i] - 1 && value <= d->tiles[i] + 1) return true;
    return false;
}

static int any_size(draw_t *d)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19, 23, 31, 32, 33, 37};
    if (d->ntiles == 0 || pick_size(d, 2) == 0)
        return sizes[pick_size(d, sizeof sizes / sizeof *sizes)];
    const int tile = d->tiles[pick_size(d, (uint32_t)d->ntiles)];
    return tile - 1 + (int)pick_size(d, 3);
}

int size_of(draw_t *d, const char *name, int most)
{
    int value = 0;
    while (value < 1 || value > most) value = any_size(d);
    if (is_at_edge(d, value)) note(d, "#%s=%d", name, value);
    return value;
}

int small(draw_t *d)
{
    return 1 + (int)pick_size(d, 5);
}

static void append(char *text, size_t bytes, const char *format, va_list arguments)
{
    const size_t used = strlen(text);
    vsnprintf(text + used, bytes - used, format, arguments);
}

void put(draw_t *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(d->line, sizeof d->line, format, arguments);
    va_end(arguments);
}

void note(draw_t *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (d->options[0]) strncat(d->options, " ", sizeof d->options - strlen(d->options) - 1);
    append(d->options, sizeof d->options, format, arguments);
    va_end(arguments);
}

void set(draw_t *d, const char *name, const char *value)
{
    put(d, " --%s=%s", name, value);
    note(d, "%s=%s", name, value);
}

const char *layout(draw_t *d, int ndims)
{
    static const char *const tags[] = {"abx", "abx", "axb", "axb", "aBx4b", "aBx8b", "aBx16b"};
    static const char *const flat[] = {"abx", "abx", "Ax8a", "Ax16a"};
    return ndims == 1 ? PICK(d, flat) : ndims == 2 ? tags[pick(d, 2) * 4] : PICK(d, tags);
}

int rank(draw_t *d, int least, int most)
{
    const int usual = 2 + (int)pick(d, 4), any = least + (int)pick(d, (uint32_t)(most - least + 1));
    const int ndims = once_in(d, 3) || usual < least || usual > most ? any : usual;
    note(d, "ndims=%d", ndims);
    return ndims;
}

void put_dims(draw_t *d, int ndims, int *dims)
{
    int room = 20000;
    for (int i = 0; i < ndims; ++i) {
        const bool is_large = i == 1 || i == ndims - 1 || (ndims <= 5 && i > 0);
        const int most = room < 40 || !is_large ? room < 3 ? 1 : 3 : room > 1100 ? 1100 : room;
        char name[16];
        snprintf(name, sizeof name, i == ndims - 1 ? "last" : "d%d", i);
        dims[i] = size_of(d, name, most);
        room /= dims[i];
        put(d, "%s%d", i ? "x" : " ", dims[i]);
    }
}

void put_broadcast(draw_t *d, int ndims, const int *of)
{
    static const char *const kinds[] = {"full", "channel", "one", "some"};
    const uint32_t kind = pick(d, 4);
    note(d, "broadcast=%s", kinds[kind]);
    for (int i = 0; i < ndims; ++i) {
        const bool keeps =
                kind == 0 || (kind == 1 && i == (ndims > 1)) || (kind == 3 && pick(d, 2));
        put(d, "%s%d", i ? "x" : ":", keeps ? of[i] : 1);
    }
}

void strides_text(char *text, size_t bytes, int ndims, const int *dims, int gap)
{
    long strides[PRIM_MAX_NDIMS] = {0};
    long stride = 1;
    for (int i = ndims - 1; i >= 0; --i) {
        strides[i] = stride;
        stride = stride * dims[i] + (i == ndims - 1 ? gap : 0);
    }
    text[0] = 0;
    for (int i = 0; i < ndims; ++i) {
        const size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%ld", i ? "x" : "", strides[i]);
    }
}

const char *last_type(const char *types)
{
    const char *const colon = strrchr(types, ':');
    return colon ? colon + 1 : types;
}

bool is_integer_type(const char *type)
{
    return type[0] == 's' || type[0] == 'u';
}
