// SPDX-License-Identifier: Apache-2.0
// Problems whose inputs are broadcasts by stride 0: drawn like any other, and then some of their
// layouts lose dimensions ("abx" becomes "abx-b", see doc/benchdnn.md).
#include "problem_broadcast.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/// Which tensors an option of a driver describes; both lists are separated by blanks.
typedef struct {
    const char *option;  ///< " --stag="
    const char *drivers; ///< "" for all
    const char *dirs;    ///< beginnings of --dir, "-" for operations without
    bool takes_all;      ///< every tensor of a list; else the first
} input_t;

static const input_t inputs[] = {
        {" --stag=", "", "- FWD", true},
        {" --tag=", "", "- FWD", false},
        {" --wtag=", "", "- FWD", true},
        {" --stag=", "conv deconv ip", "BWD_W", true},
        {" --wtag=", "conv deconv ip", "BWD_D", true},
        {" --dtag=", "conv deconv ip softmax", "BWD", true},
        {" --stag=", "prelu", "BWD", true},
        {" --tag=", "bnorm lnorm gnorm lrn eltwise", "BWD", false},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    if (!words[0]) return true;
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

/// Whether the problem's direction begins with one of the words.
static bool has_direction(const char *dirs, const char *line)
{
    const char *const dir = strstr(line, " --dir=");
    if (!dir) return dirs[0] == '-';
    for (const char *at = dirs; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        const size_t length = strcspn(at, " ");
        if (strncmp(dir + strlen(" --dir="), at, length) == 0) return true;
    }
    return false;
}

/// A plain layout by letters; `any` may become one, unless strides say it all.
static const char *plain_layout(const draw_t *d, const char *value, size_t length)
{
    static char text[64];
    const bool is_any = length == 3 && strncmp(value, "any", 3) == 0;
    if (is_any) return strstr(d->line, " --strides=") ? NULL : "abx";
    for (size_t i = 0; i < length; ++i)
        if (!islower((unsigned char)value[i])) return NULL;
    const bool is_word =
            strncmp(value, "image", length) == 0 || strncmp(value, "undef", length) == 0;
    if (is_word || length >= sizeof text) return NULL;
    memcpy(text, value, length);
    text[length] = 0;
    return text;
}

/// Some dimensions that the layout has; with an x it may have any. False: none of those drawn.
static bool draw_lost(draw_t *d, char lost[PRIM_MAX_NDIMS + 1], const char *tag)
{
    static const char *const dims[] = {"a", "b", "ab", "b", "c", "bcd", "abcdefghijkl"};
    int n = 0;
    for (const char *dim = PICK(d, dims); *dim; ++dim)
        if (strchr(tag, 'x') || strchr(tag, *dim)) lost[n++] = *dim;
    lost[n] = 0;
    return n > 0;
}

/// Options tell the first tensor of a list, the second and those behind them apart.
static void note_tensor(draw_t *d, const input_t *input, size_t index)
{
    static const char *const which[] = {"", ":1", ":2"};
    note(d, "stride0=%.*s%s", (int)strlen(input->option) - 4, input->option + 3,
            which[index < 2 ? index : 2]);
}

/// Writes the values of an option anew, one of two without some of its dimensions.
static bool broadcast_values(
        draw_t *d, const input_t *input, char *text, size_t bytes, const char *value)
{
    const size_t end = strcspn(value, " ");
    char lost[PRIM_MAX_NDIMS + 1];
    size_t n = 0;
    bool is_changed = false;
    for (size_t at = 0, i = 0; at < end; ++i) {
        const size_t length = strcspn(value + at, ": ");
        const char *const tag =
                i == 0 || input->takes_all ? plain_layout(d, value + at, length) : NULL;
        const bool is_lost = tag && !once_in(d, 3) && draw_lost(d, lost, tag);
        n += (size_t)snprintf(text + n, bytes - n, "%s%.*s%s%s", i ? ":" : "",
                is_lost ? (int)strlen(tag) : (int)length, is_lost ? tag : value + at,
                is_lost ? "-" : "", is_lost ? lost : "");
        if (is_lost) note_tensor(d, input, i);
        is_changed = is_changed || is_lost;
        at += length + 1;
    }
    return is_changed;
}

static void broadcast_option(draw_t *d, const input_t *input, const char *driver)
{
    char line[LINE_BYTES], text[256];
    char *const at = strstr(d->line, input->option);
    if (!at) return;
    char *const value = at + strlen(input->option);
    // One layout alone is that of src and dst.
    const bool is_of_dst =
            has_word("lnorm gnorm", driver) && !memchr(value, ':', strcspn(value, " "));
    if (is_of_dst) return;
    if (!broadcast_values(d, input, text, sizeof text, value)) return;
    snprintf(line, sizeof line, "%.*s%s%s", (int)(value - d->line), d->line, text,
            value + strcspn(value, " "));
    memcpy(d->line, line, sizeof line);
}

void problem_broadcast(draw_t *d, const char *driver)
{
    // In place src has the layout of dst, which is none of a broadcast.
    if (strstr(d->line, " --inplace=true")) return;
    // The gradient of a second source of batch normalisation is laid out like src.
    const char *const flags = strstr(d->line, " --flags=");
    if (flags && strchr(flags, 'A') && strstr(d->line, " --dir=BWD")) return;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i)
        if (has_word(inputs[i].drivers, driver) && has_direction(inputs[i].dirs, d->line))
            broadcast_option(d, &inputs[i], driver);
}
