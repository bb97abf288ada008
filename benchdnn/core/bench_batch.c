// SPDX-License-Identifier: Apache-2.0
// Batch files: finding, reading, cutting into tokens.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_cli.h"
#include "bench_globals.h"
#include "bench_problem.h"
#include "bench_text.h"

#define MAX_DIRS 30
#define MAX_PATH 4096

static struct {
    char executable_dir[MAX_PATH];
    int ndirs;
    char *dirs[MAX_DIRS];
} lookup;

void set_executable(const char *argv0)
{
    char *const dir = lookup.executable_dir;
    const ssize_t length = readlink("/proc/self/exe", dir, MAX_PATH - 1);
    if (length > 0)
        dir[length] = 0;
    else if (!copy_string(dir, MAX_PATH, argv0, strlen(argv0)))
        dir[0] = 0;
    char *const slash = strrchr(dir, '/');
    if (slash)
        *slash = 0;
    else
        copy_string(dir, MAX_PATH, ".", 1);
}

/// Pipes and devices too: `--batch=/dev/stdin`, `--batch=<(…)`.
static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/// The name as given; beside earlier batch files; in the inputs of the driver. The text is the path
/// found, or NULL.
static bool find_batch(text_t *path, const char *name, const char *driver_name)
{
    text_clear(path);
    text_append(path, name);
    if (is_file(text_string(path))) return true;
    if (name[0] == '/') return false;
    for (int i = 0; i < lookup.ndirs; ++i) {
        text_clear(path);
        text_printf(path, "%s/%s", lookup.dirs[i], name);
        if (is_file(text_string(path))) return true;
    }
    static const char *const forms[] = {"%s/inputs/%s/%s", "%s/../inputs/%s/%s"};
    for (int i = 0; i < 2; ++i) {
        text_clear(path);
        text_printf(path, forms[i], lookup.executable_dir, driver_name, name);
        if (is_file(text_string(path))) return true;
    }
    return false;
}

static void remember_dir(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    for (int i = 0; i < lookup.ndirs; ++i)
        if (strlen(lookup.dirs[i]) == length && strncmp(lookup.dirs[i], path, length) == 0) return;
    if (!slash || lookup.ndirs == MAX_DIRS) return;
    char *const dir = bench_calloc(length + 1, 1);
    memcpy(dir, path, length);
    lookup.dirs[lookup.ndirs++] = dir;
}

void forget_batches(void)
{
    while (lookup.ndirs > 0) free(lookup.dirs[--lookup.ndirs]);
}

char *read_batch(const char *name, const char *driver_name)
{
    text_t path = {0};
    FILE *file = NULL;
    char *content = NULL;
    if (find_batch(&path, name, driver_name)) file = fopen(text_string(&path), "r");
    if (!file) {
        problem_error("cannot open file `%s`", name);
        text_free(&path);
        return NULL;
    }
    if (bench.verbose >= 50) printf("batch file: %s\n", text_string(&path));
    remember_dir(text_string(&path));
    size_t length = 0, got = 0;
    do {
        content = bench_realloc(content, length + 65537);
        got = fread(content + length, 1, 65536, file);
        length += got;
    } while (got > 0);
    content[length] = 0;
    fclose(file);
    text_free(&path);
    if (strlen(content) == length) return content;
    free(content);
    problem_error("`%s` is not text: it holds a byte of zero", name);
    return NULL;
}

static const char blanks[] = " \t\r\n\v\f";

/// Whether the next token is a backslash alone, which glues what stands before and behind it.
static bool is_glue_next(const char *p)
{
    p += strspn(p, blanks);
    return p[0] == '\\' && (!p[1] || strchr(blanks, p[1]));
}

static void end_token(list_t *tokens, text_t *token)
{
    if (!token->length) return;
    char *const copy = bench_strdup(text_string(token));
    list_append(tokens, &copy);
    text_clear(token);
}

void tokenise(const char *text, list_t *tokens)
{
    text_t token = {0};
    for (const char *p = text; *p;) {
        const size_t length = strcspn(p, blanks);
        if (length == 0) {
            ++p;
            continue;
        }
        if (*p == '#') {
            p += strcspn(p, "\n");
            continue;
        }
        const bool goes_on = p[length - 1] == '\\';
        text_printf(&token, "%.*s", (int)(goes_on ? length - 1 : length), p);
        p += length;
        if (!goes_on && !is_glue_next(p)) end_token(tokens, &token);
    }
    end_token(tokens, &token);
    text_free(&token);
}
