// SPDX-License-Identifier: Apache-2.0
// Growing strings and the parsing of words and numbers.
#include "bench_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench_problem.h"

static struct {
    char text[512];
    int code;
} last_error;

void *bench_calloc(size_t count, size_t bytes)
{
    void *const pointer = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!pointer) {
        fprintf(stderr, "Error: out of memory (%zu bytes)\n", count * bytes);
        exit(EXIT_CODE_FAILED);
    }
    return pointer;
}

void *bench_realloc(void *pointer, size_t bytes)
{
    void *const moved = realloc(pointer, bytes);
    if (!moved) {
        fprintf(stderr, "Error: out of memory (%zu bytes)\n", bytes);
        exit(EXIT_CODE_FAILED);
    }
    return moved;
}

char *bench_strdup(const char *string)
{
    const size_t bytes = strlen(string) + 1;
    return memcpy(bench_calloc(bytes, 1), string, bytes);
}

// An open-addressed table of texts; the number of slots is a power of two, half of them free.
static struct {
    size_t count, slots;
    char **texts;
} interned;

static size_t hash_text(const char *text, size_t length)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < length; ++i) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/// The slot that holds the text, or the free one where it belongs.
static char **find_slot(const char *text, size_t length)
{
    for (size_t i = hash_text(text, length);; ++i) {
        char **const slot = &interned.texts[i & (interned.slots - 1)];
        if (!*slot) return slot;
        if (strncmp(*slot, text, length) == 0 && (*slot)[length] == 0) return slot;
    }
}

static void grow_interned(void)
{
    char **const old = interned.texts;
    const size_t nold = interned.slots;
    interned.slots = nold ? 2 * nold : 256;
    interned.texts = bench_calloc(interned.slots, sizeof(char *));
    for (size_t i = 0; i < nold; ++i)
        if (old[i]) *find_slot(old[i], strlen(old[i])) = old[i];
    free(old);
}

const char *bench_intern(const char *text, size_t length)
{
    if (2 * (interned.count + 1) > interned.slots) grow_interned();
    char **const slot = find_slot(text, length);
    if (!*slot) {
        *slot = bench_calloc(length + 1, 1);
        memcpy(*slot, text, length);
        ++interned.count;
    }
    return *slot;
}

static void reserve(text_t *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity) return;
    text->capacity = 2 * (text->length + more + 1);
    text->data = bench_realloc(text->data, text->capacity);
}

void text_printf(text_t *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_append(text_t *text, const char *string)
{
    const size_t length = strlen(string);
    reserve(text, length);
    memcpy(text->data + text->length, string, length + 1);
    text->length += length;
}

const char *text_string(const text_t *text)
{
    return text->data ? text->data : "";
}

void text_clear(text_t *text)
{
    text->length = 0;
    if (text->data) text->data[0] = 0;
}

void text_free(text_t *text)
{
    free(text->data);
    *text = (text_t){0};
}

bool copy_string(char *to, size_t bytes, const char *from, size_t length)
{
    if (length >= bytes) return false;
    memcpy(to, from, length);
    to[length] = 0;
    return true;
}

bool problem_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error.text, sizeof last_error.text, format, args);
    va_end(args);
    last_error.code = EXIT_CODE_FAILED;
    return false;
}

bool usage_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error.text, sizeof last_error.text, format, args);
    va_end(args);
    last_error.code = EXIT_CODE_USAGE;
    return false;
}

const char *bench_error_text(void)
{
    return last_error.text;
}

int bench_error_code(void)
{
    return last_error.code;
}

bool parse_int(const char *text, size_t length, int64_t *value)
{
    char copy[32], back[32];
    if (!copy_string(copy, sizeof copy, text, length)) return false;
    const long long parsed = strtoll(copy, NULL, 10);
    snprintf(back, sizeof back, "%lld", parsed);
    if (strcmp(copy, back) != 0) return false;
    *value = parsed;
    return true;
}

bool parse_float(const char *text, size_t length, double *value)
{
    char copy[64];
    if (length == 0 || !copy_string(copy, sizeof copy, text, length)) return false;
    char *end = NULL;
    const double parsed = strtod(copy, &end);
    if (end != copy + length) return false;
    *value = parsed;
    return true;
}

bool same_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

bool parse_bool(const char *text, size_t length)
{
    return same_word(text, length, "true") || same_word(text, length, "1");
}

const word_t *word_find(const word_t *words, const char *text, size_t length)
{
    for (const word_t *w = words; w->word; ++w)
        if (same_word(text, length, w->word)) return w;
    return NULL;
}

const char *word_name(const word_t *words, int value)
{
    for (const word_t *w = words; w->word; ++w)
        if (w->value == value) return w->word;
    return "";
}

const char *next_piece(const char **rest, char separator, size_t *length)
{
    const char *const start = *rest;
    const char *const end = strchr(start, separator);
    *length = end ? (size_t)(end - start) : strlen(start);
    *rest = end ? end + 1 : NULL;
    return start;
}
