// SPDX-License-Identifier: Apache-2.0
// Calls of the functions of the whole library and of engines: settings come back, names are never
// NULL, memory is counted.
#include <stdlib.h>
#include <string.h>

#include "fuzz_world.h"

static void set_cache_dir(fuzz_input_t *in)
{
    char dir[40], got[64], small[8] = "as was";
    int n = fuzz_below(in, (int)sizeof dir);
    for (int i = 0; i < n; ++i) dir[i] = (char)(1 + fuzz_below(in, 255));
    dir[n] = '\0';
    const prim_status_t status = prim_set_cache_dir(dir);
    fuzz_check_status(status);
    if (status == PRIM_SUCCESS) {
        fuzz_expect(__func__, prim_get_cache_dir(got, sizeof got), PRIM_SUCCESS);
        FUZZ_PROMISE(strcmp(got, dir) == 0, "the cache's folder is what was set");
        const bool fits = strlen(dir) < sizeof small;
        fuzz_expect(__func__, prim_get_cache_dir(small, sizeof small),
                fits ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
        FUZZ_PROMISE(
                strcmp(small, fits ? dir : "as was") == 0, "failures leave outputs as they are");
    }
    fuzz_expect(__func__, prim_set_cache_dir(""), PRIM_SUCCESS);
}

static void set_cache_bytes(fuzz_input_t *in)
{
    const uint64_t bytes = (uint64_t)fuzz_number(in);
    uint64_t got = ~bytes;
    const prim_status_t status = prim_set_cache_max_bytes(bytes);
    fuzz_check_status(status);
    fuzz_expect(__func__, prim_get_cache_max_bytes(&got), PRIM_SUCCESS);
    FUZZ_PROMISE(status != PRIM_SUCCESS || got == bytes, "the cache's size is what was set");
}

static void set_capacity(fuzz_input_t *in)
{
    const int capacity = fuzz_seldom(in, 2) ? (int)fuzz_number(in) : fuzz_below(in, 4);
    int before = -1, got = -1;
    fuzz_expect(__func__, prim_get_primitive_cache_capacity(&before), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_set_primitive_cache_capacity(capacity),
            capacity >= 0 ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_get_primitive_cache_capacity(&got), PRIM_SUCCESS);
    FUZZ_PROMISE(got == (capacity >= 0 ? capacity : before), "the capacity is what was set");
}

static void set_defaults(fuzz_input_t *in)
{
    const int mode = fuzz_seldom(in, 4) ? (int)fuzz_number(in) : fuzz_below(in, 5);
    prim_fpmath_mode_t fpmath, fpmath_before;
    prim_tune_mode_t tune, tune_before;
    fuzz_expect(__func__, prim_get_default_fpmath_mode(&fpmath_before), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_get_default_tune(&tune_before), PRIM_SUCCESS);
    const bool is_fpmath = mode >= 0 && mode < 5, is_tune = mode >= 0 && mode < 3;
    fuzz_expect(__func__, prim_set_default_fpmath_mode((prim_fpmath_mode_t)mode),
            is_fpmath ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_set_default_tune((prim_tune_mode_t)mode),
            is_tune ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_get_default_fpmath_mode(&fpmath), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_get_default_tune(&tune), PRIM_SUCCESS);
    FUZZ_PROMISE((int)fpmath == (is_fpmath ? mode : (int)fpmath_before) &&
                         (int)tune == (is_tune ? mode : (int)tune_before),
            "defaults are what was set");
}

static void *no_memory(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    abort(); // the allocator is refused
}

static void no_release(void *user, void *pointer)
{
    (void)user;
    (void)pointer;
    abort();
}

static void set_allocator(fuzz_input_t *in)
{
    const int lacks = fuzz_below(in, 3);
    const prim_allocator_t allocator = {
            .allocate = lacks == 1 ? NULL : no_memory, .release = lacks == 2 ? NULL : no_release};
    fuzz_expect(__func__, prim_set_allocator(&allocator), PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_set_allocator(NULL), PRIM_INVALID_ARGUMENTS);
}

static void report(fuzz_input_t *in)
{
    enum { KEPT_BYTES = 1000 };
    static char sentence[2 * KEPT_BYTES];
    const int n = fuzz_seldom(in, 4) ? fuzz_below(in, (int)sizeof sentence) : fuzz_below(in, 40);
    const prim_status_t status =
            (prim_status_t)(fuzz_seldom(in, 4) ? fuzz_number(in) : fuzz_below(in, 7));
    for (int i = 0; i < n; ++i) sentence[i] = (char)('a' + i % 26);
    sentence[n] = '\0';
    FUZZ_PROMISE(prim_report_failure(status, sentence) == status, "the caller's status comes back");
    const char *const got = prim_last_error();
    FUZZ_PROMISE(strncmp(got, sentence, strlen(got)) == 0 && strlen(got) <= KEPT_BYTES &&
                         (strlen(got) == (size_t)n || n >= KEPT_BYTES - 1),
            "the caller's sentence is kept");
    fuzz_expect(__func__, prim_report_failure(status, NULL), PRIM_INVALID_ARGUMENTS);
}

static void drop_line(void *user, const char *line)
{
    *(int *)user += line[0] != '\0';
}

static void set_log(fuzz_input_t *in)
{
    static const char *const words[] = {"none", "error", "all", "check", "dispatch,profile_create",
            "warn,filter=eltwise", "2", "info", "1", "0", "profile", "all,nothing", ",", ""};
    static int nlines;
    const char *const word = words[fuzz_below(in, (int)(sizeof words / sizeof *words))];
    fuzz_expect(__func__, prim_set_log_callback(drop_line, &nlines), PRIM_SUCCESS);
    fuzz_check_status(prim_set_verbose(word));
    fuzz_expect(__func__, prim_set_verbose("no such word"), PRIM_INVALID_ARGUMENTS);
}

void fuzz_call_settings(fuzz_input_t *in)
{
    switch (fuzz_below(in, 7)) {
    case 0: set_cache_dir(in); break;
    case 1: set_cache_bytes(in); break;
    case 2: set_capacity(in); break;
    case 3: set_defaults(in); break;
    case 4: set_allocator(in); break;
    case 5: set_log(in); break;
    default: report(in);
    }
}

void fuzz_call_names(fuzz_input_t *in)
{
    const int n = fuzz_seldom(in, 2) ? (int)fuzz_number(in) : fuzz_below(in, 400);
    const char *const names[] = {prim_status_name((prim_status_t)n),
            prim_data_type_name((prim_data_type_t)n), prim_format_tag_name((prim_format_tag_t)n),
            prim_primitive_kind_name((prim_primitive_kind_t)n),
            prim_prop_kind_name((prim_prop_kind_t)n), prim_alg_kind_name((prim_alg_kind_t)n),
            prim_engine_kind_name((prim_engine_kind_t)n)};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        FUZZ_PROMISE(names[i] && names[i][0] != '\0', "every value has a name");
    const bool is_type = strcmp(names[1], "undef") != 0;
    FUZZ_PROMISE(is_type == (prim_data_type_size((prim_data_type_t)n) > 0),
            "types that have a name have a size");
    const prim_version_t *const version = prim_version();
    FUZZ_PROMISE(version && version->hash && version->cpu_runtime != PRIM_RUNTIME_NONE,
            "the library tells what it is");
    FUZZ_PROMISE(
            prim_engine_get_count((prim_engine_kind_t)n) == 0 || n == PRIM_CPU || n == PRIM_GPU,
            "there are two kinds of engines");
}

/// The answer's type is part of the query's name; 16 bytes that must not change hold any.
static void query(const fuzz_side_t *side, fuzz_input_t *in)
{
    union {
        unsigned char bytes[16];
        const char *text;
        int64_t number;
    } answer, before;
    const int what = fuzz_seldom(in, 8) ? (int)fuzz_number(in) : fuzz_below(in, 150);
    memset(&answer, 0x5a, sizeof answer);
    before = answer;
    const prim_status_t status =
            prim_engine_query(side->engine, (prim_engine_query_t)what, &answer);
    fuzz_check_status(status);
    FUZZ_PROMISE(
            memcmp(answer.bytes + 8, before.bytes + 8, 8) == 0, "answers have at most 8 bytes");
    FUZZ_PROMISE(status == PRIM_SUCCESS || answer.number == before.number,
            "failures leave outputs as they are");
    if (status == PRIM_SUCCESS && what >= 1 && what <= 12)
        FUZZ_PROMISE(answer.text && strlen(answer.text) < 1 << 16, "names are texts");
}

static void limit_memory(const fuzz_side_t *side, fuzz_input_t *in)
{
    const uint64_t limit = fuzz_seldom(in, 2) ? (uint64_t)fuzz_number(in) : 0;
    prim_memory_stats_t stats = {.ncreated = 77};
    const prim_status_t expected = side->kind == PRIM_CPU ? PRIM_UNIMPLEMENTED : PRIM_SUCCESS;
    fuzz_expect(__func__, prim_engine_set_memory_limit(side->engine, limit), expected);
    fuzz_expect(__func__, prim_engine_get_memory_stats(side->engine, &stats), expected);
    if (side->kind == PRIM_CPU)
        FUZZ_PROMISE(stats.ncreated == 77, "failures leave outputs as they are");
    else
        FUZZ_PROMISE(stats.limit_bytes == limit && stats.in_use_bytes <= stats.reserved_bytes &&
                             stats.reserved_bytes <= stats.peak_reserved_bytes,
                "memory is counted");
    fuzz_expect(__func__, prim_engine_trim_memory(side->engine), expected);
    fuzz_expect(__func__, prim_engine_get_memory_stats(side->engine, &stats), expected);
    FUZZ_PROMISE(
            side->kind == PRIM_CPU || stats.nidle_buffers == 0, "nothing is idle after trimming");
    fuzz_expect(__func__, prim_engine_set_memory_limit(side->engine, 0), expected);
}

static void open_again(const fuzz_side_t *side)
{
    prim_engine_t *engine = NULL;
    prim_engine_kind_t kind = PRIM_ANY_ENGINE;
    size_t total = 0, most = 0;
    fuzz_expect(__func__, prim_engine_create(&engine, PRIM_CPU, 0), PRIM_SUCCESS);
    prim_engine_destroy(engine);
    fuzz_expect(__func__,
            prim_engine_create(&engine, side->kind, prim_engine_get_count(side->kind)),
            PRIM_INVALID_ARGUMENTS);
    fuzz_expect(__func__, prim_engine_get_kind(side->engine, &kind), PRIM_SUCCESS);
    fuzz_expect(__func__, prim_engine_get_memory_limits(side->engine, &total, &most), PRIM_SUCCESS);
    FUZZ_PROMISE(kind == side->kind && total >= most && most > 0, "an engine tells what it is");
    FUZZ_PROMISE(prim_engine_name(side->engine)[0] != '\0' && !prim_engine_name(NULL),
            "an engine has a name");
}

void fuzz_call_engine(fuzz_input_t *in)
{
    const fuzz_side_t *const side = fuzz_side(in);
    switch (fuzz_below(in, 4)) {
    case 0: limit_memory(side, in); break;
    case 1: open_again(side); break;
    default: query(side, in);
    }
}
