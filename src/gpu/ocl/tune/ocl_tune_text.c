// SPDX-License-Identifier: Apache-2.0
// Results of tuning written as text, and read again.
#include "ocl_tune_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/text_buffer.h"
#include "common/tune.h"

enum { LINE_BYTES = 1024, NFIELDS = 6, NFIELDS_MEASURED = 3 };

static const char separator[] = " | ";
static const char device_word[] = "device ", family_word[] = "family ", by_word[] = "by ";
static const char head[] = "# Prim's tuning results (doc/tuning.md):\n"
                           "# implementation | problem | what is fastest | time | time without "
                           "tuning | mode\n";

static int by_name(const void *a, const void *b)
{
    const ocl_tune_result_t *const x = *(const ocl_tune_result_t *const *)a;
    const ocl_tune_result_t *const y = *(const ocl_tune_result_t *const *)b;
    const int order = strcmp(x->family, y->family);
    return order ? order : strcmp(x->bucket, y->bucket);
}

static void add_result(text_buffer_t *out, const ocl_tune_result_t *result)
{
    if (prim__ocl_tune_is_measured(result)) {
        prim__text_add(out, "%s | %s | %s\n", result->family, result->bucket, result->params);
        return;
    }
    prim__text_add(out, "%s | %s | %s | %llu ns | model %llu ns | %s\n", result->family,
            result->bucket, result->params, (unsigned long long)result->ns,
            (unsigned long long)result->model_ns, prim__tune_mode_name(result->mode));
}

char *prim__ocl_tune_text_print(const ocl_tune_results_t *results, const char *device)
{
    const size_t n = results->n;
    const size_t bytes = sizeof head + sizeof device_word + strlen(device) + 1 + n * LINE_BYTES;
    char *text = prim__calloc(bytes);
    const ocl_tune_result_t **sorted = prim__calloc((n + 1) * sizeof(void *));
    if (text && sorted) {
        text_buffer_t out = prim__text_buffer(text, bytes);
        for (size_t i = 0; i < n; ++i) sorted[i] = &results->entries[i].result;
        qsort(sorted, n, sizeof *sorted, by_name);
        prim__text_add(&out, "%s%s%s\n", head, device_word, device);
        for (size_t i = 0; i < n; ++i) add_result(&out, sorted[i]);
    } else {
        prim__free(text);
        text = NULL;
    }
    prim__free(sorted);
    return text;
}

/// Cuts the line into its fields and returns how many there are: at most one too many.
static int cut(char *fields[NFIELDS + 1], char *line)
{
    int n = 0;
    while (n < NFIELDS + 1) {
        fields[n++] = line;
        char *const end = strstr(line, separator);
        if (!end) break;
        *end = '\0';
        line = end + sizeof separator - 1;
    }
    return n;
}

static bool is_made_of(const char *text, const char *marks)
{
    for (const char *c = text; *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr(marks, *c)) return false;
    return *text != '\0';
}

/// "bm=64 bn=-3": words and numbers.
static bool are_params(const char *text)
{
    for (;;) {
        const size_t name = strcspn(text, "= ");
        if (name == 0 || text[name] != '=') return false;
        text += name + 1;
        if (*text == '-') ++text;
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 9) return false;
        text += digits;
        if (*text == '\0') return true;
        if (*text++ != ' ') return false;
    }
}

/// "12300 ns" behind `prefix`.
static bool parse_ns(uint64_t *ns, const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(text, prefix, length) != 0) return false;
    text += length;
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || strcmp(text + digits, " ns") != 0) return false;
    *ns = strtoull(text, NULL, 10);
    return true;
}

static bool starts_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/// What is wrong with the fields of a measured number; NULL: nothing. ocl_measured.c knows which
/// there are.
static const char *parse_measured(ocl_tune_result_t *result, char *const *fields)
{
    const char *const what = fields[1], *const value = fields[2];
    if (!starts_with(what, "limit ") && !starts_with(what, "config "))
        return "the second of three fields is neither \"limit name\" nor \"config name=number\"";
    if (!is_made_of(what, "_= ") || (what[0] == 'c' && !are_params(what + strlen("config "))))
        return "the second field is not made of words, or of \"name=number\"";
    if (!is_made_of(value, "_=./ ")) return "the third field is not a number with its unit";
    *result = (ocl_tune_result_t){.family = fields[0], .bucket = what, .params = value};
    return NULL;
}

/// What is wrong with a line of a result or a measured number; NULL: nothing.
static const char *parse_result(ocl_tune_result_t *result, char *line)
{
    char *fields[NFIELDS + 1] = {NULL};
    const int nfields = cut(fields, line);
    if (nfields != NFIELDS && nfields != NFIELDS_MEASURED)
        return "it has neither six nor three fields with \" | \" between them";
    if (!is_made_of(fields[0], ":_")) return "the first field is not a name of an implementation";
    if (nfields == NFIELDS_MEASURED) return parse_measured(result, fields);
    if (!is_made_of(fields[1], ":_ *-.")) return "the second field is not a problem";
    if (!is_made_of(fields[2], "_=- ") || !are_params(fields[2]))
        return "the third field is not made of \"name=number\"";
    *result = (ocl_tune_result_t){.family = fields[0], .bucket = fields[1], .params = fields[2]};
    if (!parse_ns(&result->ns, fields[3], "") || result->ns == 0)
        return "the fourth field is not a time such as \"12300 ns\"";
    if (!parse_ns(&result->model_ns, fields[4], "model "))
        return "the fifth field is not a time such as \"model 12300 ns\"";
    const int mode = prim__tune_mode_find(fields[5], strlen(fields[5]));
    if (mode <= PRIM_TUNE_NONE) return "the last field is neither \"quick\" nor \"full\"";
    result->mode = (prim_tune_mode_t)mode;
    return NULL;
}

typedef enum { NO_DEVICE, MINE, FOREIGN } section_t;

/// Where the parser is, and whose lines it takes.
typedef struct {
    section_t section;
    const char *device, *family; ///< NULL: none
} reader_t;

static section_t section_of(const char *name, const char *wanted)
{
    return wanted && strcmp(name, wanted) == 0 ? MINE : FOREIGN;
}

/// What is wrong with the line; NULL: nothing.
static const char *parse_line(
        ocl_tune_results_t *results, ocl_tune_parsed_t *parsed, reader_t *reader, char *line)
{
    if (line[0] == '\0' || line[0] == '#' || starts_with(line, by_word)) return NULL;
    if (starts_with(line, device_word)) {
        reader->section = section_of(line + strlen(device_word), reader->device);
        return NULL;
    }
    if (starts_with(line, family_word)) {
        reader->section = section_of(line + strlen(family_word), reader->family);
        return NULL;
    }
    ocl_tune_result_t result;
    const char *const why = parse_result(&result, line);
    if (why) return why;
    if (reader->section == NO_DEVICE) return "no line before it names the device";
    if (reader->section == FOREIGN) {
        ++parsed->nforeign;
        return NULL;
    }
    ++parsed->nmine;
    if (!prim__ocl_tune_results_put(results, &result, false)) parsed->has_memory = false;
    return NULL;
}

ocl_tune_parsed_t prim__ocl_tune_text_parse(ocl_tune_results_t *results, const char *text,
        size_t bytes, const char *device, const char *family)
{
    ocl_tune_parsed_t parsed = {.has_memory = true};
    reader_t reader = {NO_DEVICE, device, family};
    const char *const end = text + bytes;
    for (int number = 1; text < end; ++number) {
        char line[LINE_BYTES];
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        size_t length = (size_t)(stop - text);
        const char *why = NULL;
        if (length < sizeof line && !memchr(text, '\0', length)) {
            memcpy(line, text, length);
            while (length > 0 && isspace((unsigned char)line[length - 1])) --length;
            line[length] = '\0';
            why = parse_line(results, &parsed, &reader, line);
        } else {
            why = "it is too long, or no text";
        }
        if (why && parsed.nfaults++ == 0) {
            parsed.line = number;
            parsed.why = why;
        }
        text = stop + 1;
    }
    return parsed;
}
