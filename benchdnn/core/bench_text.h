// SPDX-License-Identifier: Apache-2.0
// Growing strings, checked allocation and the sentence behind a rejected command line.
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "bench_problem.h"

/// A string that grows. Start from {0}; text_free() ends it.
struct text {
    char *data;
    size_t length, capacity;
};

void text_printf(text_t *text, const char *format, ...);
void text_append(text_t *text, const char *string);
/// Never NULL.
const char *text_string(const text_t *text);
void text_clear(text_t *text);
void text_free(text_t *text);

/// Zeroed memory; ends the process with a message when there is none.
void *bench_calloc(size_t count, size_t bytes);
void *bench_realloc(void *pointer, size_t bytes);
char *bench_strdup(const char *string);
/// One copy of each text for the life of the process; equal texts give the same pointer. Called by
/// the command line's thread only.
const char *bench_intern(const char *text, size_t length);

/// Copies at most `bytes - 1` characters of `length`; false when it does not fit.
bool copy_string(char *to, size_t bytes, const char *from, size_t length);

/// Exit codes of the process.
enum { EXIT_CODE_FAILED = 1, EXIT_CODE_USAGE = 2 };

/// Keeps a sentence and the exit code it asks for; returns false. problem_error() is the same with
/// EXIT_CODE_FAILED.
bool usage_error(const char *format, ...);
/// The sentence of the last error and its exit code.
const char *bench_error_text(void);
int bench_error_code(void);

/// Strict integer: the text must be exactly its decimal form. `length` characters are looked at.
bool parse_int(const char *text, size_t length, int64_t *value);
/// A number in the C locale, all of `length` characters.
bool parse_float(const char *text, size_t length, double *value);
/// true (any case) and 1 are true; everything else is false.
bool parse_bool(const char *text, size_t length);
/// Whether `length` characters of `text` are `word`, in any case.
bool same_word(const char *text, size_t length, const char *word);
/// The entry for a word, or NULL. The table ends with an entry without a word.
const word_t *word_find(const word_t *words, const char *text, size_t length);
/// The first word with this value; "" when there is none.
const char *word_name(const word_t *words, int value);

/// Cuts the next piece off `*rest` at `separator`: returns its start, sets its length and moves
/// `*rest` behind it (NULL after the last piece). `*rest` must not be NULL.
const char *next_piece(const char **rest, char separator, size_t *length);

#endif
