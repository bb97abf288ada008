// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // popen, getpid, strdup
#include "impl_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"

static void *grow(void *array, int n, size_t bytes)
{
    if (n & (n - 1)) return array; // at 0 and at powers of 2
    void *const longer = realloc(array, (n ? 2 * (size_t)n : 1) * bytes);
    if (!longer) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return longer;
}

static void add_tile(tiles_t *tiles, int size)
{
    for (int i = 0; i < tiles->n; ++i)
        if (tiles->sizes[i] == size) return;
    if (tiles->n < MAX_TILES) tiles->sizes[tiles->n++] = size;
}

static void add_impl(pool_t *pool, const impl_t *impl, const impl_t *nested)
{
    if (pool->nimpls == MAX_IMPLS) {
        fprintf(stderr, "more than %d implementations\n", (int)MAX_IMPLS);
        exit(2);
    }
    pool_impl_t *const entry = &pool->impls[pool->nimpls++];
    entry->impl = impl;
    entry->nested = nested;
    snprintf(entry->name, sizeof entry->name, "%s%s%s", impl->name, nested ? "+" : "",
            nested ? strrchr(nested->name, ':') + 1 : "");
}

/// What is nested are views of buffers, whose dimensions are known (nested.h): never images, never
/// run-time dimensions. A depthwise post-op is not passed on.
static bool is_never_nested(const impl_t *impl)
{
    const char *const word = strrchr(impl->name, ':');
    return (impl->takes_images && strncmp(word, ":image", 6) == 0) ||
           strcmp(word, ":deferred") == 0 || impl->takes_depthwise;
}

static bool is_never_asked(const pool_t *pool, const impl_t *outer, const impl_t *nested)
{
    char both[IMPL_NAME_BYTES];
    const char *const inner = strrchr(nested->name, ':') + 1;
    snprintf(both, sizeof both, "%s+%s", strrchr(outer->name, ':') + 1, inner);
    for (const char *const *word = pool->generator->never_nested; word && *word; ++word)
        if (strcmp(inner, *word) == 0 || strcmp(both, *word) == 0) return true;
    return false;
}

/// One that nests once for each implementation that it may have inside.
static void add_impls(pool_t *pool, prim_engine_kind_t engine, int direction)
{
    const impl_t *const *const list =
            prim__impl_list(engine, pool->generator->kind, (direction_t)direction);
    for (int i = 0; list[i]; ++i) {
        const impl_t *const *nested =
                list[i]->nests ? prim__schema_list(list[i]->nests, engine) : NULL;
        if (!nested) add_impl(pool, list[i], NULL);
        for (; nested && nested[0]; ++nested)
            if ((nested[1] || list[i]->nests_generic) && !is_never_nested(nested[0]) &&
                    !is_never_asked(pool, list[i], nested[0]))
                add_impl(pool, list[i], nested[0]);
    }
}

void pool_init(pool_t *pool, const char *benchdnn, const char *engine, const generator_t *generator,
        uint32_t first_style)
{
    *pool = (pool_t){.benchdnn = benchdnn,
            .engine = engine,
            .generator = generator,
            .first_style = first_style};
    const bool is_cpu = strncmp(engine, "cpu", 3) == 0;
    for (int d = 0; d < NDIRECTIONS; ++d) add_impls(pool, is_cpu ? PRIM_CPU : PRIM_GPU, d);
    if (!is_cpu) pool_find_tiles(pool);
    for (int k = 0; k < pool->nimpls; ++k)
        for (int i = 0; i < pool->tiles[k].n; ++i)
            add_tile(&pool->all_tiles, pool->tiles[k].sizes[i]);
}

void pool_free(pool_t *pool)
{
    for (int i = 0; i < pool->n; ++i) {
        free(pool->problems[i].line);
        free(pool->problems[i].options);
    }
    for (int i = 0; i < pool->noptions; ++i) free(pool->options[i].name);
    free(pool->problems);
    free(pool->options);
}

int pool_find_option(const pool_t *pool, const char *name)
{
    for (int i = 0; i < pool->noptions; ++i)
        if (strcmp(pool->options[i].name, name) == 0) return i;
    return -1;
}

static int intern(pool_t *pool, const char *name)
{
    const int known = pool_find_option(pool, name);
    if (known >= 0) return known;
    pool->options = grow(pool->options, pool->noptions, sizeof *pool->options);
    const char *const equals = strchr(name, '=');
    const int size = name[0] == '#' && equals ? atoi(equals + 1) : 0;
    pool->options[pool->noptions] = (option_t){strdup(name), size};
    return pool->noptions++;
}

static void keep(pool_t *pool, const draw_t *d, uint32_t style)
{
    for (int i = pool->n - 1; i >= 0; --i) // problems are distinct
        if (strcmp(pool->problems[i].line, d->line) == 0) return;
    pool->problems = grow(pool->problems, pool->n, sizeof *pool->problems);
    problem_t *const problem = &pool->problems[pool->n++];
    *problem = (problem_t){.line = strdup(d->line), .style = style};
    char options[OPTIONS_BYTES];
    memcpy(options, d->options, sizeof options);
    for (char *rest = options, *name; (name = strtok_r(rest, " ", &rest));) {
        problem->options = grow(problem->options, problem->noptions, sizeof(int));
        problem->options[problem->noptions++] = intern(pool, name);
    }
}

static bool write_batch(const pool_t *pool, int from, const char *path)
{
    FILE *const file = fopen(path, "w");
    if (!file) return false;
    for (int i = from; i < pool->n; ++i) fprintf(file, "--reset%s\n", pool->problems[i].line);
    return fclose(file) == 0;
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

/// The entry's name, be it with the words of further nested problems behind it: "+any".
static bool is_entry(const pool_impl_t *entry, const char *name, size_t length)
{
    const size_t own = strlen(entry->name);
    if (length > own && name[own] == '+') return is_name(entry->name, name, own);
    return is_name(entry->name, name, length);
}

/// The bits of the implementations whose name these characters are, or that of what they nest.
static impl_bits_t bits_of(const pool_t *pool, const char *name, size_t length, bool is_nested)
{
    impl_bits_t bits = 0;
    for (int k = 0; k < pool->nimpls; ++k) {
        const pool_impl_t *const entry = &pool->impls[k];
        const bool is_meant = !is_nested
                                      ? is_entry(entry, name, length)
                                      : entry->nested && is_name(entry->nested->name, name, length);
        if (is_meant) bits |= (impl_bits_t)1 << k;
    }
    return bits;
}

static impl_bits_t takers_of(const pool_t *pool, const char *names)
{
    impl_bits_t bits = 0;
    for (; *names; names += strspn(names, " \n")) {
        const size_t length = strcspn(names, " \n");
        bits |= bits_of(pool, names, length, false);
        names += length;
    }
    return bits;
}

/// By the convention of doc/opencl_kernels.md the sentence of an implementation that wants
/// something of the device begins with "the device has no".
static impl_bits_t lacking_of(const pool_t *pool, const char *line)
{
    const char *const sentence = strstr(line, ",the device has no ");
    if (!sentence) return 0;
    const char *name = sentence;
    while (name > line && name[-1] != ',') --name;
    const size_t length = (size_t)(sentence - name);
    return bits_of(pool, name, length, false) | bits_of(pool, name, length, true);
}

/// Reads what benchdnn says of the problems from `from` on; returns how many it got through.
static int read_answers(pool_t *pool, int from, FILE *pipe)
{
    static const char mark[] = "implementations:";
    char line[4096];
    int at = from;
    while (at < pool->n && fgets(line, sizeof line, pipe)) {
        problem_t *const problem = &pool->problems[at];
        const size_t digits = strspn(line, "0123456789");
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            problem->takers = takers_of(pool, line + sizeof mark);
        } else if (digits && line[digits] == ':') {
            const bool is_refused = !strstr(line, ":LISTED") && !strstr(line, ":SKIPPED");
            if (is_refused) fputs(line, stdout);
            pool->nrefused += is_refused;
            ++at;
        } else {
            problem->lacking |= lacking_of(pool, line);
            if (strncmp(line, "Error", 5) == 0) fputs(line, stdout);
        }
    }
    while (fgets(line, sizeof line, pipe))
        if (strstr(line, "rror")) fputs(line, stdout);
    return at - from;
}

bool pool_draw(pool_t *pool, int nstyles)
{
    const uint32_t first = pool->first_style + (uint32_t)pool->nstyles;
    const int from = pool->n;
    draw_t d = {.is_gpu = strncmp(pool->engine, "cpu", 3) != 0,
            .tiles = pool->all_tiles.sizes,
            .ntiles = pool->all_tiles.n};
    for (uint32_t style = first; style < first + (uint32_t)nstyles; ++style)
        for (uint32_t i = 0; i < SIZES_OF_A_STYLE; ++i) {
            problem_draw(&d, pool->generator, style, style * SIZES_OF_A_STYLE + i);
            keep(pool, &d, style);
        }
    pool->nstyles += nstyles;
    char path[64], command[1024];
    snprintf(path, sizeof path, "check_impls_%ld.batch", (long)getpid());
    if (!write_batch(pool, from, path)) return false;
    snprintf(command, sizeof command,
            "PRIM_VERBOSE=dispatch %s --mode=L --list-impls=true --engine=%s --%s --batch=%s 2>&1",
            pool->benchdnn, pool->engine, pool->generator->driver, path);
    FILE *const pipe = popen(command, "r");
    if (!pipe) return false;
    const int nread = read_answers(pool, from, pipe);
    pclose(pipe);
    remove(path);
    if (nread != pool->n - from)
        printf("%s: benchdnn ended behind:%s\n", pool->generator->driver,
                nread ? pool->problems[from + nread - 1].line : " nothing");
    return nread == pool->n - from;
}

bool pool_takes(const pool_t *pool, int impl, const problem_t *problem)
{
    (void)pool;
    return problem->takers >> impl & 1;
}

static bool is_own_edge(const tiles_t *tiles, int size)
{
    for (int i = 0; i < tiles->n; ++i)
        if (size >= tiles->sizes[i] - 1 && size <= tiles->sizes[i] + 1) return true;
    return false;
}

void pool_options_of(const pool_t *pool, int impl, bool *has)
{
    memset(has, 0, (size_t)pool->noptions * sizeof *has);
    for (int i = 0; i < pool->n; ++i) {
        const problem_t *const problem = &pool->problems[i];
        if (!pool_takes(pool, impl, problem)) continue;
        for (int k = 0; k < problem->noptions; ++k) {
            const int size = pool->options[problem->options[k]].size;
            if (!size || is_own_edge(&pool->tiles[impl], size)) has[problem->options[k]] = true;
        }
    }
}

int pool_count_of(const pool_t *pool, int impl)
{
    int n = 0;
    for (int i = 0; i < pool->n; ++i) n += pool_takes(pool, impl, &pool->problems[i]);
    return n;
}

bool pool_lacks(const pool_t *pool, int impl, int option)
{
    for (int i = 0; i < pool->n; ++i) {
        const problem_t *const problem = &pool->problems[i];
        if (!(problem->lacking >> impl & 1)) continue;
        if (option < 0) return true;
        for (int k = 0; k < problem->noptions; ++k)
            if (problem->options[k] == option) return true;
    }
    return false;
}
