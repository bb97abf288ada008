// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of option values.
#include "bench_list.h"

#include <stdlib.h>
#include <string.h>

#include "bench_globals.h"
#include "bench_numeric.h"
#include "bench_problem.h"
#include "bench_tag.h"
#include "bench_text.h"

const word_t direction_words[] = {
        {"FWD_D", FWD_D},
        {"FWD_I", FWD_I},
        {"FWD_B", FWD_B},
        {"BWD_D", BWD_D},
        {"BWD_W", BWD_W},
        {"BWD_WB", BWD_WB},
        {"BWD_DW", BWD_DW},
        {NULL, 0},
};

void list_clear(list_t *list)
{
    list->count = 0;
}

void list_free(list_t *list)
{
    free(list->items);
    list->items = NULL;
    list->count = 0;
}

void list_append(list_t *list, const void *item)
{
    // Powers of two: grow when the count reaches one.
    if ((list->count & (list->count - 1)) == 0) {
        const size_t room = list->count ? 2 * (size_t)list->count : 1;
        list->items = bench_realloc(list->items, room * list->item_bytes);
    }
    memcpy(list->items + (size_t)list->count * list->item_bytes, item, list->item_bytes);
    ++list->count;
}

void *list_item(const list_t *list, int index)
{
    return list->items + (size_t)index * list->item_bytes;
}

// Sums of a tuple of them stay in int64_t.
static const int64_t MAX_DIM = INT64_C(1) << 53;

bool parse_dims(const char *text, size_t length, prim_dims_t dims, int *ndims)
{
    char copy[256];
    *ndims = 0;
    if (!copy_string(copy, sizeof copy, text, length)) return false;
    for (const char *rest = copy; rest;) {
        size_t piece_length = 0;
        const char *const piece = next_piece(&rest, 'x', &piece_length);
        if (*ndims == PRIM_MAX_NDIMS) return false;
        if (!parse_int(piece, piece_length, &dims[*ndims])) return false;
        if (dims[*ndims] < 0 || dims[*ndims] > MAX_DIM) return false;
        ++*ndims;
    }
    return true;
}

void print_dims(text_t *out, const prim_dim_t *dims, int ndims)
{
    for (int d = 0; d < ndims; ++d) text_printf(out, "%s%lld", d ? "x" : "", (long long)dims[d]);
}

static bool parse_flags(const option_t *option, const char *text, int *flags)
{
    *flags = 0;
    for (const char *p = text; *p; ++p) {
        const word_t *const word = word_find(option->words, p, 1);
        if (!word) return false;
        *flags |= word->value;
    }
    return true;
}

static bool parse_tag(const char *piece, size_t length, const char **tag)
{
    *tag = bench_intern(piece, length);
    return tag_is_valid(*tag, bench.only_numbered_tags);
}

static bool parse_text(const option_t *option, const char *text, const char **kept)
{
    *kept = bench_intern(text, strlen(text));
    return option->takes_text(text);
}

/// One member of a tuple.
static bool parse_member(
        const option_t *option, const char *piece, size_t length, int i, option_value_t *value)
{
    switch (option->kind) {
    case OPTION_DT:
        value->as.dt[i] = dt_from_name(piece, length);
        return value->as.dt[i] != PRIM_DATA_TYPE_UNDEF || same_word(piece, length, "undef");
    case OPTION_TAG: return parse_tag(piece, length, &value->as.tag[i]);
    case OPTION_INT: return parse_int(piece, length, &value->as.ints[i]);
    case OPTION_FLOAT: return parse_float(piece, length, &value->as.floats[i]);
    case OPTION_STRIDES:
        if (i >= BENCH_MAX_STRIDED) return false;
        value->as.strides.ndims[i] = 0;
        return length == 0 ||
               parse_dims(piece, length, value->as.strides.dims[i], &value->as.strides.ndims[i]);
    default: return false;
    }
}

static bool parse_tuple(const option_t *option, const char *text, option_value_t *value)
{
    const int max_count = option->max_count ? option->max_count : 1;
    value->count = 0;
    for (const char *rest = text; rest;) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ':', &length);
        if (value->count == max_count) return false;
        if (!parse_member(option, piece, length, value->count, value)) return false;
        ++value->count;
    }
    return value->count >= (option->min_count ? option->min_count : 1);
}

static bool parse_nonempty(const option_t *option, const char *text, option_value_t *value)
{
    const word_t *word = NULL;
    value->count = 1;
    switch (option->kind) {
    case OPTION_DIRECTION:
        word = word_find(direction_words, text, strlen(text));
        if (word) value->as.direction = (direction_t)word->value;
        return word != NULL;
    case OPTION_WORD:
        word = word_find(option->words, text, strlen(text));
        if (word) value->as.word = word->value;
        return word != NULL;
    case OPTION_TEXT: return parse_text(option, text, &value->as.text);
    case OPTION_FLAGS: return parse_flags(option, text, &value->as.word);
    case OPTION_BOOL: value->as.boolean = parse_bool(text, strlen(text)); return true;
    default: return parse_tuple(option, text, value);
    }
}

bool option_parse_value(const option_t *option, const char *text, option_value_t *value)
{
    const char *const effective = *text ? text : option->fallback;
    memset(value, 0, sizeof *value);
    if (!*effective) return true;
    if (parse_nonempty(option, effective, value)) return true;
    if (option->kind == OPTION_TAG)
        return usage_error("--%s: `%s` is not a layout this driver takes", option->name, effective);
    return problem_error("--%s: cannot make sense of `%s`", option->name, effective);
}

bool option_parse_list(const option_t *option, const char *text, list_t *values)
{
    list_t fresh = {sizeof(option_value_t), 0, NULL};
    bool ok = true;
    for (const char *rest = text; rest && ok;) {
        size_t length = strlen(rest);
        const char *piece = rest;
        if (option->is_scalar)
            rest = NULL;
        else
            piece = next_piece(&rest, ',', &length);
        char *const element = bench_calloc(length + 1, 1);
        memcpy(element, piece, length);
        option_value_t value;
        ok = option_parse_value(option, element, &value);
        if (ok) list_append(&fresh, &value);
        free(element);
    }
    if (!ok) {
        list_free(&fresh);
        return false;
    }
    list_free(values);
    *values = fresh;
    return true;
}

static void print_strides(text_t *out, const option_value_t *value)
{
    for (int i = 0; i < value->count; ++i) {
        if (i) text_append(out, ":");
        print_dims(out, value->as.strides.dims[i], value->as.strides.ndims[i]);
    }
}

static void print_member(text_t *out, const option_t *option, const option_value_t *value, int i)
{
    switch (option->kind) {
    case OPTION_DT: text_append(out, dt_name(value->as.dt[i])); break;
    case OPTION_TAG: text_append(out, value->as.tag[i]); break;
    case OPTION_INT: text_printf(out, "%lld", (long long)value->as.ints[i]); break;
    default: text_printf(out, "%g", value->as.floats[i]); break;
    }
}

void option_print_value(text_t *out, const option_t *option, const option_value_t *value)
{
    switch (option->kind) {
    case OPTION_DIRECTION:
        text_append(out, word_name(direction_words, (int)value->as.direction));
        break;
    case OPTION_WORD:
        if (value->count) text_append(out, word_name(option->words, value->as.word));
        break;
    case OPTION_TEXT:
        if (value->as.text) text_append(out, value->as.text);
        break;
    case OPTION_FLAGS:
        for (const word_t *w = option->words; w->word; ++w)
            if (value->as.word & w->value) text_append(out, w->word);
        break;
    case OPTION_BOOL: text_append(out, value->as.boolean ? "true" : "false"); break;
    case OPTION_STRIDES: print_strides(out, value); break;
    default:
        for (int i = 0; i < value->count; ++i) {
            if (i) text_append(out, ":");
            print_member(out, option, value, i);
        }
    }
}

bool option_is_default(const option_t *option, const option_value_t *value)
{
    text_t given = {0}, standard = {0};
    option_value_t fallback;
    const bool parsed = option_parse_value(option, "", &fallback);
    option_print_value(&given, option, value);
    option_print_value(&standard, option, &fallback);
    const bool same = parsed && strcmp(text_string(&given), text_string(&standard)) == 0;
    text_free(&given);
    text_free(&standard);
    return same;
}
