// SPDX-License-Identifier: Apache-2.0
// The body of the fuzz programs.
#include "fuzz_body.h"

#include "fuzz_case.h"
#include "fuzz_ops.h"

enum { MAX_ENGINES = 2 };

static prim_engine_t *engines[MAX_ENGINES];
static int nengines;
static long nlines;

static void count_line(void *user, const char *line)
{
    (void)user;
    nlines += line[0] != '\0';
}

static void open_engines(void)
{
    static const prim_engine_kind_t kinds[] = {PRIM_CPU, PRIM_GPU};
    if (nengines > 0) return;
    for (int i = 0; i < MAX_ENGINES; ++i)
        nengines += prim_engine_get_count(kinds[i]) > 0 &&
                    prim_engine_create(&engines[nengines], kinds[i], 0) == PRIM_SUCCESS;
    FUZZ_PROMISE(nengines > 0, "there is a CPU engine");
    fuzz_cases_read();
    prim_set_log_callback(count_line, NULL);
}

void fuzz_close(void)
{
    fuzz_cases_free();
    for (; nengines > 0; --nengines) prim_engine_destroy(engines[nengines - 1]);
}

long fuzz_lines_logged(void)
{
    return nlines;
}

long fuzz_run(const uint8_t *bytes, size_t nbytes)
{
    fuzz_input_t in = {.at = bytes, .end = bytes + nbytes};
    long ncalls = 0;
    open_engines();
    prim_set_verbose(fuzz_byte(&in) & 1 ? "all" : "none");
    for (; !fuzz_is_over(&in); ++ncalls) {
        if (fuzz_seldom(&in, 2))
            fuzz_op_call(&in, engines, nengines);
        else
            fuzz_md_call(&in);
    }
    return ncalls;
}
