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
    char flag;           ///< of --flags, without which the tensor is an output; 0: an input always
} input_t;

static const input_t inputs[] = {
        {" --stag=", "", "- FWD", true, 0},
        {" --tag=", "", "- FWD", false, 0},
        {" --wtag=", "", "- FWD", true, 0},
        {" --stag=", "conv deconv ip", "BWD_W", true, 0},
        {" --wtag=", "conv deconv ip", "BWD_D", true, 0},
        {" --dtag=", "conv deconv ip softmax", "BWD", true, 0},
        {" --stag=", "prelu", "BWD", true, 0},
        {" --tag=", "bnorm lnorm gnorm lrn eltwise", "BWD", false, 0},
        {" --stat_tag=", "lnorm", "FWD BWD", true, 'G'},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    if (!words[0]) return true;
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static bool has_flag(const char *line, char flag)
{
    const char *const flags = strstr(line, " --flags=");
    return flags && memchr(flags + 1, flag, strcspn(flags + 1, " "));
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

/// What `any` may become: the layout that goes with channels last, where the problem has that.
static const char *layout_for_any(const draw_t *d)
{
    const char *const stag = strstr(d->line, " --stag=axb");
    return stag && !isalpha((unsigned char)stag[strlen(" --stag=axb")]) ? "axb" : "abx";
}

/// A plain layout by letters; `any` may become one, unless strides say it all.
static const char *plain_layout(const draw_t *d, const char *value, size_t length)
{
    static char text[64];
    const bool is_any = length == 3 && strncmp(value, "any", 3) == 0;
    if (is_any) return strstr(d->line, " --strides=") ? NULL : layout_for_any(d);
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
    static const char *const dims[] = {"a", "a", "b", "ab", "c", "cd", "bcd", "abcdefghijkl"};
    int n = 0;
    for (const char *dim = PICK(d, dims); *dim; ++dim)
        if (strchr(tag, 'x') || strchr(tag, *dim)) lost[n++] = *dim;
    lost[n] = 0;
    return n > 0;
}

/// Options tell the first dimension, the second and those behind them apart: kernels step through
/// each in a way of its own.
static void note_lost(draw_t *d, const char *tensor, const char *lost)
{
    if (strchr(lost, 'a')) note(d, "stride0=%s-a", tensor);
    if (strchr(lost, 'b')) note(d, "stride0=%s-b", tensor);
    if (strpbrk(lost, "cdefghijkl")) note(d, "stride0=%s-x", tensor);
}

/// The same of the first tensor of a list, the second and those behind them.
static void note_tensor(draw_t *d, const input_t *input, size_t index, const char *lost)
{
    static const char *const which[] = {"", ":1", ":2"};
    char name[32];
    snprintf(name, sizeof name, "%.*s%s", (int)strlen(input->option) - 4, input->option + 3,
            which[index < 2 ? index : 2]);
    note_lost(d, name, lost);
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
        if (is_lost) note_tensor(d, input, i, lost);
        is_changed = is_changed || is_lost;
        at += length + 1;
    }
    return is_changed;
}

/// Puts `text` where the value of an option stands, unless the line would be too long.
static void replace_value(draw_t *d, const char *value, const char *text)
{
    char line[LINE_BYTES];
    const int length = snprintf(line, sizeof line, "%.*s%s%s", (int)(value - d->line), d->line,
            text, value + strcspn(value, " "));
    if (length < (int)sizeof line) memcpy(d->line, line, sizeof line);
}

static void broadcast_option(draw_t *d, const input_t *input, const char *driver)
{
    char text[256];
    char *const at = strstr(d->line, input->option);
    if (!at || (input->flag && !has_flag(d->line, input->flag))) return;
    char *const value = at + strlen(input->option);
    // One layout alone is that of src and dst.
    const bool is_of_dst = strcmp(input->option, " --tag=") == 0 &&
                           has_word("lnorm gnorm", driver) &&
                           !memchr(value, ':', strcspn(value, " "));
    if (is_of_dst) return;
    if (broadcast_values(d, input, text, sizeof text, value)) replace_value(d, value, text);
}

/// Whether a step of a chain has an operand with a layout.
static bool has_operand(const char *step, size_t length)
{
    char name[8];
    const size_t n = strcspn(step, ":+ ");
    if (n >= sizeof name || n == length) return false;
    memcpy(name, step, n);
    name[n] = 0;
    return has_word("add sub mul div max min ge gt le lt eq ne select", name);
}

/// Writes <binary>:dt:policy[:layout…] anew, the operand without some of its dimensions.
static size_t broadcast_operand(draw_t *d, char *to, size_t bytes, const char *step, size_t length)
{
    const char *const type = memchr(step, ':', length);
    const char *const policy =
            type ? memchr(type + 1, ':', length - (size_t)(type + 1 - step)) : NULL;
    if (!policy || once_in(d, 3)) return 0;
    const char *const end = step + length, *at = policy + 1 + strcspn(policy + 1, ":+ ");
    if (at > end) at = end;
    const bool has_layout = at < end;
    const size_t n = has_layout ? strcspn(at + 1, ":+ ") : 0;
    const char *const tag = has_layout ? plain_layout(d, at + 1, n) : "abx";
    char lost[PRIM_MAX_NDIMS + 1] = "abcdefghijkl"; // of a policy that leaves one or two dimensions
    const bool is_full = strncmp(policy + 1, "per_tensor", strlen("per_tensor")) == 0;
    if (!tag || strncmp(policy + 1, "common", strlen("common")) == 0) return 0;
    if (is_full && !draw_lost(d, lost, tag)) return 0;
    note_lost(d, "operand", lost);
    const char *const rest = has_layout ? at + 1 + n : end;
    return (size_t)snprintf(to, bytes, "%.*s:%s-%s%.*s", (int)(at - step), step, tag, lost,
            (int)(end - rest), rest);
}

static void broadcast_operands(draw_t *d)
{
    char text[LINE_BYTES];
    char *const at = strstr(d->line, " --attr-post-ops=");
    if (!at) return;
    char *const value = at + strlen(" --attr-post-ops=");
    size_t used = 0;
    for (const char *step = value; *step && *step != ' ';) {
        const size_t length = strcspn(step, "+ ");
        char *const to = text + used;
        size_t n = has_operand(step, length)
                           ? broadcast_operand(d, to, sizeof text - used, step, length)
                           : 0;
        if (n == 0) n = (size_t)snprintf(to, sizeof text - used, "%.*s", (int)length, step);
        used += n;
        step += length;
        if (*step == '+') text[used++] = *step++;
    }
    text[used] = 0;
    replace_value(d, value, text);
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
    broadcast_operands(d);
}
