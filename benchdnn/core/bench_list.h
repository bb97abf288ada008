// SPDX-License-Identifier: Apache-2.0
// Lists of option values: parsing of the texts behind --name= and printing them back.
#ifndef BENCH_LIST_H
#define BENCH_LIST_H

#include "bench_option.h"

/// A growing array of values of one size. Start from {0} with item_bytes set.
typedef struct {
    size_t item_bytes;
    int count;
    char *items;
} list_t;

void list_clear(list_t *list);
void list_free(list_t *list);
/// Appends a copy of `item`.
void list_append(list_t *list, const void *item);
void *list_item(const list_t *list, int index);

/// Parses one element of an option's list; an empty element is the option's default. False after
/// an error sentence.
bool option_parse_value(const option_t *option, const char *text, option_value_t *value);
/// Replaces the list by the comma-separated elements of `text`; an empty text is the default.
bool option_parse_list(const option_t *option, const char *text, list_t *values);
/// Appends the value as it stands on the command line.
void option_print_value(text_t *out, const option_t *option, const option_value_t *value);
/// Whether the value is the option's default.
bool option_is_default(const option_t *option, const option_value_t *value);

/// Dims "2x3x4"; false when malformed. `allowed_empty`: no dims at all is 0 of them.
bool parse_dims(const char *text, size_t length, prim_dims_t dims, int *ndims);
void print_dims(text_t *out, const prim_dim_t *dims, int ndims);

extern const word_t direction_words[];

#endif
